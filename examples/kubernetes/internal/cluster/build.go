// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ControlPlane is the folder of the program that holds all of Kubernetes.
const ControlPlane = "e2e/controlplane"

var builds = struct {
	sync.Mutex
	paths map[string]string // of the built programs, by folder
}{paths: map[string]string{}}

// Binary builds a main package of this repository, named by its folder relative to
// this module, as in "scheduler" or "../../cmd/kubectl-whynot", and returns the path
// of the program. Go prints the packages that it compiles to standard error. An
// interrupted build continues where it stopped, because Go keeps compiled packages.
func Binary(t T, folder string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if path := builds.paths[folder]; path != "" {
		return path
	}
	path, err := build(t.Context(), folder)
	if err != nil {
		t.Fatalf("build %s: %v", folder, err)
	}
	builds.paths[folder] = path
	return path
}

func build(ctx context.Context, folder string) (path string, err error) {
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	kubernetes, err := output("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(module, ".bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	path = filepath.Join(bin, filepath.Base(folder))
	command := exec.CommandContext(ctx, "go", "build", "-v", "-trimpath", "-o", path,
		"-ldflags", "-s -w -X k8s.io/component-base/version.gitVersion="+kubernetes, ".")
	command.Dir = filepath.Join(module, folder)
	// No cgo, like images/build, so that both share compiled packages. The temporary
	// files are in the same file system, so that programs appear whole.
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOTMPDIR="+bin)
	command.Stderr = os.Stderr
	own(command)
	command.Cancel = func() error { return signalGroup(command, syscall.SIGINT) }
	command.WaitDelay = 10 * time.Second
	if err := start(command); err != nil {
		return "", err
	}
	return path, command.Wait()
}

// moduleDir returns the folder of this module.
func moduleDir() (string, error) {
	file, err := output("go", "env", "GOMOD")
	return filepath.Dir(file), err
}

func output(program string, args ...string) (string, error) {
	out, err := exec.Command(program, args...).Output()
	return strings.TrimSpace(string(out)), err
}
