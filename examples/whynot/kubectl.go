// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// clusterFlags are the flags that are handed on to kubectl.
type clusterFlags struct {
	all                 bool
	namespace           string
	labels              string
	context, kubeconfig string

	podNamespace string // of the pod that was asked for
}

// isAsked reports whether a flag says that the cluster is meant.
func (f clusterFlags) isAsked() bool {
	f.podNamespace = ""
	return f != clusterFlags{}
}

// commands returns the arguments of kubectl that get what is needed: in one go,
// unless a selector is for the pods only.
func (f *clusterFlags) commands() [][]string {
	var to []string
	if f.kubeconfig != "" {
		to = append(to, "--kubeconfig", f.kubeconfig)
	}
	if f.context != "" {
		to = append(to, "--context", f.context)
	}
	var which []string
	if f.all {
		which = append(which, "-A")
	} else if namespace := cmp.Or(f.namespace, f.podNamespace); namespace != "" {
		which = append(which, "-n", namespace)
	}
	if f.labels == "" {
		return [][]string{slices.Concat([]string{"get", "nodes,pods", "-o", "json"}, which, to)}
	}
	return [][]string{
		slices.Concat([]string{"get", "nodes", "-o", "json"}, to),
		slices.Concat([]string{"get", "pods", "-o", "json"}, which, []string{"-l", f.labels}, to),
	}
}

// loadCluster reads what kubectl prints, and says on standard error what it runs.
func (p program) loadCluster(o *options, read func(string, io.Reader) error) error {
	for _, args := range o.cluster.commands() {
		if err := p.loadCommand(args, read); err != nil {
			return err
		}
	}
	return nil
}

func (p program) loadCommand(args []string, read func(string, io.Reader) error) error {
	line := commandLine("kubectl", args)
	path, err := exec.LookPath("kubectl")
	if err != nil {
		return errors.New("kubectl is not on the PATH; whynot reads what it prints on a pipe or from -f as well")
	}
	fmt.Fprintln(p.stderr, "whynot: running "+line)
	command := exec.Command(path, args...)
	// A plugin of kubectl's may ask for a login on the terminal, so what it says
	// is not kept back. Standard input is a terminal here, or nil.
	command.Stdin, command.Stderr = p.stdin, p.stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	failed := read(line, out)
	io.Copy(io.Discard, out) // so that kubectl ends
	if err := command.Wait(); err != nil {
		return fmt.Errorf("%s: %w", line, err) // after kubectl's own words
	}
	return failed
}

// commandLine is what one would type.
func commandLine(name string, args []string) string {
	words := []string{name}
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$&|;<>()*?[]#~`!{}") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
