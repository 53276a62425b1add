// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/evictor/internal/controller"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/program"
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

// TestParse parses no flag, and every flag.
func TestParse(t *testing.T) {
	for args, want := range map[string]options{
		"": {
			controller.Options{
				Policy: taints.EvictionPolicy{FromTimeAdded: true},
				Method: controller.Evict, QPS: 50, Burst: 100, Workers: 8,
			}, ctrl.Options{
				Metrics: server.Options{BindAddress: "127.0.0.1:8080"}, HealthProbeBindAddress: "127.0.0.1:8081",
				LeaderElection: true, LeaderElectionID: "taints-evictor",
				LeaseDuration: new(15 * time.Second), RenewDeadline: new(10 * time.Second), RetryPeriod: new(2 * time.Second),
			},
		},
		"-from-time-added=false -forever-else-shortest -keep-timers -method=delete -dry-run -qps=0 -burst=1 -workers=2 " +
			"-metrics-addr=0 -health-addr=:9 -leader-elect=false -leader-elect-namespace=kube-system " +
			"-leader-elect-name=other -lease-duration=3s -renew-deadline=2s -retry-period=1s": {
			controller.Options{
				Policy: taints.EvictionPolicy{ForeverElseShortest: true}, KeepTimers: true,
				Method: controller.Delete, DryRun: true, Burst: 1, Workers: 2,
			}, ctrl.Options{
				Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: ":9",
				LeaderElectionNamespace: "kube-system", LeaderElectionID: "other",
				LeaseDuration: new(3 * time.Second), RenewDeadline: new(2 * time.Second), RetryPeriod: new(time.Second),
			},
		},
	} {
		if got := parse(t, args); !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: %+v, want %+v", args, *got, want)
		}
	}
}

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		args string
		code int
		want string // in the output
	}{
		{"-method shoot", 2, `-method "shoot": want evict or delete`},
		{"-qps -1", 2, "-qps -1: want 0 or more"},
		{"-burst 0", 2, "-burst 0: want 1 or more"},
		{"-workers 0", 2, "-workers 0: want 1 or more"},
		{"all", 2, `unexpected argument "all"`},
		{"-no-such-flag", 2, "not defined: -no-such-flag"},
		{"-h", 0, "-from-time-added"},
		{"-version", 0, "evictor " + program.Version() + "\n"},
		{"-kubeconfig=/does/not/exist", 1, "/does/not/exist"},
	} {
		var output strings.Builder
		code := program.Run(t.Context(), "evictor", &options{}, strings.Fields(tc.args), &output, &output)
		if code != tc.code || !strings.Contains(output.String(), tc.want) {
			t.Errorf("%s: code %d, %s", tc.args, code, output.String())
		}
	}
}

// TestServeWithoutAPIServer starts the program without an API server. The program
// waits for one, healthy but not ready, and ends when it is told to.
func TestServeWithoutAPIServer(t *testing.T) {
	health := cluster.FreeAddress(t)
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
