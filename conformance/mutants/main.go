// SPDX-License-Identifier: Apache-2.0

// Mutants checks whether the tests notice when the library is wrong. It makes small
// changes to a package, one at a time, runs the package's tests with each, and
// lists the changes that no test notices. The tests of an internal package include
// those of the packages that use it.
//
//	go run ./mutants            # all packages
//	go run ./mutants match.go   # one file
//	go run ./mutants -run ' Matcher\.next ' .
//
// The arguments are folders of packages and files, relative to the root of the
// repository. One binary contains all changes of a package and enables one of them
// when it starts, so a change costs as much as the tests that notice it. Mutants
// exits with 1 if the tests notice less than the -least percentage of the changes,
// if a change survives that equivalent.txt does not list, or if equivalent.txt
// lists a change that no longer exists.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// packages are the folders of the packages that are tried if there are
// no arguments.
var packages = []string{
	".", "nodeindex", "explain", "tolerationset", "lifecycle", "kube", "dra",
	"internal/cowvector", "internal/enum", "internal/keyset", "internal/lookup", "internal/numbertree",
	"internal/rwlock", "internal/shrink", "internal/similar", "internal/valueset", "internal/yearone",
}

// options are the flags and arguments.
type options struct {
	root  string  // of the repository
	list  string  // the file that lists equivalent mutants
	check bool    // whether to run listed mutants too
	least float64 // the percentage that must be killed
	selection
}

func main() {
	var o options
	match := flag.String("run", "", "run only the mutants whose identities match this `regexp`")
	only := flag.Bool("list", false, "list the mutants and run nothing")
	flag.BoolVar(&o.check, "check", false, "also run the mutants that are listed as equivalent")
	flag.Float64Var(&o.least, "least", 98.5, "the least `percent` of mutants that must be killed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	met, err := o.main(ctx, *match, *only, flag.Args())
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
	}
	if err != nil || !met {
		os.Exit(1)
	}
}

func (o *options) main(ctx context.Context, match string, only bool, args []string) (met bool, err error) {
	re, err := regexp.Compile(match)
	if err != nil {
		return false, err
	}
	if len(args) == 0 {
		args = packages
	}
	o.selection = newSelection(args, re)
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return false, fmt.Errorf("this is no repository: %w", err)
	}
	o.root = strings.TrimSpace(string(root))
	o.list = filepath.Join(o.root, "conformance", "mutants", "equivalent.txt")
	if only {
		return true, o.printIdentities()
	}
	r, err := o.run(ctx)
	if err != nil {
		return false, err
	}
	os.Stdout.Write(r.text())
	return r.met, nil
}

// printIdentities prints the identities that the list of equivalents uses.
func (o *options) printIdentities() error {
	return o.each(func(s *session) error {
		for _, m := range s.mutants {
			fmt.Println(m.identity)
		}
		return nil
	})
}

// run tries the mutants.
func (o *options) run(ctx context.Context) (*report, error) {
	start := time.Now()
	list, err := readList(o.list)
	if err != nil {
		return nil, err
	}
	var mutants []*mutant
	var unused []string
	err = o.each(func(s *session) error {
		mark(s.mutants, list, o.selection)
		if err := s.run(ctx); err != nil {
			return err
		}
		mutants, unused = append(mutants, s.mutants...), append(unused, s.unused...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newReport(mutants, mark(mutants, list, o.selection), unused, o.least, time.Since(start)), nil
}

// each calls f for each group of packages that are tried together, each time in
// a new copy of the repository.
func (o *options) each(f func(*session) error) error {
	for _, folders := range together(o.folders) {
		s := &session{options: o}
		err := s.load(folders)
		if err == nil {
			err = f(s)
		}
		err = errors.Join(err, os.RemoveAll(s.tree), os.RemoveAll(s.scratch))
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Join(folders, ", "), err)
		}
	}
	return nil
}

// A session tries the mutants of packages that share the same tests.
type session struct {
	*options
	tree    string // a copy of the repository
	scratch string
	pkgs    []*pkg
	mutants []*mutant
	unused  []string
}

// load loads the packages in the folders and finds their mutants.
func (s *session) load(folders []string) (err error) {
	if s.tree, err = copyTree(s.root); err != nil {
		return err
	}
	if s.scratch, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	count := 0
	for _, folder := range folders {
		p, err := loadPackage(s.tree, folder, &count)
		if err != nil {
			return err
		}
		if err := p.checkNames(s.files[folder]); err != nil {
			return err
		}
		p.keep(s.holds)
		s.pkgs = append(s.pkgs, p)
		s.mutants = append(s.mutants, p.mutants...)
	}
	if len(s.mutants) == 0 {
		return errors.New("no mutants there")
	}
	return nil
}

func (s *session) run(ctx context.Context) error {
	for _, p := range s.pkgs {
		if err := p.rewrite(); err != nil {
			return err
		}
	}
	dirs, err := s.testDirs()
	if err != nil {
		return err
	}
	binaries, err := s.build(dirs)
	if err != nil {
		return err
	}
	t, err := newTrial(ctx, binaries, s.scratch)
	if err != nil {
		return err
	}
	s.unused = t.unused
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	for _, m := range s.mutants {
		group.Go(func() error {
			t.try(ctx, m, s.check)
			m.settle()
			return ctx.Err()
		})
	}
	return group.Wait()
}

// build builds the tests of the packages in the folders. It fails if none
// has tests.
func (s *session) build(dirs []string) ([]*binary, error) {
	var binaries []*binary
	for i, dir := range dirs {
		b, err := buildTests(dir, filepath.Join(s.scratch, fmt.Sprint("tests", i)))
		if err != nil {
			return nil, err
		}
		if b != nil {
			binaries = append(binaries, b)
		}
	}
	if len(binaries) == 0 {
		return nil, errors.New("no tests")
	}
	return binaries, nil
}
