// SPDX-License-Identifier: Apache-2.0

// Ratios measures how many times faster the library is than Kubernetes' code,
// than the code of Karpenter and the descheduler, or than a plain loop at the same
// work, and what each costs to import:
//
//	go run ./ratios
//
// It compares processor time, including garbage collection. Both sides of a row run
// in separate processes, in turn for a slice of time each, and the ratio is the
// median of the ratios of two successive slices. Our side and Kubernetes' are
// programs of their own, so that neither has the other's data in memory. The command
// prints tables, and exits with 1 if a floor is missed by a ratio as printed. With
// -match REGEXP it measures only some rows.
package main

import (
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
)

// options are the flags.
type options struct {
	match           *regexp.Regexp // nil if everything is measured
	rounds, repeats int
	slice           time.Duration
}

func main() {
	var o options
	flag.Func("match", "measure only the rows whose names match this `regexp`, and no queue or import",
		func(s string) (err error) {
			o.match, err = regexp.Compile(s)
			return err
		})
	flag.IntVar(&o.rounds, "rounds", 5, "how often to restart both sides of a row")
	flag.IntVar(&o.repeats, "repeats", 9, "how many turns each side takes in a round")
	flag.DurationVar(&o.slice, "slice", 20*time.Millisecond, "how long one measurement takes")
	flag.Parse()
	if flag.NArg() > 0 || o.rounds < 1 || o.repeats < 1 || o.slice <= 0 {
		fmt.Fprintln(os.Stderr, "ratios: want no arguments, -rounds and -repeats of at least 1 and -slice above 0")
		os.Exit(2)
	}
	met, err := o.measure(os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "ratios: %v\n", err)
	}
	if err != nil || !met {
		os.Exit(1)
	}
}

// measure does the selected work, and reports whether all floors are met.
func (o options) measure(stdout io.Writer) (met bool, err error) {
	folder, err := os.MkdirTemp("", "ratios")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	build := func(module, pkg string) string {
		file := filepath.Join(folder, filepath.Base(pkg)+".exe") // the extension matters only on Windows
		_, failed := gotest.Go(module, "build", "-o", file, modulePath+"/conformance/"+pkg)
		err = errors.Join(err, failed)
		return file
	}
	// The adopters' code is in a separate module, so that Kubernetes' code does not run
	// with the versions that it requires.
	ours, kubernetes, adopters := build("", "ratios/ours"), build("", "ratios/kubernetes"), build("adopters", "adopters")
	if err != nil {
		return false, err
	}
	fmt.Fprintf(stdout, "%s, Go %s\n", machine(), strings.TrimPrefix(runtime.Version(), "go"))
	r := new(report)
	err = o.rows(r, ours, kubernetes)
	if err == nil {
		err = o.rows(r, adopters, adopters)
	}
	if err == nil && o.match == nil {
		err = errors.Join(r.queues(ours, kubernetes, min(3, o.rounds)), r.imports(folder))
	}
	if err != nil {
		return false, err
	}
	return !r.missed, r.write(stdout)
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
