// SPDX-License-Identifier: Apache-2.0

// Owntests runs the unit tests of Kubernetes, Karpenter, Cluster API and the
// descheduler with the library instead of their functions that decide about taints
// and tolerations.
//
// It copies their modules from the module cache into a scratch folder, replaces the
// deciding functions in the copy with those of shims, which call the library, and
// runs the tests of the packages. It rejects a shim that does not call the library.
// Every test that fails must be a documented difference, and every documented
// difference must fail. The output of other tests that fail is shown.
//
//	go run -C conformance ./owntests
//	go run -C conformance ./owntests -run 'tolerations|karpenter'
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	ok, err := run(*dir, pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, "owntests:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run prints a table of the packages that match, and reports whether their results
// are as documented.
func run(dir string, only *regexp.Regexp) (bool, error) {
	shims, err := readShims()
	if err != nil {
		return false, err
	}
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
			r, err := s.test(home, pkg)
			if err != nil {
				return false, err
			}
			sum.add(r, replaced[pkg])
		}
	}
	return sum.write(os.Stdout), nil
}
