// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints/examples/internal/golden"
)

// stepClock returns a clock that goes on by a microsecond each time it is
// looked at.
func stepClock() func() time.Time {
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Microsecond)
		return now
	}
}

// runWith runs the program with a clock of its own.
func runWith(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	p := program{stdout: &out, stderr: &errOut, clock: stepClock()}
	code = p.run(ctx, args)
	return code, out.String(), errOut.String()
}

// mustRun returns the output of a run that is to succeed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := runWith(context.Background(), args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%q: exit code %d, stderr %q", args, code, stderr)
	}
	return stdout
}

func TestGolden(t *testing.T) {
	tests := []struct {
		file string
		args []string
	}{
		{"default.text", []string{"-nodes", "1000", "-pods", "1000"}},
		{"compare.text", []string{"-nodes", "500", "-pods", "300", "-score", "7", "-compare"}},
		{"compare.json", []string{"-nodes", "500", "-pods", "300", "-score", "7", "-compare", "-o", "json"}},
		{
			"full.text",
			[]string{
				"-nodes", "20", "-pods", "2000", "-seed", "2", "-taint-weight", "1",
				"-free-weight", "5", "-o", "text",
			},
		},
		{"placed.text", []string{"-nodes", "300", "-pods", "9"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			golden.Compare(t, test.file, mustRun(t, test.args...))
		})
	}
}

// TestReadme checks that the README's output is that of the defaults, up to the
// times.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(readme), "```\n")
	if len(parts) != 4 {
		t.Fatalf("the README has %d parts", len(parts))
	}
	want, _, timed := strings.Cut(parts[2], "\nWhat it took")
	got, _, _ := strings.Cut(mustRun(t), "\nWhat it took")
	if diff := cmp.Diff(want, got); diff != "" || !timed {
		t.Errorf("the README (-) shows something else than the program (+):\n%s", diff)
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		args   []string
		stderr string
	}{
		{[]string{"-x"}, "flag provided but not defined: -x"},
		{[]string{"-nodes", "0"}, `invalid value "0" for flag -nodes: want a whole number from 1 to 1000000`},
		{
			[]string{"-nodes", "1000001"},
			`invalid value "1000001" for flag -nodes: want a whole number from 1 to 1000000`,
		},
		{[]string{"-nodes=-5"}, `invalid value "-5" for flag -nodes: want a whole number from 1 to 1000000`},
		{[]string{"-nodes"}, "flag needs an argument: -nodes"},
		{[]string{"-pods", "0"}, `invalid value "0" for flag -pods: want a whole number from 1 to 10000000`},
		{[]string{"-pods", "many"}, `invalid value "many" for flag -pods: want a whole number from 1 to 10000000`},
		{[]string{"-score", "0"}, `invalid value "0" for flag -score: want a whole number from 1 to 1000000`},
		{[]string{"-seed", "-1"}, `invalid value "-1" for flag -seed: want a whole number from 0 to 2147483647`},
		{
			[]string{"-taint-weight", "NaN"},
			`invalid value "NaN" for flag -taint-weight: want a whole number from 1 to 1000`,
		},
		{
			[]string{"-taint-weight", "1.5"},
			`invalid value "1.5" for flag -taint-weight: want a whole number from 1 to 1000`,
		},
		{
			[]string{"-free-weight", "-1"},
			`invalid value "-1" for flag -free-weight: want a whole number from 1 to 1000`,
		},
		{
			[]string{"-free-weight", "99999999999999999999"},
			`invalid value "99999999999999999999" for flag -free-weight: want a whole number from 1 to 1000`,
		},
		{[]string{"-compare=maybe"}, `invalid boolean value "maybe" for -compare: parse error`},
		{[]string{"-o", "yaml"}, `invalid value "yaml" for flag -o: want text or json`},
		{[]string{"-pods", "5", "nodes"}, `unexpected argument "nodes"`},
	}
	for _, test := range tests {
		code, stdout, stderr := runWith(context.Background(), test.args...)
		if want := "scheduler: " + test.stderr + "\n"; code != 2 || stdout != "" || stderr != want {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q, want %q", test.args, code, stdout, stderr, want)
		}
	}
	code, stdout, stderr := runWith(context.Background(), "-h")
	if code != 0 || !strings.HasPrefix(stdout, "Usage: scheduler") ||
		!strings.Contains(stdout, "(default 100000)") || stderr != "" {
		t.Errorf("-h: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestInterrupt interrupts a run before it begins and at many moments, while it
// is compared too: no pod is lost.
func TestInterrupt(t *testing.T) {
	args := []string{"-nodes", "300", "-pods", "200", "-compare", "-o", "json"}
	var whole report
	if err := json.Unmarshal([]byte(mustRun(t, args...)), &whole); err != nil {
		t.Fatal(err)
	}
	before, inRun, inRetries, inLoop := 0, 0, 0, 0
	for looks := 1; looks < 1900; looks += 13 {
		ctx, cancel := context.WithCancel(context.Background())
		clock, left := stepClock(), looks
		var out, errOut bytes.Buffer
		p := program{stdout: &out, stderr: &errOut, clock: func() time.Time {
			if left--; left == 0 {
				cancel()
			}
			return clock()
		}}
		code := p.run(ctx, args)
		cancel()
		var r report
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if interrupted := code == 130; interrupted != r.Interrupted || !interrupted && code != 0 || errOut.Len() > 0 {
			t.Fatalf("exit code %d, interrupted %t, stderr %q", code, r.Interrupted, errOut.String())
		}
		switch {
		case !r.Interrupted:
			if left > 0 {
				continue // the run was over before
			}
			if diff := cmp.Diff(whole, r); diff != "" {
				t.Errorf("interrupted too late, and yet different:\n%s", diff)
			}
		case r.WithLoop != nil:
			inLoop++
			if r.WithIndex.Tries != whole.WithIndex.Tries || r.WithLoop.Tries >= whole.WithLoop.Tries {
				t.Errorf("interrupted in the loop after %d and %d tries", r.WithIndex.Tries, r.WithLoop.Tries)
			}
		case r.Arrived == 0:
			before++
		case r.WithIndex.Tries == r.Arrived:
			inRun++
		default:
			inRetries++
		}
		waiting, onNodes := 0, 0
		for _, row := range r.Pending {
			waiting += row.Pods
		}
		for _, row := range r.Pools {
			onNodes += row.Pods
		}
		if r.Placed != onNodes || r.Placed+waiting != r.Arrived {
			t.Errorf("%d arrived, %d placed, %d are on nodes, %d wait", r.Arrived, r.Placed, onNodes, waiting)
		}
	}
	if before == 0 || inRun == 0 || inRetries == 0 || inLoop == 0 {
		t.Errorf("interrupted %d times before the run, %d in it, %d in retries, %d in the loop",
			before, inRun, inRetries, inLoop)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	code, stdout, _ := runWith(ctx, "-nodes", "300", "-pods", "200")
	if code != 130 ||
		!strings.HasPrefix(stdout, "Interrupted: this is what there is so far.\nNodes: 300. Pods: 0 of 200 arrived") {
		t.Errorf("exit code %d, %.100q", code, stdout)
	}
}

func TestWriteError(t *testing.T) {
	for _, form := range []string{"text", "json"} {
		var stderr bytes.Buffer
		p := program{stdout: failingWriter{}, stderr: &stderr, clock: stepClock()}
		code := p.run(context.Background(), []string{"-nodes", "5", "-pods", "5", "-o", form})
		if code != 1 || stderr.String() != "scheduler: disk full\n" {
			t.Errorf("exit code %d, stderr %q", code, stderr.String())
		}
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestStoppedClock checks that nothing divides by the time of a clock that
// stands still.
func TestStoppedClock(t *testing.T) {
	var out bytes.Buffer
	p := program{stdout: &out, stderr: io.Discard, clock: func() time.Time { return time.Time{} }}
	if code := p.run(context.Background(), []string{"-nodes", "5", "-pods", "5", "-compare"}); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if s := out.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") ||
		!strings.Contains(s, "  tries a second   0      0     -\n") {
		t.Error(s)
	}
}
