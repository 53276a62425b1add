// SPDX-License-Identifier: Apache-2.0

// Package measurement has what the command perf and the program that it starts
// for each run tell each other.
package measurement

import (
	"math"
	"slices"
	"sort"
)

// A Run is what was measured of one run of a workload.
type Run struct {
	// Pods is how many pods were bound, Seconds how long that took, from the
	// first to the last.
	Pods    int     `json:"pods"`
	Seconds float64 `json:"seconds"`
	// CPU is the time on processors of API server, scheduler and the benchmark
	// itself, in seconds.
	CPU float64 `json:"cpu"`
	// Attempts are those to schedule a pod, bound or not.
	Attempts Histogram `json:"attempts"`
	// Algorithm is the part of each attempt in which the scheduler chooses a node: it
	// alone is the scheduler's, the rest waits for the API server.
	Algorithm Histogram `json:"algorithm"`
	// Events are the durations of handling the events of the cluster, by event,
	// as in "NodeUpdateNodeTaint".
	Events map[string]Sum `json:"events"`
	// Woken is how many pods each event took from those that wait.
	Woken map[string]int `json:"woken"`
}

// Throughput returns the pods bound in a second. The first is where the time
// starts, and does not count.
func (r Run) Throughput() float64 {
	if r.Seconds <= 0 {
		return math.NaN()
	}
	return float64(r.Pods-1) / r.Seconds
}

// A Sum is how often something was observed, and the sum of that.
type Sum struct {
	Count int     `json:"count"`
	Sum   float64 `json:"sum"`
}

// Add returns both together.
func (s Sum) Add(t Sum) Sum { return Sum{s.Count + t.Count, s.Sum + t.Sum} }

// Sub returns what is in s and was not yet in an earlier one.
func (s Sum) Sub(earlier Sum) Sum { return Sum{s.Count - earlier.Count, s.Sum - earlier.Sum} }

// Mean returns the mean of what was observed, and NaN where nothing was.
func (s Sum) Mean() float64 { return s.Sum / float64(s.Count) }

// A Histogram is a histogram of Prometheus. The zero Histogram is an empty one.
type Histogram struct {
	Sum
	Bounds []float64 `json:"bounds"` // upper bounds of the buckets, rising
	Counts []int     `json:"counts"` // how many are at most that
}

// Add returns both together. They have the same bounds, unless one is empty.
func (h Histogram) Add(other Histogram) Histogram { return h.combine(other, 1) }

// Sub returns what is in h and was not yet in an earlier one.
func (h Histogram) Sub(earlier Histogram) Histogram { return h.combine(earlier, -1) }

func (h Histogram) combine(other Histogram, sign int) Histogram {
	if len(h.Bounds) == 0 && sign > 0 {
		return other
	}
	counts := slices.Clone(h.Counts)
	for i := range other.Counts {
		counts[i] += sign * other.Counts[i]
	}
	sum := Sum{h.Count + sign*other.Count, h.Sum.Sum + float64(sign)*other.Sum.Sum}
	return Histogram{Sum: sum, Bounds: h.Bounds, Counts: counts}
}

// Quantile estimates a quantile as Prometheus does: as if what is in a bucket
// were spread evenly over it. What is above the last bound counts as that. It
// is NaN where nothing was observed.
func (h Histogram) Quantile(q float64) float64 {
	if h.Count == 0 || len(h.Bounds) == 0 {
		return math.NaN()
	}
	rank := q * float64(h.Count)
	i := sort.Search(len(h.Counts), func(i int) bool { return float64(h.Counts[i]) >= rank })
	if i == len(h.Counts) {
		return h.Bounds[i-1]
	}
	lower, below := 0.0, 0
	if i > 0 {
		lower, below = h.Bounds[i-1], h.Counts[i-1]
	}
	inside := h.Counts[i] - below
	if inside == 0 { // q is 0
		return lower
	}
	return lower + (h.Bounds[i]-lower)*(rank-float64(below))/float64(inside)
}
