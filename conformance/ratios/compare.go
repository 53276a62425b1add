package main

import (
	"runtime"
	"slices"
	"time"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
)

// A rowRatio is what was measured of one row.
type rowRatio struct {
	Work       string `json:"work"`
	Ours       side   `json:"ours"`
	Kubernetes side   `json:"kubernetes"`
	// Ratio is the median over the repetitions of Kubernetes' time over ours; Least and Most are its range.
	Ratio float64 `json:"ratio"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	Floor float64 `json:"floor"`
	// AllocsFloor is how many allocations ours may make.
	AllocsFloor float64 `json:"allocsFloor"`
	Met         bool    `json:"met"`
}

// A side is one way to do the work.
type side struct {
	Nanoseconds float64 `json:"nanoseconds"` // for one piece of work, median
	Allocs      float64 `json:"allocs"`      // for one piece of work
}

// compare measures both sides in turn.
func compare(row work.Row, repeats int, slice time.Duration) rowRatio {
	ours, kubernetes := calibrate(row.Ours, slice), calibrate(row.Kubernetes, slice)
	var oursTimes, kubernetesTimes, ratios []float64
	for range repeats {
		a, b := nanoseconds(row.Ours, ours), nanoseconds(row.Kubernetes, kubernetes)
		oursTimes, kubernetesTimes, ratios = append(oursTimes, a), append(kubernetesTimes, b), append(ratios, b/a)
	}
	x := rowRatio{
		Work:        row.Name,
		Ours:        side{median(oursTimes), allocs(row.Ours, ours)},
		Kubernetes:  side{median(kubernetesTimes), allocs(row.Kubernetes, kubernetes)},
		Ratio:       median(ratios),
		Least:       slices.Min(ratios),
		Most:        slices.Max(ratios),
		Floor:       row.Floor,
		AllocsFloor: row.Allocs,
	}
	x.Met = x.Ratio >= x.Floor && x.Ours.Allocs <= x.AllocsFloor
	return x
}

// calibrate returns how many pieces of work take about as long as the slice. The first piece, which may make what the others
// use, does not count.
func calibrate(f func(n int), slice time.Duration) int {
	f(1)
	for n := 1; ; n *= 2 {
		start := time.Now()
		f(n)
		if taken := time.Since(start); taken >= slice/2 || n >= 1<<30 {
			return max(1, int(float64(n)*float64(slice)/float64(max(taken, 1))))
		}
	}
}

// nanoseconds returns how long one of n pieces of work takes.
func nanoseconds(f func(n int), n int) float64 {
	runtime.GC() // so that neither side pays for the other's garbage
	start := time.Now()
	f(n)
	return float64(time.Since(start)) / float64(n)
}

// allocs returns how many allocations one piece of work makes, over as many as a slice of time holds but at most 1000.
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
