// SPDX-License-Identifier: Apache-2.0

// Command perf runs scheduler_perf, the scheduler benchmark of Kubernetes, with the
// stock scheduler and with the plugin Taints, and prints a table of both. The
// workloads are those of Kubernetes and some with many taints:
//
//	go run -C cluster ./perf
//	go run -C cluster ./perf -match 'Tainted80|Pool' -rounds 3
//
// Each run is a separate process, with an API server, an etcd and a scheduler: the test
// of this package, built with the tag benchmark, which adds all of Kubernetes. With
// -check, a workload runs for up to eight more rounds while their median is below its
// floor, and the command exits with 1 if it is then.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	match := flag.String("match", "", "run the workloads that match the `regexp`")
	rounds := flag.Int("rounds", 1, "run each workload `n` times with each scheduler; the median counts")
	check := flag.Bool("check", false, "run slow workloads again, and exit with 1 if the plugin is too slow")
	listed := flag.Bool("list", false, "list the workloads and run none")
	flag.Parse()
	chosen, err := choose(*match, *rounds)
	if flag.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "perf: %v\n", err)
		os.Exit(2)
	}
	if *listed {
		list(chosen, *rounds)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, chosen, *rounds, *check); err != nil {
		fmt.Fprintf(os.Stderr, "perf: %v\n", err)
		os.Exit(1)
	}
}

func choose(match string, rounds int) ([]workload, error) {
	if rounds < 1 {
		return nil, fmt.Errorf("-rounds is %d, want at least 1", rounds)
	}
	pattern, err := regexp.Compile(match)
	all, errAll := allWorkloads()
	if err := errors.Join(err, errAll); err != nil {
		return nil, err
	}
	other := func(w workload) bool { return !pattern.MatchString(w.String()) }
	chosen := slices.DeleteFunc(all, other)
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no workload matches %q: see -list", match)
	}
	return chosen, nil
}

// run prints the results so far even if it is interrupted, or a run fails.
func run(ctx context.Context, chosen []workload, rounds int, check bool) error {
	scratch, err := os.MkdirTemp("", "taints-perf-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	b := &bench{scratch: scratch}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	results, err := compare(ctx, b, chosen, rounds, check)
	if len(results) > 0 {
		fmt.Print(table(results))
	}
	if slow := below(results); check && len(slow) > 0 {
		err = errors.Join(err, fmt.Errorf("slower than it may be: %s", strings.Join(slow, ", ")))
	}
	return err
}

// A side is one of the two schedulers that are compared.
type side int

const (
	stock side = iota
	plugin
)

func (s side) String() string { return [...]string{"stock", "plugin"}[s] }

// A measurement has what one run of a workload measured.
type measurement struct {
	// Pods is how many pods were bound, and Seconds how long that took, from the
	// first to the last.
	Pods, Seconds float64
	CPU           float64 // of API server, scheduler and benchmark, in seconds
	// Algorithm is the mean time to choose a node, in seconds. Unlike the rest of an
	// attempt, it does not wait for the API server.
	Algorithm float64
}

// throughput returns the pods bound per second. The first pod starts the clock, and
// does not count.
func (m measurement) throughput() float64 { return (m.Pods - 1) / m.Seconds }

// A bench runs workloads, each run in a separate process.
type bench struct {
	own        string // the folder of this package
	kubernetes string // the folder of scheduler_perf
	scratch    string // a folder for temporary files, with one for each side
}

// limit is the time limit of a run, which may hang.
const limit = 10 * time.Minute

// schedulerPerf is the package of Kubernetes' benchmark.
const schedulerPerf = "k8s.io/kubernetes/test/integration/scheduler_perf"

// prepare configures the schedulers, and builds the program that runs a workload.
func (b *bench) prepare(ctx context.Context) error {
	list := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", "./perf", schedulerPerf)
	list.Stderr = os.Stderr
	out, err := list.Output()
	own, kubernetes, ok := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if err != nil || !ok {
		return fmt.Errorf("is this cluster? %q, %w", out, err)
	}
	b.own, b.kubernetes = own, kubernetes
	manifest, err := os.ReadFile(filepath.Join(own, "../manifests/scheduler/config.yaml"))
	for s, profiles := range []string{stock: "profiles: [{}]", plugin: string(manifest)} {
		folder := b.path(side(s).String())
		config, errConfig := schedulerConfig(profiles)
		err = errors.Join(err, errConfig, os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "scheduler.yaml"), config, 0o644))
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "building the benchmark (the first time it takes minutes)")
	// The flags are those of the tests' control plane, to share the build cache.
	build := exec.CommandContext(ctx, "go", "test", "-c", "-tags", "benchmark", "-trimpath", "-ldflags", "-s -w", "-o", b.path("bin", "benchmark"), "./perf")
	build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	return os.Symlink(b.path("bin", "benchmark"), b.path("bin", "etcd"))
}

func (b *bench) path(elements ...string) string {
	return filepath.Join(append([]string{b.scratch}, elements...)...)
}

// run runs a workload once.
func (b *bench) run(ctx context.Context, w workload, s side) (m measurement, err error) {
	folder := b.path(s.String())
	alone, err := workloadConfig(w, w.file(b.own, b.kubernetes), filepath.Join(folder, "scheduler.yaml"))
	if err := errors.Join(err, os.WriteFile(filepath.Join(folder, "config.yaml"), alone, 0o644)); err != nil {
		return m, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	log, err := b.command(ctx, w, folder).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return m, fmt.Errorf("%s, %s: %w", w, s, ctx.Err())
	case err != nil:
		return m, fmt.Errorf("%s, %s: %w\n%s", w, s, err, failure(log))
	}
	result := filepath.Join(folder, "result.json")
	content, err := os.ReadFile(result)
	err = errors.Join(err, json.Unmarshal(content, &m), os.Remove(result))
	return m, err
}

func (b *bench) command(ctx context.Context, w workload, folder string) *exec.Cmd {
	command := exec.CommandContext(ctx, b.path("bin", "benchmark"),
		"-test.run=-", "-test.bench=.", "-test.benchtime=1x", "-data-items-dir="+folder,
		"-config="+filepath.Join(folder, "config.yaml"), "-result="+filepath.Join(folder, "result.json"),
	)
	command.Dir = filepath.Dir(w.file(b.own, b.kubernetes)) // paths of templates are relative to it
	modules, _, _ := strings.Cut(b.kubernetes, "/k8s.io/kubernetes@")
	command.Env = append(os.Environ(),
		"PATH="+b.path("bin")+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"TMPDIR="+folder,
		// Where the API server of Kubernetes' tests finds its sources.
		"TEST_SRCDIR="+modules, "TEST_WORKSPACE=.",
	)
	// On an interrupt, it stops its etcd.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 30 * time.Second
	return command
}

// klogLine matches a line of the programs' own output.
var klogLine = regexp.MustCompile(`(?m)^[IWE]\d{4} .*\n`)

func failure(log []byte) []byte {
	log = klogLine.ReplaceAll(log, nil)
	return log[max(0, len(log)-4000):]
}
