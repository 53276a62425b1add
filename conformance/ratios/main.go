// SPDX-License-Identifier: Apache-2.0

// Ratios measures how many times faster the library is than Kubernetes' code,
// than the code of Karpenter and the descheduler, or than a plain loop at the same
// work, and what each costs to import:
//
//	go run ./ratios
//
// It compares processor time, including garbage collection. Both sides of a row run
// in separate processes, in turn for a slice of time each, and the ratio is the
// median of the ratios of two successive slices. The command prints tables, and
// exits with 1 if a floor is missed by a ratio as printed. With -match REGEXP it
// measures only some rows.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/measure"
)

// options are the flags.
type options struct {
	match           string
	rounds, repeats int
	slice           time.Duration
	row, queue      int
	ours            bool
}

func main() {
	var o options
	flag.StringVar(&o.match, "match", "",
		"measure only the rows whose names match this `regexp`, and no queue or import")
	flag.IntVar(&o.rounds, "rounds", 5, "how often to restart both sides of a row")
	flag.IntVar(&o.repeats, "repeats", 9, "how many turns each side takes in a round")
	flag.DurationVar(&o.slice, "slice", 20*time.Millisecond, "how long one measurement takes")
	flag.IntVar(&o.row, "row", -1, "measure one side of this `row` and print it, for the parent process")
	flag.IntVar(&o.queue, "queue", 0, "measure one queue of so many `pods` and print it, for the parent process")
	flag.BoolVar(&o.ours, "ours", false, "with -row and -queue: the library's side")
	flag.Parse()
	match, err := regexp.Compile(o.match)
	if err != nil || flag.NArg() > 0 || o.rounds < 1 || o.repeats < 1 || o.slice <= 0 || o.row >= len(work.Rows()) {
		fmt.Fprintln(os.Stderr,
			"ratios: want no arguments, a regexp for -match, -rounds and -repeats of at least 1 and -slice above 0")
		os.Exit(2)
	}
	met, err := o.measure(match, os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "ratios: %v\n", err)
	}
	if err != nil || !met {
		os.Exit(1)
	}
}

// measure does the selected work, and reports whether all floors are met.
func (o options) measure(match *regexp.Regexp, stdout io.Writer) (met bool, err error) {
	switch {
	case o.row >= 0:
		return true, measure.New(work.Rows()[o.row].Side(o.ours)(), o.slice).Answer(os.Stdin, stdout)
	case o.queue > 0 && o.ours:
		return true, json.NewEncoder(stdout).Encode(work.QueueOurs(o.queue))
	case o.queue > 0:
		return true, json.NewEncoder(stdout).Encode(work.QueueKubernetes(o.queue))
	}
	program, err := os.Executable()
	if err != nil {
		return false, err
	}
	fmt.Fprintf(stdout, "%s, Go %s\n", machine(), strings.TrimPrefix(runtime.Version(), "go"))
	r := new(report)
	err = o.rows(r, work.Rows(), match, program)
	if err == nil {
		err = o.adopters(r, match)
	}
	if err == nil && o.match == "" {
		err = errors.Join(r.queues(program, min(3, o.rounds)), r.imports())
	}
	if err != nil {
		return false, err
	}
	return !r.missed, r.write(stdout)
}

// adopters measures the rows of the adopters. Their code is in a separate module,
// so that Kubernetes' code does not run with the versions that they require.
func (o options) adopters(r *report, match *regexp.Regexp) error {
	dir, err := os.MkdirTemp("", "ratios")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "adopters.exe") // the extension matters only on Windows
	if _, err := gotest.Go("adopters", "build", "-o", program, "."); err != nil {
		return err
	}
	var rows []measure.Row
	if err := child(program, &rows); err != nil {
		return err
	}
	return o.rows(r, rows, match, program)
}

// machine returns the name of the processor, if the system reports it, and the
// number of its threads.
func machine() string {
	name := runtime.GOOS + "/" + runtime.GOARCH
	info, _ := os.ReadFile("/proc/cpuinfo")
	if _, model, ok := strings.Cut(string(info), "model name\t: "); ok {
		model, _, _ = strings.Cut(model, "\n")
		name += ", " + model
	}
	return fmt.Sprintf("%s, %d threads", name, runtime.NumCPU())
}
