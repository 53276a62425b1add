// SPDX-License-Identifier: Apache-2.0

// Package measurement has the benchmark's measurements for the command perf.
package measurement

// A Run has the measurements of one run of a workload.
type Run struct {
	// Pods is how many pods were bound, and Seconds how long that took, from the
	// first to the last.
	Pods    int     `json:"pods"`
	Seconds float64 `json:"seconds"`
	// CPU is the CPU time of API server, scheduler and benchmark, in seconds.
	CPU float64 `json:"cpu"`
	// Algorithm is the time to choose a node. Unlike the rest of an attempt, it
	// does not wait for the API server.
	Algorithm Sum `json:"algorithm"`
}

// Throughput returns the pods bound per second. The first pod starts the clock, and
// does not count.
func (r Run) Throughput() float64 { return float64(r.Pods-1) / r.Seconds }

// A Sum is the count and the sum of observations.
type Sum struct {
	Count int     `json:"count"`
	Sum   float64 `json:"sum"`
}

// Sub returns the observations since an earlier Sum.
func (s Sum) Sub(earlier Sum) Sum { return Sum{s.Count - earlier.Count, s.Sum - earlier.Sum} }

// Mean returns the mean of the observations, and NaN if there are none.
func (s Sum) Mean() float64 { return s.Sum / float64(s.Count) }
