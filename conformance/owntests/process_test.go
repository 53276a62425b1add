// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

const endlessText = `package endless

import (
	"net"
	"os"
	"testing"
	"time"
)

func TestEndless(*testing.T) {
	if _, err := net.Dial("tcp", os.Getenv("OWNTESTS_ADDRESS")); err != nil {
		panic(err)
	}
	time.Sleep(time.Hour)
}
`

// A signal ends the test that runs, not only the go command: its connection ends.
func TestSignalEndsTests(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module endless\n", "endless_test.go": endlessText} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("OWNTESTS_ADDRESS", l.Addr().String())
	ctx, stop := untilSignal()
	defer stop()
	end := make(chan error)
	go func() {
		_, err := scratch{}.test(ctx, home, "endless")
		l.Close()
		end <- err
	}()
	running, err := l.Accept()
	if err != nil {
		t.Fatal(<-end)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	running.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := running.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the test still runs: %v", err)
	}
}

// A folder serves one run at a time, and the next one afterwards.
func TestOneRunInAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	for range 2 {
		release, err := own(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := own(dir); err == nil {
			t.Error("two runs share a folder")
		}
		release()
	}
}
