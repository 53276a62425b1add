// SPDX-License-Identifier: Apache-2.0

package release

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// addition is a file that adds a function to the root package.
const addition = `package taints

// Total returns how many taints the verdict counts.
func (v Verdict) Total() int { return v.NoSchedule + v.PreferNoSchedule + v.NoExecute + v.Other }
`

// The releases after the first, as docs/releasing.md describes them: one with
// an addition, a view that requires it, incompatible ones, which are rejected,
// and one that retracts another.
func TestNextReleases(t *testing.T) {
	repo := repository(t)
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash, or one with other paths than Go's")
	}
	public, env := publish(t, repo)
	project := dir{t.TempDir(), env}
	project.write(t, "go.mod", "module example.com/project\n\ngo 1.24.0\n")
	project.write(t, "main.go", dir{path: "testdata"}.read(t, "root.go"))
	project.run(t, "go", "get", root+"@v1.0.0")

	t.Run("compatible", func(t *testing.T) {
		public.write(t, "total.go", addition)
		if out, err := compatible(public); err != nil ||
			!strings.Contains(out, "Verdict.Total: added") || !strings.Contains(out, "since v1.0.0") {
			t.Errorf("%v, it says\n%s", err, out)
		}
		release(t, public, "v1.1.0")
		testUpgrade(t, project, "v1.1.0")
	})

	t.Run("kube after it", func(t *testing.T) {
		public.run(t, "go", "-C", "kube", "mod", "edit", "-require="+root+"@v1.1.0")
		public.run(t, "go", "-C", "kube", "mod", "tidy")
		release(t, public, "kube/v0.2.0")

		outside := dir{t.TempDir(), env}
		outside.run(t, "go", "mod", "init", "example.com/project")
		outside.run(t, "go", "get", root+"@v1.1.0", kube+"@v0.2.0")
		outside.write(t, "main.go", dir{path: "testdata"}.read(t, "kube.go"))
		outside.run(t, "go", "mod", "tidy")
		if got := outside.run(t, "go", "run", "."); got != "untolerated: 1 NoSchedule" {
			t.Errorf("the program prints %q", got)
		}
		if m := outside.goMod(t); m.version(root) != "v1.1.0" ||
			m.version(kube) != "v0.2.0" || m.version("k8s.io/api") != "v0.25.0" {
			t.Errorf("the project requires %v", m.Require)
		}
	})

	t.Run("incompatible", func(t *testing.T) {
		for _, change := range []struct{ file, from, to, says string }{
			{"total.go", ") Total() int ", ") total() int ", "Verdict.Total: removed"},
			{
				"defaults.go",
				"func IsExtendedResourceName(name string)",
				"func IsExtendedResourceName(name string, _ ...bool)",
				"IsExtendedResourceName: changed",
			},
			{
				"lifecycle/disruption.go",
				"func DefaultDisruptionPolicy()",
				"func KubernetesDisruptionPolicy()",
				"DefaultDisruptionPolicy: removed",
			},
		} {
			before := public.read(t, change.file)
			if strings.Count(before, change.from) != 1 {
				t.Fatalf("%s does not have %q", change.file, change.from)
			}
			public.write(t, change.file, strings.Replace(before, change.from, change.to, 1))
			out, err := compatible(public)
			if err == nil || !strings.Contains(out, "Incompatible changes:") ||
				!strings.Contains(out, change.says) {
				t.Errorf("want %q, it says\n%s", change.says, out)
			}
			public.write(t, change.file, before)
		}
		if out, err := compatible(public); err != nil {
			t.Errorf("with all put back it says\n%s", out)
		}
	})

	t.Run("retracted", func(t *testing.T) {
		public.run(t, "go", "mod", "edit", "-retract=v1.1.0")
		mod := strings.Replace(public.read(t, "go.mod"),
			"retract v1.1.0", "retract v1.1.0 // Total counts too much.", 1)
		public.write(t, "go.mod", mod)
		release(t, public, "v1.1.1")
		testRetraction(t, project)
	})
}

// compatible compares the repository with its last release.
func compatible(public dir) (string, error) {
	return public.with("GOWORK=off").try("bash", ".ci/compatible")
}

// testUpgrade tests that the project gets the version and still runs.
func testUpgrade(t *testing.T, project dir, version string) {
	t.Helper()
	project.run(t, "go", "get", root+"@latest")
	if got := project.goMod(t).version(root); got != version {
		t.Errorf("the latest version is %s, want %s", got, version)
	}
	project.run(t, "go", "mod", "tidy")
	if got := project.run(t, "go", "run", "."); got != "all tolerated Scheduled" {
		t.Errorf("with %s the program prints %q", version, got)
	}
}

// testRetraction tests what a project with the retracted version sees.
func testRetraction(t *testing.T, project dir) {
	t.Helper()
	if got := project.goMod(t).version(root); got != "v1.1.0" {
		t.Fatalf("the project has %s", got)
	}
	list := project.run(t, "go", "list", "-m", "-u", root)
	if !strings.Contains(list, "v1.1.0 (retracted) [v1.1.1]") {
		t.Errorf("go list says %q", list)
	}
	why := project.run(t, "go", "list", "-m", "-retracted", "-f", "{{.Retracted}}", root+"@v1.1.0")
	if !strings.Contains(why, "Total counts too much.") {
		t.Errorf("the reason is %q", why)
	}
	if out := project.run(t, "go", "list", "-m", "-versions", root); out != root+" v1.0.0 v1.1.1" {
		t.Errorf("versions are %q", out)
	}
	get := project.run(t, "bash", "-c", "go get "+root+"@v1.1.0 2>&1")
	if !strings.Contains(get, "retracted by module author: Total counts too much.") {
		t.Errorf("go get says %q", get)
	}
	testUpgrade(t, project, "v1.1.1")
}
