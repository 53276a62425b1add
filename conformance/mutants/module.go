// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

// copyTree copies the files of a repository that git tracks or would track into
// a new temporary folder, and returns the folder.
func copyTree(root string) (string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	to, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(root, name), filepath.Join(to, name)); err != nil {
			return "", errors.Join(err, os.RemoveAll(to))
		}
	}
	return to, nil
}

// copyFile copies a file. It skips files that are not regular and files that git
// still lists but that no longer exist.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm()|0o200)
}

// A listedPackage is the output of go list for one package.
type listedPackage struct {
	ImportPath, Name, Export, Dir string
	GoFiles, CgoFiles             []string
}

// listPackage returns the output of go list for the package in the folder, and
// the files with the export data of the package and of all its dependencies.
func listPackage(dir string) (listedPackage, map[string]string, error) {
	out, err := gotest.Go(dir, "list", "-deps", "-export", "-json=ImportPath,Name,Export,Dir,GoFiles,CgoFiles", ".")
	if err != nil {
		return listedPackage{}, nil, err
	}
	var p listedPackage
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var next listedPackage
		err := d.Decode(&next)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return listedPackage{}, nil, err
		}
		p = next // the last is the requested package
		exports[p.ImportPath] = p.Export
	}
	if len(p.CgoFiles) > 0 {
		return listedPackage{}, nil, fmt.Errorf("%s uses cgo", p.ImportPath)
	}
	return p, exports, nil
}
