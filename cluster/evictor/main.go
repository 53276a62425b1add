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
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"github.com/seed-0529bac1/taints/cluster/evictor/internal/controller"
	"github.com/seed-0529bac1/taints/cluster/internal/program"
)

func main() { program.Main("evictor", &options{}) }

// options are the command-line options.
type options struct {
	controller controller.Options
	manager    ctrl.Options
}

// Register registers flags that set the options.
func (o *options) Register(fs *flag.FlagSet) {
	fs.BoolVar(&o.controller.Policy.FromTimeAdded, "from-time-added", true,
		"count from the taint's timeAdded, so that a restart changes no deadline; if false, from when the evictor saw the taint")
	fs.BoolVar(&o.controller.Policy.ForDevices, "for-devices", false,
		"if several tolerations match a taint, count one without seconds or else the one with the least")
	fs.BoolVar(&o.controller.KeepTimers, "keep-timers", false,
		"keep the deadline of a pending eviction when later taints would change it, as Kubernetes does")
	fs.StringVar((*string)(&o.controller.Method), "method", string(controller.Evict),
		"`how` to evict pods: evict (the Eviction API, which honors PodDisruptionBudgets) or delete (as Kubernetes does)")
	fs.DurationVar(&o.controller.DeleteHeldAfter, "delete-held-after", 5*time.Minute,
		"delete a pod on a failed node so long after its deadline if a PodDisruptionBudget still holds back its eviction; 0 means never")
	fs.BoolVar(&o.controller.DryRun, "dry-run", false, "evict no pods; logs, events and metrics show what would be evicted")
	fs.Float64Var(&o.controller.QPS, "qps", 50, "evictions started per second; 0 means no limit")
	fs.IntVar(&o.controller.Burst, "burst", 100, "evictions started at once after a pause")
	fs.IntVar(&o.controller.Workers, "workers", 8, "evictions in progress at the same time")

	fs.StringVar(&o.manager.Metrics.BindAddress, "metrics-addr", "127.0.0.1:8080",
		"`address` of /metrics, without authentication; 0 disables it")
	fs.StringVar(&o.manager.HealthProbeBindAddress, "health-addr", "127.0.0.1:8081", "`address` of /healthz and /readyz; 0 disables it")

	fs.BoolVar(&o.manager.LeaderElection, "leader-elect", true, "evict only while holding the lease, so that several replicas can run")
	fs.StringVar(&o.manager.LeaderElectionNamespace, "leader-elect-namespace", "", "`namespace` of the lease; empty means the pod's")
	fs.StringVar(&o.manager.LeaderElectionID, "leader-elect-name", "taints-evictor", "`name` of the lease")
	o.manager.LeaseDuration = fs.Duration("lease-duration", 15*time.Second,
		"how long other replicas wait for a leader that does not renew the lease")
	o.manager.RenewDeadline = fs.Duration("renew-deadline", 10*time.Second, "how long a leader tries to renew the lease before it exits")
	o.manager.RetryPeriod = fs.Duration("retry-period", 2*time.Second, "how often to renew the lease, or try to get it")
}

func (o *options) check() error {
	c, wrong := &o.controller, func(format string, value any) error {
		return program.ExitError{Code: 2, Err: fmt.Errorf(format, value)}
	}
	switch {
	case c.Method != controller.Evict && c.Method != controller.Delete:
		return wrong("-method %q: want evict or delete", c.Method)
	case c.DeleteHeldAfter < 0:
		return wrong("-delete-held-after %v: want 0 or more", c.DeleteHeldAfter)
	case c.QPS < 0:
		return wrong("-qps %v: want 0 or more", c.QPS)
	case c.Burst < 1:
		return wrong("-burst %d: want 1 or more", c.Burst)
	case c.Workers < 1:
		return wrong("-workers %d: want 1 or more", c.Workers)
	}
	return nil
}

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
	lease := controller.NewLease(*o.manager.RenewDeadline)
	controller.AdaptTransport(config, lease)
	if o.manager.LeaderElection {
		o.controller.Leads = lease.Held
	}
	o.manager.MapperProvider = controller.Mapper
	o.manager.Cache = controller.CacheOptions()
	// The next leader need not wait: this process ends as soon as it has stopped
	// evicting.
	o.manager.LeaderElectionReleaseOnCancel = true
	manager, err := ctrl.NewManager(config, o.manager)
	if err != nil {
		return err
	}
	if err := controller.Setup(manager, o.controller); err != nil {
		return err
	}
	synced := func(request *http.Request) error { return filled(request.Context(), manager) }
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
	if filled(running, m) != nil {
		return nil
	}
	stop()
	return <-ended
}

// filled returns an error unless the cache is filled within a second.
func filled(ctx context.Context, m ctrl.Manager) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if !m.GetCache().WaitForCacheSync(ctx) {
		return errors.New("the cache is not filled yet")
	}
	return nil
}
