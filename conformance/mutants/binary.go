// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

// A binary is a test binary.
type binary struct {
	path, dir string
	rapid     bool // whether it has the flags of rapid
}

// buildTests builds the tests of a package. It returns nil if the package has none.
func buildTests(dir, path string) (*binary, error) {
	if _, err := gotest.Go(dir, "test", "-c", "-vet=off", "-o", path, "."); err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, nil
	}
	b := &binary{path: path, dir: dir}
	b.rapid = b.command(context.Background(), "-test.list=^$", "-rapid.checks=1").Run() == nil
	return b, nil
}

func (b *binary) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.path, args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.WaitDelay = time.Second
	return cmd
}

// A test is a test, example or fuzz target of a binary, with the processor time
// that it takes.
type test struct {
	binary *binary
	name   string
	took   time.Duration
}

// ofBinary splits the tests into those of the binary and the others.
func ofBinary(tests []test, b *binary) (own, others []test) {
	for _, t := range tests {
		if t.binary == b {
			own = append(own, t)
		} else {
			others = append(others, t)
		}
	}
	return own, others
}

// list returns the names of all tests.
func (b *binary) list() ([]string, error) {
	out, err := b.command(context.Background(), "-test.list=.").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests: %w", err)
	}
	names := strings.Fields(string(out))
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "Benchmark") }), nil
}

// quickChecks is the number of checks that rapid does in the first pass.
const quickChecks = 10

// args returns the arguments that run the tests until one fails.
func (b *binary) args(tests []test, quick bool) []string {
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = regexp.QuoteMeta(t.name)
	}
	args := []string{"-test.failfast", "-test.timeout=0", "-test.run=^(" + strings.Join(names, "|") + ")$"}
	if !b.rapid {
		return args
	}
	args = append(args, "-rapid.nofailfile", "-rapid.shrinktime=1ns", "-rapid.seed=1")
	if quick {
		args = append(args, "-rapid.checks="+strconv.Itoa(quickChecks))
	}
	return args
}

// timedOut is the failure of a run that takes too long. mostTries limits the starts
// of a run that waits for a processor or for something that never happens.
const (
	timedOut  = "timeout"
	mostTries = 4
)

// patience is how long a run may take in addition to ten times its tests' time.
const patience = time.Second

// An outcome is the result of a run of tests.
type outcome struct {
	passed bool
	by     string // what failed
	output string
	took   time.Duration // processor time
}

// run runs the tests with a mutant, or without one if mutant is 0. If reached is
// not empty, run appends the numbers of the mutants that the tests reach to the
// file with that name.
//
// A run that takes too long fails. If it spent less than half of its time on a
// processor, because other processes use the machine, run tries it again with
// twice the time.
func (b *binary) run(ctx context.Context, tests []test, mutant int, quick bool, reached string) outcome {
	limit := patience
	for _, t := range tests {
		limit += 10 * t.took
	}
	for range mostTries {
		o, starved := b.try(ctx, tests, mutant, quick, reached, limit)
		if !starved {
			return o
		}
		limit *= 2
	}
	return outcome{by: timedOut}
}

func (b *binary) try(
	ctx context.Context, tests []test, mutant int, quick bool, reached string, limit time.Duration,
) (o outcome, starved bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := b.command(ctx, b.args(tests, quick)...)
	cmd.Env = append(cmd.Env, "MUTANTS_NUMBER="+strconv.Itoa(mutant))
	if reached != "" {
		cmd.Env = append(cmd.Env, "MUTANTS_REACHED="+reached)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState != nil {
		o.took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	switch {
	case err == nil:
		o.passed = true
	case ctx.Err() != nil:
		o.by = timedOut
		return o, o.took < limit/2
	default:
		o.by, o.output = failure(out.String(), err), out.String()
	}
	return o, false
}

var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: ([^\s/]+)`)

// failure returns the name of the failed test, or the panic or other error.
func failure(output string, err error) string {
	if m := failedTest.FindStringSubmatch(output); m != nil {
		return m[1]
	}
	for _, word := range []string{"panic: ", "fatal error: "} {
		if i := strings.Index(output, word); i >= 0 {
			message, _, _ := strings.Cut(output[i:], "\n")
			return message
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.String()
	}
	return err.Error()
}
