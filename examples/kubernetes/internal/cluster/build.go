// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/version"
)

// ControlPlane is the folder of the program that holds all of Kubernetes.
const ControlPlane = "e2e/controlplane"

// Kubernetes returns the version of Kubernetes in go.mod, as in "v1.37.2".
func Kubernetes() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").Output()
	return strings.TrimSpace(string(out)), err
}

// ldflags returns flags that set the version of the control plane.
func ldflags() (string, error) {
	v, err := Kubernetes()
	if err != nil {
		return "", err
	}
	parsed, err := version.ParseSemantic(v)
	if err != nil {
		return "", err
	}
	const set = " -X k8s.io/component-base/version.git"
	return fmt.Sprintf("-s -w"+set+"Version=%s"+set+"Major=%d"+set+"Minor=%d", v, parsed.Major(), parsed.Minor()), nil
}

// keepBuilds is how long the programs of an unused checkout are kept.
const keepBuilds = 24 * time.Hour

var builds struct {
	sync.Mutex
	paths map[string]string
}

// Binary builds a program as [Build] does, and returns its path.
func Binary(t T, folder string) string {
	t.Helper()
	Build(t, nil, folder)
	builds.Lock()
	defer builds.Unlock()
	return builds.paths[folder]
}

// Build builds main packages of this repository, named by their folders relative to
// this module, as in "scheduler" or "../../cmd/kubectl-whynot". Progress is printed
// to standard error. An interrupted build continues where it stopped, because Go
// keeps compiled packages.
//
// If there is something to build, announce is called first, unless it is nil, with
// whether modules are missing, or else with how many packages must be compiled.
func Build(t T, announce func(download bool, packages int), folders ...string) {
	t.Helper()
	builds.Lock()
	defer builds.Unlock()
	if builds.paths == nil {
		builds.paths = map[string]string{}
	}
	folders = slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return builds.paths[f] != "" })
	if len(folders) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(t.Context())
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, ok := limited.Deadline(); ok {
			ctx, cancel = context.WithDeadline(ctx, at.Add(-30*time.Second))
		}
	}
	defer cancel()
	bin, err := build(ctx, announce, folders)
	if ctx.Err() != nil {
		t.Fatalf("the build is not finished; what is compiled is kept: run the test again, or with -timeout 1h")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		builds.paths[folder] = filepath.Join(bin, filepath.Base(folder))
	}
}

// Cache returns the folder of the built programs.
func Cache() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "taints-kubernetes"), err
}

// binDir creates the folder for the programs of this checkout, and removes the
// folders of unused checkouts.
func binDir(module string) (string, error) {
	cache, err := Cache()
	if err != nil {
		return "", err
	}
	bin := filepath.Join(cache, fmt.Sprintf("%x", sha256.Sum256([]byte(module)))[:16])
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	now := time.Now()
	if err := os.Chtimes(bin, now, now); err != nil {
		return "", err
	}
	all, err := os.ReadDir(cache)
	for _, folder := range all {
		if info, err := folder.Info(); err == nil && now.Sub(info.ModTime()) > keepBuilds {
			os.RemoveAll(filepath.Join(cache, folder.Name()))
		}
	}
	return bin, err
}

func build(ctx context.Context, announce func(bool, int), folders []string) (bin string, err error) {
	root, err := moduleDir(".")
	if err != nil {
		return "", err
	}
	if bin, err = binDir(root); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(bin, "go-build-") // in the same file system, so that programs appear whole
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary)
	// No cgo, like images/build, so that both share compiled packages.
	b := builder{ctx: ctx, env: append(os.Environ(), "CGO_ENABLED=0", "GOTMPDIR="+temporary), modules: map[string][]string{}}
	for _, folder := range folders {
		folder = filepath.Join(root, folder)
		module, err := moduleDir(folder)
		if err != nil {
			return "", err
		}
		b.modules[module] = append(b.modules[module], folder)
	}

	packages, err := b.missing("GOPROXY=off")
	if download := err != nil; announce != nil && (download || packages > 0) {
		announce(download, packages)
	}
	stop := b.progress.show()
	defer stop()
	if err != nil {
		if packages, err = b.missing(); err != nil {
			return "", err
		}
	}
	flags, err := ldflags()
	if err != nil {
		return "", err
	}
	b.progress.begin(packages)
	_, err = b.each(nil, "build", "-v", "-ldflags", flags, "-o", bin+string(filepath.Separator))
	return bin, err
}

// A builder runs the go command.
type builder struct {
	ctx      context.Context
	env      []string
	modules  map[string][]string // package folders, by module folder
	progress progress
}

// missing returns how many packages are not in Go's build cache. Main packages,
// which Go does not cache, do not count, and what both modules need counts once.
func (b *builder) missing(env ...string) (int, error) {
	output, err := b.each(env, "list", "-deps", "-f", `{{if and .Stale (ne .Name "main")}}{{.Dir}}{{end}}`)
	return sets.New(strings.Fields(string(output))...).Len(), err
}

// each runs a go command in each module, with its package folders as arguments.
func (b *builder) each(env []string, command string, args ...string) (output []byte, err error) {
	for _, module := range slices.Sorted(maps.Keys(b.modules)) {
		all := slices.Concat([]string{command, "-trimpath"}, args, b.modules[module])
		run := exec.CommandContext(b.ctx, "go", all...)
		run.Dir, run.Env = module, slices.Concat(b.env, env)
		var stdout bytes.Buffer
		run.Stdout, run.Stderr = &stdout, &b.progress
		own(run)
		run.Cancel = func() error { return signalGroup(run, syscall.SIGINT) }
		run.WaitDelay = 10 * time.Second
		p := &Process{name: "go", command: run}
		if err := p.start(); err != nil {
			return nil, err
		}
		<-p.done
		if p.err != nil {
			return nil, fmt.Errorf("go %s: %w\n%s", command, p.err, b.progress.tail())
		}
		output = append(output, stdout.Bytes()...)
	}
	return output, nil
}

// progress receives the output of go: a line for each package that it compiles, and
// a line for each module that it downloads.
type progress struct {
	mu                             sync.Mutex
	lines                          []string
	downloaded, compiled, packages int
	begun                          time.Time // when compiling began
}

func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(string(b)) {
		p.lines = append(p.lines, strings.TrimSpace(line))
		if strings.HasPrefix(line, "go: downloading ") {
			p.downloaded++
		} else {
			p.compiled++
		}
	}
	return len(b), nil
}

func (p *progress) begin(packages int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun, p.packages, p.compiled = time.Now(), packages, 0
}

// show prints the progress every ten seconds, until stop is called.
func (p *progress) show() (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				fmt.Fprintln(os.Stderr, p.line(now))
			}
		}
	}()
	return func() { close(done) }
}

func (p *progress) line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := now.Sub(p.begun)
	switch left := p.packages - p.compiled; {
	case p.begun.IsZero():
		return fmt.Sprintf("downloaded %d modules", p.downloaded)
	case left <= 0:
		return fmt.Sprintf("compiled %d packages, linking", p.packages)
	case p.compiled < 20:
		return fmt.Sprintf("compiled %d of %d packages in %v", p.compiled, p.packages, took.Round(time.Second))
	default:
		minutes := int(took.Minutes()*float64(left)/float64(p.compiled)) + 1
		return fmt.Sprintf("compiled %d of %d packages in %v, about %d min left",
			p.compiled, p.packages, took.Round(time.Second), minutes)
	}
}

func (p *progress) tail() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines[max(0, len(p.lines)-20):], "\n")
}

// moduleDir returns the folder of the module that a folder is in.
func moduleDir(folder string) (string, error) {
	command := exec.Command("go", "env", "GOMOD")
	command.Dir = folder
	file, err := command.Output()
	return filepath.Dir(strings.TrimSpace(string(file))), err
}
