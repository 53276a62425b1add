// SPDX-License-Identifier: Apache-2.0

// Differs prints how the source of two versions of Kubernetes differs in what
// concerns taints and tolerations:
//
//	go run -C conformance ./differs 1.36.3 1.37.2
//
// It compares the packages of docs/kubernetes.md and the API of devices: the
// declarations that the page names, and those whose name mentions taints or
// tolerations. It leaves out modules that the Go module proxy does not have at one
// of the versions, and says so.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/source"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "differs: want two versions of Kubernetes, such as 1.36.3 1.37.2")
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
	packages := packagesOf(string(text))
	dirs, missing := map[string]string{}, map[string]bool{}
	for path, named := range packages {
		for side, version := range map[string]string{"old": old, "new": new} {
			module, rest := moduleOf(path)
			at := module + "@" + versionOf(module, version)
			if _, known := dirs[at]; !known && !missing[at] {
				dir, err := gotest.Download(at)
				if err != nil {
					missing[at] = true
				} else {
					dirs[at] = dir
				}
			}
			if missing[at] {
				continue
			}
			if err := write(filepath.Join(scratch, side, path), filepath.Join(dirs[at], rest), named); err != nil {
				return err
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(w, "left out: %s, which the module proxy does not have\n", at)
		module, _, _ := strings.Cut(at, "@")
		for _, side := range []string{"old", "new"} {
			if err := os.RemoveAll(filepath.Join(scratch, side, module)); err != nil {
				return err
			}
		}
	}
	for _, side := range []string{"old", "new"} {
		if err := os.MkdirAll(filepath.Join(scratch, side), 0o755); err != nil {
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

// row matches a row of a table that begins with a name.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// packagesOf returns the names in the tables of the page by the package that the
// heading above them names, and the packages of the API of devices.
func packagesOf(page string) map[string][]string {
	packages := map[string][]string{"k8s.io/api/resource/v1": nil}
	for _, section := range strings.Split(page, "\n## `")[1:] {
		path, rest, _ := strings.Cut(section, "`")
		names := []string{}
		for _, match := range row.FindAllStringSubmatch(rest, -1) {
			names = append(names, match[1])
		}
		packages[path] = names
	}
	return packages
}

// moduleOf splits the path of a package into its module and the rest.
func moduleOf(path string) (module, rest string) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(path, "k8s.io/"), "/")
	return "k8s.io/" + name, rest
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

var about = regexp.MustCompile(`(?i)taint|tolerat`)

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
		if !about.MatchString(name) && !slices.Contains(names, name) {
			continue
		}
		if err := os.WriteFile(filepath.Join(to, name), []byte(text+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
