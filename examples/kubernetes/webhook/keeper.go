// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
)

// What the Secret holds. The names are those of a Secret of type kubernetes.io/tls,
// and those that cert-manager uses.
const (
	authoritiesKey    = "ca.crt"
	authorityKeyKey   = "ca.key"
	certificateKey    = "tls.crt"
	certificateKeyKey = "tls.key"
)

// A keeper keeps the certificates in a Secret and the registration in order, with
// any number of others that do the same: each write has the version of what was
// read, and whoever comes second looks again.
type keeper struct {
	client       kubernetes.Interface
	issuer       *issuer
	registration *registration
	secret       string
	log          *slog.Logger
	soon         time.Duration // until the next pass after one that failed for nothing that lasts

	serving     atomic.Pointer[tls.Certificate]
	next        *tls.Certificate // what the last pass saw
	authorities []byte           // those that the last pass registered
	good        atomic.Bool
}

// registered reports whether the last pass succeeded.
func (k *keeper) registered() bool { return k.good.Load() }

// certificate returns the certificate to show. It is for [tls.Config].
func (k *keeper) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c := k.serving.Load(); c != nil {
		return c, nil
	}
	return nil, errors.New("there is no certificate yet")
}

// notLookedAfter is what the log says of a pass that failed.
const notLookedAfter = "certificates and registration are not looked after; the next pass tries again"

// run makes a pass at once, and one at each interval until the context is done; sooner
// where a pass failed and nothing is missing, as while no API server can be reached.
// It returns an error only where the first pass fails for good.
func (k *keeper) run(ctx context.Context, interval time.Duration) error {
	for first := true; ; first = false {
		wait, err := interval, k.pass(ctx)
		if first && lasting(err) {
			return fmt.Errorf("registering: %w", err)
		}
		if err != nil && ctx.Err() == nil {
			k.log.Warn(notLookedAfter, "error", err.Error())
		}
		if err != nil && !missing(err) && !lasting(err) {
			wait = min(interval, k.soon)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
	}
}

// lasting reports whether an error stays until somebody starts the program in another
// way, or gives it what is somebody else's. All others may pass: those of a network or
// an API server that is busy or starts, and those that missing knows.
func lasting(err error) bool {
	return errors.As(err, new(notOwnedError)) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// pass brings certificates and registration in order. Where something is missing, it
// shows the certificate that there is if there was none before.
func (k *keeper) pass(ctx context.Context) error {
	var pair *tls.Certificate
	var err error
	// What OnError returns is not asked: it takes a request that ran out of time for
	// the end of its own trials, and returns nothing.
	retry.OnError(retry.DefaultBackoff, raced, func() error {
		pair, err = k.try(ctx)
		return err
	})
	k.good.Store(err == nil)
	if pair != nil && (err == nil || missing(err) && k.serving.Load() == nil) {
		k.serve(pair)
	}
	return err
}

// missing reports whether an error comes from an object that is not there, and that
// this program may not create, or from rights that it has not got.
func missing(err error) bool { return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) }

// raced reports whether an error comes from somebody else who writes at the same time.
func raced(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err)
}

// try does what pass does, once, and returns the certificate in the Secret if there
// is a good one. API servers have been told of its authority if there is no error.
func (k *keeper) try(ctx context.Context) (*tls.Certificate, error) {
	secret, pair, err := k.credentials(ctx)
	if err != nil {
		return nil, err
	}
	changed, err := k.registration.apply(ctx, k.client, secret.Data[authoritiesKey])
	if err != nil {
		return pair, err
	}
	k.authorities = secret.Data[authoritiesKey]
	if changed {
		k.log.Info("registered", "name", k.registration.name)
	}
	// If another replica changed the Secret meanwhile, and registered, this one may
	// have put the old authorities back.
	again, err := k.client.CoreV1().Secrets(k.registration.namespace).Get(ctx, k.secret, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if again.ResourceVersion != secret.ResourceVersion {
		return nil, apierrors.NewConflict(corev1.Resource("secrets"), k.secret, errors.New("it was changed meanwhile"))
	}
	return pair, nil
}

// serve shows the certificate from the second pass on that sees it, as API servers
// may hear of a new authority a little later. It does so at once where nothing is
// shown yet, and where they do not trust what is: it has ended, or its authority is
// no longer registered.
func (k *keeper) serve(pair *tls.Certificate) {
	now, seen := k.serving.Load(), k.next
	k.next = pair
	if now != nil && now.Leaf.Equal(pair.Leaf) {
		return
	}
	again := seen != nil && seen.Leaf.Equal(pair.Leaf)
	if now != nil && !again && k.issuer.trusted(now, k.authorities) == nil {
		return
	}
	k.serving.Store(pair)
	k.log.Info("certificate in use", "host", k.issuer.host,
		"serial", pair.Leaf.SerialNumber.Text(16), "until", pair.Leaf.NotAfter)
}

// credentials returns the Secret and the certificate in it, and writes a new one if
// there is none, if API servers would not trust it, or soon no longer.
func (k *keeper) credentials(ctx context.Context) (*corev1.Secret, *tls.Certificate, error) {
	secrets := k.client.CoreV1().Secrets(k.registration.namespace)
	secret, err := secrets.Get(ctx, k.secret, metav1.GetOptions{})
	found := !apierrors.IsNotFound(err)
	if err != nil && found {
		return nil, nil, err
	}
	if !found {
		secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: k.secret, Labels: labels}}
	}
	c := read(secret)
	pair, invalid := k.issuer.verify(c)
	if invalid == nil && !k.issuer.due(c, pair) {
		return secret, pair, nil
	}
	if c.foreign() {
		return secret, pair, k.foreign(pair, invalid)
	}
	if err := owned("Secret", secret); err != nil {
		return nil, nil, err
	}
	k.log.Info("making a certificate", "because", because(c, invalid))
	if len(c.authorities) == 0 {
		c.authorities = k.authority() // replicas show its certificate for a while
	}
	if c, err = k.issuer.renew(c); err != nil {
		return nil, nil, err
	}
	if pair, err = k.issuer.verify(c); err != nil {
		return nil, nil, fmt.Errorf("a new certificate is no good: %w", err)
	}
	write(secret, c)
	if found {
		secret, err = secrets.Update(ctx, secret, metav1.UpdateOptions{}) // with the version that was read
	} else {
		secret, err = secrets.Create(ctx, secret, metav1.CreateOptions{})
	}
	return secret, pair, err
}

// authority returns the registered authority that signed the certificate that is
// shown, or nothing.
func (k *keeper) authority() []byte {
	shown := k.serving.Load()
	if shown == nil {
		return nil
	}
	for _, a := range parseCertificates(k.authorities) {
		if shown.Leaf.CheckSignatureFrom(a) == nil {
			return encodeCertificate(a.Raw)
		}
	}
	return nil
}

// foreign says what is wrong with a certificate that somebody else renews.
func (k *keeper) foreign(pair *tls.Certificate, invalid error) error {
	if invalid != nil {
		return fmt.Errorf("the certificate in the Secret %s is no good, and there is no %s to renew it with: %w",
			k.secret, authorityKeyKey, invalid)
	}
	k.log.Warn("the certificate ends soon, and somebody else is to renew it", "until", pair.Leaf.NotAfter)
	return nil
}

// because says why there is a new certificate.
func because(c credentials, invalid error) string {
	switch {
	case len(c.certificate) == 0:
		return "there is none"
	case invalid != nil:
		return invalid.Error()
	}
	return "the last one ends soon"
}

func read(secret *corev1.Secret) credentials {
	return credentials{
		secret.Data[authoritiesKey],
		secret.Data[authorityKeyKey],
		secret.Data[certificateKey],
		secret.Data[certificateKeyKey],
	}
}

func write(secret *corev1.Secret, c credentials) {
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	secret.Data[authoritiesKey], secret.Data[authorityKeyKey] = c.authorities, c.authorityKey
	secret.Data[certificateKey], secret.Data[certificateKeyKey] = c.certificate, c.certificateKey
}
