// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// A Session is a [testing.TB] for a program, as far as a Cluster needs it. Its clusters
// end with it.
type Session struct {
	testing.TB // nil: nothing else is called

	name string
	ctx  context.Context

	mu       sync.Mutex
	cleanups []func()
	failed   atomic.Bool
}

// NewSession returns a session for the program with the name. Its context is canceled
// when the program is asked to stop.
func NewSession(name string) *Session {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return &Session{name: name, ctx: ctx}
}

// End takes down everything that was started, the newest first.
func (s *Session) End() {
	s.mu.Lock()
	cleanups := s.cleanups
	s.cleanups = nil
	s.mu.Unlock()
	for _, f := range slices.Backward(cleanups) {
		f()
	}
}

// The remaining methods are those of a [testing.TB].

func (s *Session) Helper()                  {}
func (s *Session) Name() string             { return s.name }
func (s *Session) Context() context.Context { return s.ctx }
func (s *Session) Failed() bool             { return s.failed.Load() }
func (s *Session) Fatal(args ...any)        { s.Fatalf("%s", fmt.Sprint(args...)) }

// Logf prints a line.
func (s *Session) Logf(format string, args ...any) {
	fmt.Println(strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"))
}

func (s *Session) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, f)
}

func (s *Session) Errorf(format string, args ...any) {
	s.failed.Store(true)
	s.Logf("%s: %s", s.name, fmt.Sprintf(format, args...))
}

// Fatalf takes everything down and ends the program.
func (s *Session) Fatalf(format string, args ...any) {
	code := 1
	if s.ctx.Err() != nil { // a failure after Ctrl-C is caused by it
		s.Logf("interrupted; what is compiled is kept, run the same command to go on")
		code = 130
	} else {
		s.Errorf(format, args...)
	}
	s.End()
	os.Exit(code)
}
