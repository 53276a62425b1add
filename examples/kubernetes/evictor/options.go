// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/evictor/internal/controller"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/program"
)

// options are the command-line options.
type options struct {
	controller controller.Options

	metricsAddr, healthAddr string

	leaderElect                              bool
	leaseNamespace, leaseName                string
	leaseDuration, renewDeadline, retryPause time.Duration
}

// Register registers flags that set the options.
func (o *options) Register(fs *flag.FlagSet) {
	fs.BoolVar(&o.controller.Policy.FromTimeAdded, "from-time-added", true,
		"count from the taint's timeAdded, so that a restart changes no deadline; if false, from when the evictor saw the taint")
	fs.TextVar(&o.controller.Policy.Select, "select", taints.FirstMatch,
		"which `toleration` counts if several match a taint: FirstMatch or ForeverElseShortest")
	fs.BoolVar(&o.controller.KeepTimers, "keep-timers", false,
		"keep the deadline of a pending eviction when later taints would change it, as Kubernetes does")
	fs.StringVar((*string)(&o.controller.Method), "method", string(controller.Evict),
		"`how` to evict pods: evict (the Eviction API, which honors PodDisruptionBudgets) or delete (as Kubernetes does)")
	fs.BoolVar(&o.controller.DryRun, "dry-run", false, "evict no pods; logs, events and metrics show what would be evicted")
	fs.Float64Var(&o.controller.QPS, "qps", 50, "evictions started per second; 0 means no limit")
	fs.IntVar(&o.controller.Burst, "burst", 100, "evictions started at once after a pause")
	fs.IntVar(&o.controller.Workers, "workers", 8, "evictions in progress at the same time")

	fs.StringVar(&o.metricsAddr, "metrics-addr", "127.0.0.1:8080",
		"`address` of /metrics, without authentication; 0 disables it")
	fs.StringVar(&o.healthAddr, "health-addr", "127.0.0.1:8081", "`address` of /healthz and /readyz; 0 disables it")

	fs.BoolVar(&o.leaderElect, "leader-elect", true, "evict only while holding the lease, so that several replicas can run")
	fs.StringVar(&o.leaseNamespace, "leader-elect-namespace", "", "`namespace` of the lease; empty means the pod's")
	fs.StringVar(&o.leaseName, "leader-elect-name", "taints-evictor", "`name` of the lease")
	fs.DurationVar(&o.leaseDuration, "lease-duration", 15*time.Second,
		"how long other replicas wait for a leader that does not renew the lease")
	fs.DurationVar(&o.renewDeadline, "renew-deadline", 10*time.Second,
		"how long a leader tries to renew the lease before it exits")
	fs.DurationVar(&o.retryPause, "retry-period", 2*time.Second, "how often to renew the lease, or try to get it")
}

func (o *options) check() error {
	c, wrong := &o.controller, func(format string, value any) error {
		return program.ExitError{Code: 2, Err: fmt.Errorf(format, value)}
	}
	switch {
	case c.Method != controller.Evict && c.Method != controller.Delete:
		return wrong("-method %q: want evict or delete", c.Method)
	case c.QPS < 0:
		return wrong("-qps %v: want 0 or more", c.QPS)
	case c.Burst < 1:
		return wrong("-burst %d: want 1 or more", c.Burst)
	case c.Workers < 1:
		return wrong("-workers %d: want 1 or more", c.Workers)
	}
	return nil
}
