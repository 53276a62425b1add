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

	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
)

// rows adds the rows of our program that match to the report. Their program does
// what Kubernetes does, and ours does all else.
func (o options) rows(r *report, ours, theirs string) error {
	var rows []measure.Row
	if err := child(ours, &rows); err != nil {
		return err
	}
	for i, row := range rows {
		if o.match != nil && !o.match.MatchString(row.Name) {
			continue
		}
		beside := ours
		if row.Beside == work.Kubernetes {
			beside = theirs
		}
		var a, b samples
		for range o.rounds {
			if err := o.round(i, ours, beside, &a, &b); err != nil {
				return err
			}
		}
		r.compared(row, a, b)
	}
	return nil
}

// round starts both sides of the row, and measures them in turn.
func (o options) round(row int, ours, beside string, a, b *samples) error {
	x, errOurs := o.start(ours, row, true)
	y, errBeside := o.start(beside, row, false)
	if err := errors.Join(errOurs, errBeside); err != nil {
		return err
	}
	for range o.repeats {
		if err := errors.Join(x.measure(a), y.measure(b)); err != nil {
			return err
		}
	}
	return errors.Join(x.end(), y.end())
}

// compared adds a line. The ratio is the median of the ratios of pairs of
// measurements, one of each side, made in succession, so that other work on the
// machine slows both.
func (r *report) compared(row measure.Row, ours, other samples) {
	ratios := make([]float64, len(ours.times))
	for i := range ratios {
		ratios[i] = other.times[i] / ours.times[i]
	}
	ratio, least := median(ratios), slices.Min(other.times)/slices.Min(ours.times)
	allocs := slices.Min(ours.allocs)
	r.add([]string{"work", "ours", row.Beside, "ratio (of the lowest times)", "allocations", "floor", ""}, []string{
		row.Name, duration(median(ours.times)), duration(median(other.times)),
		fmt.Sprintf("%s (%s)", times(ratio), times(least)),
		fmt.Sprintf("%s / %s", number(allocs), number(slices.Min(other.allocs))),
		fmt.Sprintf("%s, %s", times(row.Floor), number(row.Allocs)),
		r.verdict(rounded(ratio) >= row.Floor && allocs <= row.Allocs),
	})
}

// samples are the measurements of one side.
type samples struct{ times, allocs []float64 }

// median returns the middle value, or the mean of the two middle values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// A process measures one side of a row, once for each line of its input.
type process struct {
	command *exec.Cmd
	ask     io.WriteCloser
	answers *json.Decoder
}

// start starts the program for one side of a row.
func (o options) start(program string, row int, ours bool) (*process, error) {
	command := exec.Command(program, "-row", strconv.Itoa(row),
		"-ours="+strconv.FormatBool(ours), "-slice", o.slice.String())
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

// measure adds a measurement to the samples.
func (p *process) measure(s *samples) error {
	var x measure.Sample
	_, err := p.ask.Write([]byte{'\n'})
	if err == nil {
		err = p.answers.Decode(&x)
	}
	if err != nil {
		return fmt.Errorf("%v: %w", p.command, err)
	}
	s.times, s.allocs = append(s.times, x.Nanoseconds), append(s.allocs, x.Allocs)
	return nil
}

func (p *process) end() error { return errors.Join(p.ask.Close(), p.command.Wait()) }
