// SPDX-License-Identifier: Apache-2.0

// Differs prints how the source of two versions of Kubernetes differs in what
// concerns taints and tolerations:
//
//	go run -C conformance ./differs 1.36.5 1.37.2
//
// It compares the packages of docs/kubernetes.md and the others that the library copies
// a rule of: the declarations that the page or this file names, and those whose name
// mentions taints or tolerations. It leaves out packages that the Go module proxy does
// not have at one of the versions, and says so.
package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/source"
)

// copied has the declarations, beside those of the page, that the library copies a rule
// of, and those whose name mentions taints or tolerations.
var copied = map[string][]string{
	"k8s.io/api/resource/v1": nil,
	"k8s.io/dynamic-resource-allocation/structured/internal/experimental": nil,
	"k8s.io/dynamic-resource-allocation/structured/internal/incubating":   nil,
	"k8s.io/dynamic-resource-allocation/structured/internal/stable":       nil,
	"k8s.io/kubernetes/pkg/controller/devicetainteviction": {
		"Controller.claimEvictionTime", "Controller.evictionTime", "Controller.podEvictionTime",
	},
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos": {"GetPodQOS", "ComputePodQOS", "requirementsQOS", "resourceQOS"},
	"k8s.io/component-helpers/resource":             {"IsPodLevelResourcesSet", "IsSupportedPodLevelResource", "supportedPodLevelResources"},
	"k8s.io/apimachinery/pkg/util/validation": {
		"IsQualifiedName", "IsValidLabelValue", "LabelValueMaxLength", "IsDNS1123Subdomain", "DNS1123SubdomainMaxLength", "dns1123SubdomainFmt",
	},
	"k8s.io/apimachinery/pkg/api/validate/content": {
		"IsLabelKey", "IsPrefixedLabelKey", "labelKeyCharFmt", "labelKeyExtCharFmt", "labelKeyFmt", "labelKeyMaxLength",
		"IsLabelValue", "labelValueFmt", "LabelValueMaxLength",
		"IsDNS1123Subdomain", "isDNS1123Subdomain", "dns1123LabelFmt", "dns1123SubdomainFmt", "DNS1123SubdomainMaxLength",
	},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "differs: want two versions of Kubernetes, such as 1.36.5 1.37.2")
		os.Exit(2)
	}
	if err := run("../docs/kubernetes.md", os.Args[1], os.Args[2], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "differs:", err)
		os.Exit(1)
	}
}

// run writes the differences between the versions.
func run(page, old, new string, w io.Writer) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "differs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	sections := source.Sections(string(text))
	for path, names := range copied {
		sections[path] = source.Section{Names: names}
	}
	for _, path := range slices.Sorted(maps.Keys(sections)) {
		before, errBefore := declared(path, old, sections[path].Names)
		after, errAfter := declared(path, new, sections[path].Names)
		if err := errors.Join(errBefore, errAfter); err != nil {
			fmt.Fprintf(w, "left out: %s, which cannot be read at both versions: %s\n", path, strings.TrimSpace(err.Error()))
			continue
		}
		if len(before)+len(after) == 0 {
			return fmt.Errorf("%s has none of the declarations to compare, at either version", path)
		}
		if err := errors.Join(write(filepath.Join(scratch, "old", path), before), write(filepath.Join(scratch, "new", path), after)); err != nil {
			return err
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-color", "--no-prefix", "old", "new")
	cmd.Dir, cmd.Stdout, cmd.Stderr = scratch, w, os.Stderr
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 { // 1 is for a difference
		if err == nil {
			fmt.Fprintln(w, "nothing differs")
		}
		return err
	}
	return nil
}

// declared returns what the package declares about taints and tolerations, or what has
// one of the names, at the version of its module that belongs to that of Kubernetes:
// v0.37.2, or v1.37.2 for k8s.io/kubernetes.
func declared(path, kubernetes string, names []string) (map[string]string, error) {
	name, folder, _ := strings.Cut(strings.TrimPrefix(path, "k8s.io/"), "/")
	version := "v" + kubernetes
	if name != "kubernetes" {
		version = "v0." + strings.TrimPrefix(kubernetes, "1.")
	}
	module, err := gotest.Download("k8s.io/" + name + "@" + version)
	if err != nil {
		return nil, err
	}
	all, err := source.Declarations(filepath.Join(module, folder))
	maps.DeleteFunc(all, func(name, _ string) bool {
		return !source.About.MatchString(name) && !slices.Contains(names, name)
	})
	return all, err
}

// write writes a file for each declaration to the folder.
func write(to string, declarations map[string]string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for name, text := range declarations {
		if err := os.WriteFile(filepath.Join(to, name), []byte(text+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
