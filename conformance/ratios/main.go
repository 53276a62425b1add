// Ratios measures how many times faster the library is than Kubernetes' own code at the same work, and what each costs to
// import:
//
//	go run ./ratios
//
// The two sides of each row take turns, so that what else the machine does strikes both. It prints tables, as JSON
// with -o json, draws a chart with -svg FILE, and exits with 1 when a floor is missed. With -index it measures an Index over
// clusters of many sizes instead, and prints that.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 1 when a floor is missed or something fails, 2 for wrong usage.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("ratios", flag.ContinueOnError)
	flags.SetOutput(stderr)
	form := flags.String("o", "text", "output `form`: text or json")
	svg := flags.String("svg", "", "draw the ratios into this `file`")
	repeats := flags.Int("repeats", 25, "how often each side of a row is measured")
	index := flags.Bool("index", false, "measure an Index over clusters of many sizes instead")
	slice := flags.Duration("slice", 20*time.Millisecond, "how long one measurement takes")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 || *form != "text" && *form != "json" || *repeats < 1 || *slice <= 0 {
		fmt.Fprintln(stderr, "ratios: want no arguments, -o text or json, -repeats of at least 1 and -slice above 0")
		return 2
	}
	if *index {
		if err := writeIndex(stdout, indexNodes, indexWays, min(5, *repeats), *slice); err != nil {
			fmt.Fprintf(stderr, "ratios: %v\n", err)
			return 1
		}
		return 0
	}
	r, err := measure(work.Rows(), *repeats, *slice)
	if err == nil {
		err = r.write(*form, *svg, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "ratios: %v\n", err)
		return 1
	}
	if !r.Met {
		return 1
	}
	return 0
}

// A report is all that was measured.
type report struct {
	Machine string     `json:"machine"`
	Go      string     `json:"go"`
	Rows    []rowRatio `json:"rows"`
	Queue   []phase    `json:"queue"`
	Import  []cost     `json:"import"`
	// Met says whether everything keeps to its budget.
	Met bool `json:"met"`
}

func measure(rows []work.Row, repeats int, slice time.Duration) (*report, error) {
	r := &report{Machine: machine(), Go: strings.TrimPrefix(runtime.Version(), "go"), Met: true}
	for i := range rows {
		x := compare(rows[i], repeats, slice)
		rows[i] = work.Row{} // and the cluster that it holds
		r.Rows = append(r.Rows, x)
		r.Met = r.Met && x.Met
	}
	r.Queue = queuePhases(queuePods, queueRepeats)
	for _, p := range r.Queue {
		r.Met = r.Met && p.Met
	}
	costs, err := importCosts()
	if err != nil {
		return nil, err
	}
	r.Import = costs
	for _, c := range costs {
		r.Met = r.Met && c.Met
	}
	return r, nil
}

func (r *report) write(form, svg string, stdout io.Writer) error {
	if svg != "" {
		if err := os.WriteFile(svg, r.chart(), 0o644); err != nil {
			return err
		}
	}
	if form == "text" {
		return r.table(stdout)
	}
	e := json.NewEncoder(stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// machine names the processor, where the system says which it is, and how many of its threads there are.
func machine() string {
	name := runtime.GOOS + "/" + runtime.GOARCH
	info, _ := os.ReadFile("/proc/cpuinfo")
	if _, model, ok := strings.Cut(string(info), "model name\t: "); ok {
		model, _, _ = strings.Cut(model, "\n")
		name += ", " + model
	}
	return fmt.Sprintf("%s, %d threads", name, runtime.NumCPU())
}
