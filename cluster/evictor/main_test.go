// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/cluster/internal/exits"
	"github.com/seed-0529bac1/taints/cluster/internal/program"
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

// TestParse parses no flag, every flag, and one of two flags that set the same.
func TestParse(t *testing.T) {
	const all = "-from-time-added=false -for-devices -keep-timers -method=delete -delete-held-after=0 -dry-run -qps=0 -burst=1 " +
		"-workers=2 -metrics-addr=0 -health-addr=:9 -leader-elect=false -leader-elect-namespace=kube-system " +
		"-leader-elect-name=other -lease-duration=3s -renew-deadline=2s -retry-period=1s"
	for args, want := range map[string]string{
		"":             "true false false evict 5m0s false 50 100 8 127.0.0.1:8080 127.0.0.1:8081 true  taints-evictor 15s 10s 2s",
		all:            "false true true delete 0s true 0 1 2 0 :9 false kube-system other 3s 2s 1s",
		"-keep-timers": "true false true evict 5m0s false 50 100 8 127.0.0.1:8080 127.0.0.1:8081 true  taints-evictor 15s 10s 2s",
	} {
		o := parse(t, args)
		c, m := o.controller, o.manager
		got := fmt.Sprintln(c.Policy.FromTimeAdded, c.Policy.ForDevices, c.KeepTimers, c.Method, c.DeleteHeldAfter, c.DryRun,
			c.QPS, c.Burst, c.Workers, m.Metrics.BindAddress, m.HealthProbeBindAddress, m.LeaderElection, m.LeaderElectionNamespace, m.LeaderElectionID,
			m.LeaseDuration, m.RenewDeadline, m.RetryPeriod)
		if got != want+"\n" {
			t.Errorf("%s: %swant %s", args, got, want)
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
	ended := make(chan error)
	go func() { ended <- o.serve(ctx, &rest.Config{Host: "http://127.0.0.1:1"}) }()
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusInternalServerError} {
		for got := 0; got != want; time.Sleep(10 * time.Millisecond) {
			if response, err := http.Get("http://" + health + path); err == nil {
				got = response.StatusCode
				response.Body.Close()
			}
			select {
			case err := <-ended:
				t.Fatalf("ended before %s was %d: %v", path, want, err)
			default:
			}
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
