// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"net"
	"path/filepath"
	"strconv"
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

// A Server serves the webhooks as soon as a certificate exists. It uses the current
// contents of tls.crt and tls.key. It is a runnable of a manager, which starts it
// whether or not an API server answers.
type Server struct {
	webhook.Server
	certDir string
	watcher *certwatcher.CertWatcher
	log     logr.Logger
}

// New returns a server on the address, with both webhooks.
func New(addr, certDir string, policies *Policies, log logr.Logger) (*Server, error) {
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(service)
	if err != nil {
		return nil, err
	}
	s := &Server{certDir: certDir, log: log}
	s.Server = webhook.NewServer(webhook.Options{
		Host: host, Port: port,
		TLSOpts: []func(*tls.Config){func(c *tls.Config) {
			c.MinVersion = tls.VersionTLS12
			// Over HTTP/2, waiting large requests would fill the buffer of the
			// connection that they share with the request that they wait for.
			c.NextProtos = []string{"http/1.1"}
			c.GetCertificate = s.watcher.GetCertificate
		}},
	})
	Register(s.Server, policies, log)
	return s, nil
}

// NeedLeaderElection returns false, because every replica serves.
func (s *Server) NeedLeaderElection() bool { return false }

// Start serves until the context ends and in-flight requests are answered.
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
	return s.Server.Start(ctx)
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
