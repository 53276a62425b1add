// SPDX-License-Identifier: Apache-2.0

// Package release tests what other projects get: that they can add the modules
// of a release and install its programs, and that the modules work with every
// version of Kubernetes that they promise to support. It needs git and the Go
// module proxy. Run it with -count=1, because Go's test cache does not track the
// files that it tests.
package release

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	root = "github.com/seed-0529bac1/taints"
	kube = root + "/kube"
	dra  = root + "/dra"
	cmd  = root + "/cmd"
)

// publish creates a git repository of the tracked files, with the tags of the
// first release. It returns the environment in which a go
// command uses it instead of the public one, and finds all other modules where
// they are already.
func publish(t *testing.T) (env []string) {
	t.Helper()
	repo := repository(t)
	public := dir{t.TempDir(), []string{
		"GIT_AUTHOR_NAME=release", "GIT_AUTHOR_EMAIL=release@example.com",
		"GIT_COMMITTER_NAME=release", "GIT_COMMITTER_EMAIL=release@example.com",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GOWORK=off",
	}}
	public.run(t, "git", "init", "--quiet")
	for name := range strings.SplitSeq(strings.TrimSuffix(repo.run(t, "git", "ls-files", "-z"), "\x00"), "\x00") {
		public.write(t, name, repo.read(t, name))
	}
	release(t, public, "v1.0.0", "kube/v1.0.0", "dra/v1.0.0")

	cache, proxy := repo.run(t, "go", "env", "GOMODCACHE"), repo.run(t, "go", "env", "GOPROXY")
	env = []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url." + fileURL(public.path) + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + root,
		"GOMODCACHE=" + t.TempDir(),
		"GOPROXY=" + fileURL(filepath.Join(cache, "cache", "download")) + "," + proxy,
		"GOPRIVATE=" + root, "GONOPROXY=", "GONOSUMDB=", "GOSUMDB=off",
		"GOFLAGS=" + os.Getenv("GOFLAGS") + " -modcacherw", "GOWORK=off",
	}
	programs := dir{public.path, env} // go install refuses a module with a replace
	programs.run(t, "go", "-C", "cmd", "mod", "edit", "-dropreplace="+root, "-dropreplace="+kube, "-dropreplace="+dra,
		"-require="+root+"@v1.0.0", "-require="+kube+"@v1.0.0", "-require="+dra+"@v1.0.0")
	programs.run(t, "go", "-C", "cmd", "mod", "tidy")
	release(t, public, "cmd/v1.0.0")

	for file, structs := range map[string][]string{
		"taint.go": {"Taint"}, "toleration.go": {"Toleration"}, "match.go": {"Options"}, "eviction.go": {"Eviction", "EvictionPolicy"},
	} {
		for _, name := range structs {
			grow(t, public, file, name)
		}
	}
	release(t, public, "v1.1.0")
	return env
}

// grow adds a field at the end of the struct, one that makes it incomparable.
func grow(t *testing.T, public dir, file, name string) {
	t.Helper()
	text := public.read(t, file)
	head, tail, found := strings.Cut(text, "\ntype "+name+" struct {\n")
	body, rest, ends := strings.Cut(tail, "\n}\n")
	if !found || !ends {
		t.Fatalf("%s has no struct %s", file, name)
	}
	public.write(t, file, head+"\ntype "+name+" struct {\n"+body+"\n\tLater []string `json:\"later,omitempty\"`\n}\n"+rest)
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
	env := publish(t)
	for _, test := range []struct {
		program string   // in testdata
		has     []string // what the project requires before
		adds    []string // what it adds
		prints  string
		then    map[string]string // what it requires afterwards, of this repository and of Kubernetes
	}{
		{
			program: "root.go", prints: "all tolerated QueueScheduled",
			adds: []string{root + "@v1.0.0"},
			then: map[string]string{root: "v1.0.0"},
		},
		{
			program: "kube.go", prints: "false\ntrue true true\n" +
				`[spec.taints[0].effect: Unsupported value: "Never": must be NoSchedule, PreferNoSchedule or NoExecute]`,
			adds: []string{kube + "@v1.0.0"},
			then: map[string]string{
				root: "v1.0.0", kube: "v1.0.0",
				"k8s.io/api": "v0.25.0", "k8s.io/apimachinery": "v0.25.0",
			},
		},
		{
			program: "dra.go", prints: "untolerated: 1 NoExecute",
			adds: []string{dra + "@v1.0.0"},
			then: map[string]string{
				root: "v1.0.0", dra: "v1.0.0",
				"k8s.io/api": "v0.34.0", "k8s.io/apimachinery": "v0.34.0",
			},
		},
		{ // beside client-go, whose versions stay
			program: "client.go", prints: "untolerated: 1 NoSchedule true",
			has:  []string{"k8s.io/api@v0.37.2", "k8s.io/apimachinery@v0.37.2", "k8s.io/client-go@v0.37.2"},
			adds: []string{root + "@v1.0.0", kube + "@v1.0.0", dra + "@v1.0.0"},
			then: map[string]string{
				root: "v1.0.0", kube: "v1.0.0", dra: "v1.0.0",
				"k8s.io/api": "v0.37.2", "k8s.io/apimachinery": "v0.37.2", "k8s.io/client-go": "v0.37.2",
			},
		},
	} {
		t.Run(test.program, func(t *testing.T) {
			project := dir{t.TempDir(), env}
			project.write(t, "go.mod", "module example.com/project\n\ngo 1.24.0\n")
			if test.has != nil {
				project.run(t, "go", append([]string{"get"}, test.has...)...)
			}
			before := goVersion.FindString(project.read(t, "go.mod"))
			project.write(t, "main.go", dir{path: "testdata"}.read(t, test.program))
			project.run(t, "go", append([]string{"get"}, test.adds...)...)
			project.run(t, "go", "mod", "tidy")
			project.run(t, "go", "vet", "./...")
			if got := project.run(t, "go", "run", "."); got != test.prints {
				t.Errorf("the program prints %q, want %q", got, test.prints)
			}
			for path, version := range test.then {
				if got := project.require(t, path); got != version {
					t.Errorf("the project requires %s %s, want %s", path, got, version)
				}
			}
			if after := goVersion.FindString(project.read(t, "go.mod")); after != before {
				t.Errorf("the project asks for %q, and before for %q", after, before)
			}
			if test.program == "root.go" {
				testRootAlone(t, project)
			}
		})
	}
	t.Run("a later root", func(t *testing.T) { testLaterRoot(t, dir{t.TempDir(), env}) })
	t.Run("a later k8s.io/api", func(t *testing.T) { testLaterAPI(t, dir{t.TempDir(), env}) })
	t.Run("install", func(t *testing.T) { testInstall(t, dir{t.TempDir(), env}) })
}

// goVersion matches the line of a go.mod that asks for a version of Go.
var goVersion = regexp.MustCompile(`(?m)^go .*$`)

// testLaterRoot tests that kube and dra at v1.0.0 compile with a root at v1.1.0 whose
// structs have more fields, pass their own tests and give the same answers.
func testLaterRoot(t *testing.T, project dir) {
	project.write(t, "go.mod", "module example.com/project\n\ngo 1.24.0\n")
	for program, prints := range map[string]string{
		"kube": "false\ntrue true true\n" +
			`[spec.taints[0].effect: Unsupported value: "Never": must be NoSchedule, PreferNoSchedule or NoExecute]`,
		"dra":   "untolerated: 1 NoExecute",
		"later": "1 1 true true\nfalse",
	} {
		project.write(t, program+"/main.go", dir{path: "testdata"}.read(t, program+".go"))
		project.run(t, "go", "get", root+"@v1.1.0", kube+"@v1.0.0", dra+"@v1.0.0")
		project.run(t, "go", "mod", "tidy")
		if got := project.run(t, "go", "run", "./"+program); got != prints {
			t.Errorf("%s prints %q, want %q", program, got, prints)
		}
	}
	project.run(t, "go", "vet", "./...")
	for path, version := range map[string]string{root: "v1.1.0", kube: "v1.0.0", dra: "v1.0.0"} {
		if got := project.require(t, path); got != version {
			t.Errorf("the project requires %s %s, want %s", path, got, version)
		}
	}
	for _, version := range []string{"v0.34.0", "v0.37.2"} {
		project.run(t, "go", "get", "k8s.io/api@"+version, "k8s.io/apimachinery@"+version)
		project.run(t, "go", "mod", "tidy")
		project.run(t, "go", "test", kube+"/...", dra+"/...")
	}
}

// testLaterAPI tests that kube and dra do not compile with a k8s.io/api whose structs
// have more fields, whatever the root, and that the error is in the file that says why.
func testLaterAPI(t *testing.T, project dir) {
	project.write(t, "go.mod", "module example.com/project\n\ngo 1.24.0\n")
	project.run(t, "go", "get", kube+"@v1.0.0", dra+"@v1.0.0")
	api := dir{path: filepath.Join(t.TempDir(), "api")}
	if err := os.CopyFS(api.path, os.DirFS(project.run(t, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api"))); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1.0.0", "v1.1.0"} {
		project.run(t, "go", "get", root+"@"+version)
		project.run(t, "go", "build", kube, dra)
	}
	grow(t, api, "core/v1/types.go", "Taint")
	grow(t, api, "resource/v1/types.go", "DeviceToleration")
	project.run(t, "go", "mod", "edit", "-replace=k8s.io/api="+api.path)
	for _, version := range []string{"v1.0.0", "v1.1.0"} {
		project.run(t, "go", "get", root+"@"+version)
		for _, path := range []string{kube, dra} {
			if out, err := project.try("go", "build", path); err == nil || !strings.Contains(out, "layout.go") {
				t.Errorf("%s with the root at %s: %v, and the compiler says\n%s", path, version, err, out)
			}
		}
	}
}

// testRootAlone tests that the root module adds nothing else to a project, and that
// its tests pass there.
func testRootAlone(t *testing.T, project dir) {
	t.Helper()
	if text := project.read(t, "go.mod"); strings.Count(text, root) != 1 || strings.Count(text, "require") != 1 {
		t.Errorf("go.mod is\n%s", text)
	}
	for path := range strings.FieldsSeq(project.run(t, "go", "list", "-deps", ".")) {
		if strings.Contains(path, ".") && path != "example.com/project" && !strings.HasPrefix(path, root) {
			t.Errorf("the program is built from %s", path)
		}
	}
	project.run(t, "go", "test", "-short", root+"/...")
}

// testInstall tests that the programs of a release can be installed, run and
// know their version.
func testInstall(t *testing.T, user dir) {
	bin := t.TempDir()
	user = user.with("GOBIN=" + bin)
	user.run(t, "go", "install", cmd+"/kubectl-whynot@v1.0.0")
	whynot := filepath.Join(bin, "kubectl-whynot")
	if got := user.run(t, whynot, "version"); got != "v1.0.0" {
		t.Errorf("the version is %q", got)
	}
	user.write(t, "node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n")
	user.run(t, whynot, "-f", "node.yaml")
	user = user.with("GOFLAGS=-modcacherw") // with -trimpath, the playground does not find its source
	user.run(t, "go", "install", cmd+"/playground@v1.0.0")
	user.run(t, filepath.Join(bin, "playground"), "-o", "site")
	if !strings.Contains(user.read(t, "site/taints.wasm"), "v1.0.0") {
		t.Error("the page does not know its version")
	}
}
