// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestServerLimits(t *testing.T) {
	s := newServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	if s.ReadHeaderTimeout <= 0 || s.ReadTimeout < s.ReadHeaderTimeout ||
		s.WriteTimeout <= requestTimeout || s.IdleTimeout <= 90*time.Second ||
		s.MaxHeaderBytes != maxHeader || s.ErrorLog == nil {
		t.Errorf("%+v", s)
	}
}

// closed returns a listener that no longer listens.
func closed(t *testing.T) net.Listener {
	t.Helper()
	listener := open(t)
	listener.Close()
	return listener
}

func open(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func TestServeFails(t *testing.T) {
	config := &tls.Config{Certificates: make([]tls.Certificate, 1)}
	server := &Server{Policies: fixed(&Policy{}), TLS: config, Log: slog.New(slog.DiscardHandler)}
	for _, listeners := range [][2]net.Listener{{closed(t), nil}, {closed(t), open(t)}, {open(t), closed(t)}} {
		if err := server.Serve(context.Background(), listeners[0], listeners[1]); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if listeners[1] == nil {
			continue
		}
		for _, l := range listeners {
			if err := l.Close(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("%v still listened: %v", l.Addr(), err)
			}
		}
	}
}

func TestListen(t *testing.T) {
	taken := open(t)
	defer taken.Close()
	if _, _, err := Listen(taken.Addr().String(), "0"); err == nil {
		t.Error("two listen on one address")
	}
	free := closed(t).Addr().String()
	if _, _, err := Listen(free, taken.Addr().String()); err == nil {
		t.Error("two listen on one address")
	}
	listener, metrics, err := Listen(free, "0")
	if err != nil || metrics != nil {
		t.Fatalf("%v, %v", metrics, err)
	}
	listener.Close()
}
