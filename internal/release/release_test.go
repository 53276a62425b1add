// SPDX-License-Identifier: Apache-2.0

package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root = "github.com/seed-0529bac1/taints"
	kube = root + "/kube"
	dra  = root + "/dra"
)

// tags are the tags of the release, and the versions of its modules.
var tags = []string{"v1.0.0", "kube/v0.1.0", "dra/v0.1.0"}

// publish creates a git repository of the tracked files, with the tags of a
// release. It returns the repository, and the environment in which a go command
// uses it instead of the public one, and finds all other modules where they are
// already.
func publish(t *testing.T, repo dir) (public dir, env []string) {
	t.Helper()
	public = dir{path: t.TempDir(), env: []string{
		"GIT_AUTHOR_NAME=release", "GIT_AUTHOR_EMAIL=release@example.com",
		"GIT_COMMITTER_NAME=release", "GIT_COMMITTER_EMAIL=release@example.com",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
	}}
	public.run(t, "git", "init", "--quiet")
	for name := range strings.SplitSeq(strings.TrimSuffix(repo.run(t, "git", "ls-files", "-z"), "\x00"), "\x00") {
		public.write(t, name, repo.read(t, name))
	}
	release(t, public, tags...)

	cache, proxy := repo.run(t, "go", "env", "GOMODCACHE"), repo.run(t, "go", "env", "GOPROXY")
	return public, []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url." + fileURL(public.path) + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + root,
		"GOMODCACHE=" + t.TempDir(),
		"GOPROXY=" + fileURL(filepath.Join(cache, "cache", "download")) + "," + proxy,
		"GOPRIVATE=" + root, "GONOPROXY=", "GONOSUMDB=", "GOSUMDB=off",
		"GOFLAGS=" + os.Getenv("GOFLAGS") + " -modcacherw", "GOWORK=off",
	}
}

// release commits the files of the repository and tags the commit.
func release(t *testing.T, public dir, tags ...string) {
	t.Helper()
	public.run(t, "git", "add", "--all", "--force")
	public.run(t, "git", "commit", "--quiet", "--message", strings.Join(tags, " "))
	for _, tag := range tags {
		public.run(t, "git", "tag", tag)
	}
}

func fileURL(path string) string { return "file://" + filepath.ToSlash(path) }

func TestRelease(t *testing.T) {
	_, env := publish(t, repository(t))
	for _, test := range []struct {
		name    string
		has     []string // what the project requires before
		adds    []string // what it adds
		program string   // in testdata
		prints  string
		then    map[string]string // what it requires afterwards, of this repository and of Kubernetes
		goes    string            // the Go version that it requires afterwards
	}{
		{
			name: "root", program: "root.go", prints: "all tolerated Scheduled", goes: "1.24.0",
			adds: []string{root + "@v1.0.0"},
			then: map[string]string{root: "v1.0.0"},
		},
		{
			name: "kube", program: "kube.go", prints: "untolerated: 1 NoSchedule", goes: "1.24.0",
			adds: []string{kube + "@v0.1.0"},
			then: map[string]string{
				root: "v1.0.0", kube: "v0.1.0",
				"k8s.io/api": "v0.25.0", "k8s.io/apimachinery": "v0.25.0",
			},
		},
		{
			name: "dra", program: "dra.go", prints: "untolerated: 1 NoExecute", goes: "1.24.0",
			adds: []string{dra + "@v0.1.0"},
			then: map[string]string{
				root: "v1.0.0", dra: "v0.1.0",
				"k8s.io/api": "v0.34.0", "k8s.io/apimachinery": "v0.34.0",
			},
		},
		{
			name: "all beside client-go", program: "client.go",
			prints: "untolerated: 1 NoSchedule true", goes: "1.26.0",
			has:  []string{"k8s.io/api@v0.36.3", "k8s.io/apimachinery@v0.36.3", "k8s.io/client-go@v0.36.3"},
			adds: []string{root + "@v1.0.0", kube + "@v0.1.0", dra + "@v0.1.0"},
			then: map[string]string{
				root: "v1.0.0", kube: "v0.1.0", dra: "v0.1.0",
				"k8s.io/api": "v0.36.3", "k8s.io/apimachinery": "v0.36.3", "k8s.io/client-go": "v0.36.3",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			project := dir{t.TempDir(), env}
			project.write(t, "go.mod", "module example.com/project\n\ngo 1.24.0\n")
			if test.has != nil {
				project.run(t, "go", append([]string{"get"}, test.has...)...)
			}
			project.write(t, "main.go", dir{path: "testdata"}.read(t, test.program))
			project.run(t, "go", append([]string{"get"}, test.adds...)...)
			project.run(t, "go", "mod", "tidy")
			project.run(t, "go", "vet", "./...")
			if got := project.run(t, "go", "run", "."); got != test.prints {
				t.Errorf("the program prints %q, want %q", got, test.prints)
			}
			after := project.goMod(t)
			for path, version := range test.then {
				if got := after.version(path); got != version {
					t.Errorf("the project requires %s %s, want %s", path, got, version)
				}
			}
			if after.Go != test.goes {
				t.Errorf("the project asks for Go %s, want %s", after.Go, test.goes)
			}
			if test.name == "root" {
				testRootAlone(t, project)
			}
		})
	}
}

// testRootAlone tests that the root module adds nothing else to a project.
func testRootAlone(t *testing.T, project dir) {
	t.Helper()
	for _, r := range project.goMod(t).Require {
		if r.Path != root {
			t.Errorf("go.mod requires %s %s", r.Path, r.Version)
		}
	}
	project.run(t, "go", "mod", "vendor")
	if vendored := project.read(t, "vendor/modules.txt"); strings.Count(vendored, "\n# ")+1 != 1 {
		t.Errorf("vendored are\n%s", vendored)
	}
	for _, path := range strings.Fields(project.run(t, "go", "list", "-deps", ".")) {
		if strings.Contains(path, ".") && path != "example.com/project" && !strings.HasPrefix(path, root) {
			t.Errorf("the program is built from %s", path)
		}
	}
}
