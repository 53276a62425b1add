// SPDX-License-Identifier: Apache-2.0

// Scheduler places pods on the nodes of a simulated cluster in the steps of the
// Kubernetes documentation: it filters the nodes, scores some of those that are
// left, and selects the best. Meanwhile nodes are cordoned, fail and come back.
//
//	go run ./examples/scheduler -nodes 100000 -pods 10000
//	go run ./examples/scheduler -compare
//
// The latter runs it twice, with an Index of the nodes and with a loop over
// them, and shows what each takes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"time"
)

const usage = `Usage: scheduler [flags]

Places pods on the nodes of a simulated cluster, whose taints change meanwhile, and
says where they went, why some wait, and how long each step took.

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	p := program{stdout: os.Stdout, stderr: os.Stderr, clock: time.Now}
	os.Exit(p.run(ctx, os.Args[1:]))
}

// A program is the scheduler with everything that it gets from outside.
type program struct {
	stdout, stderr io.Writer
	clock          func() time.Time
}

// options are what the command line asks for.
type options struct {
	nodes, pods, seed       int
	score                   int // how many feasible nodes to score for a pod
	taintWeight, freeWeight int
	compare, json           bool
}

// run does what the arguments ask for and returns the exit code: 1 for failure,
// 2 for wrong usage, 130 if it was interrupted.
func (p program) run(ctx context.Context, args []string) int {
	o, err := p.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintf(p.stderr, "scheduler: %v\n", err)
		return 2
	}
	r, err := simulate(ctx, o, p.clock)
	if err == nil {
		err = p.write(r, o.json)
	}
	switch {
	case err != nil:
		fmt.Fprintf(p.stderr, "scheduler: %v\n", err)
		return 1
	case r.Interrupted:
		return 130
	}
	return 0
}

// parse reads the command line.
func (p program) parse(args []string) (options, error) {
	o := options{nodes: 100_000, pods: 10_000, seed: 1, score: 100, taintWeight: 3, freeWeight: 1}
	flags := flag.NewFlagSet("scheduler", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints errors
	number := func(to *int, name, usage string, least, most int) {
		usage = fmt.Sprintf("%s, `number` from %d to %d (default %d)", usage, least, most, *to)
		flags.Func(name, usage, func(s string) error { return setNumber(to, s, least, most) })
	}
	number(&o.nodes, "nodes", "nodes of the cluster", 1, 1_000_000)
	number(&o.pods, "pods", "pods that arrive", 1, 10_000_000)
	number(&o.seed, "seed", "seed of all that is random", 0, 1<<31-1)
	number(&o.score, "score", "feasible nodes to score for a pod", 1, 1_000_000)
	number(&o.taintWeight, "taint-weight", "weight of few untolerated PreferNoSchedule taints", 1, 1000)
	number(&o.freeWeight, "free-weight", "weight of much free CPU and memory", 1, 1000)
	flags.BoolVar(&o.compare, "compare", false, "run it again with a loop in place of the Index")
	flags.Func("o", "output `form`: text or json (default text)", o.setForm)
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.stdout, usage)
		flags.SetOutput(p.stdout)
		flags.PrintDefaults()
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, err
}

func setNumber(to *int, s string, least, most int) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return fmt.Errorf("want a whole number from %d to %d", least, most)
	}
	*to = n
	return nil
}

func (o *options) setForm(s string) error {
	if s != "text" && s != "json" {
		return errors.New("want text or json")
	}
	o.json = s == "json"
	return nil
}

// write writes the report in one piece.
func (p program) write(r *report, asJSON bool) error {
	out := r.text()
	if asJSON {
		b, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		out = append(b, '\n')
	}
	_, err := p.stdout.Write(out)
	return err
}
