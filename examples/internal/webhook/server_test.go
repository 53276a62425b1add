package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"testing"
	"time"
)

func TestServerLimits(t *testing.T) {
	s := NewServer(&Policy{}, nil, slog.New(slog.DiscardHandler))
	if s.ReadHeaderTimeout <= 0 || s.ReadTimeout < s.ReadHeaderTimeout || s.WriteTimeout <= requestTimeout || s.IdleTimeout <= 90*time.Second || s.MaxHeaderBytes != maxHeader || s.ErrorLog == nil {
		t.Errorf("%+v", s)
	}
}

func TestServeFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	config := &tls.Config{Certificates: make([]tls.Certificate, 1)}
	err = Serve(context.Background(), NewServer(&Policy{}, config, slog.New(slog.DiscardHandler)), listener, 0)
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}
