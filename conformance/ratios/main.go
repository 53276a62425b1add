// SPDX-License-Identifier: Apache-2.0

// Ratios measures how many times faster the library is than Kubernetes' code, than that
// of Karpenter and the descheduler, or than a plain loop, and what an import costs:
//
//	go run ./ratios
//
// A run of one side is a process that does the work for 20 milliseconds and measures
// its processor time, including garbage collection. The two sides of a row run in
// turn. Our side is this program and Kubernetes' is another, so that neither has the
// other's data in memory. The command prints a table, and exits with 1 if a floor is
// missed by a ratio as printed.
package main

import (
	"bytes"
	"cmp"
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
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
	"github.com/seed-0529bac1/taints/conformance/internal/table"
	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
)

const modulePath = "github.com/seed-0529bac1/taints"

var (
	rounds = flag.Int("rounds", 40, "how often each side of a row runs; with 1, no ratio is too low")
	match  regexp.Regexp
	folder string // for the programs
	lines  = [][]string{{"work", "beside", "ours", "theirs", "ratio", "allocations", "floor", ""}}
	missed bool
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "-row" {
		measure.Main(work.Rows(nil))
		return
	}
	flag.TextVar(&match, "match", regexp.MustCompile(""), "measure only the rows whose names match this `regexp`")
	flag.Parse()
	measureAll()
	if missed {
		os.Exit(1)
	}
}

// measureAll prints the table of the rows that match. It panics if a program fails.
func measureAll() {
	folder = taints.Must(os.MkdirTemp("", "ratios"))
	defer os.RemoveAll(folder)
	// The adopters' code is in a separate module, so that Kubernetes' code does not run
	// with the versions that it requires.
	ours, kubernetes, adopters := taints.Must(os.Executable()), build("", "./ratios/kubernetes"), build("adopters", ".")
	for _, program := range []string{ours, adopters} {
		for _, row := range run[[]measure.Row](program, "-row", "") {
			theirs := program
			if row.Beside == work.Kubernetes || row.Beside == work.ToleratesTaint {
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
	fmt.Printf("%s/%s, %d threads, %s\n\n%s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), &b)
}

// compare runs both sides of the row in turn, and adds a line with the round whose ratio
// is the median, because other work on the machine slows both sides of a round. A row
// runs up to three times as often while it is below its floor. A slow one runs less often.
func compare(row measure.Row, ours, theirs string) {
	type round struct {
		ours, theirs testing.BenchmarkResult
		ratio        float64
	}
	var all []round
	var r round
	start := time.Now()
	for i := 0; (i < *rounds || i < 3**rounds && r.ratio < row.Floor) && (i < 3 || time.Since(start) < 30*time.Second); i++ {
		a := run[testing.BenchmarkResult](ours, "-row", row.Name, "-ours")
		b := run[testing.BenchmarkResult](theirs, "-row", row.Name)
		all = append(all, round{a, b, rounded(b.Extra["cost"] / a.Extra["cost"])})
		slices.SortFunc(all, func(a, b round) int { return cmp.Compare(a.ratio, b.ratio) })
		r = all[len(all)/2]
	}
	met, allocs, floor := r.ratio >= row.Floor || *rounds == 1, "", times(row.Floor)
	if row.Allocs >= 0 {
		a, b := r.ours.AllocsPerOp(), r.theirs.AllocsPerOp()
		met = met && a <= row.Allocs
		allocs, floor = fmt.Sprintf("%d / %d", a, b), fmt.Sprintf("%s, %d", floor, row.Allocs)
	}
	show := duration
	if row.Bytes {
		show = size
	}
	add(met, row.Name, row.Beside, show(r.ours.Extra["cost"]), show(r.theirs.Extra["cost"]), times(r.ratio), allocs, floor)
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

// imports adds a line with the bytes that one call adds to a program, and with the
// packages of others that it imports.
func imports() {
	file := filepath.Join(folder, "main.go")
	bytes := func(imports, call string) float64 {
		program := "package main\nimport (\"os\"; " + imports + ")\nfunc main() { println(os.Args[0], " + call + ") }\n"
		if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
			panic(err)
		}
		return float64(taints.Must(os.Stat(build("", file))).Size())
	}
	empty := bytes("", "0")
	theirs := bytes(`corev1 "k8s.io/api/core/v1"; helper "k8s.io/component-helpers/scheduling/corev1"; "k8s.io/klog/v2"`,
		"helper.TolerationsTolerateTaint(klog.Background(), make([]corev1.Toleration, len(os.Args)), &corev1.Taint{}, true)") - empty
	ours := bytes(`"`+modulePath+`"`, "taints.Filter(make([]taints.Taint, len(os.Args)), nil).Schedulable()") - empty
	const format = "{{with .Module}}{{if ne .Path \"" + modulePath + "\"}} {{.Path}}{{end}}{{end}}"
	others := len(strings.Fields(string(taints.Must(gotest.Go("", "list", "-deps", "-f", format, file)))))
	add(others == 0 && ours <= 200<<10, fmt.Sprintf("import, with %d packages of others", others), work.Kubernetes,
		size(ours), size(theirs), times(theirs/ours), "", "0, 200 KB")
}

// build builds a program in the folder of a module.
func build(module, pkg string) (file string) {
	file = filepath.Join(folder, module+filepath.Base(pkg)+".exe")
	taints.Must(gotest.Go(module, "build", "-ldflags=-s -w", "-o", file, pkg))
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
	for len(units) > 1 && rounded(x) >= base {
		x, units = x/base, units[1:]
	}
	return number(x) + " " + units[0]
}

func number(x float64) string { return strconv.FormatFloat(rounded(x), 'f', -1, 64) }

// rounded rounds a number to two digits, because more do not repeat.
func rounded(x float64) float64 {
	return taints.Must(strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64))
}
