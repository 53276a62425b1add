// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	// only element of modules, and the main module.
	version string
	// nested is the path of a module in the adopter's repository that it requires.
	nested string
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
	{name: "karpenter", modules: []string{"sigs.k8s.io/karpenter"}, version: "v1.15.0", tests: []string{
		"sigs.k8s.io/karpenter/pkg/scheduling",
	}},
	{name: "cluster-api", modules: []string{"sigs.k8s.io/cluster-api"}, version: "v1.14.2", nested: "/api", tests: []string{
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

// main returns the folder of the main module: the adopter, or a module that
// requires the copies.
func (s scratch) main(home string) string {
	if s.version != "" {
		return filepath.Join(home, s.modules[0])
	}
	return home
}

// prepare copies the modules into the folder and replaces their functions. It
// returns the names of the functions by package.
func (s scratch) prepare(home string, shims []*shim) (map[string][]string, error) {
	if err := os.RemoveAll(home); err != nil {
		return nil, err
	}
	replaced := map[string][]string{}
	for _, module := range s.modules {
		query := module
		if s.version != "" {
			query += "@" + s.version
		}
		from, err := gotest.Download(query)
		if err != nil {
			return nil, err
		}
		to := filepath.Join(home, module)
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			return nil, err
		}
		for _, shim := range shims {
			if rest, ok := strings.CutPrefix(shim.pkg, module+"/"); ok {
				if replaced[shim.pkg], err = shim.apply(filepath.Join(to, rest)); err != nil {
					return nil, fmt.Errorf("the shim of %s: %w", shim.pkg, err)
				}
			}
		}
	}
	for pkg := range s.run {
		if err := skipTestMain(filepath.Join(home, pkg)); err != nil {
			return nil, err
		}
	}
	return replaced, s.writeModule(home)
}

// writeModule makes the main module require the library and the copies. If it is
// not an adopter, it is like the conformance module.
func (s scratch) writeModule(home string) error {
	out, err := gotest.Go("", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	conformance := strings.TrimSpace(string(out))
	edit := []string{"mod", "edit"}
	for _, name := range []string{"", "/kube", "/dra"} {
		edit = append(edit, "-replace="+library+name+"="+filepath.Join(conformance, "..", name))
	}
	switch {
	case s.version == "":
		edit = append(edit, "-module=owntests.example")
		for _, name := range []string{"go.mod", "go.sum"} {
			text, err := os.ReadFile(filepath.Join(conformance, name))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(home, name), text, 0o644); err != nil {
				return err
			}
		}
		for _, module := range s.modules {
			edit = append(edit, "-replace="+module+"=./"+module)
		}
		if err := os.CopyFS(home, views()); err != nil {
			return err
		}
	default:
		edit = append(edit, "-require="+library+"@v1.0.0", "-require="+library+"/kube@v1.0.0")
		if s.nested != "" { // the copy of a module has no other module in it
			nested := s.modules[0] + s.nested
			edit = append(edit, "-dropreplace="+nested, "-require="+nested+"@"+s.version)
		}
	}
	_, err = gotest.Go(s.main(home), edit...)
	return err
}

// skipTestMain renames TestMain in the tests of the package in the folder, so that
// it does not run.
func skipTestMain(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if before, after, found := bytes.Cut(text, []byte("\nfunc TestMain(")); found {
			return os.WriteFile(path, slices.Concat(before, []byte("\nfunc skippedTestMain("), after), 0o644)
		}
	}
	return fmt.Errorf("%s has no TestMain", dir)
}

// refused matches what "go test" says of a module that the proxy does not have.
var refused = regexp.MustCompile(`(\S+@v[^ :]+): reading `)

// test runs the tests of the package. The end of the context ends them.
func (s scratch) test(ctx context.Context, home, pkg string) (*result, error) {
	reached := filepath.Join(home, "reached")
	if err := os.RemoveAll(reached); err != nil {
		return nil, err
	}
	args := []string{"test", "-mod=mod", "-vet=off", "-count=1", "-timeout=30m", "-json"}
	if s.run[pkg] != "" {
		args = append(args, "-run="+s.run[pkg])
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	endTogether(cmd)
	cmd.Dir = s.main(home)
	cmd.Env = append(os.Environ(), "OWNTESTS_REACHED="+reached, gotest.AnyGo)
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	failed := new(exec.ExitError) // of tests, or of the build
	if err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	r, err := readResult(pkg, bytes.NewReader(out))
	if err != nil {
		return nil, err
	}
	if len(r.passed)+len(r.failed) == 0 {
		text := string(failed.Stderr) + strings.Join(r.output[""], "")
		if m := refused.FindStringSubmatch(text); m != nil {
			r.lacks = m[1]
			return r, nil
		}
		return nil, fmt.Errorf("no test of %s ran:\n%s", pkg, text)
	}
	names, err := os.ReadFile(reached)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	r.reached = strings.Fields(string(names))
	return r, nil
}
