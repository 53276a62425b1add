// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/examples/internal/kubejson"
	"github.com/seed-0529bac1/taints/examples/internal/terminal"
)

// sample is what kubectl printed for a small cluster.
//
//go:embed sample.json
var sample []byte

// sampleNow is the time at which the sample is looked at, 90 seconds after two
// of its nodes failed: some pods are overdue then, others leave in a few
// minutes.
var sampleNow = time.Date(2026, 11, 21, 1, 24, 0, 0, time.UTC)

// The names of inputs that are neither files nor standard input.
const (
	inputSample  = "built-in sample"
	inputCluster = "the cluster"
)

// load reads the files, or standard input, or what kubectl prints, or the
// sample, and returns which it was.
func (p program) load(c *cluster, o *options) (input string, err error) {
	progress := p.progress()
	defer progress.Clear()
	read := func(name string, r io.Reader) error {
		return kubejson.Read(name, r, func(object *kubejson.Object) error {
			err := c.add(object)
			if c.objects%1000 == 0 {
				progress.Show("read %d objects", c.objects)
			}
			return err
		})
	}
	switch {
	case len(o.files) > 0:
		return inputFiles(o.files), p.loadFiles(o.files, read)
	case p.stdin != nil && !terminal.Is(p.stdin):
		return kubejson.StandardInput, p.loadStandardInput(read)
	case o.cluster.isAsked() || strings.HasPrefix(p.name, "kubectl-whynot") ||
		strings.HasPrefix(p.name, "kubectl_whynot"):
		return inputCluster, p.loadCluster(o, read)
	}
	fmt.Fprintln(p.stderr, "whynot: no input, so this is the built-in sample;"+
		" try: kubectl get nodes,pods -A -o json | whynot, or whynot -A")
	return inputSample, read(inputSample, bytes.NewReader(sample))
}

// inputFiles is the name of the files among inputs.
func inputFiles(names []string) string {
	names = slices.Clone(names)
	for i, name := range names {
		if name == "-" {
			names[i] = kubejson.StandardInput
		}
	}
	return strings.Join(names, ", ")
}

func (p program) progress() *terminal.Progress { return terminal.NewProgress(p.stderr, p.clock) }

func (p program) loadFiles(names []string, read func(string, io.Reader) error) error {
	for _, name := range names {
		if err := p.loadFile(name, read); err != nil {
			return err
		}
	}
	return nil
}

func (p program) loadFile(name string, read func(string, io.Reader) error) error {
	if name == "-" {
		return p.loadStandardInput(read)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(name, f)
}

var errNoInput = errors.New("no JSON on standard input; did kubectl fail?" +
	" To ask the cluster, give -A or -n and leave standard input to the terminal, or < /dev/null")

func (p program) loadStandardInput(read func(string, io.Reader) error) error {
	if p.stdin == nil {
		return errNoInput
	}
	err := read(kubejson.StandardInput, p.stdin)
	if errors.Is(err, kubejson.ErrEmpty) {
		return errNoInput
	}
	return err
}
