// SPDX-License-Identifier: Apache-2.0

// Owntests runs the unit tests of Kubernetes, Karpenter, Cluster API and the
// descheduler with the library instead of their functions that decide about taints
// and tolerations.
//
// It copies their modules from the module cache into a scratch folder, removes the
// deciding functions from the copy, adds the functions of shims, which call the
// library, and runs the tests of the packages. It rejects a shim that does not call
// the library. Every test that fails must be
// a documented difference, and every documented difference must fail. The table also
// shows how many lines of code were removed, and how many the shim has, without
// imports.
//
//	go run -C conformance ./owntests
//	go run -C conformance ./owntests -run 'tolerations|karpenter' -v
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns 0 if all results are as documented, 1 if not, and 2 for an invalid
// command line.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("owntests", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("dir", filepath.Join(os.TempDir(), "taints-owntests"),
		"the scratch `folder`; reusing it makes builds faster")
	only := flags.String("run", "", "run only the packages that match the `regexp`")
	verbose := flags.Bool("v", false, "show the output of tests that fail")
	check := flags.Bool("check", false, "replace the functions, check the shims and report what they replace, without running tests")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	pattern, err := regexp.Compile(*only)
	if err != nil || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "owntests: no arguments, and a regexp for -run:", err)
		return 2
	}
	ok, err := runScratches(options{*dir, pattern, *verbose, *check}, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "owntests:", err)
	}
	if err != nil || !ok {
		return 1
	}
	return 0
}

type options struct {
	dir     string
	only    *regexp.Regexp
	verbose bool
	check   bool
}

// runScratches prints a table of all selected packages, and reports whether
// their results are as documented.
func runScratches(o options, stdout, stderr io.Writer) (bool, error) {
	shims, err := readShims()
	if err != nil {
		return false, err
	}
	var sum summary
	for _, s := range scratches {
		tests := s.matching(o.only)
		if len(tests) == 0 && !o.check {
			continue
		}
		fmt.Fprintf(stderr, "owntests: copying %v\n", s.modules)
		changes, err := s.prepare(o.dir, shims)
		if err != nil {
			return false, err
		}
		for _, pkg := range tests {
			if o.check {
				c := changes[pkg]
				fmt.Fprintf(stdout, "%s: %d lines for %d: %s\n", pkg, c.shim, c.cut, strings.Join(c.replaced, " "))
				continue
			}
			r, err := s.test(o, pkg, stderr)
			if err != nil {
				return false, err
			}
			sum.add(r, changes[pkg])
		}
		if !o.check {
			sum.addBuilt(s, changes, o.only)
		}
	}
	if o.check {
		return true, nil
	}
	return sum.write(stdout), nil
}
