// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPackages(t *testing.T) {
	text, err := os.ReadFile("../../docs/kubernetes.md")
	if err != nil {
		t.Fatal(err)
	}
	packages := packagesOf(string(text))
	if names := packages["k8s.io/kubernetes/pkg/util/taints"]; !slices.Contains(names, "TaintSetDiff") {
		t.Errorf("%q", names)
	}
	for _, path := range []string{"k8s.io/api/core/v1", "k8s.io/api/resource/v1", "k8s.io/kubectl/pkg/cmd/taint"} {
		if _, ok := packages[path]; !ok {
			t.Errorf("no %s in %q", path, slices.Sorted(maps.Keys(packages)))
		}
	}
	for path, want := range map[string][3]string{
		"k8s.io/api/core/v1":                {"k8s.io/api", "core/v1", "v0.38.0-alpha.2"},
		"k8s.io/kubernetes/pkg/util/taints": {"k8s.io/kubernetes", "pkg/util/taints", "v1.38.0-alpha.2"},
	} {
		module, rest := moduleOf(path)
		if got := [3]string{module, rest, versionOf(module, "1.38.0-alpha.2")}; got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestWrite(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	const text = "package p\n\ntype Taint struct{ Key string }\n\nfunc Named() {}\n\nfunc other() {}\n"
	if err := os.WriteFile(filepath.Join(from, "p.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(to, from, []string{"Named"}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(to, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%q, %v", files, err)
	}
	if got, err := os.ReadFile(filepath.Join(to, "Taint")); err != nil || string(got) != "Taint struct{ Key string }\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// The module proxy has the same version on both sides, or none.
func TestRun(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("\n## `k8s.io/api/core/v1`\n\n| `Taint` | |\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	version := base(t)
	for name, test := range map[string]struct{ version, want string }{
		"the same":    {version, "nothing differs\n"},
		"one of none": {"1.37.999", "left out: k8s.io/api@v0.37.999"},
	} {
		var b strings.Builder
		if err := run(page, version, test.version, &b); err != nil || !strings.Contains(b.String(), test.want) {
			t.Errorf("%s: %v, %q", name, err, b.String())
		}
	}
}

// base returns the version of Kubernetes that the module requires.
func base(t *testing.T) string {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(mod), "\tk8s.io/kubernetes v")
	version, _, _ := strings.Cut(rest, "\n")
	return version
}
