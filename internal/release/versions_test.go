// SPDX-License-Identifier: Apache-2.0

package release

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var every = flag.Bool("every", false,
	"test with every minor version of Kubernetes, and not only with the first and the last")

// kubernetes holds the modules of Kubernetes whose types the views depend on.
var kubernetes = []string{"k8s.io/api", "k8s.io/apimachinery"}

// promises holds, for each module with views, the versions of Kubernetes'
// modules that it promises to work with, one of each minor version.
var promises = []struct {
	module   string
	versions []string
}{
	{"kube", []string{
		"v0.25.0", "v0.26.0", "v0.27.0", "v0.28.0", "v0.29.0", "v0.30.0", "v0.31.0",
		"v0.32.0", "v0.33.0", "v0.34.0", "v0.35.0", "v0.36.3", "v0.37.2",
	}},
	{"dra", []string{"v0.34.0", "v0.35.0", "v0.36.3", "v0.37.2"}},
}

func TestVersions(t *testing.T) {
	repo := repository(t)
	for _, promise := range promises {
		module := repo.in(promise.module)
		first, last := promise.versions[0], promise.versions[len(promise.versions)-1]
		if doc := module.read(t, promise.module+".go"); !strings.Contains(doc, first+" to "+last) {
			t.Errorf("the package comment of %s does not promise %s to %s", promise.module, first, last)
		}
		for _, path := range kubernetes {
			if v := module.goMod(t).version(path); v != first {
				t.Errorf("%s requires %s %s, and promises to work from %s", promise.module, path, v, first)
			}
		}
		for _, version := range promise.versions {
			if version == first || version == last || *every {
				t.Run(promise.module+"/"+version, func(t *testing.T) { testWith(t, module, version) })
			}
		}
	}
}

// testWith runs the module's tests with the version of Kubernetes.
func testWith(t *testing.T, module dir, version string) {
	alternative := dir{path: t.TempDir()}
	alternative.write(t, "go.mod", module.read(t, "go.mod"))
	alternative.write(t, "go.sum", module.read(t, "go.sum"))
	module = module.with("GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -modfile="+filepath.Join(alternative.path, "go.mod"), "GOWORK=off")

	get := []string{"get"}
	for _, path := range kubernetes {
		get = append(get, path+"@"+version)
	}
	module.run(t, "go", get...)
	for _, path := range kubernetes {
		if v := module.run(t, "go", "list", "-m", "-f", "{{.Version}}", path); v != version {
			t.Fatalf("%s is %s", path, v)
		}
	}
	module.run(t, "go", "vet", "./...")
	module.run(t, "go", "test", "-vet=off", "./...")
}
