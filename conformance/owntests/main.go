// SPDX-License-Identifier: Apache-2.0

// Owntests runs the unit tests of Kubernetes, Karpenter, Cluster API and the
// descheduler with the library instead of their functions that decide about taints
// and tolerations.
//
// It copies their modules from the module cache into a scratch folder, replaces the
// deciding functions in the copy with those of shims, which call the library, and
// runs the tests of the packages. It rejects a shim that does not call the library.
// Every test that fails must be a documented difference, and every documented
// difference must fail. The output of other tests that fail is shown. A folder serves
// one run at a time. A signal ends the tests too.
//
//	go run -C conformance ./owntests
//	go run -C conformance ./owntests -run 'tolerations|karpenter'
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
)

func main() {
	dir := flag.String("dir", filepath.Join(os.TempDir(), "taints-owntests"),
		"the scratch `folder`; reusing it makes builds faster")
	only := flag.String("run", "", "run only the packages that match the `regexp`")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "owntests: no arguments, and a regexp for -run:", err)
		os.Exit(2)
	}
	ctx, stop := untilSignal()
	ok, err := run(ctx, *dir, pattern)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "owntests:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// untilSignal returns a context that the first signal to end cancels. The second
// ends the process.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// own locks the scratch folder and returns a function that unlocks it.
func own(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	release, err = lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("another run uses the folder %s; choose another one with -dir: %w", dir, err)
	}
	return release, nil
}

// run prints a table of the packages that match, and reports whether their results
// are as documented.
func run(ctx context.Context, dir string, only *regexp.Regexp) (bool, error) {
	shims, err := readShims()
	if err != nil {
		return false, err
	}
	release, err := own(dir)
	if err != nil {
		return false, err
	}
	defer release()
	var sum summary
	for _, s := range scratches {
		tests := s.matching(only)
		if len(tests) == 0 {
			continue
		}
		fmt.Fprintf(os.Stderr, "owntests: copying %v\n", s.modules)
		home := filepath.Join(dir, s.name)
		replaced, err := s.prepare(home, shims)
		if err != nil {
			return false, err
		}
		for _, pkg := range tests {
			fmt.Fprintf(os.Stderr, "owntests: testing %s\n", pkg)
			r, err := s.test(ctx, home, pkg)
			if err != nil {
				return false, err
			}
			sum.add(r, replaced[pkg])
		}
	}
	return sum.write(os.Stdout), nil
}
