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

	"github.com/seed-0529bac1/taints/cluster/webhook/internal/policy"
)

// TestNoRoom checks that medium and large requests wait for others of their kind, and
// not for long where those send slowly. Small ones do not wait.
func TestNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		allows := func(*policy.Policy, *admissionv1.AdmissionRequest) policy.Decision { return policy.Decision{} }
		clients := newClients()
		h := &hook{"validate", allows, &Policies{}, clients, logr.Discard()}
		small := review("web", pod(""))
		medium := small + strings.Repeat(" ", mediumBody-len(small))
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
				w := recorder{httptest.NewRecorder(), server}
				h.ServeHTTP(w, r)
				clients.changed(server, http.StateClosed)
				server.Close()
				if waited := time.Since(begun); w.Code != code || waited > after {
					t.Errorf("%d bytes, with a pause of %v: code %d after %v: %s", len(body), pause, w.Code, waited, w.Body)
				}
			})
			synctest.Wait()
		}
		send(large, time.Second, http.StatusOK, time.Second) // nobody else needs room
		answered.Wait()
		begun = time.Now()
		for range 4 { // two at a time, for 2 s
			send(large, requestTimeout, http.StatusBadRequest, 4*time.Second)
		}
		send(small, 0, http.StatusOK, 0)
		send(medium, 0, http.StatusOK, 0)
		for range 4 {
			send(large, 0, http.StatusOK, 4*time.Second)
		}
		answered.Wait()
		begun = time.Now()
		for range maxClients - 2 {
			send(medium, requestTimeout, http.StatusBadRequest, requestTimeout)
		}
		send(small, 0, http.StatusOK, 0)
		send(medium, 0, http.StatusOK, 4*time.Second)
		answered.Wait()
		time.Sleep(requestTimeout)
	})
}

// TestTooManyClients connects more clients than there may be. Those of the address
// that has the most are closed, first those that have been quiet for longest.
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
	kept := append(connect("192.0.2.1", 10, http.StateIdle), connect("192.0.2.2", 5, http.StateNew)...)
	others := connect("192.0.2.2", 100, http.StateNew)
	for _, c := range kept[10:] {
		s.changed(c, http.StateActive)
	}
	others = append(others, connect("192.0.2.2", maxClients-100, http.StateNew)...)
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
