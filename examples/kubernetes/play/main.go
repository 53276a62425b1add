// SPDX-License-Identifier: Apache-2.0

// Command play starts a Kubernetes cluster to play with: nodes that are objects
// with a heartbeat, the scheduler with the plugin Taints, the evictor, the webhook,
// and some pods. It prints how to reach the cluster and what to try, prints a line
// for each thing that happens, and takes everything down on Ctrl-C.
//
//	go run -C examples/kubernetes ./play
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

//go:embed usage.txt
var usage string

type options struct{ controlPlane, kubeconfig, logs string }

func main() {
	o, clean := parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &session{ctx: ctx}
	if clean {
		s.clean()
		return
	}
	g := begin(s, o)
	s.printf("%s", g.guide())
	g.watch()
	<-ctx.Done()
	s.end()
	s.printf("everything is down")
}

func parse() (o options, clean bool) {
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.StringVar(&o.controlPlane, "control-plane", "", "")
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "")
	flag.StringVar(&o.logs, "logs", "", "")
	flag.BoolVar(&clean, "clean", false, "")
	flag.Parse()
	wrong := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "play: "+format+"\n", args...)
		os.Exit(2)
	}
	switch {
	case flag.NArg() > 0:
		wrong("unexpected argument %q", flag.Arg(0))
	case o.controlPlane != "" && o.kubeconfig != "":
		wrong("-control-plane and -kubeconfig exclude each other")
	}
	for _, path := range []*string{&o.controlPlane, &o.kubeconfig} {
		if *path == "" {
			continue
		}
		absolute, err := filepath.Abs(*path)
		if err == nil {
			_, err = os.Stat(absolute)
		}
		if err != nil {
			wrong("%v", err)
		}
		*path = absolute
	}
	return o, clean
}

// A session owns a cluster: the cluster ends with the session.
type session struct {
	ctx context.Context

	mu       sync.Mutex
	cleanups []func()
	failed   atomic.Bool
}

var _ cluster.T = (*session)(nil)

func (s *session) clean() {
	folder, err := cluster.Cache()
	if err == nil {
		err = os.RemoveAll(folder)
	}
	if err != nil {
		s.Fatal(err)
	}
	s.printf("removed %s\nGo's caches serve all your projects. To empty them: go clean -cache removes what Go has compiled,"+
		" and go clean -modcache\nthe modules that it has downloaded.", folder)
}

// end takes down everything that was started, the newest first.
func (s *session) end() {
	s.mu.Lock()
	cleanups := s.cleanups
	s.cleanups = nil
	s.mu.Unlock()
	for _, f := range slices.Backward(cleanups) {
		f()
	}
}

func (s *session) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Println(strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"))
}

// The remaining methods implement [cluster.T].

func (s *session) Helper()                         {}
func (s *session) Name() string                    { return "play" }
func (s *session) Context() context.Context        { return s.ctx }
func (s *session) Failed() bool                    { return s.failed.Load() }
func (s *session) Logf(format string, args ...any) { s.printf(format, args...) }
func (s *session) Fatal(args ...any)               { s.Fatalf("%s", fmt.Sprint(args...)) }

func (s *session) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, f)
}

func (s *session) Errorf(format string, args ...any) {
	s.failed.Store(true)
	s.printf("play: "+format, args...)
}

// Fatalf takes everything down and ends the program.
func (s *session) Fatalf(format string, args ...any) {
	code := 1
	if s.ctx.Err() != nil { // a failure after Ctrl-C is caused by it
		s.printf("interrupted; what is compiled is kept, run the same command to go on")
		code = 130
	} else {
		s.Errorf(format, args...)
	}
	s.end()
	os.Exit(code)
}
