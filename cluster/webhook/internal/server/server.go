// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/open-policy-agent/cert-controller/pkg/rotator"
	"golang.org/x/sync/semaphore"
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
		ReadTimeout: requestTimeout, MaxHeaderBytes: 8 << 10,
		WriteTimeout: 3 * requestTimeout, IdleTimeout: idleTimeout,
	}
	drained, stop := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		s.clients.drain(lastRequests)
		stop()
	})
	s.started.Store(true)
	return (&manager.Server{Server: server, Listener: listener, ShutdownTimeout: new(requestTimeout)}).Start(drained)
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
	requestTimeout = 5 * time.Second // for a request to arrive, or to get room for its body
	// Bodies of at most smallBody need no room: all connections may have one. Those of at
	// most mediumBody share one room, and larger ones another.
	smallBody, mediumBody = 16 << 10, 256 << 10
	mediumRoom, largeRoom = 32 << 20, 2 * maxBody
	// patience is how long a client may take to send a body that has room, and another
	// second for each speed bytes of it.
	patience = time.Second
	speed    = 20 << 20
)

// clients limits the connections, and the memory that the bodies of requests take.
type clients struct {
	draining      atomic.Bool
	medium, large *semaphore.Weighted

	mu  sync.Mutex
	all map[net.Conn]*client
}

func newClients() *clients {
	return &clients{
		medium: semaphore.NewWeighted(mediumRoom), large: semaphore.NewWeighted(largeRoom),
		all: map[net.Conn]*client{},
	}
}

// A client is a connection. The mutex of clients guards it.
type client struct {
	host   string
	quiet  time.Time          // when it last was new, began a request, or got an answer
	cancel context.CancelFunc // ends its wait for room
}

// enter adds a new connection. If there are too many, it closes one: of the address
// that has the most, the one that has been quiet for longest. It is the ConnContext of
// a [http.Server].
func (s *clients) enter(ctx context.Context, connection net.Conn) context.Context {
	host, _, _ := net.SplitHostPort(connection.RemoteAddr().String())
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[connection] = &client{host, time.Now(), cancel}
	if len(s.all) > maxClients {
		quietest := s.quietest()
		s.leave(quietest)
		go quietest.Close() // it may wait for a client that does not read
	}
	return ctx
}

func (s *clients) quietest() net.Conn {
	count := map[string]int{}
	for _, c := range s.all {
		count[c.host]++
	}
	return slices.MaxFunc(slices.Collect(maps.Keys(s.all)), func(a, b net.Conn) int {
		return cmp.Or(cmp.Compare(count[s.all[a].host], count[s.all[b].host]), s.all[b].quiet.Compare(s.all[a].quiet))
	})
}

func (s *clients) leave(connection net.Conn) {
	s.all[connection].cancel()
	delete(s.all, connection)
}

// changed is the ConnState of a [http.Server].
func (s *clients) changed(connection net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch c := s.all[connection]; {
	case c == nil: // enter has closed it
	case state == http.StateClosed:
		s.leave(connection)
	default:
		c.quiet = time.Now()
	}
}

// read reads the body of a request. The caller releases its room when the request is
// answered. An error comes with an HTTP status code.
func (s *clients) read(w http.ResponseWriter, r *http.Request) (body []byte, release func(), code int, err error) {
	size, release := r.ContentLength, func() {}
	if size > smallBody {
		room := s.large
		if size <= mediumBody {
			room = s.medium
		}
		ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
		defer cancel()
		if room.Acquire(ctx, size) != nil {
			return nil, release, http.StatusServiceUnavailable, errors.New("too many large requests at once")
		}
		release = func() { room.Release(size) }
		deadline := time.Now().Add(patience + time.Duration(size)*time.Second/speed)
		if err := http.NewResponseController(w).SetReadDeadline(deadline); err != nil {
			return nil, release, http.StatusInternalServerError, err
		}
	}
	body = make([]byte, size)
	if n, err := io.ReadFull(r.Body, body); err != nil {
		return nil, release, http.StatusBadRequest, fmt.Errorf("the body has %d bytes, and %d arrived: %w", size, n, err)
	}
	return body, release, 0, nil
}

// drain lets clients close their connections: each answer says that it is the last
// one. If the webhook closed a connection while a request is on the way, that request
// would fail. drain returns when there are no connections, or after the limit.
func (s *clients) drain(limit time.Duration) {
	s.draining.Store(true)
	_ = wait.PollUntilContextTimeout(context.Background(), 10*time.Millisecond, limit, true, func(context.Context) (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.all) == 0, nil
	})
}
