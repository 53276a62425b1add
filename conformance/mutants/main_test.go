// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutants runs the command on the module in dir and returns its exit code and
// report.
func mutants(t *testing.T, dir string, args ...string) (int, report) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(),
		append([]string{"-C", dir, "-o", "json", "-p", "2", "-timeout", "2s"}, args...), &stdout, &stderr)
	var r report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("code %d, %v\n%s\n%s", code, err, stdout.String(), stderr.String())
	}
	return code, r
}

// with returns the identities of the mutants of the status.
func (r report) with(s status) []string {
	ids := []string{}
	for _, m := range r.Mutants {
		if m.Status == s {
			ids = append(ids, m.Identity)
		}
	}
	return ids
}

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Errorf("%s are\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// What becomes of the mutants of the sample. What its tests do not notice is
// listed here.
var (
	sampleSurvivors = []string{
		"sample.go Clamp comparison n < 0 => n <= 0",
		"sample.go Clamp comparison n > Most => n >= Most",
	}
	sampleNotCovered = []string{
		"sample.go Forgotten return -x => zero",
		"sample.go Forgotten return -x => -x + 1",
		"sample.go Forgotten return -x => -x - 1",
		"sample.go Forgotten arithmetic -x => x",
	}
	// TestWritten does not pass in the rewritten package.
	sampleWritten = []string{
		"sample.go Written logic a && b => a || b",
		"sample.go Written condition a => true",
		"sample.go Written condition b => true",
	}
	sampleDropped = []string{
		"sample.go Shadow append append(list, n) => list",
	}
)

func TestSample(t *testing.T) {
	dir := module(t, "sample")
	code, r := mutants(t, dir)
	if code != 1 || r.Met {
		t.Errorf("code %d, met %v", code, r.Met)
	}
	expect(t, "survivors", r.with(survived), sampleSurvivors...)
	expect(t, "those that no test reaches", r.with(notCovered),
		append(slices.Clone(sampleNotCovered), sampleWritten...)...)
	expect(t, "those that are not tried", r.with(notTried), sampleDropped...)
	expect(t, "unused tests", r.Unused, "TestWritten")
	if r.Total.Mutants != len(r.Mutants) || r.Total.Killed != len(r.with(killed)) || r.Total.Killed < 20 {
		t.Errorf("counted %+v", r.Total)
	}
	by := map[string]string{}
	for _, m := range r.Mutants {
		by[m.Identity] = m.By
	}
	for id, want := range map[string]string{
		"sample.go Clamp condition n < 0 => false":        "TestClamp",
		"sample.go Count statement i++ => nothing":        "timeout",
		"sample.go Count condition list[i] == x => false": "TestCount",
	} {
		if by[id] != want {
			t.Errorf("%s is killed by %q, want %s", id, by[id], want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "zz_mutants.go")); err == nil {
		t.Error("the module itself was rewritten")
	}
}

// The list decides about survivors, and is held against what is there.
func TestListed(t *testing.T) {
	dir := module(t, "sample")
	path := filepath.Join(dir, "list.txt")
	survivors := " // the same number\n"
	full := "# a comment\n\n" + strings.Join(sampleSurvivors, survivors) + survivors
	for _, c := range []struct {
		name, list   string
		args         []string
		code         int
		stale, wrong []string
		equivalent   int
		accepted     int
	}{
		{name: "all", list: full, equivalent: 2},
		{
			name:       "accepted, of too few",
			list:       strings.Replace(full, "// the", "// accepted: the", 1),
			args:       []string{"-least", "99"},
			code:       1,
			equivalent: 1,
			accepted:   1,
		},
		{
			name:       "accepted",
			list:       strings.Replace(full, "// the", "// accepted: the", 1),
			equivalent: 1,
			accepted:   1,
			args:       []string{"-least", "90"},
		},
		{
			name:       "one is not",
			list:       strings.Replace(full, sampleSurvivors[1], "# "+sampleSurvivors[1], 1),
			code:       1,
			equivalent: 1,
		},
		{
			name:       "out of date",
			list:       full + "sample.go Clamp condition n < 7 => true // gone\nsample.go Nobody return 1 => zero // elsewhere\n",
			code:       1,
			equivalent: 2,
			stale:      []string{"sample.go Clamp condition n < 7 => true"},
		},
		{name: "killed, not asked", list: full + "sample.go Clamp condition n < 0 => false // wrong\n", equivalent: 3},
		{
			name:       "killed",
			list:       full + "sample.go Clamp condition n < 0 => false // wrong\n",
			args:       []string{"-check"},
			code:       1,
			equivalent: 2,
			wrong:      []string{"sample.go Clamp condition n < 0 => false"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			write(t, path, c.list)
			args := []string{"-equivalent", path, "-run", " (Clamp|Count) .*(i < len|n <|n >)"}
			code, r := mutants(t, dir, append(args, c.args...)...)
			if code != c.code || r.Total.Equivalent != c.equivalent || r.Total.Accepted != c.accepted {
				t.Errorf("code %d, %+v", code, r.Total)
			}
			expect(t, "stale entries", r.Stale, c.stale...)
			expect(t, "wrong entries", r.Wrong, c.wrong...)
		})
	}
}

func TestUsage(t *testing.T) {
	dir := module(t, "sample")
	write(t, filepath.Join(dir, "bad.txt"), "sample.go Clamp condition n < 0 => false\n")
	for _, c := range []struct {
		code int
		args []string
	}{
		{2, []string{"-unknown"}},
		{2, []string{"-o", "yaml"}},
		{2, []string{"-p", "0"}},
		{2, []string{"-seed", "0"}},
		{2, []string{"-timeout", "0s"}},
		{2, []string{"-run", "("}},
		{1, []string{"-equivalent", filepath.Join(dir, "bad.txt")}},
		{1, []string{"nowhere"}},
		{1, []string{"nowhere.go"}},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"-C", dir}, c.args...), &stdout, &stderr)
		if code != c.code || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%q: code %d, %q, %q", c.args, code, stdout.String(), stderr.String())
		}
	}
}

// Listing runs nothing, and prints what a list of equivalents wants.
func TestListOnly(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(),
		[]string{"-C", module(t, "sample"), "-list", "-run", " Forgotten ", "sample.go"}, &stdout, &stderr)
	if want := strings.Join(sampleNotCovered, "\n") + "\n"; code != 0 || stdout.String() != want || stderr.Len() > 0 {
		t.Errorf("code %d, %q, %q", code, stdout.String(), stderr.String())
	}
}

// A package whose tests fail by themselves tells nothing.
func TestFailingTests(t *testing.T) {
	dir := module(t, "sample")
	write(t, filepath.Join(dir, "failing_test.go"),
		"package sample\n\nimport \"testing\"\n\nfunc TestFailing(t *testing.T) { t.Error(\"broken\") }\n")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-C", dir, "-run", " Forgotten "}, &stdout, &stderr)
	if code != 1 || stdout.Len() > 0 || !strings.Contains(stderr.String(), "TestFailing fails without a mutant") {
		t.Errorf("code %d, %q, %q", code, stdout.String(), stderr.String())
	}
}

// What is wrong in an internal package is noticed by the tests of those that use it,
// and by its own.
func TestInternal(t *testing.T) {
	_, r := mutants(t, module(t, "users"), "internal/half", "internal/next")
	by := map[string]string{}
	for _, m := range r.Mutants {
		by[m.Identity] = m.By + string(m.Status)
	}
	for id, want := range map[string]string{
		"internal/half/half.go Of arithmetic n / 2 => n * 2":    "TestHalfkilled",
		"internal/half/half.go Less comparison a < b => a >= b": "not covered",
		"internal/next/next.go To arithmetic n + 1 => n - 1":    "TestTokilled",
	} {
		if by[id] != want {
			t.Errorf("%s: %s, want %s", id, by[id], want)
		}
	}
}

// Only what git knows, or would, is copied.
func TestCopyTree(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		".gitignore": "ignored\n", "tracked": "1", "deleted": "2", "new": "3", "ignored": "4",
	} {
		write(t, filepath.Join(dir, name), content)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "sub", "file"), "5")
	names := func() []string {
		tree, err := copyTree(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(tree)
		files, err := allFiles(tree)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	expect(t, "files without git", names(), ".gitignore", "deleted", "ignored", "new",
		filepath.Join("sub", "file"), "tracked")
	for _, args := range [][]string{{"init", "-q"}, {"add", "tracked", "deleted", ".gitignore"}} {
		err := exec.Command("git", append([]string{"-C", dir}, args...)...).Run()
		if errors.Is(err, exec.ErrNotFound) {
			t.Skip("no git here")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "deleted")); err != nil {
		t.Fatal(err)
	}
	expect(t, "files with git", names(), ".gitignore", "new", filepath.Join("sub", "file"), "tracked")
}
