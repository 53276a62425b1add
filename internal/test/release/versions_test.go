// SPDX-License-Identifier: Apache-2.0

package release

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var every = flag.Bool("every", false,
	"test with every minor version of Kubernetes, and not only with the first and the last")

// promise matches the versions of k8s.io/api in a package comment.
var promise = regexp.MustCompile(`(v0\.(\d+)\.\d+) to (v0\.(\d+)\.\d+)`)

// The views work with the first and the last version of Kubernetes that they
// promise, and require the first.
func TestVersions(t *testing.T) {
	repo := repository(t)
	for _, name := range []string{"kube", "dra"} {
		module := repo.in(name)
		m := promise.FindStringSubmatch(module.read(t, name+".go"))
		if m == nil {
			t.Fatalf("the package comment of %s promises no versions", name)
		}
		versions := []string{m[1]}
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[4])
		for minor := from + 1; *every && minor < to; minor++ {
			versions = append(versions, fmt.Sprintf("v0.%d.0", minor))
		}
		for _, version := range append(versions, m[3]) {
			t.Run(name+"/"+version, func(t *testing.T) { testWith(t, module, m[1], version) })
		}
	}
}

// testWith runs the module's tests with the version of Kubernetes.
func testWith(t *testing.T, module dir, floor, version string) {
	other := dir{path: t.TempDir()}
	other.write(t, "go.mod", module.read(t, "go.mod"))
	other.write(t, "go.sum", module.read(t, "go.sum"))
	with := module.with("GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -modfile="+filepath.Join(other.path, "go.mod"), "GOWORK=off")
	for _, path := range []string{"k8s.io/api", "k8s.io/apimachinery"} {
		if v := module.require(t, path); v != floor {
			t.Errorf("the module requires %s %s, and promises to work from %s", path, v, floor)
		}
		with.run(t, "go", "get", path+"@"+version)
	}
	if v := with.require(t, "k8s.io/api"); v != version {
		t.Fatalf("k8s.io/api is %s", v)
	}
	with.run(t, "go", "vet", "./...")
	with.run(t, "go", "test", "-vet=off", "./...")
}
