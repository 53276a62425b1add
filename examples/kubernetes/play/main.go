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
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

func main() {
	logs := flag.String("logs", "", "keep the output of the programs in this `folder`, relative to examples/kubernetes")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "play: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &session{ctx: ctx}
	g := begin(s, *logs)
	s.printf("%s", g.guide())
	g.watch()
	<-ctx.Done()
	s.end()
	s.printf("everything is down")
}

// A session owns a cluster: the cluster ends with the session.
type session struct {
	ctx context.Context

	mu       sync.Mutex
	cleanups []func()
	failed   atomic.Bool
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

// The remaining methods implement T of package cluster.

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
