// SPDX-License-Identifier: Apache-2.0

// Command perf runs Kubernetes' own scheduler benchmark, scheduler_perf, with
// the stock scheduler and with the plugin Taints in turn, on Kubernetes' own
// workloads and on some with many taints, and prints a table of both:
//
//	go run -C examples/kubernetes ./perf
//	go run -C examples/kubernetes ./perf -match 'Tainted80|Pool' -rounds 3
//
// API server, etcd and scheduler are those of the Kubernetes in go.mod. Each
// run starts all of them, in a process of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Options are those of the command.
type options struct {
	match, logs, profiles string
	rounds                int
	check, list           bool
}

func main() {
	var o options
	flag.StringVar(&o.match, "match", "", "run the workloads that match the `regexp`")
	flag.IntVar(&o.rounds, "rounds", 1, "run each workload `n` times with either; the median counts")
	flag.BoolVar(&o.check, "check", false, "exit with 1 if the plugin is slower than it may be")
	flag.BoolVar(&o.list, "list", false, "list the workloads and run none")
	flag.StringVar(&o.logs, "logs", "", "keep the output of the runs in this `folder`")
	flag.StringVar(&o.profiles, "profile", "", "write a CPU profile of each run to this `folder`")
	flag.Parse()
	chosen, err := o.choose(flag.Args())
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

// choose returns the workloads to run, or says which option is wrong.
func (o options) choose(args []string) ([]workload, error) {
	switch {
	case len(args) > 0:
		return nil, fmt.Errorf("unexpected argument %q", args[0])
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds is %d, want at least 1", o.rounds)
	}
	return choose(o.match)
}

// run prints what there is also when it is interrupted, or a run fails.
func (o options) run(ctx context.Context, chosen []workload) (err error) {
	b, err := newBench(ctx, o.logs, o.profiles)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	results, err := compare(ctx, b.run, chosen, o.rounds)
	if len(results) > 0 {
		fmt.Print(table(results) + events(results))
	}
	if slow := below(results); o.check && len(slow) > 0 {
		err = errors.Join(err, fmt.Errorf("slower than it may be: %s", strings.Join(slow, ", ")))
	}
	return err
}
