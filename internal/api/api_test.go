// SPDX-License-Identifier: Apache-2.0

package api

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files in the folder docs/api")

const root = "../.."

// packages are the folders of what other projects import, and files of docs/api.
var packages = map[string]string{
	"taints": ".", "nodeindex": "nodeindex", "explain": "explain", "tolerationset": "tolerationset",
	"lifecycle": "lifecycle", "kube": "kube", "nodestate": "kube/nodestate", "dra": "dra",
}

// What is exported is what the folder docs/api says, so that no change of it goes
// unnoticed. After the first release no line of it goes.
func TestExported(t *testing.T) {
	for name, dir := range packages {
		now, err := Of(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(root, "docs", "api", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(now), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(before), "\n"), strings.Split(now, "\n")); diff != "" {
			t.Errorf("%s exports something else; put back what is released, "+
				"and write additions down by go test ./internal/api -update (-docs/api/%s.txt +now):\n%s", dir, name, diff)
		}
	}
}

func TestOf(t *testing.T) {
	const source = `// Package p is a sample.
package p

import "io"

// A Color has a name.
type Color uint8

const (
	Red Color = iota // a comment
	Green
	hidden
)

type Pair[K comparable] struct {
	io.Reader
	Key K ` + "`json:\"key\"`" + `
	mu  int
}

func (p *Pair[K]) Get(k K) (ok bool) { return }
func (h other) Method()              {}
func (Color) private()               {}

type other int

var ErrGone, errOther error
`
	const want = `const (
	Red Color = iota
	Green
)
func (p *Pair[K]) Get(k K) (ok bool)
type Color uint8
type Pair[K comparable] struct {
	io.Reader
	Key K ` + "`json:\"key\"`" + `
	// contains filtered or unexported fields
}
var ErrGone error
`
	dir := t.TempDir()
	for name, text := range map[string]string{"p.go": source, "p_test.go": "package p\n\nfunc Tested() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Of(dir)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := Of(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder without a package exports something")
	}
}
