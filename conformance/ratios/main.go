// SPDX-License-Identifier: Apache-2.0

// Ratios measures how many times faster the library is than Kubernetes' code,
// than the code of Karpenter and the descheduler, or than a plain loop at the same
// work, and what each costs to import:
//
//	go run ./ratios
//
// A run of one side is a process that does the work for 20 milliseconds and measures
// its processor time, including garbage collection. The two sides of a row run in
// turn, and the ratio is the median of those of the rounds. Our side and Kubernetes' are
// programs of their own, so that neither has the other's data in memory. The command
// prints a table, and exits with 1 if a floor is missed by a ratio as printed.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/table"
	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
)

const modulePath = "github.com/seed-0529bac1/taints"

var (
	rounds = flag.Int("rounds", 40, "how often each side of a row runs")
	folder = taints.Must(os.MkdirTemp("", "ratios")) // for the programs
	lines  = [][]string{{"work", "beside", "ours", "theirs", "ratio", "allocations", "floor", ""}}
	missed bool
)

func main() {
	match := regexp.MustCompile("")
	flag.Func("match", "measure only the rows whose names match this `regexp`", func(s string) (err error) {
		match, err = regexp.Compile(s)
		return err
	})
	flag.Parse()
	measureAll(match)
	if missed {
		os.Exit(1)
	}
}

// measureAll measures the rows that match, and prints the table. It panics if a
// program fails.
func measureAll(match *regexp.Regexp) {
	defer os.RemoveAll(folder)
	// The adopters' code is in a separate module, so that Kubernetes' code does not run
	// with the versions that it requires.
	ours, kubernetes, adopters := build("", "ratios/ours"), build("", "ratios/kubernetes"), build("adopters", "adopters")
	for _, program := range []string{ours, adopters} {
		for _, row := range run[[]measure.Row](program) {
			theirs := program
			if row.Beside == work.Kubernetes {
				theirs = kubernetes
			}
			if match.MatchString(row.Name) {
				compare(row, program, theirs)
			}
		}
	}
	if match.MatchString("import") {
		imports()
	}
	var b bytes.Buffer
	table.Write(&b, lines)
	fmt.Printf("%s/%s, %d threads, Go %s\n\n%s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(),
		strings.TrimPrefix(runtime.Version(), "go"), &b)
}

// compare runs both sides of the row in turn, and adds a line with the median costs, as
// the lowest cost of code that allocates is of a run with little garbage collection. The
// ratio is the median of those of the rounds, because other work on the machine slows both
// sides of a round. A row below its floor runs twice as often again, and all runs count.
func compare(row measure.Row, ours, theirs string) {
	var all, others []measure.Cost
	var ratios []float64
	again := func(rounds int) (ratio float64) {
		start := time.Now()
		for round := 0; round < rounds && (round < 3 || time.Since(start) < 30*time.Second); round++ {
			a, b := run[measure.Cost](ours, "-row", row.Name, "-ours"), run[measure.Cost](theirs, "-row", row.Name)
			all, others, ratios = append(all, a), append(others, b), append(ratios, b.Amount/a.Amount)
		}
		slices.Sort(ratios)
		return rounded(ratios[len(ratios)/2])
	}
	ratio, show := again(*rounds), duration
	if ratio < row.Floor {
		ratio = again(2 * *rounds)
	}
	a, b := measure.Median(all), measure.Median(others)
	met, allocs, floor := ratio >= row.Floor, "", times(row.Floor)
	if row.Allocs >= 0 {
		met = met && a.Allocs <= row.Allocs
		allocs, floor = fmt.Sprintf("%d / %d", a.Allocs, b.Allocs), fmt.Sprintf("%s, %d", floor, row.Allocs)
	}
	if row.Bytes {
		show = size
	}
	add(met, row.Name, row.Beside, show(a.Amount), show(b.Amount), times(ratio), allocs, floor)
}

// run runs a program and decodes its output.
func run[T any](program string, args ...string) (result T) {
	command := exec.Command(program, append(args, "-test.benchtime", "20ms")...)
	command.Stderr = os.Stderr
	if err := json.Unmarshal(taints.Must(command.Output()), &result); err != nil {
		panic(err)
	}
	return result
}

// imports adds a line with the bytes that a program with one call of the library has
// more than an empty one, and with the packages of others that it imports.
func imports() {
	bytes := func(name string) float64 {
		file := build("", "ratios/cost/"+name, "-trimpath", "-ldflags=-s -w")
		return float64(taints.Must(os.Stat(file)).Size())
	}
	empty := bytes("empty")
	ours, theirs := bytes("ours")-empty, bytes("kubernetes")-empty
	packages := taints.Must(gotest.Go("", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		modulePath+"/conformance/ratios/cost/ours"))
	others := 0
	for path := range strings.FieldsSeq(string(packages)) {
		if path != modulePath && !strings.HasPrefix(path, modulePath+"/") {
			others++
		}
	}
	const most = 200 << 10
	add(others == 0 && ours <= most, fmt.Sprintf("import, with %d packages of others", others), work.Kubernetes,
		size(ours), size(theirs), times(theirs/ours), "", "0, "+size(most))
}

// build builds a package of a module below conformance.
func build(module, pkg string, flags ...string) (file string) {
	file = filepath.Join(folder, strings.ReplaceAll(pkg, "/", "-")+".exe") // the extension matters only on Windows
	args := append([]string{"build", "-o", file}, flags...)
	taints.Must(gotest.Go(module, append(args, modulePath+"/conformance/"+pkg)...))
	return file
}

// add adds a line to the table.
func add(met bool, line ...string) {
	verdict := "met"
	if !met {
		verdict, missed = "MISSED", true
	}
	lines = append(lines, append(line, verdict))
	fmt.Fprintln(os.Stderr, strings.Join(line, ", ")) // to see how far it is
}

func duration(ns float64) string { return amount(ns, 1000, "ns", "µs", "ms", "s") }
func size(bytes float64) string  { return amount(bytes, 1024, "bytes", "KB", "MB", "GB") }
func times(ratio float64) string { return number(ratio) + "×" }

func amount(x, base float64, units ...string) string {
	for len(units) > 1 && x >= base {
		x, units = x/base, units[1:]
	}
	return number(x) + " " + units[0]
}

func number(x float64) string { return strconv.FormatFloat(rounded(x), 'f', -1, 64) }

// rounded rounds a number to two digits, because more do not repeat.
func rounded(x float64) float64 {
	return taints.Must(strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64))
}
