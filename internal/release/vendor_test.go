// SPDX-License-Identifier: Apache-2.0

package release

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxVendored is the largest number of lines of Go that an operator may vendor.
const maxVendored = 4500

// An operator that matches, edits and validates taints vendors little, and its
// build has only the two modules in addition to those of Kubernetes.
func TestVendored(t *testing.T) {
	_, env := publish(t, repository(t))
	project := dir{t.TempDir(), env}
	project.write(t, "go.mod", "module example.com/project\n\ngo 1.24.0\n")
	project.run(t, "go", "get", "k8s.io/api@v0.36.3", "k8s.io/apimachinery@v0.36.3")
	project.write(t, "main.go", `package main

import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apimachinery/pkg/util/validation/field"
)

func main() {}
`)
	project.run(t, "go", "mod", "tidy")
	before, built := project.modules(t), project.builtModules(t)

	project.write(t, "main.go", dir{path: "testdata"}.read(t, "operator.go"))
	project.run(t, "go", "get", root+"@v1.0.0", kube+"@v0.1.0")
	project.run(t, "go", "mod", "tidy")
	const prints = `false
true true true
[spec.taints[0].effect: Unsupported value: "Never": must be NoSchedule, PreferNoSchedule or NoExecute]`
	if got := project.run(t, "go", "run", "."); got != prints {
		t.Errorf("the program prints\n%s", got)
	}
	// rapid is for the root's own tests. The others are dependencies of the first
	// k8s.io/apimachinery that kube works with. None of them is built.
	want := []string{
		"github.com/gogo/protobuf", root, kube, "gopkg.in/yaml.v2", "pgregory.net/rapid",
		"sigs.k8s.io/structured-merge-diff/v4",
	}
	if got := without(project.modules(t), before); !slices.Equal(got, want) {
		t.Errorf("the build list has beside what was there\n%s\nwant\n%s", got, want)
	}
	if got := without(project.builtModules(t), built); !slices.Equal(got, []string{root, kube}) {
		t.Errorf("the program is built from %s beside what was there", got)
	}

	project.run(t, "go", "mod", "vendor")
	files, lines := 0, 0
	for name, text := range project.goFiles(t, "vendor/"+root) {
		if strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s is vendored", name)
		}
		files++
		lines += strings.Count(text, "\n")
	}
	t.Logf("vendored are %d lines in %d files", lines, files)
	if files == 0 || lines > maxVendored {
		t.Errorf("vendored are %d lines in %d files, at most %d are wanted", lines, files, maxVendored)
	}
}

// modules returns the paths of the modules of the build list, sorted.
func (d dir) modules(t *testing.T) []string {
	t.Helper()
	return sorted(d.run(t, "go", "list", "-m", "-f", "{{.Path}}", "all"))
}

// builtModules returns the paths of the modules that the program is built from.
func (d dir) builtModules(t *testing.T) []string {
	t.Helper()
	return sorted(d.run(t, "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "."))
}

func sorted(list string) []string {
	words := strings.Fields(list)
	slices.Sort(words)
	return slices.Compact(words)
}

// without returns the elements of list that are not in other.
func without(list, other []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return slices.Contains(other, s) })
}

// goFiles returns the Go files below the folder, by path.
func (d dir) goFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(filepath.Join(d.path, filepath.FromSlash(folder)),
		func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			text, err := os.ReadFile(path)
			files[path] = string(text)
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
