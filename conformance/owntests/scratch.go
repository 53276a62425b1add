// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

// A scratch is a module whose build takes copies of modules in place of theirs.
type scratch struct {
	name    string
	modules []string // to copy
	tests   []string // packages whose tests are run
}

// The scratches. That of k8s.io/api is one of its own, because nearly
// all of Kubernetes is built anew on top of it.
var scratches = []scratch{
	{"api", []string{"k8s.io/api"}, []string{"k8s.io/api/core/v1"}},
	{"kubectl", []string{"k8s.io/component-helpers", "k8s.io/cloud-provider", "k8s.io/kubectl"}, []string{
		"k8s.io/component-helpers/scheduling/corev1",
		"k8s.io/cloud-provider/node/helpers",
		"k8s.io/kubectl/pkg/cmd/taint",
	}},
	{"kubernetes", []string{"k8s.io/component-helpers", "k8s.io/kubernetes"}, []string{
		"k8s.io/kubernetes/pkg/util/taints",
		"k8s.io/kubernetes/pkg/util/tolerations",
		"k8s.io/kubernetes/pkg/util/flag",
		"k8s.io/kubernetes/pkg/apis/core/validation",
		"k8s.io/kubernetes/pkg/api/pod",
		"k8s.io/kubernetes/pkg/controller/daemon/util",
		"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds",
		"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration",
		"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction",
		"k8s.io/kubernetes/pkg/controller/tainteviction",
		"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper",
		"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration",
		"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable",
		"k8s.io/kubernetes/pkg/controller/nodelifecycle",
		"k8s.io/kubernetes/pkg/controller/daemon",
	}},
}

func (s scratch) matching(only *regexp.Regexp) []string {
	return slices.DeleteFunc(slices.Clone(s.tests), func(pkg string) bool { return !only.MatchString(pkg) })
}

// prepare copies the modules into the folder, replaces their functions, and
// returns the names of those by package.
func (s scratch) prepare(dir string, shims []*shim) (map[string][]string, error) {
	home := filepath.Join(dir, s.name)
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	if err := s.writeModule(home); err != nil {
		return nil, err
	}
	replaced := map[string][]string{}
	for _, module := range s.modules {
		from, err := moduleDir(module)
		if err != nil {
			return nil, err
		}
		to := filepath.Join(home, filepath.FromSlash(module))
		if err := s.copyModule(from, to, module); err != nil {
			return nil, err
		}
		for _, shim := range shims {
			rest, ok := strings.CutPrefix(shim.pkg, module+"/")
			if !ok {
				continue
			}
			replaced[shim.pkg], err = shim.apply(filepath.Join(to, filepath.FromSlash(rest)), deciding(shims))
			if err != nil {
				return nil, err
			}
		}
	}
	return replaced, nil
}

// writeModule writes a go.mod like that of the conformance module, with the
// copies in the place of the modules, and the package that converts for shims.
func (s scratch) writeModule(home string) error {
	conformance, err := moduleDir()
	if err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(conformance, name))
		if err == nil {
			err = writeFile(filepath.Join(home, name), text)
		}
		if err != nil {
			return err
		}
	}
	edit, err := localReplaces(conformance)
	if err != nil {
		return err
	}
	edit = append([]string{"mod", "edit", "-module=owntests.example"}, edit...)
	for _, module := range s.modules {
		edit = append(edit, "-replace="+module+"=./"+module)
	}
	if _, err := gotest.Go(home, edit...); err != nil {
		return err
	}
	for _, name := range []string{"view/view.go", "coreview/coreview.go"} {
		text, err := shimFiles.ReadFile("testdata/" + name)
		if err == nil {
			err = writeFile(filepath.Join(home, filepath.FromSlash(name)), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// localReplaces returns the flags by which "go mod edit" replaces what the module
// in the folder replaces by folders beside it, from anywhere.
func localReplaces(dir string) ([]string, error) {
	text, err := gotest.Go(dir, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Replace []struct{ Old, New struct{ Path string } }
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return nil, err
	}
	var edit []string
	for _, r := range mod.Replace {
		if strings.HasPrefix(r.New.Path, ".") {
			edit = append(edit, "-replace="+r.Old.Path+"="+filepath.Join(dir, filepath.FromSlash(r.New.Path)))
		}
	}
	return edit, nil
}

// copyModule copies what is needed to build the module, and the tests of the
// packages whose tests are run. A file that is the same already is left alone,
// which keeps what was built.
func (s scratch) copyModule(from, to, module string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		tested := s.isTested(module + "/" + filepath.ToSlash(rel))
		switch {
		case entry.IsDir() && (rel == "vendor" || entry.Name() == "testdata" && !tested):
			return filepath.SkipDir
		case entry.IsDir():
			return removeShims(filepath.Join(to, rel))
		case !entry.Type().IsRegular():
			return nil
		case strings.HasSuffix(rel, "_test.go") && !tested:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(to, rel), text)
	})
}

// removeShims removes what an earlier run put into the folder.
func removeShims(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, shimPrefix+"*"))
	for _, path := range old {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// isTested reports whether the file or folder is in a package whose tests are
// run, or in its testdata.
func (s scratch) isTested(path string) bool {
	return slices.ContainsFunc(s.tests, func(pkg string) bool {
		rest, ok := strings.CutPrefix(path, pkg+"/")
		return ok && (!strings.Contains(rest, "/") || strings.HasPrefix(rest, "testdata/"))
	})
}

// writeFile writes the text unless the file has it.
func writeFile(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// moduleDir returns the folder of a module; without a name that of the one that
// the command runs in.
func moduleDir(module ...string) (string, error) {
	out, err := gotest.Go("", append([]string{"list", "-m", "-f", "{{.Dir}}"}, module...)...)
	return strings.TrimSpace(string(out)), err
}

// test runs the tests of the package.
func (s scratch) test(o options, pkg string, stderr io.Writer) (*result, error) {
	fmt.Fprintf(stderr, "owntests: testing %s\n", pkg)
	home := filepath.Join(o.dir, s.name)
	reached := filepath.Join(home, "reached")
	if err := os.RemoveAll(reached); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "test", "-mod=mod", "-vet=off", "-count=1", "-timeout=30m", "-json", pkg)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "OWNTESTS_REACHED="+reached)
	var faults strings.Builder
	cmd.Stderr = &faults
	run, err := gotest.Test(cmd)
	if err != nil {
		return nil, err
	}
	r := newResult(pkg, run)
	if r.tests() == 0 {
		return nil, fmt.Errorf("no test of %s ran:\n%s%s", pkg, faults.String(), strings.Join(r.output[""], ""))
	}
	if o.verbose {
		r.showFailures(stderr)
	}
	names, err := os.ReadFile(reached)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	r.reached = strings.Fields(string(names))
	fmt.Fprintf(stderr, "owntests: %d passed, %d failed\n", len(r.passed), len(r.failed))
	return r, nil
}
