// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/program"
)

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		args string
		code int
		want string // in the output
	}{
		{"-method shoot", 2, `-method "shoot": want evict or delete`},
		{"-delete-held-after -1s", 2, "-delete-held-after -1s: want 0 or more"},
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
	var o options
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	o.Register(flags)
	if err := flags.Parse([]string{"-metrics-addr=0", "-leader-elect-namespace=default", "-health-addr=" + health}); err != nil {
		t.Fatal(err)
	}
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
