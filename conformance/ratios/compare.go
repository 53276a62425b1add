// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints/internal/measure"
)

// A rowRatio is what was measured of one row.
type rowRatio struct {
	Work   string
	Beside string
	Ours   side
	Other  side
	// Ratio is the median of the ratios of two measurements, one of each side,
	// right after each other: other work on the machine slows both. Least is the
	// ratio of the least times.
	Ratio float64
	Least float64
	Floor float64
	// AllocsFloor is how many allocations ours may make.
	AllocsFloor float64
	Met         bool
}

// A side is one way to do the work: its nanoseconds on processors for one piece,
// and its allocations.
type side struct {
	Least  float64
	Median float64
	Allocs float64
}

// A starter starts to measure one side of the row at the index.
type starter func(row int, ours bool) (measurer, error)

// A measurer measures one side, as often as it is asked.
type measurer interface {
	// nanoseconds returns how long one piece of work takes on processors.
	nanoseconds() (float64, error)
	// allocs returns how many allocations one piece of work makes. It is asked
	// last.
	allocs() (float64, error)
}

// compare measures both sides in turn, repeats times in each of the rounds, for
// which both sides start anew.
func compare(rows []measure.Row, i, rounds, repeats int, start starter) (rowRatio, error) {
	row := rows[i]
	var ours, other samples
	for range rounds {
		if err := measurePair(&ours, &other, i, repeats, start); err != nil {
			return rowRatio{}, err
		}
	}
	ratios := make([]float64, len(ours.times))
	for i := range ratios {
		ratios[i] = other.times[i] / ours.times[i]
	}
	x := rowRatio{
		Work: row.Name, Beside: row.Beside, Ours: ours.side(), Other: other.side(),
		Ratio: median(ratios), Floor: row.Floor, AllocsFloor: row.Allocs,
	}
	x.Least = x.Other.Least / x.Ours.Least
	x.Met = x.Ratio >= x.Floor && x.Ours.Allocs <= x.AllocsFloor
	return x, nil
}

// measurePair adds to both sides what one process of each measures in turn.
func measurePair(ours, other *samples, row, repeats int, start starter) error {
	a, err := start(row, true)
	if err != nil {
		return err
	}
	b, err := start(row, false)
	if err != nil {
		return err
	}
	for range repeats {
		if err := ours.time(a); err != nil {
			return err
		}
		if err := other.time(b); err != nil {
			return err
		}
	}
	if err := ours.count(a); err != nil {
		return err
	}
	return other.count(b)
}

// Samples are what was measured of one side.
type samples struct{ times, allocs []float64 }

func (s *samples) time(m measurer) error {
	t, err := m.nanoseconds()
	s.times = append(s.times, t)
	return err
}

func (s *samples) count(m measurer) error {
	n, err := m.allocs()
	s.allocs = append(s.allocs, n)
	return err
}

func (s *samples) side() side {
	return side{Least: slices.Min(s.times), Median: median(s.times), Allocs: slices.Min(s.allocs)}
}

// median returns the middle of the values, or the mean of the two there.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// A process is a measurer of its own process, so that only the data of its side
// is alive. It measures for each line that it reads, and counts allocations at
// the end of its input.
type process struct {
	command *exec.Cmd
	ask     io.WriteCloser
	answers *json.Decoder
}

// inProcess returns a starter that starts this program anew for each side.
func inProcess(program string, slice time.Duration) starter {
	return func(row int, ours bool) (measurer, error) {
		command := exec.Command(program, "-row", strconv.Itoa(row),
			"-ours="+strconv.FormatBool(ours), "-slice", slice.String())
		command.Stderr = os.Stderr
		ask, err := command.StdinPipe()
		if err != nil {
			return nil, err
		}
		answers, err := command.StdoutPipe()
		if err != nil {
			return nil, err
		}
		return &process{command, ask, json.NewDecoder(answers)}, command.Start()
	}
}

func (p *process) nanoseconds() (t float64, err error) {
	if _, err := p.ask.Write([]byte{'\n'}); err != nil {
		return 0, fmt.Errorf("%v: %w", p.command, err)
	}
	if err := p.answers.Decode(&t); err != nil {
		return 0, fmt.Errorf("%v: %w", p.command, err)
	}
	return t, nil
}

func (p *process) allocs() (n float64, err error) {
	if err := p.ask.Close(); err != nil {
		return 0, fmt.Errorf("%v: %w", p.command, err)
	}
	if err := p.answers.Decode(&n); err != nil {
		return 0, fmt.Errorf("%v: %w", p.command, err)
	}
	return n, p.command.Wait()
}
