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

// A scratch is a module that is built with copies of other modules.
type scratch struct {
	name    string
	modules []string // to copy
	tests   []string // packages whose tests are run
	// version is the version of an adopter of the library. The adopter is then the
	// only element of modules, and the scratch is its copy.
	version string
	// specs is whether the tests are Ginkgo suites.
	specs bool
	// run selects tests of a package by a regexp. It is for packages whose TestMain
	// starts an API server. TestMain is skipped: the selected tests need no server.
	run map[string]string
}

// scratches has a separate scratch for k8s.io/api, because nearly all of
// Kubernetes has to be built again on top of it.
var scratches = []scratch{
	{name: "api", modules: []string{"k8s.io/api"}, tests: []string{"k8s.io/api/core/v1"}},
	{name: "kubectl", modules: []string{
		"k8s.io/component-helpers", "k8s.io/cloud-provider", "k8s.io/kubectl",
	}, tests: []string{
		"k8s.io/component-helpers/scheduling/corev1",
		"k8s.io/cloud-provider/node/helpers",
		"k8s.io/kubectl/pkg/cmd/taint",
	}},
	{name: "kubernetes", modules: []string{"k8s.io/component-helpers", "k8s.io/kubernetes"}, tests: []string{
		"k8s.io/kubernetes/pkg/util/taints",
		"k8s.io/kubernetes/pkg/util/tolerations",
		"k8s.io/kubernetes/pkg/util/flag",
		"k8s.io/kubernetes/pkg/apis/core/validation",
		"k8s.io/kubernetes/pkg/apis/node/validation",
		"k8s.io/kubernetes/pkg/api/pod",
		"k8s.io/kubernetes/pkg/controller/daemon/util",
		"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds",
		"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration",
		"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction",
		"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass",
		"k8s.io/kubernetes/pkg/controller/tainteviction",
		"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper",
		"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration",
		"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable",
		"k8s.io/kubernetes/pkg/controller/nodelifecycle",
		"k8s.io/kubernetes/pkg/controller/daemon",
	}},
	{name: "karpenter", modules: []string{"sigs.k8s.io/karpenter"}, version: "v1.15.0", specs: true, tests: []string{
		"sigs.k8s.io/karpenter/pkg/scheduling",
	}},
	{name: "cluster-api", modules: []string{"sigs.k8s.io/cluster-api"}, version: "v1.14.2", tests: []string{
		"sigs.k8s.io/cluster-api/internal/util/taints",
		"sigs.k8s.io/cluster-api/core/reconcilers/machine",
	}, run: map[string]string{
		"sigs.k8s.io/cluster-api/core/reconcilers/machine": "^Test_propagateMachineTaintsToNode$",
	}},
	{name: "descheduler", modules: []string{"sigs.k8s.io/descheduler"}, version: "v0.36.0", tests: []string{
		"sigs.k8s.io/descheduler/pkg/utils",
		"sigs.k8s.io/descheduler/pkg/descheduler/node",
		"sigs.k8s.io/descheduler/pkg/framework/plugins/removeduplicates",
		"sigs.k8s.io/descheduler/pkg/framework/plugins/removepodsviolatingnodetaints",
	}},
}

func (s scratch) matching(only *regexp.Regexp) []string {
	return slices.DeleteFunc(slices.Clone(s.tests), func(pkg string) bool { return !only.MatchString(pkg) })
}

// prepare copies the modules into the folder, replaces their functions, and
// returns the changes by package.
func (s scratch) prepare(dir string, shims []*shim) (map[string]change, error) {
	home := filepath.Join(dir, s.name)
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	if s.version != "" {
		return s.prepareAdopter(home, shims)
	}
	if err := s.writeModule(home); err != nil {
		return nil, err
	}
	changes := map[string]change{}
	for _, module := range s.modules {
		from, err := gotest.Download(module)
		if err != nil {
			return nil, err
		}
		to := filepath.Join(home, filepath.FromSlash(module))
		if err := s.copyModule(from, to, module); err != nil {
			return nil, err
		}
		if err := applyAll(shims, module, to, changes); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// prepareAdopter copies the module of an adopter into the folder. The copy then
// requires the library, as the adopter would.
func (s scratch) prepareAdopter(home string, shims []*shim) (map[string]change, error) {
	module := s.modules[0]
	from, err := gotest.Download(module + "@" + s.version)
	if err != nil {
		return nil, err
	}
	if err := s.copyModule(from, home, module); err != nil {
		return nil, err
	}
	conformance, err := moduleDir()
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(conformance)
	edit := []string{
		"mod", "edit", "-require=" + library + "@v1.0.0", "-replace=" + library + "=" + root,
		"-require=" + library + "/kube@v1.0.0", "-replace=" + library + "/kube=" + filepath.Join(root, "kube"),
	}
	nested, err := localReplaces(home)
	if err != nil {
		return nil, err
	}
	for path := range nested { // the copy of a module has no other module in it
		edit = append(edit, "-dropreplace="+path, "-require="+path+"@"+s.version)
	}
	if _, err := gotest.Go(home, edit...); err != nil {
		return nil, err
	}
	for pkg := range s.run {
		if err := skipTestMain(filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(pkg, module)))); err != nil {
			return nil, err
		}
	}
	changes := map[string]change{}
	return changes, applyAll(shims, module, home, changes)
}

// applyAll applies the shims of the module's packages to its copy in the folder,
// and records the changes by package.
func applyAll(shims []*shim, module, dir string, changes map[string]change) error {
	for _, shim := range shims {
		rest, ok := strings.CutPrefix(shim.pkg, module+"/")
		if !ok {
			continue
		}
		c, err := shim.apply(filepath.Join(dir, filepath.FromSlash(rest)))
		if err != nil {
			return err
		}
		changes[shim.pkg] = c
	}
	return nil
}

// writeModule writes a go.mod like that of the conformance module, with the
// copies instead of the modules, and the packages that convert for shims.
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
	folders, err := localReplaces(conformance)
	if err != nil {
		return err
	}
	edit := []string{"mod", "edit", "-module=owntests.example"}
	for path, folder := range folders {
		edit = append(edit, "-replace="+path+"="+folder)
	}
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

// localReplaces returns the module's replacements by relative folders: the path of
// the module and the absolute path of the folder.
func localReplaces(dir string) (map[string]string, error) {
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
	folders := map[string]string{}
	for _, r := range mod.Replace {
		if strings.HasPrefix(r.New.Path, ".") {
			folders[r.Old.Path] = filepath.Join(dir, filepath.FromSlash(r.New.Path))
		}
	}
	return folders, nil
}

// copyModule copies the files that the build of the module needs, and the tests
// of the packages whose tests are run. It does not write a file that is already
// the same, so that the build cache stays valid.
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

// removeShims removes the files that an earlier run added to the folder.
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

// writeFile writes the text unless the file already contains it.
func writeFile(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// moduleDir returns the folder of the module of the current folder.
func moduleDir() (string, error) {
	out, err := gotest.Go("", "list", "-m", "-f", "{{.Dir}}")
	return strings.TrimSpace(string(out)), err
}

// test runs the tests of the package.
func (s scratch) test(o options, pkg string, stderr io.Writer) (*result, error) {
	fmt.Fprintf(stderr, "owntests: testing %s\n", pkg)
	home := filepath.Join(o.dir, s.name)
	reached, report := filepath.Join(home, "reached"), filepath.Join(home, "report.json")
	if err := errors.Join(os.RemoveAll(reached), os.RemoveAll(report)); err != nil {
		return nil, err
	}
	args := []string{"test", "-mod=mod", "-vet=off", "-count=1", "-timeout=30m", "-json", pkg}
	if s.run[pkg] != "" {
		args = append(args, "-run="+s.run[pkg])
	}
	if s.specs {
		args = append(args, "-ginkgo.json-report="+report)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "OWNTESTS_REACHED="+reached, gotest.AnyGo)
	var faults strings.Builder
	cmd.Stderr = &faults
	run, err := gotest.Test(cmd)
	if err != nil {
		return nil, err
	}
	if s.specs && run.Finished {
		if err := addSpecs(run, report); err != nil {
			return nil, err
		}
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
