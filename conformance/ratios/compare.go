package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
)

// A rowRatio is what was measured of one row.
type rowRatio struct {
	Work   string `json:"work"`
	Beside string `json:"beside"`
	Ours   side   `json:"ours"`
	Other  side   `json:"other"`
	// Ratio is the least time of the other side over the least of ours, and
	// Median that of the medians. The least time is the one that other work on
	// the machine disturbed least, so runs agree on it.
	Ratio  float64 `json:"ratio"`
	Median float64 `json:"median"`
	Floor  float64 `json:"floor"`
	// AllocsFloor is how many allocations ours may make.
	AllocsFloor float64 `json:"allocsFloor"`
	Met         bool    `json:"met"`
}

// A side is one way to do the work: its nanoseconds on processors for one piece,
// and its allocations.
type side struct {
	Least  float64 `json:"least"`
	Median float64 `json:"median"`
	Allocs float64 `json:"allocs"`
}

// A runner measures one side of the row at the index.
type runner func(row int, ours bool) (side, error)

// compare measures both sides in turn, for so many rounds.
func compare(rows []work.Row, i, rounds int, run runner) (rowRatio, error) {
	row := rows[i]
	var ours, other []side
	for range rounds {
		a, err := run(i, true)
		if err != nil {
			return rowRatio{}, err
		}
		b, err := run(i, false)
		if err != nil {
			return rowRatio{}, err
		}
		ours, other = append(ours, a), append(other, b)
	}
	x := rowRatio{
		Work: row.Name, Beside: row.Beside, Ours: combine(ours), Other: combine(other),
		Floor: row.Floor, AllocsFloor: row.Allocs,
	}
	x.Ratio, x.Median = x.Other.Least/x.Ours.Least, x.Other.Median/x.Ours.Median
	x.Met = x.Ratio >= x.Floor && x.Ours.Allocs <= x.AllocsFloor
	return x, nil
}

// combine returns the least and the median of several measurements of one side.
func combine(sides []side) side {
	c := sides[0]
	var medians []float64
	for _, s := range sides {
		c.Least, c.Allocs = min(c.Least, s.Least), min(c.Allocs, s.Allocs)
		medians = append(medians, s.Median)
	}
	c.Median = median(medians)
	return c
}

// inProcess returns a runner that starts this program anew for each side, so that
// only the side's own data is alive.
func inProcess(program string, repeats int, slice time.Duration) runner {
	return func(row int, ours bool) (side, error) {
		var s side
		err := child(program, &s, "-row", strconv.Itoa(row), "-ours="+strconv.FormatBool(ours),
			"-repeats", strconv.Itoa(repeats), "-slice", slice.String())
		return s, err
	}
}

// child runs the program and decodes what it prints.
func child(program string, v any, args ...string) error {
	command := exec.Command(program, args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", command, err)
	}
	return json.Unmarshal(out, v)
}

// runRow measures one side of a row and prints it for the process that asked.
func runRow(w io.Writer, row work.Row, ours bool, repeats int, slice time.Duration) error {
	make := row.Other
	if ours {
		make = row.Ours
	}
	return json.NewEncoder(w).Encode(measureSide(make(), repeats, slice))
}

// measureSide measures the work that f does n times.
func measureSide(f func(n int), repeats int, slice time.Duration) side {
	n := calibrate(f, slice)
	var all []float64
	for range repeats {
		all = append(all, nanoseconds(f, n))
	}
	return side{slices.Min(all), median(all), allocs(f, n)}
}

// calibrate returns how many pieces of work take about as long as the slice. The
// first piece, which may make what the others use, does not count.
func calibrate(f func(n int), slice time.Duration) int {
	f(1)
	for n := 1; ; n *= 2 {
		start := work.CPU()
		f(n)
		if taken := work.CPU() - start; taken >= slice/2 || n >= 1<<30 {
			return max(1, int(float64(n)*float64(slice)/float64(max(taken, 1))))
		}
	}
}

// nanoseconds returns how long one of n pieces of work takes on processors.
func nanoseconds(f func(n int), n int) float64 {
	runtime.GC() // so that no measurement pays for the garbage of the one before
	start := work.CPU()
	f(n)
	return float64(work.CPU()-start) / float64(n)
}

// allocs returns how many allocations one piece of work makes, over as many as a
// slice of time holds but at most 1000.
func allocs(f func(n int), inSlice int) float64 {
	n := min(inSlice, 1000)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	f(1)
	runtime.ReadMemStats(&before)
	f(n)
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / uint64(n))
}

// median sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
