// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/measurement"
)

// A side is one of the two that are compared.
type side int

const (
	stock side = iota
	plugin
)

func (s side) String() string {
	if s == plugin {
		return "plugin"
	}
	return "stock"
}

// A bench runs workloads, each run in a process of its own.
type bench struct {
	own        string // the folder of this package
	kubernetes string // the folder of scheduler_perf
	modules    string // the module cache
	scratch    string // a folder for files, which ends with the bench
	binary     string
	logs       string // a folder where the output of runs is kept, or ""
	profiles   string // a folder for CPU profiles, or ""
}

// limit ends a run that hangs.
const limit = 15 * time.Minute

// The packages of the program that runs workloads, and of Kubernetes' benchmark.
const (
	benchmarkPackage = "./scheduler/internal/benchmark"
	schedulerPerf    = "k8s.io/kubernetes/test/integration/scheduler_perf"
)

// newBench builds what the runs need.
func newBench(ctx context.Context, logs, profiles string) (*bench, error) {
	list := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "./perf", schedulerPerf)
	out, err := output(list)
	if err != nil {
		return nil, fmt.Errorf("%w (is this examples/kubernetes?)", err)
	}
	folders := strings.Split(out, "\n")
	if len(folders) != 2 {
		return nil, fmt.Errorf("go list: %q", out)
	}
	modules, err := output(exec.CommandContext(ctx, "go", "env", "GOMODCACHE"))
	if err != nil {
		return nil, err
	}
	if profiles != "" {
		// Runs have a working directory of their own.
		if profiles, err = filepath.Abs(profiles); err != nil {
			return nil, err
		}
	}
	scratch, err := os.MkdirTemp("", "taints-perf-")
	if err != nil {
		return nil, err
	}
	b := &bench{
		own: folders[0], kubernetes: folders[1], modules: modules,
		scratch: scratch, logs: logs, profiles: profiles,
	}
	if err := b.prepare(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) prepare(ctx context.Context) error {
	for _, folder := range []string{b.logs, b.profiles, b.path("bin"), b.path("tmp")} {
		if folder == "" {
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	for _, s := range []side{stock, plugin} {
		content, err := readSchedulerConfig(b.own, s == plugin)
		if err != nil {
			return err
		}
		if err := os.WriteFile(b.schedulerConfig(s), content, 0o644); err != nil {
			return err
		}
	}
	b.binary = b.path("bin", "benchmark")
	fmt.Fprintln(os.Stderr, "building the benchmark (the first time it takes minutes)")
	// The flags are those of the tests' control plane, so that both share what
	// is compiled.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w",
		"-o", b.binary, benchmarkPackage)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if _, err := output(build); err != nil {
		return err
	}
	return os.Symlink(b.binary, b.path("bin", "etcd"))
}

// close removes what the bench has written.
func (b *bench) close() error { return os.RemoveAll(b.scratch) }

func (b *bench) path(elements ...string) string {
	return filepath.Join(append([]string{b.scratch}, elements...)...)
}

func (b *bench) schedulerConfig(s side) string { return b.path(fmt.Sprintf("scheduler-%s.yaml", s)) }

// run runs a workload once, and returns also how many nodes it has.
func (b *bench) run(ctx context.Context, w workload, s side) (run measurement.Run, nodes int, err error) {
	performanceConfig, err := os.ReadFile(w.file(b.own, b.kubernetes))
	if err != nil {
		return run, 0, err
	}
	c, err := newConfig(w, performanceConfig, b.schedulerConfig(s))
	if err != nil {
		return run, 0, err
	}
	if err := os.WriteFile(b.path("config.yaml"), c.content, 0o644); err != nil {
		return run, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	log, runErr := b.command(ctx, w, s, c).CombinedOutput()
	if b.logs != "" {
		file := filepath.Join(b.logs, fileName(w, s)+".log")
		if err := os.WriteFile(file, log, 0o644); err != nil {
			return run, 0, err
		}
	}
	switch {
	case ctx.Err() != nil:
		return run, 0, fmt.Errorf("%s, %s: %w", w, s, ctx.Err())
	case runErr != nil:
		return run, 0, fmt.Errorf("%s, %s: %w\n%s", w, s, runErr, failure(log))
	}
	run, err = readRun(b.path("result.json"))
	return run, c.nodes, err
}

// command is the process of a run.
func (b *bench) command(ctx context.Context, w workload, s side, c *config) *exec.Cmd {
	args := []string{
		"-test.bench=.", "-test.benchtime=1x",
		"-config=" + b.path("config.yaml"),
		"-result=" + b.path("result.json"),
		"-namespaces=" + strings.Join(c.namespaces, ","),
		"-selector=" + c.selector,
		"-data-items-dir=" + b.path("tmp"),
	}
	if b.profiles != "" {
		args = append(args, "-profile="+filepath.Join(b.profiles, fileName(w, s)+".pprof"))
	}
	command := exec.CommandContext(ctx, b.binary, args...)
	command.Dir = filepath.Dir(w.file(b.own, b.kubernetes)) // templates are named from there
	command.Env = append(os.Environ(),
		"PATH="+b.path("bin")+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"TMPDIR="+b.path("tmp"),
		// How the API server of Kubernetes' tests finds its sources where the
		// binary was built with -trimpath.
		"TEST_SRCDIR="+b.modules, "TEST_WORKSPACE=.",
	)
	// An interrupt has it stop its etcd.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	return command
}

func readRun(file string) (measurement.Run, error) {
	var run measurement.Run
	content, err := os.ReadFile(file)
	if err != nil {
		return run, err
	}
	if err := os.Remove(file); err != nil { // so that none is taken for that of the next run
		return run, err
	}
	err = json.Unmarshal(content, &run)
	return run, err
}

// fileName is a name for files that belong to a workload.
func fileName(w workload, s side) string {
	return strings.ReplaceAll(w.String(), "/", "-") + "-" + s.String()
}

// klogLine is a line of the programs' own output.
var klogLine = regexp.MustCompile(`^[IWE]\d{4} `)

// failure returns what a benchmark said of its failure, without the output of the
// programs: the last lines from the first FAIL on.
func failure(log []byte) string {
	var lines []string
	for line := range bytes.Lines(log) {
		failed := len(lines) > 0 || bytes.HasPrefix(line, []byte("--- FAIL"))
		if failed && !klogLine.Match(line) {
			lines = append(lines, strings.TrimRight(string(line), "\n"))
		}
	}
	if len(lines) == 0 {
		return strings.TrimSpace(string(log[max(0, len(log)-2000):]))
	}
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

func output(command *exec.Cmd) (string, error) {
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		name := strings.Join(command.Args[:2], " ")
		return "", fmt.Errorf("%s: %w\n%s", name, err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
