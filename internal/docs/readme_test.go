// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/markdown"
)

// table returns the table of the document below the heading.
func table(t *testing.T, name, heading string) markdown.Table {
	t.Helper()
	tables := tablesOf(t, name)
	i := slices.IndexFunc(tables, func(x markdown.Table) bool { return x.Heading == heading })
	if i < 0 {
		t.Fatalf("%s has no table below %q", name, heading)
	}
	return tables[i]
}

// The versions of Kubernetes in README.md are the tested ones.
func TestReadmeVersions(t *testing.T) {
	tested := first(t, "conformance/go.mod", `k8s\.io/kubernetes v(\S+)`)
	minor, _, _ := strings.Cut(strings.TrimPrefix(tested, "1."), ".")
	compared := append(versionsIn(t, "conformance/versions/*.mod", ".mod"), "1."+minor)
	const views = `(?s)(v0\.\d+\.\d+\s+to\s+v0\.\d+\.\d+)`
	want := map[string]string{
		"the rules of the zero `Options`": first(t, "CHANGELOG.md", `\*\*(1\.\d+)\*\*`) +
			", with its taint feature gates on",
		"answers compared with Kubernetes' code":   strings.Join(compared, ", "),
		"Kubernetes' own tests run on the library": tested,
		"answers recorded from a live cluster":     strings.Join(versionsIn(t, "internal/recorded/testdata/kubernetes-*", ""), ", "),
		"module `kube` works with `k8s.io/api`":    first(t, "kube/kube.go", views),
		"module `dra` works with `k8s.io/api`":     first(t, "dra/dra.go", views),
	}
	rows := table(t, "README.md", "Versions of Kubernetes").Rows
	for _, row := range rows {
		what, version := row.Cell("what"), row.Cell("Kubernetes")
		if version != want[what] || version == "" {
			t.Errorf("%s: %q, tested is %q", what, version, want[what])
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows in place of %d", len(rows), len(want))
	}
}

// versionsIn returns the versions in the names of the files, in order.
func versionsIn(t *testing.T, pattern, suffix string) (versions []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %q, %v", pattern, names, err)
	}
	for _, name := range names {
		versions = append(versions, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "kubernetes-"), suffix))
	}
	return versions
}

// first returns what the first group of the pattern matches in the file.
func first(t *testing.T, name, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(read(t, name))
	if m == nil {
		t.Fatalf("%s does not have %s", name, pattern)
	}
	return oneLine(strings.ReplaceAll(m[1], "//", ""))
}

// oneLine returns the text with each line break or run of spaces replaced by
// one space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func exists(name string) bool {
	_, err := os.Stat(filepath.Join(root, name))
	return err == nil
}

// The names of the library in README.md are exported.
func TestReadmeNames(t *testing.T) {
	names := regexp.MustCompile(`(?:\b[a-z]\w*\.)?\b[A-Z]\w*(?:\.[A-Z]\w*)?`)
	for _, in := range []struct{ heading, column string }{
		{"What replaces what", "here"},
		{"Where to look", "look at"},
	} {
		for _, row := range table(t, "README.md", in.heading).Rows {
			for _, code := range row.Code(in.column) {
				for _, name := range names.FindAllString(code, -1) {
					if !isExported(t, name) {
						t.Errorf("there is no %s: %s", name, row.Line)
					}
				}
			}
		}
	}
}

// isExported reports whether docs/api has the name: "Filter", "Changes.Apply" or
// "lifecycle.Queue".
func isExported(t *testing.T, name string) bool {
	t.Helper()
	module := "taints"
	if before, after, _ := strings.Cut(name, "."); !token.IsExported(before) {
		module, name = before, after
	}
	declared := `(?m)^(func |type |var |const |\t)` + name + `\b`
	if typ, method, ok := strings.Cut(name, "."); ok {
		declared = `(?m)^func \((\w+ )?\*?` + typ + `(\[\w+\])?\) ` + method + `\(`
	}
	return regexp.MustCompile(declared).MatchString(read(t, "docs/api/"+module+".txt"))
}

// README.md shows the exact example, with its output.
func TestReadmeShowsTheExample(t *testing.T) {
	_, body, _ := strings.Cut(read(t, "example_test.go"), "func Example_readme() {")
	_, body, _ = strings.Cut(body, "time.UTC)\n\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	code := firstBlock(t, "README.md")
	if got := strings.TrimSpace(strings.ReplaceAll("\n"+body, "\n\t", "\n")); got != strings.TrimSpace(code) {
		t.Errorf("README.md shows:\n%s\nthe example is:\n%s", code, got)
	}
}
