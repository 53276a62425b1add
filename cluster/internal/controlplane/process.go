// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A Process is a program that a test started. On Linux it has its own process
// group, so that no child process is left behind.
type Process struct {
	Metrics string // the address of its metrics, if a Cluster knows it

	tb      testing.TB
	name    string
	log     string // the path of the file that has its output
	command *exec.Cmd
	done    chan struct{} // closed when it has ended
	err     error         // how it ended; valid after done is closed
}

// StartProcess starts the command, with its output in the file. It is killed when the
// test ends, if it has not ended before.
func StartProcess(tb testing.TB, name string, command *exec.Cmd, output *os.File) *Process {
	tb.Helper()
	command.Stdout, command.Stderr = output, output
	own(command)
	if err := command.Start(); err != nil {
		tb.Fatalf("start %s: %v", name, err)
	}
	p := &Process{tb: tb, name: name, log: output.Name(), command: command, done: make(chan struct{})}
	go func() {
		p.err = command.Wait()
		close(p.done)
	}()
	tb.Cleanup(func() {
		p.Kill()
		if tb.Failed() {
			log := p.Log()
			tb.Logf("the end of the output of %s:\n%s", name, log[max(0, len(log)-8000):])
		}
	})
	return p
}

// Ended reports whether the program has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Within waits until the condition returns nil. It fails the test if that does not
// happen within the limit, or if the program ends first.
func (p *Process) Within(limit time.Duration, what string, condition func() error) {
	p.tb.Helper()
	Within(p.tb, limit, what, func() error {
		if p.Ended() {
			p.tb.Fatalf("%s: %s has ended", what, p.name)
		}
		return condition()
	})
}

// Log returns the program's output so far.
func (p *Process) Log() string {
	content, err := os.ReadFile(p.log)
	if err != nil {
		p.tb.Fatal(err)
	}
	return string(content)
}

// Stop asks the program to end, as Kubernetes does, and waits for it.
func (p *Process) Stop() {
	p.tb.Helper()
	_ = p.end(syscall.SIGTERM)
}

// Interrupt does what Ctrl-C does: everything that the program has started gets the
// signal, too. It waits for the program, and returns how it ended.
func (p *Process) Interrupt() error {
	p.tb.Helper()
	return p.end(syscall.SIGINT)
}

// Signal sends a signal to everything that the program has started.
func (p *Process) Signal(s syscall.Signal) {
	p.tb.Helper()
	if err := signalGroup(p.command, s); err != nil {
		p.tb.Fatal(err)
	}
}

func (p *Process) end(s syscall.Signal) error {
	p.tb.Helper()
	_ = signalGroup(p.command, s) // fails only if it has ended meanwhile
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		p.tb.Errorf("%s does not end after the signal %v", p.name, s)
		p.Kill()
	}
	return p.err
}

// Kill ends the program at once, without a chance to clean up, and waits for it.
func (p *Process) Kill() {
	if !p.Ended() {
		_ = signalGroup(p.command, syscall.SIGKILL) // fails only if it has ended meanwhile
	}
	<-p.done
}

// upstream are the programs of Kubernetes, and their packages. They are tools of this
// module: see go.mod.
var upstream = map[string]string{
	"etcd":                    "go.etcd.io/etcd/server/v3",
	"kube-apiserver":          "k8s.io/kubernetes/cmd/kube-apiserver",
	"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
	"kube-scheduler":          "k8s.io/kubernetes/cmd/kube-scheduler",
	"kubectl":                 "k8s.io/kubernetes/cmd/kubectl",
}

var builds = struct {
	sync.Mutex
	paths map[string]string // of the built programs
}{paths: map[string]string{}}

// Binary builds a program and returns its path: one of Kubernetes, as in "kubectl", or
// one of this repository, named by its folder relative to this module, as in
// "scheduler" or "../cmd/kubectl-whynot". Go prints the packages that it compiles to
// standard error. An interrupted build continues where it stopped, because Go keeps
// compiled packages.
func Binary(t testing.TB, program string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if path := builds.paths[program]; path != "" {
		return path
	}
	path, err := build(t.Context(), program)
	if err != nil {
		t.Fatalf("build %s: %v", program, err)
	}
	builds.paths[program] = path
	return path
}

func build(ctx context.Context, program string) (path string, err error) {
	module, err := output("go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	kubernetes, err := output("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(filepath.Dir(module), ".bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(bin, "go-build-") // in the file system of path, so that programs appear whole
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary) // Go leaves its files if it is killed
	path = filepath.Join(bin, filepath.Base(program))
	folder, target := program, "."
	if upstream[program] != "" {
		folder, target = ".", upstream[program]
	}
	command := exec.CommandContext(ctx, "go", "build", "-v", "-trimpath", "-o", path,
		"-ldflags", "-s -w -X k8s.io/component-base/version.gitVersion="+kubernetes, target)
	command.Dir = filepath.Join(bin, "..", folder)
	// No cgo, like images/build, so that both share compiled packages.
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOTMPDIR="+temporary)
	command.Stderr = os.Stderr
	own(command)
	command.Cancel = func() error { return signalGroup(command, syscall.SIGINT) }
	command.WaitDelay = 10 * time.Second
	err = command.Run()
	if command.Process != nil {
		_ = signalGroup(command, syscall.SIGKILL) // what it has started may outlive an interrupt
	}
	return path, err
}

func output(program string, args ...string) (string, error) {
	out, err := exec.Command(program, args...).Output()
	return strings.TrimSpace(string(out)), err
}
