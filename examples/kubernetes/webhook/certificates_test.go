// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	serviceHost = "admission.webhooks.svc"
	validity    = 90 * 24 * time.Hour
)

// newIssuer returns an issuer whose time is at the pointer.
func newIssuer(host string, now *time.Time) *issuer {
	return &issuer{host: host, validity: validity, now: func() time.Time { return *now }}
}

func mustRenew(t *testing.T, i *issuer, c credentials) credentials {
	t.Helper()
	c, err := i.renew(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.verify(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// A TLS client that trusts the authorities and asks for the host, as an API server
// does, gets through; one that asks for another host does not, and neither does one
// that trusts the authorities of another webhook.
func TestCertificateServes(t *testing.T) {
	now := time.Now()
	for _, host := range []string{serviceHost, "127.0.0.1", "::1"} {
		i := newIssuer(host, &now)
		c := mustRenew(t, i, credentials{})
		pair, err := i.verify(c)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(http.NotFoundHandler())
		server.TLS = &tls.Config{Certificates: []tls.Certificate{*pair}}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		defer server.Close()
		get := func(name string, authorities []byte) error {
			trusted := x509.NewCertPool()
			trusted.AppendCertsFromPEM(authorities)
			c, err := tls.Dial("tcp", server.Listener.Addr().String(), &tls.Config{RootCAs: trusted, ServerName: name})
			if err == nil {
				c.Close()
			}
			return err
		}
		if err := get(host, c.authorities); err != nil {
			t.Errorf("%s: %v", host, err)
		}
		for _, other := range []string{
			"admission", "admission.webhooks", "admission.other.svc", "10.0.0.1",
			pair.Leaf.Subject.CommonName,
		} {
			if err := get(other, c.authorities); err == nil {
				t.Errorf("%s: good for %s", host, other)
			}
		}
		if err := get(host, mustRenew(t, i, credentials{}).authorities); err == nil {
			t.Errorf("%s: another authority trusts it", host)
		}
	}
}

// What the certificates say.
func TestCertificateRules(t *testing.T) {
	now := start
	c := mustRenew(t, newIssuer(serviceHost, &now), credentials{})
	authority, leaf := parseCertificates(c.authorities)[0], parseCertificates(c.certificate)[0]
	for name, x := range map[string]*x509.Certificate{"authority": authority, "certificate": leaf} {
		key, ok := x.PublicKey.(*ecdsa.PublicKey)
		if !ok || key.Curve != elliptic.P256() || x.SignatureAlgorithm != x509.ECDSAWithSHA256 ||
			x.Version != 3 || x.SerialNumber.Sign() <= 0 {
			t.Errorf("%s: %T, %v", name, x.PublicKey, x.SignatureAlgorithm)
		}
		if x.NotBefore != now.Add(-time.Hour) {
			t.Errorf("%s: not before %v", name, x.NotBefore)
		}
	}
	if !authority.IsCA || !authority.MaxPathLenZero ||
		authority.KeyUsage != x509.KeyUsageCertSign|x509.KeyUsageCRLSign || authority.NotAfter != now.Add(10*validity) {
		t.Errorf("authority: %+v", authority)
	}
	if leaf.IsCA || leaf.KeyUsage != x509.KeyUsageDigitalSignature ||
		len(leaf.ExtKeyUsage) != 1 || leaf.ExtKeyUsage[0] != x509.ExtKeyUsageServerAuth ||
		leaf.NotAfter != now.Add(validity) ||
		len(leaf.DNSNames) != 1 || leaf.DNSNames[0] != serviceHost || len(leaf.IPAddresses) != 0 ||
		!bytes.Equal(leaf.AuthorityKeyId, authority.SubjectKeyId) {
		t.Errorf("certificate: %+v", leaf)
	}
	if bytes.Contains(c.authorities, []byte("PRIVATE")) || bytes.Contains(c.certificate, []byte("PRIVATE")) {
		t.Error("a key where certificates are")
	}
}

// What an API server would not trust is no good.
func TestVerifyRefuses(t *testing.T) {
	now := start
	i := newIssuer(serviceHost, &now)
	good, other := mustRenew(t, i, credentials{}), mustRenew(t, i, credentials{})
	// signed returns credentials of a leaf that is changed.
	signed := func(change func(*x509.Certificate)) credentials {
		authority, key, err := i.authority(good)
		if err != nil {
			t.Fatal(err)
		}
		template := i.template("x", validity)
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		template.DNSNames = []string{serviceHost}
		change(template)
		c := good
		if c.certificate, c.certificateKey, _, err = sign(template, authority, key); err != nil {
			t.Fatal(err)
		}
		return c
	}
	tests := []struct {
		name string
		c    credentials
		at   time.Time
		want string
	}{
		{"as it should be", signed(func(*x509.Certificate) {}), now, ""},
		{"nothing", credentials{}, now, "failed to find any PEM data"},
		{"no authority", credentials{nil, nil, good.certificate, good.certificateKey}, now, "there is no authority"},
		{
			"another authority",
			credentials{other.authorities, nil, good.certificate, good.certificateKey},
			now,
			"unknown authority",
		},
		{
			"another key",
			credentials{good.authorities, nil, good.certificate, other.certificateKey},
			now,
			"private key does not match",
		},
		{"too late", good, now.Add(validity + time.Second), "certificate has expired"},
		{"too early", good, now.Add(-2 * time.Hour), "not yet valid"},
		{
			"a common name",
			signed(func(x *x509.Certificate) { x.DNSNames, x.Subject = nil, pkix.Name{CommonName: serviceHost} }),
			now, "relies on legacy Common Name field",
		},
		{
			"another name",
			signed(func(x *x509.Certificate) { x.DNSNames = []string{"admission.other.svc"} }),
			now, "valid for admission.other.svc, not " + serviceHost,
		},
		{
			"for clients",
			signed(func(x *x509.Certificate) { x.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }),
			now, "incompatible key usage",
		},
	}
	for _, test := range tests {
		now = test.at
		_, err := i.verify(test.c)
		if test.want == "" && err != nil ||
			test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

// A certificate that somebody else made may be signed by way of others, which
// it brings along.
func TestVerifyChain(t *testing.T) {
	now := start
	i := newIssuer(serviceHost, &now)
	make := func(by, key []byte, change func(*x509.Certificate)) (text, keyText []byte) {
		template := i.template("x", validity)
		change(template)
		var authority *x509.Certificate
		var authorityKey *ecdsa.PrivateKey
		if by != nil {
			pair, err := tls.X509KeyPair(by, key)
			if err != nil {
				t.Fatal(err)
			}
			authority, authorityKey = pair.Leaf, pair.PrivateKey.(*ecdsa.PrivateKey)
		}
		text, keyText, _, err := sign(template, authority, authorityKey)
		if err != nil {
			t.Fatal(err)
		}
		return text, keyText
	}
	signs := func(x *x509.Certificate) { x.IsCA, x.KeyUsage = true, x509.KeyUsageCertSign }
	root, rootKey := make(nil, nil, signs)
	between, betweenKey := make(root, rootKey, signs)
	leaf, leafKey := make(between, betweenKey, func(x *x509.Certificate) { x.DNSNames = []string{serviceHost} })
	if _, err := i.verify(credentials{root, nil, slices.Concat(leaf, between), leafKey}); err != nil {
		t.Error(err)
	}
	if _, err := i.verify(credentials{root, nil, leaf, leafKey}); err == nil {
		t.Error("trusted without the one between")
	}
}

// A certificate is renewed under its authority, until that would end first; then
// there is another, and the old one stays while it is valid.
func TestRenew(t *testing.T) {
	now := start
	i := newIssuer(serviceHost, &now)
	c := mustRenew(t, i, credentials{})
	pair, err := i.verify(c)
	if err != nil || i.due(c, pair) {
		t.Fatalf("a new one: %v", err)
	}
	if now = start.Add(validity * 2 / 3); i.due(c, pair) {
		t.Error("due too early")
	}
	if now = now.Add(time.Second); !i.due(c, pair) {
		t.Error("not due")
	}
	renewed := mustRenew(t, i, c)
	if !bytes.Equal(renewed.authorities, c.authorities) ||
		bytes.Equal(renewed.certificate, c.certificate) || bytes.Equal(renewed.certificateKey, c.certificateKey) {
		t.Error("renewed too much, or too little")
	}
	now = start.Add(9*validity + time.Second)
	replaced := mustRenew(t, i, c)
	if n := len(parseCertificates(replaced.authorities)); n != 2 ||
		!bytes.HasPrefix(replaced.authorities, c.authorities) || bytes.Equal(replaced.authorityKey, c.authorityKey) {
		t.Errorf("%d authorities", n)
	}
	now = start.Add(9 * validity) // it ends no sooner than the certificate
	if c := mustRenew(t, i, c); len(parseCertificates(c.authorities)) != 1 {
		t.Error("replaced too early")
	}
	now = start.Add(10*validity + time.Second)
	if c := mustRenew(t, i, c); len(parseCertificates(c.authorities)) != 1 {
		t.Error("an authority stays that is no longer valid")
	}
}

// What cannot sign is replaced.
func TestRenewBrokenAuthority(t *testing.T) {
	now := start
	i := newIssuer(serviceHost, &now)
	good, other := mustRenew(t, i, credentials{}), mustRenew(t, i, credentials{})
	leafAsAuthority := credentials{good.certificate, good.certificateKey, nil, nil}
	for name, broken := range map[string]credentials{
		"garbage":      {[]byte("x"), []byte("y"), []byte("z"), nil},
		"another key":  {good.authorities, other.authorityKey, nil, nil},
		"no authority": leafAsAuthority,
		"garbage in PEM": {
			[]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
			good.authorityKey, nil, nil,
		},
		"a key in its place": {good.authorityKey, good.authorityKey, nil, nil},
	} {
		c := mustRenew(t, i, broken)
		if bytes.Equal(c.authorityKey, broken.authorityKey) {
			t.Errorf("%s: it signs", name)
		}
	}
	if c := mustRenew(t, i, good); !bytes.Equal(c.authorityKey, good.authorityKey) {
		t.Error("a good one was replaced")
	}
}
