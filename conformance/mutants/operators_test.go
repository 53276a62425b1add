// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// module copies a folder of testdata into a new repository and makes a module of it.
func module(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/"+name+"\n\ngo 1.24.0\n")
	if err := exec.Command("git", "-C", dir, "init", "-q").Run(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, dir string) *pkg {
	t.Helper()
	p, err := loadPackage(dir, ".", new(int))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		write(t, path, string(got))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; -update writes it anew. Got\n%s", path, got)
	}
}

// TestOperators checks what each mutant of each operator changes. For each mutant,
// the golden file has the lines that the functions print only with the mutant.
func TestOperators(t *testing.T) {
	p := load(t, module(t, "operators"))
	if err := p.rewrite(); err != nil {
		t.Fatal(err)
	}
	b, err := buildTests(p.dir, filepath.Join(t.TempDir(), "tests"))
	if err != nil {
		t.Fatal(err)
	}
	before := show(t, b, 0)
	var out bytes.Buffer
	for _, m := range p.mutants {
		fmt.Fprintln(&out, m.identity)
		switch {
		case m.site.dropped != "":
			fmt.Fprintln(&out, "\t"+m.site.dropped)
		default:
			writeChanges(&out, before, show(t, b, m.number))
		}
	}
	golden(t, "operators.golden", out.Bytes())
}

// show returns the output of TestShow with the mutant.
func show(t *testing.T, b *binary, mutant int) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := b.command(ctx, "-test.run=^TestShow$")
	cmd.Env = append(cmd.Env, "MUTANTS_NUMBER="+strconv.Itoa(mutant))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("mutant %d: %v\n%s", mutant, err, out)
	}
	return strings.Split(string(out), "\n")
}

func writeChanges(out *bytes.Buffer, before, after []string) {
	for i, line := range after {
		if i >= len(before) || line != before[i] {
			fmt.Fprintf(out, "\t%s\n", line)
		}
	}
}

// Edits in other places do not change a mutant's identity.
func TestIdentitiesAreStable(t *testing.T) {
	dir := module(t, "operators")
	before := load(t, dir)
	source := string(before.files[0].source)
	for _, edit := range [][2]string{
		{"func less(", "// A comment.\nfunc another(a int) bool { return a < 7 && a != 3 }\n\nfunc less("},
		{"sum += i\n", "sum += i // the sum\n\n"},
		{"return p, nil\n}", "return p, nil\n}\n\nfunc last() string { return \"\" }"},
		{"if a > 3 {", "if a >\n\t\t3 {"},
	} {
		source = strings.Replace(source, edit[0], edit[1], 1)
	}
	write(t, before.files[0].path, source)
	after := map[string]*mutant{}
	for _, m := range load(t, dir).mutants {
		if after[m.identity] != nil {
			t.Errorf("two mutants are called %s", m.identity)
		}
		after[m.identity] = m
	}
	moved := false
	for _, m := range before.mutants {
		a := after[m.identity]
		if a == nil {
			t.Errorf("no mutant is called %s", m.identity)
			continue
		}
		moved = moved || a.line != m.line
	}
	if !moved {
		t.Error("no mutant has moved")
	}
}
