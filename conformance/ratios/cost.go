// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

const modulePath = "github.com/seed-0529bac1/taints"

// imports adds what the programs below cost/ import, and how much larger than the
// empty program they are.
func (r *report) imports(folder string) error {
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
		packages, others, err := packagesOf(program(of))
		if err != nil {
			return err
		}
		floor, met := "", ""
		if of == "ours" {
			const most = 200 << 10
			floor, met = "0 others, "+size(most), r.verdict(bytes <= most && others == 0)
		}
		r.add([]string{"cost of the import", "packages", "of others", "binary", "floor", ""}, []string{
			of, strconv.Itoa(packages), strconv.Itoa(others), size(bytes), floor, met,
		})
	}
	return nil
}

func program(name string) string { return modulePath + "/conformance/ratios/cost/" + name }

// binarySize builds a program, stripped, and returns its size in bytes.
func binarySize(folder, name string) (int64, error) {
	file := filepath.Join(folder, "cost-"+name)
	if _, err := gotest.Go("", "build", "-trimpath", "-ldflags=-s -w", "-o", file, program(name)); err != nil {
		return 0, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// packagesOf returns how many packages outside the standard library the program
// imports, directly or indirectly, and how many of these are not the library's.
func packagesOf(program string) (packages, others int, err error) {
	out, err := gotest.Go("", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", program)
	for _, path := range strings.Fields(string(out)) {
		if path == program {
			continue
		}
		packages++
		if path != modulePath && !strings.HasPrefix(path, modulePath+"/") {
			others++
		}
	}
	return packages, others, err
}
