// SPDX-License-Identifier: Apache-2.0

// Command perf runs scheduler_perf, the scheduler benchmark of Kubernetes, with the
// stock scheduler and with the plugin Taints, and prints a table of both. The
// workloads are those of Kubernetes and some with many taints:
//
//	go run -C examples/kubernetes ./perf
//	go run -C examples/kubernetes ./perf -match 'Tainted80|Pool' -rounds 3
//
// Each run is a separate process, with an API server, an etcd and a scheduler. With
// -check, a workload below its floor runs for four more rounds, the median of all of
// them counts, and the command exits with 1 if that is below the floor too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// options are the command-line options.
type options struct {
	match       string
	rounds      int
	check, list bool
}

func main() {
	var o options
	flag.StringVar(&o.match, "match", "", "run the workloads that match the `regexp`")
	flag.IntVar(&o.rounds, "rounds", 1, "run each workload `n` times with each scheduler; the median counts")
	flag.BoolVar(&o.check, "check", false, "run slow workloads again, and exit with 1 if the plugin is too slow")
	flag.BoolVar(&o.list, "list", false, "list the workloads and run none")
	flag.Parse()
	chosen, err := o.choose()
	if flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "perf: %v\n", err)
		os.Exit(2)
	}
	if o.list {
		fmt.Print(catalog(chosen, o.rounds))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, chosen); err != nil {
		fmt.Fprintf(os.Stderr, "perf: %v\n", err)
		os.Exit(1)
	}
}

func (o options) choose() ([]workload, error) {
	if o.rounds < 1 {
		return nil, fmt.Errorf("-rounds is %d, want at least 1", o.rounds)
	}
	pattern, err := regexp.Compile(o.match)
	all, errAll := allWorkloads()
	if err := errors.Join(err, errAll); err != nil {
		return nil, err
	}
	other := func(w workload) bool { return !pattern.MatchString(w.String()) }
	chosen := slices.DeleteFunc(all, other)
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no workload matches %q: see -list", o.match)
	}
	return chosen, nil
}

// run prints the results so far even if it is interrupted, or a run fails.
func (o options) run(ctx context.Context, chosen []workload) (err error) {
	b, err := newBench(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	results, err := compare(ctx, b, chosen, o.rounds, o.check)
	if len(results) > 0 {
		fmt.Print(table(results))
	}
	if slow := below(results); o.check && len(slow) > 0 {
		err = errors.Join(err, fmt.Errorf("slower than it may be: %s", strings.Join(slow, ", ")))
	}
	return err
}
