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

// A rowRatio is the result of measuring one row.
type rowRatio struct {
	Work   string
	Beside string
	Ours   side
	Other  side
	// Ratio is the median of the ratios of pairs of measurements, one of each side,
	// made in succession, so that other work on the machine slows both. Least is
	// the ratio of the shortest times.
	Ratio float64
	Least float64
	Floor float64
	// AllocsFloor is the most allocations that our side may make.
	AllocsFloor float64
	Met         bool
}

// A side is the result for one way to do the work: processor time in nanoseconds
// and allocations for one piece of work.
type side struct {
	Least  float64
	Median float64
	Allocs float64
}

// A starter starts a process for one side of the row at the index.
type starter func(row int, ours bool) (*process, error)

// compare measures both sides in turn, repeats times in each round. Both sides
// start again in each round.
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

// measurePair starts both sides and adds their measurements to the samples.
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

// samples are the measurements of one side.
type samples struct{ times, allocs []float64 }

func (s *samples) time(p *process) error {
	t, err := p.nanoseconds()
	s.times = append(s.times, t)
	return err
}

func (s *samples) count(p *process) error {
	n, err := p.allocs()
	s.allocs = append(s.allocs, n)
	return err
}

func (s *samples) side() side {
	return side{Least: slices.Min(s.times), Median: median(s.times), Allocs: slices.Min(s.allocs)}
}

// median returns the middle value, or the mean of the two middle values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// A process measures one side in a separate process, so that only the data of its
// side is alive. The process measures once for each line of its input, and
// counts allocations at the end of the input.
type process struct {
	command *exec.Cmd
	ask     io.WriteCloser
	answers *json.Decoder
}

// inProcess returns a starter that runs this program again for each side.
func inProcess(program string, slice time.Duration) starter {
	return func(row int, ours bool) (*process, error) {
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

// nanoseconds returns the processor time of one piece of work.
func (p *process) nanoseconds() (t float64, err error) {
	if _, err := p.ask.Write([]byte{'\n'}); err != nil {
		return 0, fmt.Errorf("%v: %w", p.command, err)
	}
	if err := p.answers.Decode(&t); err != nil {
		return 0, fmt.Errorf("%v: %w", p.command, err)
	}
	return t, nil
}

// allocs returns the number of allocations of one piece of work. It ends the
// process.
func (p *process) allocs() (n float64, err error) {
	if err := p.ask.Close(); err != nil {
		return 0, fmt.Errorf("%v: %w", p.command, err)
	}
	if err := p.answers.Decode(&n); err != nil {
		return 0, fmt.Errorf("%v: %w", p.command, err)
	}
	return n, p.command.Wait()
}
