// SPDX-License-Identifier: Apache-2.0

// Ratios measures how many times faster the library is than Kubernetes' code,
// than the code of Karpenter and the descheduler, or than a plain loop at the same
// work, and what each costs to import:
//
//	go run ./ratios
//
// A run of one side is a process that does the work for a tenth of a second and
// measures its processor time, including garbage collection. The two sides of a row
// run in turn, and the ratio is that of their lowest times. Our side and Kubernetes'
// are programs of their own, so that neither has the other's data in memory. The
// command prints a table, and exits with 1 if a floor is missed by a ratio as printed.
// With -match REGEXP it measures only some rows.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/table"
	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
)

const modulePath = "github.com/seed-0529bac1/taints"

var (
	match  = flag.String("match", "", "measure only the rows whose names match this `regexp`")
	rounds = flag.Int("rounds", 10, "how often each side of a row runs")
	folder string // for the programs
	lines  = [][]string{{"work", "beside", "ours", "theirs", "ratio", "allocations", "floor", ""}}
	missed bool
)

func main() {
	flag.Parse()
	selected, err := regexp.Compile(*match)
	if err == nil && (flag.NArg() > 0 || *rounds < 1) {
		err = errors.New("want no arguments, and -rounds of at least 1")
	}
	if err == nil {
		err = measureAll(selected)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "ratios: %v\n", err)
		os.Exit(2)
	}
	if missed {
		os.Exit(1)
	}
}

// measureAll measures the selected rows, and prints the table.
func measureAll(selected *regexp.Regexp) (err error) {
	if folder, err = os.MkdirTemp("", "ratios"); err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ours, err1 := build("", "ratios/ours")
	kubernetes, err2 := build("", "ratios/kubernetes")
	// The adopters' code is in a separate module, so that Kubernetes' code does not run
	// with the versions that it requires.
	adopters, err3 := build("adopters", "adopters")
	err = errors.Join(err1, err2, err3)
	for _, program := range []string{ours, adopters} {
		var rows []measure.Row
		if err == nil {
			err = run(&rows, program)
		}
		for _, row := range rows {
			theirs := program
			if row.Beside == work.Kubernetes {
				theirs = kubernetes
			}
			if err == nil && selected.MatchString(row.Name) {
				err = compare(row, program, theirs)
			}
		}
	}
	if err == nil && selected.MatchString("import") {
		err = imports()
	}
	var b bytes.Buffer
	table.Write(&b, lines)
	fmt.Printf("%s/%s, %d threads, Go %s\n\n%s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		strings.TrimPrefix(runtime.Version(), "go"), &b)
	return err
}

// compare runs both sides of the row in turn, and adds a line with the lowest costs.
// After 30 seconds, three rounds are enough.
func compare(row measure.Row, ours, theirs string) error {
	var a, b measure.Cost
	start := time.Now()
	for round := 0; round < *rounds && (round < 3 || time.Since(start) < 30*time.Second); round++ {
		var x, y measure.Cost
		if err := errors.Join(run(&x, ours, "-row", row.Name, "-ours"), run(&y, theirs, "-row", row.Name)); err != nil {
			return err
		}
		if round == 0 {
			a, b = x, y
		}
		a = measure.Cost{Amount: min(a.Amount, x.Amount), Allocs: min(a.Allocs, x.Allocs)}
		b = measure.Cost{Amount: min(b.Amount, y.Amount), Allocs: min(b.Allocs, y.Allocs)}
	}
	amount, allocs, most := duration, "", ""
	if row.Bytes {
		amount = size
	}
	if row.Allocs >= 0 {
		allocs, most = fmt.Sprintf("%d / %d", a.Allocs, b.Allocs), fmt.Sprintf(", %d", row.Allocs)
	}
	ratio := rounded(b.Amount / a.Amount)
	add(ratio >= row.Floor && (row.Allocs < 0 || a.Allocs <= row.Allocs),
		row.Name, row.Beside, amount(a.Amount), amount(b.Amount), times(ratio), allocs, times(row.Floor)+most)
	return nil
}

// run runs a program and decodes its output.
func run(result any, program string, args ...string) error {
	command := exec.Command(program, append(args, "-test.benchtime", "100ms")...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", command, err)
	}
	return json.Unmarshal(out, result)
}

// imports adds a line with the bytes that a program with one call of the library has
// more than an empty one, and with the packages of others that it imports.
func imports() error {
	var sizes [3]float64
	for i, name := range []string{"empty", "ours", "kubernetes"} {
		file, err := build("", "ratios/cost/"+name, "-trimpath", "-ldflags=-s -w")
		if err != nil {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		sizes[i] = float64(info.Size())
	}
	out, err := gotest.Go("", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		modulePath+"/conformance/ratios/cost/ours")
	others := 0
	for path := range strings.FieldsSeq(string(out)) {
		if path != modulePath && !strings.HasPrefix(path, modulePath+"/") {
			others++
		}
	}
	const most = 200 << 10
	ours, theirs := sizes[1]-sizes[0], sizes[2]-sizes[0]
	add(others == 0 && ours <= most, fmt.Sprintf("import, with %d packages of others", others), work.Kubernetes,
		size(ours), size(theirs), times(rounded(theirs/ours)), "", "0, "+size(most))
	return err
}

// build builds a package of a module below conformance.
func build(module, pkg string, flags ...string) (file string, err error) {
	file = filepath.Join(folder, strings.ReplaceAll(pkg, "/", "-")+".exe") // the extension matters only on Windows
	args := append([]string{"build", "-o", file}, flags...)
	_, err = gotest.Go(module, append(args, modulePath+"/conformance/"+pkg)...)
	return file, err
}

// add adds a line to the table.
func add(met bool, line ...string) {
	verdict := "met"
	if !met {
		verdict, missed = "MISSED", true
	}
	lines = append(lines, append(line, verdict))
}

func duration(ns float64) string {
	units := []string{" ns", " µs", " ms"}
	for _, unit := range units {
		if ns < 1000 {
			return number(ns) + unit
		}
		ns /= 1000
	}
	return number(ns) + " s"
}

func size(bytes float64) string {
	if bytes < 1<<20 {
		return number(bytes/(1<<10)) + " KB"
	}
	return number(bytes/(1<<20)) + " MB"
}

func times(ratio float64) string { return number(ratio) + "×" }

func number(x float64) string { return strconv.FormatFloat(rounded(x), 'f', -1, 64) }

// rounded rounds a number to two digits, because more do not repeat.
func rounded(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64)
	return x
}
