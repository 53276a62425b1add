// SPDX-License-Identifier: Apache-2.0

// Package gotest runs the go command, and reads what "go test -json" prints.
package gotest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Go runs the go command in a folder and returns what it prints. An error has what
// it wrote to standard error.
func Go(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}

// A Run is what the tests of a package did.
type Run struct {
	// Outcome is "pass", "fail" or "skip" by test and subtest. A test that did
	// not come to an end has failed.
	Outcome map[string]string
	// Output holds the lines by test, and under "" those of building and of the
	// package.
	Output map[string][]string
	// Finished reports whether the package's tests came to an end.
	Finished bool
	// Elapsed is the time without building.
	Elapsed time.Duration
}

// Test runs a command that is "go test -json" of one package, and reads its output.
// It is no error that tests fail: the Run says so.
func Test(cmd *exec.Cmd) (*Run, error) {
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	return read(bytes.NewReader(out))
}

// read reads the output of one package.
func read(r io.Reader) (*Run, error) {
	x := &Run{Outcome: map[string]string{}, Output: map[string][]string{}}
	d := json.NewDecoder(r)
	for {
		var e struct {
			Action, Test, Output string
			Elapsed              float64
		}
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return x, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go test: %w", err)
		}
		switch e.Action {
		case "output", "build-output":
			x.Output[e.Test] = append(x.Output[e.Test], e.Output)
		case "run":
			x.Outcome[e.Test] = "fail" // unless it comes to an end
		case "pass", "fail", "skip":
			if e.Test != "" {
				x.Outcome[e.Test] = e.Action
				continue
			}
			x.Finished, x.Elapsed = true, time.Duration(e.Elapsed*float64(time.Second))
		}
	}
}
