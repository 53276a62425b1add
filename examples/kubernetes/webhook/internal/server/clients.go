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
	// maxClients limits the connections.
	maxClients = 500
	// freeBody is how much of its body each connection may hold at any time. Most
	// reviews are smaller.
	freeBody = 16 << 10
	// maxBodies limits the bytes that all bodies but the oldest hold beyond freeBody.
	maxBodies = maxBody
	// patience is how long a client may take to send as many bytes as it has room for,
	// and another second for each speed of them, where others wait for room.
	patience = 100 * time.Millisecond
	speed    = 20 << 20

	requestTimeout = 5 * time.Second // for a request's header, and for its body
)

// clients limits the connections, and the memory that the bodies of requests take.
// Where others need room, it closes the connections of the slowest clients.
type clients struct {
	draining atomic.Bool

	mu     sync.Mutex
	all    map[io.Closer]*client // by connection
	bodies int                   // the bytes that bodies hold beyond freeBody
	last   int                   // the order of the newest body
}

func newClients() *clients { return &clients{all: map[io.Closer]*client{}} }

// A client is a connection. The mutex of clients guards it.
type client struct {
	connection io.Closer
	host       string
	since      time.Time // since when the webhook waits for the client; zero if it does not
	due        time.Time // when the body is late, if others wait
	order      int       // of the bodies that hold more than freeBody; 0 if this one does not
	bytes      int       // its part of bodies
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
		s.cut(s.idlest())
	}
	return context.WithValue(ctx, clientKey{}, c)
}

func (s *clients) idlest() *client {
	count := map[string]int{}
	for _, c := range s.all {
		count[c.host]++
	}
	var found *client
	for _, c := range s.all {
		if c.since.IsZero() {
			continue
		}
		if found == nil || count[c.host] > count[found.host] ||
			count[c.host] == count[found.host] && c.since.Before(found.since) {
			found = c
		}
	}
	return found
}

// cut closes a connection.
func (s *clients) cut(c *client) {
	delete(s.all, c.connection)
	go c.connection.Close() // it may wait for a client that does not read
}

// changed is the ConnState of a [http.Server].
func (s *clients) changed(connection net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c := s.all[connection]; {
	case c == nil: // it was cut
	case state == http.StateIdle:
		c.since = time.Now()
	case state == http.StateActive:
		c.since = time.Time{}
	case state == http.StateClosed:
		delete(s.all, connection)
	}
}

// read reads the body of a request, which the client holds until leave. An error
// comes with an HTTP status code.
func (s *clients) read(w http.ResponseWriter, r *http.Request) (body []byte, code int, err error) {
	c := r.Context().Value(clientKey{}).(*client)
	deadline := time.Now().Add(requestTimeout)
	if err := http.NewResponseController(w).SetReadDeadline(deadline); err != nil {
		return nil, http.StatusInternalServerError, err
	}
	length := int(r.ContentLength)
	body = make([]byte, min(length, freeBody))
	for begin := 0; ; {
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
	oldest := c
	for _, other := range s.all {
		if other.order > 0 && other.order < oldest.order {
			oldest = other
		}
	}
	room := maxBodies - (s.bodies - oldest.bytes)
	if c == oldest || c.bytes+bytes <= room-bytes {
		s.bodies += bytes
		c.bytes += bytes
		return true
	}
	for _, other := range s.all {
		if other.order > 0 && !other.since.IsZero() && time.Now().After(other.due) {
			s.cut(other)
		}
	}
	return false
}

// leave ends the request of a client.
func (s *clients) leave(r *http.Request) {
	c := r.Context().Value(clientKey{}).(*client)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies -= c.bytes
	c.bytes, c.order = 0, 0
}

// drain lets clients close their connections: each answer says that it is the last
// one. If the webhook closed a connection while a request is on the way, that request
// would fail. drain returns when there are no connections, or after the limit.
func (s *clients) drain(limit time.Duration) {
	s.draining.Store(true)
	for end := time.Now().Add(limit); s.connected() > 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

func (s *clients) setLast(w http.ResponseWriter) {
	if s.draining.Load() {
		w.Header().Set("Connection", "close")
	}
}

func (s *clients) connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}
