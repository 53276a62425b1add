// SPDX-License-Identifier: Apache-2.0

// Differs prints how the source of two versions of Kubernetes differs in what
// concerns taints and tolerations:
//
//	go run -C conformance ./differs 1.36.5 1.37.2
//
// It compares the packages of docs/kubernetes.md and the others that the library copies
// a rule of: the declarations that the page or this file names, and those whose name
// mentions taints or tolerations. It leaves out packages of modules that the Go module
// proxy does not have at one of the versions, and says so.
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
		name, folder, _ := strings.Cut(strings.TrimPrefix(path, "k8s.io/"), "/")
		module := "k8s.io/" + name
		before, errBefore := gotest.Download(module + "@" + versionOf(module, old))
		after, errAfter := gotest.Download(module + "@" + versionOf(module, new))
		if errBefore != nil || errAfter != nil {
			fmt.Fprintf(w, "left out: %s, which the module proxy does not have at both versions\n", path)
			continue
		}
		names := sections[path].Names
		err := errors.Join(
			write(filepath.Join(scratch, "old", path), filepath.Join(before, folder), names),
			write(filepath.Join(scratch, "new", path), filepath.Join(after, folder), names),
		)
		if err != nil {
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

// versionOf returns the version of a module that belongs to a version of
// Kubernetes: v0.37.2, or v1.37.2 for Kubernetes itself.
func versionOf(module, kubernetes string) string {
	if module == "k8s.io/kubernetes" {
		return "v" + kubernetes
	}
	_, rest, _ := strings.Cut(kubernetes, ".")
	return "v0." + rest
}

// write writes what the package in the folder declares about taints and
// tolerations, or what has one of the names, to a file per declaration.
func write(to, from string, names []string) error {
	declared, err := source.Declarations(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for name, text := range declared {
		if !source.About.MatchString(name) && !slices.Contains(names, name) {
			continue
		}
		if err := os.WriteFile(filepath.Join(to, name), []byte(text+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
