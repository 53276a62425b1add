// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Process is a program that a test started.
type Process struct {
	*process
	tb T
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// LogFile returns the path of the file that has what the program writes.
func (p *Process) LogFile() string { return p.log }

// Log returns what the program has written so far.
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
	p.kill()
}

// Kill ends the program at once, without a chance to clean up, and waits for it.
func (p *Process) Kill() { p.kill() }

// process is a child in a process group of its own, so that nothing of it is left behind.
type process struct {
	name    string
	log     string // the path of the file that has its output, if it is a file
	command *exec.Cmd
	done    chan struct{} // closed when it has ended
	err     error         // how it ended; to be read after done
}

// live are the processes that run now. Once closing is set, because this process is
// about to end, no more start.
var live struct {
	sync.Mutex
	processes map[*process]bool
	folders   map[string]bool
	closing   bool
}

// The kernel's promise to kill a child is bound to the thread that started it: it is
// the one that startThread starts, which never ends.
var (
	starts      = make(chan func())
	startThread = sync.OnceFunc(func() {
		go func() {
			runtime.LockOSThread()
			for start := range starts {
				start()
			}
		}()
	})
)

// KillOnSignal makes the process end on Ctrl-C or SIGTERM, with all that it has started.
func KillOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		s := <-signals
		fmt.Fprintf(os.Stderr, "%v: stopping the control plane\n", s)
		killAll()
		os.Exit(130)
	}()
}

// killAll kills every child and removes every folder, for good.
func killAll() {
	live.Lock()
	live.closing = true
	var all []*process
	for p := range live.processes {
		all = append(all, p)
	}
	folders := slices.Collect(maps.Keys(live.folders))
	live.Unlock()
	for _, p := range all {
		p.kill()
	}
	for _, folder := range folders {
		os.RemoveAll(folder)
	}
}

const folderPrefix = "taints-e2e-"

// folder makes a temporary folder, which remove deletes, or killAll. It deletes
// those of tests that were killed.
func folder() (path string, err error) {
	removeOrphans()
	path, err = os.MkdirTemp("", fmt.Sprintf("%s%d-", folderPrefix, os.Getpid()))
	if err != nil {
		return "", err
	}
	live.Lock()
	defer live.Unlock()
	if live.folders == nil {
		live.folders = map[string]bool{}
	}
	live.folders[path] = true
	return path, nil
}

func removeOrphans() {
	old, err := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*-*"))
	if err != nil {
		return
	}
	for _, path := range old {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), folderPrefix), "-")
		pid, err := strconv.Atoi(number)
		if err == nil && !runs(pid) {
			os.RemoveAll(path)
		}
	}
}

// runs reports whether there is a process of that number.
func runs(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}

func remove(folder string) {
	os.RemoveAll(folder)
	live.Lock()
	delete(live.folders, folder)
	live.Unlock()
}

func (p *process) start() error {
	startThread()
	live.Lock()
	defer live.Unlock()
	if live.closing {
		return fmt.Errorf("start %s: this process is about to end", p.name)
	}
	result := make(chan error)
	starts <- func() { result <- p.command.Start() }
	if err := <-result; err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	if live.processes == nil {
		live.processes = map[*process]bool{}
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

func (p *process) kill() {
	select {
	case <-p.done:
		return
	default:
	}
	_ = killGroup(p.command) // fails only where it has ended meanwhile
	<-p.done
}

// tail is the end of the program's output, with long lines cut.
func (p *process) tail(lines int) string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(content)), "\n")
	all = all[max(0, len(all)-lines):]
	for i, line := range all {
		all[i] = line[:min(len(line), 400)]
	}
	return strings.Join(all, "\n")
}
