// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints/examples/internal/golden"
)

// mustRun returns the output for the arguments, which are good.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), args, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("%q: exit code %d, stderr %q", args, code, stderr.String())
	}
	return stdout.String()
}

func TestGolden(t *testing.T) {
	// Nodes move from not ready to unreachable.
	const moved = "-scenario failures -recover 0 -partition all@3m+10m -limits=false -for 9m"
	tests := map[string][]string{
		"restart-kubernetes": {"-scenario", "restart", "-from-time-added=false"},
		"outage-unlimited":   {"-scenario", "outage", "-limits=false"},
		"moved":              strings.Fields(moved),
		"kept":               strings.Fields(moved + " -from-time-added=false"),
		"kept-restart":       strings.Fields(moved + " -from-time-added=false -restart 2m"),
		"nothing":            {"-scenario", "failures", "-fail", "0", "-nodes", "1", "-zones", "1", "-pods", "0"},
	}
	for _, s := range scenarios() {
		tests[s.name] = []string{"-scenario", s.name}
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			golden.Compare(t, name, mustRun(t, args...))
		})
	}
}

// TestReadme checks that the README shows the default output, and the chart
// that goes with it.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	svg := filepath.Join(t.TempDir(), "chart.svg")
	output := mustRun(t, "-svg", svg)
	if !strings.Contains(string(readme), "```\n"+output+"```\n") {
		t.Errorf("the README shows something else than\n%s", output)
	}
	if diff := cmp.Diff(lines(t, "everything.svg"), lines(t, svg)); diff != "" {
		t.Errorf("the chart is not that of go run . -svg everything.svg (-want +got):\n%s", diff)
	}
}

// lines returns the lines of the file.
func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(b), "\n")
}

func TestUsage(t *testing.T) {
	tests := []struct {
		args   string
		stderr string
	}{
		{"-x", "flag provided but not defined: -x"},
		{"-nodes", "flag needs an argument: -nodes"},
		{"-nodes many", `invalid value "many" for flag -nodes: parse error`},
		{"extra", `unexpected argument "extra"; all is set by flags, see -h`},
		{
			"-scenario storms",
			`-scenario "storms": want one of everything, failures, restart, partition, maintenance, outage, storm`,
		},
		{"-nodes 2", "-nodes 2: want 3 to 10000"},
		{"-zones 27", "-zones 27: want 1 to 26"},
		{"-pods -1", "-pods -1: want 0 to 1000000"},
		{"-nodes 9 -fail 10", "-fail 10: want 0 to 9"},
		{"-for 0s", "-for 0s: want 1s to 24h"},
		{"-grace 9s", "-grace 9s: want 15s to 24h"},
		{"-recover -1s", "-recover -1s: want 0s to 24h"},
		{"-maintain 25h", "-maintain 25h: want 0s to 24h"},
		{"-restart -1m", "-restart -1m: want 0s to 24h"},
		{"-partition d@1m+1m", "-partition d@1m+1m: there are the zones a, b, c, and all"},
		{"-partition ab@1m30s+1h", "-partition ab@1m30s+1h: there are the zones a, b, c, and all"},
		{
			"-partition a@1m",
			`invalid value "a@1m" for flag -partition: "a@1m": want ZONE@START+DURATION, as in b@10m+3m`,
		},
		{"-partition @1m+1m", `"@1m+1m": want ZONE@START+DURATION`},
		{"-partition a@-1m+1m", `"a@-1m+1m": want ZONE@START+DURATION`},
		{"-partition a@1m+0s", `"a@1m+0s": want ZONE@START+DURATION`},
		{"-partition b@10m+9223372036s", "-partition b@10m+2562047h47m16s: want a start and a duration of up to 24h"},
		{"-partition b@24h1s+1s", "-partition b@24h0m1s+1s: want a start and a duration of up to 24h"},
		{"-partition a@1m+1m,b", `"b": want ZONE@START+DURATION`},
	}
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(test.args), &stdout, &stderr)
		if got := stderr.String(); code != 2 || stdout.Len() > 0 || !strings.HasPrefix(got, "evictor: ") ||
			!strings.Contains(got, test.stderr) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", test.args, code, stdout.String(), got)
		}
	}
}

func TestHelp(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"-h"}, io.Discard, &stderr); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"Usage: evictor",
		"  storm ",
		"-partition ZONE@START+DURATION",
		"(default b@10m+3m,all@20m+10m)",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in %s", want, stderr.String())
		}
	}
}

// TestOverride checks that flags beside a scenario count, wherever they stand,
// and that those of the scenario are kept.
func TestOverride(t *testing.T) {
	o, err := parse(strings.Fields("-fail 2 -scenario restart -partition c@2m+1m -partition a@1m+1s,b@3h+1h0m1s"))
	if err != nil {
		t.Fatal(err)
	}
	if o.fail != 2 || o.restart != 5*time.Minute || o.partitions.String() != "a@1m+1s,b@3h+1h0m1s" {
		t.Errorf("got %+v", o)
	}
	if o, err = parse(strings.Fields("-partition none")); err != nil || o.partitions != nil || o.fail != 6 {
		t.Errorf("got %+v, %v", o, err)
	}
}

func TestSeeds(t *testing.T) {
	if mustRun(t) != mustRun(t, "-seed", "1") {
		t.Error("the same seed gives another output")
	}
	if strings.TrimSuffix(mustRun(t, "-seed", "2"), "2") == strings.TrimSuffix(mustRun(t), "1") {
		t.Error("another seed gives the same output")
	}
}

// TestChart checks that charts are well-formed, for many zones and few, and for
// partitions after the end.
func TestChart(t *testing.T) {
	for _, args := range []string{
		"", "-zones 26 -scenario storm", "-for 1s", "-for 7h -nodes 9 -fail 9",
		"-partition a@1h+1h", "-scenario outage -limits=false",
	} {
		path := filepath.Join(t.TempDir(), "chart.svg")
		mustRun(t, append(strings.Fields(args), "-svg", path)...)
		chart, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(chart, []byte("%!")) {
			t.Errorf("%s: a wrong format in %s", args, chart)
		}
		for d := xml.NewDecoder(bytes.NewReader(chart)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v in %s", args, err, chart)
			}
		}
	}
}

func TestInterrupt(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "chart.svg")
	var stdout, stderr bytes.Buffer
	code := run(&countdown{context.Background(), 200}, []string{"-scenario", "storm", "-svg", svg}, &stdout, &stderr)
	if code != 130 || stderr.String() != "evictor: interrupted; what is shown ends at 03:20 of 30:00\n" {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	got := stdout.String()
	if !strings.Contains(got, "\n01:50-02:20  nodes: 2 tainted;") || !strings.Contains(got, "\n   all    180") {
		t.Errorf("stdout %s", got)
	}
	if _, err := os.Stat(svg); err != nil {
		t.Error(err)
	}
}

// A countdown is a context that is canceled after it was asked so many times.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestWriteError(t *testing.T) {
	var stderr bytes.Buffer
	code := run(context.Background(), nil, failingWriter{}, &stderr)
	if code != 1 || stderr.String() != "evictor: disk full\n" {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	stderr.Reset()
	svg := filepath.Join(t.TempDir(), "none", "x.svg")
	code = run(context.Background(), []string{"-svg", svg}, io.Discard, &stderr)
	if code != 1 || !strings.HasPrefix(stderr.String(), "evictor: open ") {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestCeiling(t *testing.T) {
	for n, want := range map[int]int{
		1:      1,
		2:      2,
		3:      5,
		6:      10,
		10:     10,
		11:     20,
		50:     50,
		51:     100,
		999:    1000,
		1000:   1000,
		123456: 200000,
	} {
		if got := ceiling(n); got != want {
			t.Errorf("%d: got %d, want %d", n, got, want)
		}
	}
}

func TestTick(t *testing.T) {
	for length, want := range map[time.Duration]time.Duration{
		time.Second:      time.Second,
		12 * time.Second: time.Second,
		13 * time.Second: 5 * time.Second,
		12 * time.Minute: time.Minute,
		35 * time.Minute: 5 * time.Minute,
		6 * time.Hour:    30 * time.Minute,
		24 * time.Hour:   2 * time.Hour,
	} {
		if got := tick(length); got != want {
			t.Errorf("%s: got %s, want %s", length, got, want)
		}
	}
}
