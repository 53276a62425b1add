// SPDX-License-Identifier: Apache-2.0

// Command perf runs Kubernetes' own scheduler benchmark, scheduler_perf, with the stock scheduler and with the plugin Taints in
// turn, on Kubernetes' own workloads and on some with many taints, and prints a table of both:
//
//	go run -C examples/kubernetes ./perf
//	go run -C examples/kubernetes ./perf -match 'Tainted80|Pool' -rounds 3
//
// API server, etcd and scheduler are those of the Kubernetes in go.mod. Each run starts all of them, in a process of its own.
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

func main() {
	match := flag.String("match", "", "run the workloads that match the `regexp`")
	rounds := flag.Int("rounds", 1, "run each workload `n` times with either; the best time counts")
	format := flag.String("o", "markdown", "print the results as markdown or json")
	check := flag.Bool("check", false, "exit with 1 if the plugin is slower than it may be")
	list := flag.Bool("list", false, "list the workloads and run none")
	logs := flag.String("logs", "", "keep the output of the runs in this `folder`")
	profiles := flag.String("profile", "", "write a CPU profile of each run to this `folder`")
	flag.Parse()
	chosen, err := choose(*match)
	switch {
	case err != nil:
	case flag.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case *rounds < 1:
		err = fmt.Errorf("-rounds is %d, want at least 1", *rounds)
	case *format != "markdown" && *format != "json":
		err = fmt.Errorf("-o is %q, want markdown or json", *format)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "perf: %v\n", err)
		os.Exit(2)
	}
	if *list {
		fmt.Print(catalog(chosen, *rounds))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err = run(ctx, chosen, *rounds, *format, *logs, *profiles, *check)
	if err != nil {
		fmt.Fprintf(os.Stderr, "perf: %v\n", err)
		os.Exit(1)
	}
}

// run prints what there is also when it is interrupted, or a run fails.
func run(ctx context.Context, chosen []workload, rounds int, format, logs, profiles string, check bool) (err error) {
	b, err := newBench(ctx, logs, profiles)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	results, err := compare(ctx, b.run, chosen, rounds)
	if len(results) > 0 {
		err = errors.Join(err, write(os.Stdout, format, results))
	}
	if slow := below(results); check && len(slow) > 0 {
		err = errors.Join(err, fmt.Errorf("slower than it may be: %s", strings.Join(slow, ", ")))
	}
	return err
}
