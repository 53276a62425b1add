// SPDX-License-Identifier: Apache-2.0

// Mutants asks whether the tests notice when the library is wrong: it makes small
// changes of a package, one at a time, runs the package's tests with each, and
// lists the changes that no test notices.
//
//	go run ./mutants            # all packages
//	go run ./mutants match.go   # one file
//	go run ./mutants -run ' Matcher\.next ' .
//
// The arguments are folders of packages and files, from the root of the
// repository. All changes of a package are built into one binary, which makes one
// of them when it starts, so a change costs as much as the tests that notice it.
// It exits with 1 when fewer are noticed than -least asks for, when one survives
// that equivalent.txt does not list, or when equivalent.txt lists one that is no
// longer there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// packages are the folders of the packages that are looked at where no argument
// says which.
var packages = []string{".", "lifecycle", "kube", "dra"}

// Options are what the flags say.
type options struct {
	root, form, list string
	listOnly         bool
	check, verbose   bool
	least            float64
	settings
	selection
}

// run returns the exit code: 1 when something is missed or fails, 2 for wrong
// usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	if err != nil {
		if !errors.Is(err, errUsage) {
			fmt.Fprintf(stderr, "mutants: %v\n", err)
		}
		return 2
	}
	r, err := o.run(ctx, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "mutants: %v\n", err)
		return 1
	}
	if r != nil && !r.Met {
		return 1
	}
	return 0
}

// errUsage is an error that the flag package has printed.
var errUsage = errors.New("wrong usage")

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	match := flags.String("run", "", "look only at mutants whose identities match this `regexp`")
	flags.StringVar(&o.root, "C", "", "the `folder` of the repository; by default the one that git finds")
	flags.StringVar(&o.form, "o", "text", "output `form`: text or json")
	flags.StringVar(&o.list, "equivalent", "",
		"the `file` that lists equivalent mutants; by default conformance/mutants/equivalent.txt")
	flags.BoolVar(&o.listOnly, "list", false, "list the mutants and run nothing")
	flags.BoolVar(&o.check, "check", false, "also run the mutants that are listed as equivalent")
	flags.BoolVar(&o.verbose, "v", false, "print every mutant as it is tried")
	flags.Float64Var(&o.least, "least", 95, "the least `percent` of mutants that must be killed")
	flags.IntVar(&o.workers, "p", runtime.NumCPU(), "how many tests run at a `time`")
	flags.Uint64Var(&o.seed, "seed", 1, "the `seed` of random cases")
	flags.DurationVar(&o.timeout, "timeout", time.Second,
		"how long tests may take beside ten times what they take without a mutant")
	if err := flags.Parse(args); err != nil {
		return nil, errUsage
	}
	re, err := regexp.Compile(*match)
	if err != nil {
		return nil, err
	}
	switch {
	case o.form != "text" && o.form != "json":
		return nil, errors.New("want -o text or json")
	case o.workers < 1 || o.timeout <= 0 || o.seed == 0:
		return nil, errors.New("want -p, -timeout and -seed above 0")
	}
	if err := o.findRoot(); err != nil {
		return nil, err
	}
	if args = flags.Args(); len(args) == 0 {
		args = o.existing(packages)
	}
	o.selection = newSelection(args, re)
	return o, nil
}

// findRoot fills in the folder of the repository and the file of the list.
func (o *options) findRoot() error {
	if o.root == "" {
		out, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
		if err != nil {
			return fmt.Errorf("no -C, and git finds no repository: %w", err)
		}
		o.root = strings.TrimSpace(string(out))
	}
	if o.list == "" {
		o.list = filepath.Join(o.root, "conformance", "mutants", "equivalent.txt")
	}
	return nil
}

// existing returns the folders that the repository has.
func (o *options) existing(folders []string) []string {
	var found []string
	for _, folder := range folders {
		if info, err := os.Stat(filepath.Join(o.root, folder)); err == nil && info.IsDir() {
			found = append(found, folder)
		}
	}
	return found
}

// run tries the mutants and writes the report, which is nil where they are only
// listed.
func (o *options) run(ctx context.Context, stdout, stderr io.Writer) (*report, error) {
	start := time.Now()
	list, err := readList(o.list)
	if err != nil {
		return nil, err
	}
	tree, err := copyTree(o.root)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tree)
	scratch, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	var mutants []*mutant
	var unused []string
	for i, folder := range o.folders {
		p, err := loadPackage(tree, folder)
		if err != nil {
			return nil, err
		}
		if err := p.checkNames(o.files[folder]); err != nil {
			return nil, err
		}
		p.keep(o.holds)
		mutants = append(mutants, p.mutants...)
		if o.listOnly {
			continue
		}
		s := &session{options: o, pkg: p, scratch: filepath.Join(scratch, fmt.Sprint(i)), progress: stderr}
		mark(p.mutants, list, o.selection)
		if err := s.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		unused = append(unused, s.unused...)
	}
	if len(mutants) == 0 {
		return nil, errors.New("no mutants there")
	}
	if o.listOnly {
		return nil, writeIdentities(stdout, mutants)
	}
	r := newReport(mutants, mark(mutants, list, o.selection), unused, o.least, time.Since(start))
	return r, r.write(o.form, stdout)
}

func writeIdentities(w io.Writer, mutants []*mutant) error {
	for _, m := range mutants {
		if _, err := fmt.Fprintln(w, m.Identity); err != nil {
			return err
		}
	}
	return nil
}

// A session tries the mutants of a package.
type session struct {
	*options
	pkg      *pkg
	scratch  string
	progress io.Writer
	unused   []string
}

func (s *session) run(ctx context.Context) error {
	if err := os.Mkdir(s.scratch, 0o755); err != nil {
		return err
	}
	if err := s.pkg.rewrite(); err != nil {
		return err
	}
	b, err := buildTests(s.pkg.dir, filepath.Join(s.scratch, "tests"), s.settings)
	if err != nil {
		return err
	}
	t, err := newTrial(ctx, b, s.scratch)
	if err != nil {
		return err
	}
	s.unused = t.unused
	if err := s.try(ctx, t); err != nil {
		return err
	}
	if err := s.pkg.restore(); err != nil {
		return err
	}
	return s.checkUnused(ctx, t.unused)
}

// try tries all mutants.
func (s *session) try(ctx context.Context, t *trial) error {
	mutants := s.pkg.mutants
	return inParallel(ctx, s.workers, len(mutants), func(i int) error {
		m := mutants[i]
		t.try(ctx, m, s.check)
		m.settle()
		if s.verbose {
			fmt.Fprintf(s.progress, "%d of %d: %s: %s\n", i+1, len(mutants), m.Status, m.Identity)
		}
		return nil
	})
}

// checkUnused returns an error unless the tests that the rewritten package does
// not pass do pass in the package as it is written.
func (s *session) checkUnused(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	b, err := buildTests(s.pkg.dir, filepath.Join(s.scratch, "unchanged"), s.settings)
	if err != nil {
		return err
	}
	var tests []test
	for _, name := range names {
		tests = append(tests, test{name, time.Second})
	}
	if o := b.run(ctx, tests, 0, false, ""); !o.passed {
		return fmt.Errorf("%s fails without a mutant:\n%s", o.by, o.output)
	}
	return nil
}
