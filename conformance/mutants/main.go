// SPDX-License-Identifier: Apache-2.0

// Mutants asks whether the tests notice when the library is wrong: it makes small
// changes of a package, one at a time, runs the package's tests with each, and
// lists the changes that no test notices. The tests of an internal package are
// also those of the packages that use it.
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
var packages = []string{
	".", "nodeindex", "explain", "tolerationset", "lifecycle", "kube", "dra",
	"internal/cowvector", "internal/enum", "internal/keyset", "internal/lookup", "internal/numbertree",
	"internal/rwlock", "internal/shrink", "internal/similar", "internal/valueset", "internal/yearone",
}

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
	for i, folders := range together(o.folders) {
		s := &session{options: o, scratch: filepath.Join(scratch, fmt.Sprint(i)), progress: stderr}
		if err := s.load(tree, folders); err != nil {
			return nil, err
		}
		mutants = append(mutants, s.mutants...)
		if o.listOnly {
			continue
		}
		mark(s.mutants, list, o.selection)
		if err := s.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(folders, ", "), err)
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

// A session tries the mutants of packages with the same tests.
type session struct {
	*options
	pkgs     []*pkg
	mutants  []*mutant
	scratch  string
	progress io.Writer
	unused   []string
}

// load reads the packages in the folders.
func (s *session) load(tree string, folders []string) error {
	count := 0
	for _, folder := range folders {
		p, err := loadPackage(tree, folder, &count)
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
	return nil
}

func (s *session) run(ctx context.Context) error {
	if err := os.Mkdir(s.scratch, 0o755); err != nil {
		return err
	}
	for _, p := range s.pkgs {
		if err := p.rewrite(); err != nil {
			return err
		}
	}
	dirs, err := s.testDirs()
	if err != nil {
		return err
	}
	binaries, err := s.build(dirs, "rewritten")
	if err != nil {
		return err
	}
	t, err := newTrial(ctx, binaries, s.scratch)
	if err != nil {
		return err
	}
	for _, x := range t.unused {
		s.unused = append(s.unused, x.name)
	}
	if err := s.try(ctx, t); err != nil {
		return err
	}
	for _, p := range s.pkgs {
		if err := p.restore(); err != nil {
			return err
		}
	}
	return s.checkUnused(ctx, t.unused)
}

// build builds the tests of the packages in the folders, of which at least one has
// some.
func (s *session) build(dirs []string, name string) ([]*binary, error) {
	var binaries []*binary
	for i, dir := range dirs {
		b, err := buildTests(dir, filepath.Join(s.scratch, fmt.Sprint(name, i)), s.settings)
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

// try tries all mutants.
func (s *session) try(ctx context.Context, t *trial) error {
	return inParallel(ctx, s.workers, len(s.mutants), func(i int) error {
		m := s.mutants[i]
		t.try(ctx, m, s.check)
		m.settle()
		if s.verbose {
			fmt.Fprintf(s.progress, "%d of %d: %s: %s\n", i+1, len(s.mutants), m.Status, m.Identity)
		}
		return nil
	})
}

// checkUnused returns an error unless the tests that the rewritten packages do not
// pass do pass in the packages as they are written.
func (s *session) checkUnused(ctx context.Context, tests []test) error {
	for len(tests) > 0 {
		var own []test
		own, tests = ofBinary(tests, tests[0].binary)
		binaries, err := s.build([]string{own[0].binary.dir}, "unchanged")
		if err != nil {
			return err
		}
		for i := range own {
			own[i].took = time.Second
		}
		if o := binaries[0].run(ctx, own, 0, false, ""); !o.passed {
			return fmt.Errorf("%s fails without a mutant:\n%s", o.by, o.output)
		}
	}
	return nil
}
