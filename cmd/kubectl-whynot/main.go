// SPDX-License-Identifier: Apache-2.0

// Kubectl-whynot is a kubectl plugin. It reports why pods are pending, when taints
// evict pods, and how to fix that:
//
//	kubectl whynot
//	kubectl whynot -A -o html > page.html
//	kubectl get nodes,pods -A -o json | kubectl whynot
//	kubectl whynot -f deployment.yaml
//
// It evaluates taints, tolerations, node selectors and required node affinity. For
// a pod that these allow on some node, it shows the scheduler's message.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
)

func main() {
	p := program{in: os.Stdin, out: os.Stdout, err: os.Stderr, clock: time.Now}
	os.Exit(p.run(os.Args[1:]))
}

// run runs the command with the arguments and returns the exit code: 1 for
// failure, 2 for invalid usage.
func (p *program) run(args []string) int {
	command := p.command()
	command.SetArgs(append([]string{}, args...)) // nil would mean the arguments of the process
	err := command.Execute()
	if err == nil {
		return 0
	}
	fmt.Fprintf(p.err, "error: %s\n", say.Printable(say.WithoutPassword(err.Error())))
	if errors.As(err, new(usageError)) {
		fmt.Fprintln(p.err, "See 'kubectl whynot --help' for usage.")
		return 2
	}
	return 1
}

// A usageError is an invalid command line.
type usageError struct{ error }
