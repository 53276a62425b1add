// SPDX-License-Identifier: Apache-2.0

package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/seed-0529bac1/taints/examples/kubernetes/webhook/internal/policy"
)

// TestNoRoom checks that large requests wait for each other, but neither they nor
// small ones for clients that send slowly.
func TestNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		allows := func(*policy.Policy, *admissionv1.AdmissionRequest) policy.Decision { return policy.Decision{} }
		clients := newClients()
		v := &reviewer{&admission.Webhook{Handler: handler{"validate", &Policies{}, allows, logr.Discard()}}, logr.Discard(), clients}
		small := review("web", pod(""))
		large := small + strings.Repeat(" ", maxBody-len(small))
		begun := time.Now()
		var answered sync.WaitGroup
		send := func(body string, pause time.Duration, code int, after time.Duration) {
			server, client := net.Pipe()
			r := requestOf("/validate", server)
			r = r.WithContext(clients.enter(t.Context(), server))
			r.ContentLength = int64(len(body))
			go func() {
				io.WriteString(client, body[:len(body)/2])
				time.Sleep(pause)
				io.WriteString(client, body[len(body)/2:])
			}()
			answered.Go(func() {
				w := recorder{httptest.NewRecorder()}
				v.ServeHTTP(w, r)
				clients.changed(server, http.StateClosed)
				if waited := time.Since(begun); w.Code != code || waited > after {
					t.Errorf("%d bytes, with a pause of %v: code %d after %v: %s", len(body), pause, w.Code, waited, w.Body)
				}
			})
			synctest.Wait()
		}
		send(large, time.Second, http.StatusOK, time.Second) // nobody else needs room
		answered.Wait()
		begun = time.Now()
		for range 4 {
			send(large, requestTimeout, http.StatusBadRequest, requestTimeout/2)
		}
		send(small, 0, http.StatusOK, 0)
		send(large[:maxBodies/40], 0, http.StatusOK, 0)
		send(large[:maxBodies/8], 0, http.StatusOK, patience+time.Second/2)
		for range 4 {
			send(large, 0, http.StatusOK, requestTimeout/2)
		}
		answered.Wait()
		time.Sleep(requestTimeout)
		if len(clients.all) > 0 || clients.bodies != 0 {
			t.Errorf("in the end there are %d clients, with %d bytes", len(clients.all), clients.bodies)
		}
	})
}

// TestTooManyClients connects more clients than there may be. Those that are closed
// are the oldest that send nothing, from the address that has the most.
func TestTooManyClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newClients()
		connect := func(host string, n int) (connections []*fakeConnection) {
			for range n {
				c := &fakeConnection{host: host}
				s.enter(t.Context(), c)
				connections = append(connections, c)
				time.Sleep(time.Millisecond)
				synctest.Wait()
			}
			return connections
		}
		closed := func(connections []*fakeConnection) (n int) {
			for _, c := range connections {
				if c.closed {
					n++
				}
			}
			return n
		}
		server := connect("192.0.2.1", 10)
		busy := connect("192.0.2.2", 5)
		for _, c := range busy {
			s.changed(c, http.StateActive)
		}
		others := connect("192.0.2.2", maxClients)
		if len(s.all) != maxClients || closed(server)+closed(busy) > 0 || closed(others) != 15 || closed(others[:15]) != 15 {
			t.Errorf("there are %d connections; %d, %d and %d were closed", len(s.all), closed(server), closed(busy), closed(others))
		}
	})
}

// A fakeConnection is a connection from a host.
type fakeConnection struct {
	net.Conn
	host   string
	closed bool
}

func (f *fakeConnection) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(f.host), 1))
}

func (f *fakeConnection) Close() error {
	f.closed = true
	return nil
}
