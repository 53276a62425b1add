// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/cluster/internal/exits"
	"github.com/seed-0529bac1/taints/cluster/internal/program"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

// parse returns the options that the arguments set.
func parse(t *testing.T, args string) *options {
	t.Helper()
	var o options
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	o.Register(flags)
	if err := flags.Parse(strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	return &o
}

// TestParse checks the options that flags set.
func TestParse(t *testing.T) {
	type test struct{ Args, Want string }
	for _, test := range rows.Read[test](t, "flags.yaml") {
		o := parse(t, test.Args)
		c, m := o.controller, o.manager
		got := fmt.Sprintln(c.Policy.FromTimeAdded, c.Policy.ForDevices, c.KeepTimers, c.Method, c.DeleteHeldAfter, c.DryRun,
			c.QPS, c.Burst, c.Workers, m.Metrics.BindAddress, m.HealthProbeBindAddress, m.LeaderElection, m.LeaderElectionNamespace, m.LeaderElectionID,
			m.LeaseDuration, m.RenewDeadline, m.RetryPeriod)
		if got != test.Want+"\n" {
			t.Errorf("%s: %swant %s", test.Args, got, test.Want)
		}
	}
}

func TestExits(t *testing.T) {
	exits.Test(t, "evictor", func() program.Options { return &options{} })
}

// TestServeWithoutAPIServer starts the program without an API server. The program
// waits for one, healthy but not ready, and ends when it is told to.
func TestServeWithoutAPIServer(t *testing.T) {
	health := controlplane.FreeAddress(t)
	o := parse(t, "-metrics-addr=0 -leader-elect-namespace=default -health-addr="+health)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- o.serve(ctx, &rest.Config{Host: "http://127.0.0.1:1"}) }()
	get := func(path string) error {
		_, err := controlplane.Get(t.Context(), "http://"+health+path, "")
		return err
	}
	controlplane.Within(t, time.Minute, "it is healthy", func() error { return get("/healthz") })
	if err := get("/readyz"); !apierrors.IsInternalError(err) {
		t.Errorf("ready without an API server: %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
