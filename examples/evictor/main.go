// SPDX-License-Identifier: Apache-2.0

// Evictor replays a cluster whose nodes fail: kubelets fall silent, conditions
// become taints as fast as the zones allow, taints become deadlines, and pods
// leave or are spared. Time is simulated, so that an hour takes a moment and the
// same command line always prints the same:
//
//	go run ./examples/evictor
//	go run ./examples/evictor -scenario outage -limits=false
//
// It is for people who write controllers that evict pods: lifecycle.go taints,
// eviction.go evicts.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run does what the arguments ask for and returns the exit code: 1 for failure,
// 2 for wrong usage, 130 for a run that ctx has ended early.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		writeUsage(stderr)
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "evictor: %v\n", err)
		return 2
	}
	out := bufio.NewWriter(stdout)
	s := newSimulation(o, out)
	interrupted := s.run(ctx) != nil
	s.report.writeTable()
	err = out.Flush()
	if err == nil && o.svg != "" {
		err = os.WriteFile(o.svg, s.report.chart(o), 0o644)
	}
	if err != nil {
		fmt.Fprintf(stderr, "evictor: %v\n", err)
		return 1
	}
	if interrupted {
		fmt.Fprintf(stderr, "evictor: interrupted; what is shown ends at %s of %s\n",
			clock(s.elapsed()), clock(o.length))
		return 130
	}
	return 0
}
