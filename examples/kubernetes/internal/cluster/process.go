// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Process is a program that a test started. On Linux it has its own process
// group, so that no child process is left behind.
type Process struct {
	tb      T
	name    string
	log     string // the path of the file that has its output
	command *exec.Cmd
	done    chan struct{} // closed when it has ended
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Log returns the program's output so far.
func (p *Process) Log() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		p.tb.Fatal(err)
	}
	return string(content)
}

// Stop asks the program to end, as Kubernetes does, waits for it, and kills it
// after 30 seconds.
func (p *Process) Stop() {
	p.tb.Helper()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.tb.Errorf("stop %s: %v", p.name, err)
	}
	select {
	case <-p.done:
	case <-time.After(30 * time.Second):
		p.tb.Errorf("%s does not end after SIGTERM", p.name)
	}
	p.Kill()
}

// Kill ends the program at once, without a chance to clean up, and waits for it.
func (p *Process) Kill() {
	select {
	case <-p.done:
	default:
		_ = signalGroup(p.command, syscall.SIGKILL) // fails only if it has ended meanwhile
		<-p.done
	}
}

// tail returns the end of the program's output, with long lines cut.
func (p *Process) tail(lines int) string {
	all := strings.Split(strings.TrimSpace(p.Log()), "\n")
	all = all[max(0, len(all)-lines):]
	for i, line := range all {
		all[i] = line[:min(len(line), 400)]
	}
	return strings.Join(all, "\n")
}

// startThread returns a channel for functions that start programs. The kernel kills a
// child when the thread that started it ends, so they run on a thread that never ends.
var startThread = sync.OnceValue(func() chan<- func() {
	starts := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range starts {
			start()
		}
	}()
	return starts
})

func start(command *exec.Cmd) error {
	result := make(chan error)
	startThread() <- func() { result <- command.Start() }
	return <-result
}
