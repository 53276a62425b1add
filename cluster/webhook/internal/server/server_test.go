// SPDX-License-Identifier: Apache-2.0

package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/seed-0529bac1/taints/cluster/webhook/internal/policy"
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
		send(large[:maxBodies/8], 0, http.StatusOK, requestTimeout/2)
		for range 4 {
			send(large, 0, http.StatusOK, requestTimeout/2)
		}
		answered.Wait()
		time.Sleep(requestTimeout)
	})
}

// TestTooManyClients connects more clients than there may be. Those that are closed
// are the oldest that send nothing, from the address that has the most.
func TestTooManyClients(t *testing.T) {
	synctest.Test(t, testTooManyClients)
}

func testTooManyClients(t *testing.T) {
	s := newClients()
	connect := func(host string, n int, state http.ConnState) (connections []*fakeConnection) {
		for range n {
			connections = append(connections, &fakeConnection{clients: s, host: host})
			s.enter(t.Context(), connections[len(connections)-1])
			s.changed(connections[len(connections)-1], state)
			time.Sleep(time.Millisecond)
			synctest.Wait()
		}
		return connections
	}
	kept := append(connect("192.0.2.1", 10, http.StateIdle), connect("192.0.2.2", 5, http.StateActive)...)
	others := connect("192.0.2.2", maxClients, http.StateNew)
	for i, c := range append(kept, others[len(kept):]...) {
		if s.all[c] == nil {
			t.Errorf("connection %d was closed", i)
		}
	}
	if len(s.all) != maxClients {
		t.Errorf("there are %d connections", len(s.all))
	}
}

// A fakeConnection is a connection from a host.
type fakeConnection struct {
	net.Conn
	clients *clients
	host    string
}

func (f *fakeConnection) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(f.host)} }

func (f *fakeConnection) Close() error {
	f.clients.changed(f, http.StateClosed)
	return nil
}
