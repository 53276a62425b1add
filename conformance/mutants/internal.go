// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

// isInternal reports whether the path is that of an internal package.
func isInternal(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal")
}

// together groups the folders whose packages are tried together: the internal
// ones, which share the tests of many packages, and each other folder by itself.
func together(folders []string) [][]string {
	var lists [][]string
	var internal []string
	for _, folder := range folders {
		if isInternal(folder) {
			internal = append(internal, folder)
		} else {
			lists = append(lists, []string{folder})
		}
	}
	if internal != nil {
		lists = append(lists, internal)
	}
	return lists
}

// testDirs returns the folders whose tests are run: those of the packages and,
// if they are internal, of the packages in their module that depend on one of
// them and are neither internal nor commands.
func (s *session) testDirs() ([]string, error) {
	var dirs, paths []string
	for _, p := range s.pkgs {
		dirs = append(dirs, p.dir)
		paths = append(paths, p.path)
	}
	if !isInternal(s.pkgs[0].folder) {
		return dirs, nil
	}
	module, err := gotest.Go(dirs[0], "list", "-m")
	if err != nil {
		return nil, err
	}
	out, err := gotest.Go(dirs[0], "list", "-f", `{{.Dir}}{{"\t"}}{{.Name}}{{"\t"}}{{.ImportPath}}{{"\t"}}{{join .Deps " "}}`,
		strings.TrimSpace(string(module))+"/...")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		uses := slices.ContainsFunc(strings.Fields(fields[3]), func(dep string) bool { return slices.Contains(paths, dep) })
		if uses && fields[1] != "main" && !isInternal(fields[2]) {
			dirs = append(dirs, fields[0])
		}
	}
	return dirs, nil
}
