// SPDX-License-Identifier: Apache-2.0

// Command play starts a Kubernetes control plane to play with: nodes that are
// objects with a heartbeat, the scheduler with the plugin Taints, the evictor and
// the webhook in the place of Kubernetes' own, and some pods. It says how to reach
// it and what to try, shows what happens, a line each, and takes everything down on
// Ctrl-C.
//
//	go run -C examples/kubernetes ./play
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

func main() {
	logs := flag.String("logs", "", "keep the output of the programs in this `folder`")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "play: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &session{ctx: ctx, out: os.Stdout}
	p := begin(s, *logs)
	s.printf("%s", p.guide())
	p.watch()
	<-ctx.Done()
	s.end()
	s.printf("everything is down")
}

// A session is what a cluster belongs to: it ends with it.
type session struct {
	ctx context.Context
	out io.Writer

	mu       sync.Mutex
	cleanups []func()
	failed   bool
}

var _ cluster.T = (*session)(nil)

// end takes down what was started, the newest first.
func (s *session) end() {
	s.mu.Lock()
	cleanups := s.cleanups
	s.cleanups = nil
	s.mu.Unlock()
	for _, f := range slices.Backward(cleanups) {
		f()
	}
}

// printf prints a line, or a text of some.
func (s *session) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.out, strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"))
}

// Helper implements [cluster.T].
func (s *session) Helper() {}

// Name implements [cluster.T].
func (s *session) Name() string { return "play" }

// Context implements [cluster.T]. It ends on Ctrl-C.
func (s *session) Context() context.Context { return s.ctx }

// Cleanup implements [cluster.T].
func (s *session) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, f)
}

// Failed implements [cluster.T].
func (s *session) Failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// Logf implements [cluster.T].
func (s *session) Logf(format string, args ...any) { s.printf(format, args...) }

// Errorf implements [cluster.T].
func (s *session) Errorf(format string, args ...any) {
	s.mu.Lock()
	s.failed = true
	s.mu.Unlock()
	s.printf("play: "+format, args...)
}

// Fatalf implements [cluster.T]: it takes everything down and ends the program, with
// code 1 unless it was asked to.
func (s *session) Fatalf(format string, args ...any) {
	code := 0
	if s.ctx.Err() == nil { // what fails after Ctrl-C fails because of it
		s.Errorf(format, args...)
		code = 1
	}
	s.end()
	os.Exit(code)
}

// Fatal implements [cluster.T].
func (s *session) Fatal(args ...any) { s.Fatalf("%s", fmt.Sprint(args...)) }
