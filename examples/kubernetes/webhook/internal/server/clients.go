// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxClients     = 500             // connections
	requestTimeout = 5 * time.Second // for a request's header, and for its body
	// freeBody is how much of its body each connection may always hold. Most reviews
	// are smaller.
	freeBody = 16 << 10
	// maxBodies limits the bytes that all bodies but the oldest hold beyond freeBody.
	maxBodies = maxBody
	// patience is how long a client may take to send the bytes that it has room for,
	// and another second for each speed of them, where others wait for room.
	patience = 100 * time.Millisecond
	speed    = 20 << 20
)

// clients limits the connections, and the memory that the bodies of requests take.
// Where others need room, it closes the connections of the slowest clients.
type clients struct {
	draining atomic.Bool

	mu   sync.Mutex
	all  map[net.Conn]*client
	last int // the order of the newest body
}

func newClients() *clients { return &clients{all: map[net.Conn]*client{}} }

// A client is a connection. The mutex of clients guards it.
type client struct {
	connection net.Conn
	host       string
	since, due time.Time // since when, and until when, the webhook waits for it; zero if it does not
	order      int       // among the bodies that hold more than freeBody; 0 if this one does not
	bytes      int       // that its body holds beyond freeBody
}

type clientKey struct{}

// enter adds a new connection. If there are too many, it closes one: of the address
// that has the most, the one for which the webhook waits longest. It is the
// ConnContext of a [http.Server].
func (s *clients) enter(ctx context.Context, connection net.Conn) context.Context {
	host, _, _ := net.SplitHostPort(connection.RemoteAddr().String())
	c := &client{connection: connection, host: host, since: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[connection] = c
	if len(s.all) > maxClients {
		s.idlest().cut()
	}
	return context.WithValue(ctx, clientKey{}, c)
}

func (s *clients) idlest() (found *client) {
	count := map[string]int{}
	for _, c := range s.all {
		count[c.host]++
	}
	for _, c := range s.all {
		if !c.since.IsZero() && (found == nil || count[c.host] > count[found.host] ||
			count[c.host] == count[found.host] && c.since.Before(found.since)) {
			found = c
		}
	}
	return found
}

// cut closes a connection. Its memory counts until the server is done with it.
func (c *client) cut() {
	c.since = time.Time{}
	go c.connection.Close() // it may wait for a client that does not read
}

// changed is the ConnState of a [http.Server].
func (s *clients) changed(connection net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c := s.all[connection]; state {
	case http.StateActive:
		c.since = time.Time{}
	case http.StateIdle:
		c.since, c.order, c.bytes = time.Now(), 0, 0
	case http.StateClosed:
		delete(s.all, connection)
	}
}

// read reads the body of a request. An error comes with an HTTP status code.
func (s *clients) read(w http.ResponseWriter, r *http.Request) (body []byte, code int, err error) {
	c := r.Context().Value(clientKey{}).(*client)
	deadline := time.Now().Add(requestTimeout)
	if err := http.NewResponseController(w).SetReadDeadline(deadline); err != nil {
		return nil, http.StatusInternalServerError, err
	}
	length, begin := int(r.ContentLength), 0
	for body = make([]byte, min(length, freeBody)); ; {
		s.waitFor(c, len(body)-begin)
		n, err := io.ReadFull(r.Body, body[begin:])
		s.waitFor(c, 0)
		begin += n
		if err != nil {
			return nil, http.StatusBadRequest, fmt.Errorf("the body has %d bytes, and %d arrived: %w", length, begin, err)
		}
		if begin == length {
			return body, 0, nil
		}
		more := min(begin, length-begin)
		for !s.grow(c, more) {
			if time.Now().After(deadline) {
				return nil, http.StatusServiceUnavailable, errors.New("too many large requests at once")
			}
			time.Sleep(10 * time.Millisecond)
		}
		body = append(make([]byte, 0, begin+more), body...)[:begin+more]
	}
}

// waitFor says that the webhook waits for so many bytes of the client.
func (s *clients) waitFor(c *client, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.since = time.Time{}
	if bytes > 0 {
		c.since = time.Now()
		c.due = c.since.Add(patience + time.Duration(bytes)*time.Second/speed)
	}
}

// grow reports whether the client's body may have so many bytes more. The oldest body
// always may, so that there is progress. Others must leave as much room as they have,
// so that there is some for smaller ones. If the body must wait, grow closes the
// connections of clients that are late.
func (s *clients) grow(c *client, bytes int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.order == 0 {
		s.last++
		c.order = s.last
	}
	oldest, held := c, 0
	for _, other := range s.all {
		held += other.bytes
		if other.order > 0 && other.order < oldest.order {
			oldest = other
		}
	}
	if c == oldest || c.bytes+2*bytes <= maxBodies-(held-oldest.bytes) {
		c.bytes += bytes
		return true
	}
	for _, other := range s.all {
		if other.order > 0 && !other.since.IsZero() && time.Now().After(other.due) {
			other.cut()
		}
	}
	return false
}

// drain lets clients close their connections: each answer says that it is the last
// one. If the webhook closed a connection while a request is on the way, that request
// would fail. drain returns when there are no connections, or after the limit.
func (s *clients) drain(limit time.Duration) {
	s.draining.Store(true)
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		connected := len(s.all)
		s.mu.Unlock()
		if connected == 0 {
			return
		}
	}
}
