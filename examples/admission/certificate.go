// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"net"
	"sync/atomic"
	"time"
)

// A keyPair is a certificate and its key in files. They are read for each new
// connection, of which an API server makes few, so that a renewed certificate is
// used without a restart.
type keyPair struct {
	certFile, keyFile string
	log               *slog.Logger
	last              atomic.Pointer[tls.Certificate]
}

// load reads the files.
func (k *keyPair) load() error {
	c, err := tls.LoadX509KeyPair(k.certFile, k.keyFile)
	if err == nil {
		k.last.Store(&c)
	}
	return err
}

// certificate returns what is in the files, or was there when they could last be
// read. It is for [tls.Config].
func (k *keyPair) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if err := k.load(); err != nil {
		k.log.Warn("the certificate cannot be read again; the last one stays in use", "error", err.Error())
	}
	return k.last.Load(), nil
}

// selfSigned makes a certificate for localhost, valid for a year, that is its own
// authority. It also returns it in PEM, for those who are to trust it. The key is
// nowhere else.
func selfSigned(now time.Time) (tls.Certificate, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "admission, self-signed"},
		NotBefore:             now.Add(-time.Hour), // for clocks that differ
		NotAfter:              now.AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, text, nil
}
