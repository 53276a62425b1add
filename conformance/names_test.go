// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"cmp"
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/source"
	"github.com/seed-0529bac1/taints/internal/docs"
	_ "k8s.io/cloud-provider/node/helpers" // listed on the page and used nowhere else in the package
)

// TestNames checks that each name in the first column of docs/kubernetes.md is
// declared by the package that the heading names. Each exported name in these
// packages that mentions taints or tolerations must be on the page, in a table or
// in the text.
func TestNames(t *testing.T) {
	text, err := os.ReadFile("../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := source.Sections(string(text))
	if len(sections) < 25 {
		t.Errorf("%d packages only", len(sections))
	}
	dirs := dirsOf(t, slices.Collect(maps.Keys(sections)))
	for path, section := range sections {
		t.Run(path, func(t *testing.T) {
			declared, err := source.Declarations(dirs[path])
			if err != nil {
				t.Fatal(err)
			}
			testNamesOf(t, declared, section)
		})
	}
}

// dirsOf returns the directory of each package in the module cache.
func dirsOf(t *testing.T, paths []string) map[string]string {
	t.Helper()
	out, err := gotest.Go("", append([]string{"list", "-find", "-f", "{{.ImportPath}}\t{{.Dir}}"}, paths...)...)
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	return dirs
}

func testNamesOf(t *testing.T, declared map[string]string, section source.Section) {
	for _, name := range section.Names {
		if declared[name] == "" {
			t.Errorf("Kubernetes has no %s", name)
		}
	}
	said := docs.Code(section.Text)
	for name := range declared {
		receiver, method, _ := strings.Cut(name, ".")
		exported := ast.IsExported(receiver) && (method == "" || ast.IsExported(method))
		if exported && source.About.MatchString(cmp.Or(method, receiver)) && !slices.Contains(said, name) {
			t.Errorf("%s is not on the page", name)
		}
	}
}
