// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
)

// The limits of the manifest.
const goMemoryLimit, memoryLimit = 128 << 20, 192 << 20

// TestSlowClients lets 20 clients stall before the end of 20 MiB, and 4,000 before
// the end of 64 KiB. Meanwhile an API server gets its answers. The memory is that of
// the webhook and of its clients.
func TestSlowClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 20 seconds")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(goMemoryLimit))
	debug.FreeOSMemory() // what other tests left
	s := newService(t)
	s.start(t)
	stall := func(size int) {
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Timeout: time.Minute}
		connection, err := tls.DialWithDialer(dialer, "tcp", s.replicas[0], &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return // it was closed for a newer one
		}
		t.Cleanup(func() { connection.Close() })
		fmt.Fprintf(connection, "POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
		io.CopyN(connection, rand.NewChaCha8([32]byte{}), int64(size-1))
	}
	finish := s.load(t, 1)
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() { stall(20 << 20) })
	}
	for range 100 {
		clients.Go(func() {
			for range 40 {
				stall(64 << 10)
			}
		})
	}
	var done atomic.Bool
	go func() {
		clients.Wait()
		done.Store(true)
	}()
	var peak uint64
	for memory := (runtime.MemStats{}); !done.Load(); time.Sleep(20 * time.Millisecond) {
		runtime.ReadMemStats(&memory)
		peak = max(peak, memory.Sys-memory.HeapReleased)
	}
	finish()
	if t.Logf("at most %d MiB of memory", peak>>20); peak > memoryLimit {
		t.Errorf("that is more than %d MiB", memoryLimit>>20)
	}
}

// TestReplacements replaces the replicas of the webhook one after the other, ten
// times, while API servers send reviews without a pause. None fails.
func TestReplacements(t *testing.T) {
	s := newService(t)
	stops := []func(){s.start(t), s.start(t)}
	finish := s.load(t, 4)
	var stopping sync.WaitGroup
	for i := range 10 {
		stops = append(stops, s.start(t))
		s.mu.Lock()
		s.replicas = s.replicas[1:]
		s.mu.Unlock()
		time.Sleep(100 * time.Millisecond) // less than the preStop hook of the manifest
		stopping.Go(stops[i])
	}
	finish()
	stopping.Wait()
}

// A service is the Service of the webhook, with the client that API servers have.
type service struct {
	folder string // with the certificate
	client *rest.RESTClient

	mu       sync.Mutex
	replicas []string // the addresses for new connections
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{folder: t.TempDir()}
	certificate, key, err := cert.GenerateSelfSignedCertKey("admission.taints-webhooks.svc", nil, nil)
	err = errors.Join(err, os.WriteFile(filepath.Join(s.folder, "tls.crt"), certificate, 0o600),
		os.WriteFile(filepath.Join(s.folder, "tls.key"), key, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	manager := taints.Must(webhook.NewClientManager([]schema.GroupVersion{admissionv1.SchemeGroupVersion}, admissionv1.AddToScheme))
	manager.SetAuthenticationInfoResolver(taints.Must(webhook.NewDefaultAuthenticationInfoResolver("")))
	manager.SetServiceResolver(s)
	s.client = taints.Must(manager.HookClient(webhook.ClientConfig{CABundle: certificate, Service: &webhook.ClientConfigService{
		Namespace: "taints-webhooks", Name: "admission", Path: "/validate",
	}}))
	return s
}

// ResolveEndpoint implements [webhook.ServiceResolver].
func (s *service) ResolveEndpoint(string, string, int32) (*url.URL, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &url.URL{Host: s.replicas[rand.IntN(len(s.replicas))]}, nil
}

// start starts a replica, and returns how to stop it.
func (s *service) start(t *testing.T) (stop func()) {
	t.Helper()
	addr := controlplane.FreeAddress(t)
	policies := taints.Must(OpenPolicies("", taints.DefaultTolerationSeconds{}, logr.Discard()))
	replica := taints.Must(New(addr, s.folder, policies, logr.Discard()))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- replica.Start(ctx) }()
	controlplane.Within(t, time.Minute, "it serves", func() error { return replica.Ready(nil) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replicas = append(s.replicas, addr)
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// load sends reviews without a pause from so many clients until finish is called.
// Each pod must be allowed.
func (s *service) load(t *testing.T, clients int) (finish func()) {
	bodies := [2][]byte{[]byte(review("web", pod(""))), []byte(review("web", pod("")) + strings.Repeat(" ", 200<<10))}
	var done atomic.Bool
	var sent, slowest atomic.Int64
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for !done.Load() {
				begun, answer, body := time.Now(), &admissionv1.AdmissionReview{}, bodies[sent.Add(1)%2]
				err := s.client.Post().Body(body).SetHeader("Content-Type", "application/json").Timeout(requestTimeout).Do(t.Context()).Into(answer)
				if err != nil || answer.Response == nil || !answer.Response.Allowed {
					t.Errorf("%v; the answer is %+v", err, answer.Response)
				}
				slowest.Store(max(slowest.Load(), int64(time.Since(begun))))
			}
		})
	}
	return func() {
		done.Store(true)
		running.Wait()
		t.Logf("each of %d reviews took at most %v", sent.Load(), time.Duration(slowest.Load()))
	}
}
