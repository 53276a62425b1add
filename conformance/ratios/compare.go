// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
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
		a, errOurs := start(i, true)
		b, errOther := start(i, false)
		if err := errors.Join(errOurs, errOther); err != nil {
			return rowRatio{}, err
		}
		for range repeats {
			if err := errors.Join(a.time(&ours), b.time(&other)); err != nil {
				return rowRatio{}, err
			}
		}
		if err := errors.Join(a.allocs(&ours), b.allocs(&other)); err != nil {
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

// samples are the measurements of one side.
type samples struct{ times, allocs []float64 }

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

// time adds the processor time of one piece of work, in nanoseconds, to the samples.
func (p *process) time(s *samples) error {
	_, err := p.ask.Write([]byte{'\n'})
	return p.answer(err, &s.times)
}

// allocs adds the number of allocations of one piece of work to the samples. It ends
// the process.
func (p *process) allocs(s *samples) error {
	return errors.Join(p.answer(p.ask.Close(), &s.allocs), p.command.Wait())
}

// answer adds the next answer to the list, unless asking for it failed.
func (p *process) answer(err error, to *[]float64) error {
	var x float64
	if err == nil {
		err = p.answers.Decode(&x)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", p.command, err)
	}
	*to = append(*to, x)
	return nil
}
