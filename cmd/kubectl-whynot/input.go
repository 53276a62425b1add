// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

// The names of inputs.
const (
	inputCluster = "the cluster"
	inputStdin   = "standard input"
)

// answer reads the input and writes the report.
func (p *program) answer(ctx context.Context, args []string) error {
	o, err := p.options(args)
	if err != nil {
		return usageError{err}
	}
	c := cluster.New(o.only)
	c.Asked = o.pod
	if namespace, _, err := p.config.ToRawKubeConfigLoader().Namespace(); err == nil && o.only.Namespace == "" {
		c.Namespace = namespace
	}
	input, err := p.read(ctx, c)
	if err != nil {
		return err
	}
	c.Finish()
	q := diagnosis.Question{Now: o.now, Matrix: p.output == "html", Connection: p.connection}
	if o.pod != "" {
		if q.Pod, err = c.Find(o.pod, c.Only.Namespace); err != nil {
			return err
		}
	}
	r := &answer{diagnosis.New(c, q)}
	r.Input, r.Filter, r.NoPods = input, c.Only.String(), c.WhyNoPods()
	return p.write(r)
}

// read fills the cluster and returns a description of the input.
func (p *program) read(ctx context.Context, c *cluster.Cluster) (input string, err error) {
	files := *p.files.Filenames
	switch {
	case len(files) > 0:
		names := slices.Clone(files)
		for i, name := range files {
			if name == "-" && p.in != nil {
				names[i] = inputStdin
				err = manifest.Read(inputStdin, p.in, c.Decode)
			} else {
				err = manifest.ReadPath(ctx, name, *p.files.Recursive, c.Decode)
			}
			if err != nil {
				return "", err
			}
		}
		input = say.Joined(names)
	case !p.asksServer && c.Asked == "" && p.isPiped(): // a loop reads names of pods
		input = inputStdin
		if err := manifest.Read(input, p.in, c.Decode); err != nil {
			return "", err
		}
		if c.Objects == 0 {
			return "", errors.New("standard input is empty; use -n or -A to read the cluster")
		}
	default:
		return inputCluster, p.readCluster(ctx, c)
	}
	if len(c.Nodes) > 0 {
		return input, nil
	}
	if _, err := p.readNodes(ctx, c); err != nil {
		return "", fmt.Errorf("no nodes in %s; reading those of the cluster failed: %w", input, err)
	}
	return input + " and the nodes of the cluster", nil
}

// isPiped reports whether standard input is a pipe or a file, not a terminal
// or /dev/null.
func (p *program) isPiped() bool {
	f, ok := p.in.(*os.File)
	if !ok {
		return p.in != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}
