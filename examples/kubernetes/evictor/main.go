// SPDX-License-Identifier: Apache-2.0

// Command evictor evicts the pods that do not tolerate, or no longer tolerate,
// their nodes' NoExecute taints. It replaces Kubernetes' taint-eviction controller,
// which is switched off with
//
//	kube-controller-manager --controllers=*,-taint-eviction-controller
//
// Deadlines count from a taint's timeAdded, so that they are the same after a
// restart. See README.md.
package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/seed-0529bac1/taints/examples/kubernetes/evictor/internal/controller"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/program"
)

func main() { program.Main("evictor", &options{}) }

// Run runs the controller until the context ends or the lease is lost.
func (o *options) Run(ctx context.Context, _ io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	klog.InfoS("Starting", "version", program.Version())
	config, err := config.GetConfig()
	if err != nil {
		return err
	}
	return o.serve(ctx, config)
}

func (o *options) serve(ctx context.Context, config *rest.Config) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	metrics.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "taints_evictor_build_info",
		Help:        "The program's version.",
		ConstLabels: prometheus.Labels{"version": program.Version()},
	}, func() float64 { return 1 }))
	controller.AdaptTransport(config)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                  scheme,
		MapperProvider:          controller.Mapper,
		Cache:                   controller.CacheOptions(),
		Metrics:                 metricsserver.Options{BindAddress: o.metricsAddr},
		HealthProbeBindAddress:  o.healthAddr,
		LeaderElection:          o.leaderElect,
		LeaderElectionNamespace: o.leaseNamespace,
		LeaderElectionID:        o.leaseName,
		LeaseDuration:           &o.leaseDuration,
		RenewDeadline:           &o.renewDeadline,
		RetryPeriod:             &o.retryPause,
		// The next leader need not wait: this process ends as soon as it has
		// stopped evicting.
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	if err := controller.Setup(manager, o.controller); err != nil {
		return err
	}
	synced := func(request *http.Request) error {
		if !filled(request.Context(), manager) {
			return errors.New("the cache is not filled yet")
		}
		return nil
	}
	err = errors.Join(manager.AddHealthzCheck("ping", healthz.Ping), manager.AddReadyzCheck("cache", synced))
	if err != nil {
		return err
	}
	return start(ctx, manager)
}

// start runs the manager until the context ends. A manager that is stopped before
// its cache is filled never returns (sigs.k8s.io/controller-runtime, pull request
// 3440). It does not lead yet, so it is left running.
func start(ctx context.Context, m ctrl.Manager) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- m.Start(running) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	if !filled(running, m) {
		return nil
	}
	stop()
	return <-ended
}

// filled reports whether the cache is filled within a second.
func filled(ctx context.Context, m ctrl.Manager) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return m.GetCache().WaitForCacheSync(ctx)
}
