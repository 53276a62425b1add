// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

// A cost is what a program that calls one function adds to its build.
type cost struct {
	Of string
	// Packages and Modules count those outside the standard library. Lines counts
	// the lines of their Go files.
	Packages int
	Modules  int
	Lines    int
	// Bytes is the size that it adds to a stripped binary.
	Bytes int64
	// MostBytes is the budget, or 0 for none.
	MostBytes int64
	Met       bool
}

const modulePath = "github.com/seed-0529bac1/taints"

// importCosts measures the programs below cost/. Sizes are relative to the
// empty program.
func importCosts() ([]cost, error) {
	folder, err := os.MkdirTemp("", "ratios")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	empty, err := binarySize(folder, "empty")
	if err != nil {
		return nil, err
	}
	var costs []cost
	for _, c := range []cost{{Of: "ours", MostBytes: 200 << 10}, {Of: "kubernetes"}} {
		size, err := binarySize(folder, c.Of)
		if err == nil {
			err = c.countPackages()
		}
		if err != nil {
			return nil, err
		}
		c.Bytes = size - empty
		c.Met = c.MostBytes == 0 || c.Bytes <= c.MostBytes && c.Modules == 1
		costs = append(costs, c)
	}
	return costs, nil
}

func program(name string) string { return modulePath + "/conformance/ratios/cost/" + name }

// binarySize builds a program, stripped, and returns its size in bytes.
func binarySize(folder, name string) (int64, error) {
	file := filepath.Join(folder, name)
	if _, err := gotest.Go("", "build", "-trimpath", "-ldflags=-s -w", "-o", file, program(name)); err != nil {
		return 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// countPackages counts the program's dependencies outside the standard library,
// without the program itself.
func (c *cost) countPackages() error {
	out, err := gotest.Go("", "list", "-deps", "-json=ImportPath,Standard,Dir,GoFiles,Module", program(c.Of))
	if err != nil {
		return err
	}
	modules := make(map[string]bool)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			Standard        bool
			GoFiles         []string
			Module          struct{ Path string }
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if p.Standard || p.ImportPath == program(c.Of) {
			continue
		}
		c.Packages++
		modules[p.Module.Path] = true
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return err
			}
			c.Lines += bytes.Count(text, []byte{'\n'})
		}
	}
	c.Modules = len(modules)
	return nil
}
