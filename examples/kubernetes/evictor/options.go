// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/evictor/internal/controller"
)

// options are the command-line options.
type options struct {
	controller controller.Options

	metricsAddr, healthAddr string
	verbosity               int

	leaderElect                              bool
	leaseNamespace, leaseName                string
	leaseDuration, renewDeadline, retryPause time.Duration
}

// Register registers flags that set the options.
func (o *options) Register(fs *flag.FlagSet) {
	fs.BoolVar(&o.controller.Policy.FromTimeAdded, "from-time-added", true,
		"count from a taint's timeAdded, so that a restart changes no deadline; otherwise from when the taint was seen")
	fs.TextVar(&o.controller.Policy.Select, "select", taints.FirstMatch,
		"which `toleration` counts of several that match a taint: FirstMatch, LongestMatch, ShortestMatch or ForeverElseShortest")
	fs.BoolVar(&o.controller.KeepTimers, "keep-timers", false,
		"let a pending eviction keep its deadline when later taints lead to another, as Kubernetes does")
	fs.StringVar((*string)(&o.controller.Method), "method", string(controller.Evict),
		"`how` pods are evicted: evict (by the Eviction API, which honors PodDisruptionBudgets) or delete (as Kubernetes does)")
	fs.BoolVar(&o.controller.DryRun, "dry-run", false, "evict nobody; only logs, events and metrics tell what would be")
	fs.Float64Var(&o.controller.QPS, "qps", 50, "evictions begun in a second; 0 is no limit")
	fs.IntVar(&o.controller.Burst, "burst", 100, "evictions begun at once after a pause")
	fs.IntVar(&o.controller.Workers, "workers", 8, "evictions that go on at a time")

	fs.StringVar(&o.metricsAddr, "metrics-addr", "127.0.0.1:8080",
		"`address` of /metrics, without authentication; 0 is none")
	fs.StringVar(&o.healthAddr, "health-addr", "127.0.0.1:8081", "`address` of /healthz and /readyz; 0 is none")
	fs.IntVar(&o.verbosity, "v", 0, "verbosity of the log: 1 also tells of each deadline")

	fs.BoolVar(&o.leaderElect, "leader-elect", true, "evict only while holding the lease, so that several may run")
	fs.StringVar(&o.leaseNamespace, "leader-elect-namespace", "", "`namespace` of the lease; empty is that of the pod")
	fs.StringVar(&o.leaseName, "leader-elect-name", "taints-evictor", "`name` of the lease")
	fs.DurationVar(&o.leaseDuration, "lease-duration", 15*time.Second,
		"how long others wait for a leader that is silent")
	fs.DurationVar(&o.renewDeadline, "renew-deadline", 10*time.Second,
		"how long a leader tries to renew the lease before it ends")
	fs.DurationVar(&o.retryPause, "retry-period", 2*time.Second, "how often the lease is renewed, or tried for")
}

// check returns what is wrong with the options.
func (o *options) check() error {
	var errs []error
	if m := o.controller.Method; m != controller.Evict && m != controller.Delete {
		errs = append(errs, fmt.Errorf("-method %q: want evict or delete", m))
	}
	if o.controller.QPS < 0 {
		errs = append(errs, fmt.Errorf("-qps %v: want 0 or more", o.controller.QPS))
	}
	if o.controller.Burst < 1 {
		errs = append(errs, fmt.Errorf("-burst %d: want 1 or more", o.controller.Burst))
	}
	if o.controller.Workers < 1 {
		errs = append(errs, fmt.Errorf("-workers %d: want 1 or more", o.controller.Workers))
	}
	return errors.Join(errs...)
}
