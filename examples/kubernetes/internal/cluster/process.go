// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
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
	err     error         // how it ended; valid after done is closed
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// LogFile returns the path of the file with the program's output.
func (p *Process) LogFile() string { return p.log }

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

// live has the running processes and the folders in use.
var live = struct {
	sync.Mutex
	processes map[*Process]bool
	folders   map[string]bool
}{processes: map[*Process]bool{}, folders: map[string]bool{}}

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

func (p *Process) start() error {
	live.Lock()
	defer live.Unlock()
	result := make(chan error)
	startThread() <- func() { result <- p.command.Start() }
	if err := <-result; err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	live.processes[p] = true
	p.done = make(chan struct{})
	go func() {
		p.err = p.command.Wait()
		live.Lock()
		delete(live.processes, p)
		live.Unlock()
		close(p.done)
	}()
	return nil
}

// KillOnSignal ends this process and its programs on Ctrl-C, SIGTERM or SIGQUIT.
func KillOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		fmt.Fprintf(os.Stderr, "%v: stopping the control plane\n", <-signals)
		live.Lock() // and never unlock, so that nothing more starts
		for p := range live.processes {
			_ = signalGroup(p.command, syscall.SIGKILL) // fails only if it has ended meanwhile
		}
		for folder := range live.folders {
			remove(folder)
		}
		os.Exit(130)
	}()
}

// temporary creates a folder, which remove deletes.
func temporary() (path string, err error) {
	path, err = os.MkdirTemp("", "taints-e2e-")
	live.Lock()
	defer live.Unlock()
	live.folders[path] = true
	return path, err
}

// remove deletes a folder. A program that is being killed may still write to it.
func remove(folder string) {
	for range 100 {
		if os.RemoveAll(folder) == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
