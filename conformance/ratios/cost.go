// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

const modulePath = "github.com/seed-0529bac1/taints"

// imports adds what the programs below cost/ import, and how much larger than the
// empty program they are.
func (r *report) imports() error {
	folder, err := os.MkdirTemp("", "ratios")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	empty, err := binarySize(folder, "empty")
	if err != nil {
		return err
	}
	for _, of := range []string{"ours", "kubernetes"} {
		bytes, err := binarySize(folder, of)
		if err != nil {
			return err
		}
		bytes -= empty
		x, err := dependenciesOf(program(of))
		if err != nil {
			return err
		}
		floor, met := "", ""
		if of == "ours" {
			const most = 200 << 10
			floor, met = "0 others, "+size(most), r.verdict(bytes <= most && len(x.modules) == 1)
		}
		r.add([]string{"cost of the import", "packages", "modules", "lines", "binary", "floor", ""}, []string{
			of, strconv.Itoa(x.packages), strconv.Itoa(len(x.modules)), strconv.Itoa(x.lines), size(bytes), floor, met,
		})
	}
	return nil
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

// dependencies are those of a program outside the standard library, without the
// program itself, and the lines of their Go files.
type dependencies struct {
	packages, lines int
	modules         map[string]bool
}

func dependenciesOf(program string) (dependencies, error) {
	found := dependencies{modules: map[string]bool{}}
	out, err := gotest.Go("", "list", "-deps", "-json=ImportPath,Standard,Dir,GoFiles,Module", program)
	if err != nil {
		return found, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir string
			Standard        bool
			GoFiles         []string
			Module          struct{ Path string }
		}
		if err := d.Decode(&p); err == io.EOF {
			return found, nil
		} else if err != nil {
			return found, err
		}
		if p.Standard || p.ImportPath == program {
			continue
		}
		found.packages++
		found.modules[p.Module.Path] = true
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return found, err
			}
			found.lines += bytes.Count(text, []byte{'\n'})
		}
	}
}
