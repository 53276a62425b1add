// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/resource"
)

const inputCluster = "the cluster"

// answer reads the input and writes the report.
func (p *program) answer(ctx context.Context, args []string) error {
	o, err := p.options(args)
	if err != nil {
		return usageError{err}
	}
	c := newCluster(o.only)
	c.asked = o.pod
	input, err := p.read(ctx, c)
	if err != nil {
		return err
	}
	c.finish()
	q := question{now: o.now, matrix: p.output == "html", kubectl: []string{"kubectl"}}
	if *p.config.Context != "" {
		q.kubectl = append(q.kubectl, "--context", *p.config.Context)
	}
	if o.pod != "" {
		if q.pod, err = c.find(o.pod, c.only.namespace); err != nil {
			return err
		}
	}
	r := newReport(c, q)
	r.Input, r.Filter, r.noPods = input, c.only.String(), c.whyNoPods()
	return p.write(r)
}

// read fills the cluster and returns a description of the input.
func (p *program) read(ctx context.Context, c *cluster) (input string, err error) {
	files := *p.files.Filenames
	switch {
	case len(files) > 0:
		for _, name := range files {
			if err := p.readNamed(ctx, name, c); err != nil {
				return "", err
			}
		}
		input = inputOf(files)
	case !p.asksServer && p.isPiped():
		input = "standard input"
		if err := p.readStream(input, p.in, c); err != nil {
			return "", err
		}
		if c.objects == 0 {
			return "", errors.New("standard input is empty; use -n or -A to read the cluster")
		}
	default:
		return inputCluster, p.readCluster(ctx, c)
	}
	if len(c.nodes) > 0 {
		return input, nil
	}
	if err := p.readNodes(ctx, c); err != nil {
		return "", fmt.Errorf("no nodes in %s, only %s; reading those of the cluster failed: %w", input, c.contents(), err)
	}
	return input + " and the nodes of the cluster", nil
}

// inputOf names the files. The name - is standard input.
func inputOf(files []string) string {
	files = slices.Clone(files)
	for i := range files {
		if files[i] == "-" {
			files[i] = "standard input"
		}
	}
	return joined(files)
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

// readNamed reads a file, a directory, a URL or standard input.
func (p *program) readNamed(ctx context.Context, name string, c *cluster) error {
	switch {
	case name == "-" && p.in != nil:
		return p.readStream("standard input", p.in, c)
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		return p.readURL(ctx, name, c)
	}
	files, err := resource.ExpandPathsToFileVisitors(nil, name, *p.files.Recursive, resource.FileExtensions, nil)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := p.readFile(file.(*resource.FileVisitor).Path, c); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) readFile(path string, c *cluster) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return p.readStream(path, f, c)
}

func (p *program) readURL(ctx context.Context, url string, c *cluster) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	return p.readStream(url, response.Body, c)
}

func (p *program) readStream(name string, r io.Reader, c *cluster) error {
	if err := readManifests(r, c.decode); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// whyNoPods returns the reason why there are no pods, or "" if there are pods.
func (c *cluster) whyNoPods() string {
	switch {
	case len(c.pods) > 0:
		return ""
	case c.only.String() != "":
		return "no pods match " + c.only.String()
	}
	return "there are no pods"
}
