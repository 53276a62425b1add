// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// kubernetesVersion is what the control plane calls itself: the version of
// k8s.io/kubernetes in go.mod.
const kubernetesVersion = "v1.36.3"

// controlPlane is the folder of the binary that holds all of Kubernetes.
const controlPlane = "e2e/controlplane"

const ldflags = "-s -w" +
	" -X k8s.io/component-base/version.gitVersion=" + kubernetesVersion +
	" -X k8s.io/component-base/version.gitMajor=1" +
	" -X k8s.io/component-base/version.gitMinor=36"

// keepBuilds is how long a binary that is not used stays in the cache.
const keepBuilds = 24 * time.Hour

var builds struct {
	sync.Mutex
	paths map[string]string
}

// Binary returns the path of the binary of a main package of this module, named by
// its folder, as in "scheduler" or "e2e/controlplane". It is built when it is not in
// the user's cache folder, under a name that holds a hash of go.mod, go.sum and the
// sources; progress goes to standard error. Where the build takes longer than the
// test may, the test fails with the advice to run it again: Go keeps what is
// compiled.
func Binary(t T, folder string) string {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if path, ok := builds.paths[folder]; ok {
		return path
	}
	path, err := build(t.Context(), folder, deadline(t))
	if err != nil {
		t.Fatalf("build %s: %v", folder, err)
	}
	if builds.paths == nil {
		builds.paths = map[string]string{}
	}
	builds.paths[folder] = path
	return path
}

// deadline is when a build has to give up: a little before the test's own.
func deadline(t T) time.Time {
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, ok := t.Deadline(); ok {
			return at.Add(-30 * time.Second)
		}
	}
	return time.Now().Add(time.Hour)
}

func build(ctx context.Context, folder string, deadline time.Time) (string, error) {
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	sum, err := hashOf(module, folder)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "taints-kubernetes-e2e")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}

	name := strings.ReplaceAll(folder, "/", "-") + "-"
	path := filepath.Join(cache, name+sum)
	if _, err := os.Stat(path); err == nil {
		now := time.Now()
		return path, os.Chtimes(path, now, now)
	}
	removeOld(cache, name)

	// The build goes to a name of its own first, so that nobody finds half a binary.
	temporary := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(temporary)
	if err := goBuild(ctx, module, folder, temporary, deadline); err != nil {
		return "", err
	}
	return path, os.Rename(temporary, path)
}

// goBuild runs go build, and says every ten seconds how far it is.
func goBuild(ctx context.Context, module, folder, output string, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	command := exec.CommandContext(ctx, "go", "build", "-v", "-trimpath",
		"-ldflags", ldflags, "-o", output, "./"+folder)
	command.Dir = module
	command.Env = append(os.Environ(), "CGO_ENABLED=0") // as images/build does, so that both share what is compiled
	var log progress
	command.Stderr = &log
	command.Stdout = &log
	own(command)
	command.Cancel = func() error { return killGroup(command) }
	command.WaitDelay = 10 * time.Second

	begin := time.Now()
	done := make(chan struct{})
	defer close(done)
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				packages, last := log.state()
				fmt.Fprintf(os.Stderr, "building %s: %d packages compiled in %v, last %s\n",
					folder, packages, time.Since(begin).Round(time.Second), last)
			}
		}
	}()
	fmt.Fprintf(os.Stderr, "building %s (the first time it takes minutes)\n", folder)
	p := &process{name: "go build", command: command}
	if err := p.start(); err != nil {
		return err
	}
	<-p.done
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("not finished after %v; what is compiled is kept: run the test again, or with -timeout 1h",
			time.Since(begin).Round(time.Second))
	case p.err != nil:
		return fmt.Errorf("%w\n%s", p.err, log.tail())
	}
	fmt.Fprintf(os.Stderr, "built %s in %v\n", folder, time.Since(begin).Round(time.Second))
	return nil
}

// progress takes the output of go build -v, a line for each package that it compiles.
type progress struct {
	mu    sync.Mutex
	lines []string
}

func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range bytes.Lines(b) {
		p.lines = append(p.lines, strings.TrimSpace(string(line)))
	}
	return len(b), nil
}

func (p *progress) state() (packages int, last string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lines) == 0 {
		return 0, "none"
	}
	return len(p.lines), p.lines[len(p.lines)-1]
}

func (p *progress) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines[max(0, len(p.lines)-20):], "\n")
}

// moduleDir is the folder of this module's go.mod, above that in which the test runs.
func moduleDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// hashOf is the hash of all that the binary is built from: the modules' versions,
// the toolchain, and the sources. The control plane has none but its own, so it is
// not built again when the others change.
func hashOf(module, folder string) (string, error) {
	roots := []string{filepath.Join(module, folder)}
	if folder != controlPlane {
		roots = []string{module, filepath.Join(module, "../.."), filepath.Join(module, "../../kube")}
	}
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), runtime.GOOS, runtime.GOARCH, ldflags)
	files := []string{filepath.Join(module, "go.mod"), filepath.Join(module, "go.sum")}
	for _, root := range roots {
		found, err := sources(root)
		if err != nil {
			return "", err
		}
		files = append(files, found...)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		name, err := filepath.Rel(module, file)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, name, len(content))
		sum.Write(content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// sources are the Go files of the module at root, without tests and the modules below it.
func sources(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				files = append(files, path)
			}
			return nil
		}
		if path == root {
			return nil
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		return nil
	})
	return files, err
}

// removeOld deletes builds of the binary that nobody used for a while.
func removeOld(cache, name string) {
	old, err := filepath.Glob(filepath.Join(cache, name+"*"))
	if err != nil {
		return
	}
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > keepBuilds {
			os.Remove(path)
		}
	}
}
