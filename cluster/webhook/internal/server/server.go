// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/open-policy-agent/cert-controller/pkg/rotator"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

const (
	// idleTimeout is longer than API servers keep a connection that they do not use
	// (90 s). So they close it themselves, and never send a review to a connection
	// that the webhook is closing.
	idleTimeout = 3 * time.Minute
	// lastRequests is how long clients have for a last request on each connection
	// when the webhook stops.
	lastRequests = 12 * time.Second
)

// A Server serves the webhooks as soon as a certificate exists. It uses the current
// contents of tls.crt and tls.key. It is a runnable of a manager, which starts it
// whether or not an API server answers.
type Server struct {
	webhook.Server // so that a manager starts it before its cache, and stops it last
	addr, certDir  string
	clients        *clients
	watcher        *certwatcher.CertWatcher
	log            logr.Logger
	started        atomic.Bool
}

// New returns a server on the address, with both webhooks.
func New(addr, certDir string, policies *Policies, log logr.Logger) (*Server, error) {
	if _, err := net.ResolveTCPAddr("tcp", addr); err != nil {
		return nil, err
	}
	s := &Server{Server: webhook.NewServer(webhook.Options{}), addr: addr, certDir: certDir, clients: newClients(), log: log}
	registerHooks(s, s.clients, policies, log)
	return s, nil
}

// Ready returns an error until the server serves. It is a check of a manager.
func (s *Server) Ready(*http.Request) error {
	if !s.started.Load() {
		return errors.New("there is no certificate yet")
	}
	return nil
}

// Start serves until the context ends and requests are answered.
func (s *Server) Start(ctx context.Context) error {
	if !s.awaitCertificate(ctx) {
		return nil
	}
	s.watcher.RegisterCallback(func(c tls.Certificate) {
		certificateExpiry.Set(float64(c.Leaf.NotAfter.Unix()))
		certificateLifetime.Set(c.Leaf.NotAfter.Sub(c.Leaf.NotBefore).Seconds())
	})
	go func() {
		if err := s.watcher.Start(ctx); err != nil {
			s.log.Error(err, "the certificate is no longer watched")
		}
	}()
	listener, err := tls.Listen("tcp", s.addr, &tls.Config{
		MinVersion: tls.VersionTLS12, GetCertificate: s.watcher.GetCertificate,
		// API servers use no HTTP/2 for a Service: kubernetes/kubernetes#75791.
		NextProtos: []string{"http/1.1"},
	})
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: s.WebhookMux(), ConnContext: s.clients.enter, ConnState: s.clients.changed,
		ReadHeaderTimeout: requestTimeout, MaxHeaderBytes: 8 << 10,
		WriteTimeout: 3 * requestTimeout, IdleTimeout: idleTimeout,
	}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		s.clients.drain(lastRequests)
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		defer cancel()
		stopped <- server.Shutdown(ctx)
	})
	s.started.Store(true)
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return <-stopped
}

// awaitCertificate waits until a certificate exists, and reports whether one does.
func (s *Server) awaitCertificate(ctx context.Context) bool {
	last := ""
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
		watcher, err := certwatcher.New(filepath.Join(s.certDir, "tls.crt"), filepath.Join(s.certDir, "tls.key"))
		if err != nil && err.Error() != last {
			s.log.Info("waiting for a certificate", "reason", err.Error())
			last = err.Error()
		}
		s.watcher = watcher
		return err == nil, nil
	}) == nil
}

// A Rotation keeps a certificate in a Secret, which is mounted at CertDir, and the
// certificate's authority in both webhook configurations. It is a runnable of the
// manager.
type Rotation struct {
	Manager      manager.Manager
	Secret       types.NamespacedName
	CertDir      string
	DNSName      string // the name that the certificate is for
	Registration string // the name of both configurations
}

// NeedLeaderElection returns false, because every replica does this. Each write has
// the resource version that was read, so the second replica to write reads again.
func (r *Rotation) NeedLeaderElection() bool { return false }

// Start waits until the Secret can be read. Otherwise the rotator would end the
// manager, and with it a webhook that may have a certificate.
func (r *Rotation) Start(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, 5*time.Second, true, func(ctx context.Context) (bool, error) {
		err := r.Manager.GetAPIReader().Get(ctx, r.Secret, &corev1.Secret{})
		if err != nil {
			r.Manager.GetLogger().Error(err, "the certificate cannot be rotated yet")
		}
		return err == nil, nil
	})
	if err != nil {
		return nil
	}
	return rotator.AddRotator(r.Manager, &rotator.CertRotator{
		SecretKey:      r.Secret,
		CertDir:        r.CertDir,
		CAName:         "taints-webhook",
		CAOrganization: "taints",
		DNSName:        r.DNSName,
		IsReady:        make(chan struct{}),
		FieldOwner:     "taints-webhook",
		Webhooks: []rotator.WebhookInfo{
			{Name: r.Registration, Type: rotator.Mutating},
			{Name: r.Registration, Type: rotator.Validating},
		},
	})
}

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
