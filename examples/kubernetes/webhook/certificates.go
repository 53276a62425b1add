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
	"errors"
	"fmt"
	"net"
	"time"
)

// credentials are what the webhook shows and what API servers trust, in PEM.
type credentials struct {
	authorities    []byte // the one that signs, and before it ones whose certificates may still be in use
	authorityKey   []byte // of the last; empty where somebody else renews the certificate
	certificate    []byte
	certificateKey []byte
}

// foreign reports whether there is a certificate that somebody else renews.
func (c credentials) foreign() bool { return len(c.certificate) > 0 && len(c.authorityKey) == 0 }

// An issuer says what certificates are for.
type issuer struct {
	host     string // the name or address that API servers call
	validity time.Duration
	now      func() time.Time
}

// An authority signs certificates for ten times as long as each of them is valid.
const authorityFactor = 10

// clockSkew is how far clocks may differ.
const clockSkew = time.Hour

// verify returns the certificate to show, if an API server trusts it now. It looks
// as the API server does: at the names and addresses of the certificate and not at
// its common name, at its purpose, and at who signed it.
func (i *issuer) verify(c credentials) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(c.certificate, c.certificateKey)
	if err != nil {
		return nil, err
	}
	return &pair, i.trusted(&pair, c.authorities)
}

// trusted returns an error if an API server that knows the authorities does not
// trust the certificate now.
func (i *issuer) trusted(pair *tls.Certificate, authorities []byte) error {
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authorities) {
		return errors.New("there is no authority")
	}
	for _, der := range pair.Certificate[1:] {
		if extra, err := x509.ParseCertificate(der); err == nil {
			intermediates.AddCert(extra)
		}
	}
	_, err := pair.Leaf.Verify(x509.VerifyOptions{
		DNSName: i.host, Roots: roots, Intermediates: intermediates, CurrentTime: i.now(),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return err
}

// due reports whether the certificate is in the last third of its time: of what this
// program gives it, or of its own where it is somebody else's.
func (i *issuer) due(c credentials, pair *tls.Certificate) bool {
	validity := i.validity
	if c.foreign() {
		validity = pair.Leaf.NotAfter.Sub(pair.Leaf.NotBefore)
	}
	return pair.Leaf.NotAfter.Sub(i.now()) < validity/3
}

// renew returns new credentials, with an authority of before if it will be there as
// long as the certificate. Else there is a new one, and those of before stay while
// they are valid.
func (i *issuer) renew(c credentials) (credentials, error) {
	authority, key, err := i.authority(c)
	if err != nil {
		if c, authority, key, err = i.newAuthority(c); err != nil {
			return c, err
		}
	}
	template := i.template("admission webhook", i.validity)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if ip := net.ParseIP(i.host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{i.host}
	}
	c.certificate, c.certificateKey, _, err = sign(template, authority, key)
	return c, err
}

// authority reads the authority and its key, and returns an error if it cannot sign
// a certificate for its whole validity.
func (i *issuer) authority(c credentials) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	authorities := parseCertificates(c.authorities)
	if len(authorities) == 0 {
		return nil, nil, errors.New("there is no authority")
	}
	last := authorities[len(authorities)-1]
	pair, err := tls.X509KeyPair(encodeCertificate(last.Raw), c.authorityKey)
	if err != nil {
		return nil, nil, err
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !last.IsCA {
		return nil, nil, errors.New("not an authority of this program")
	}
	if last.NotAfter.Before(i.now().Add(i.validity)) {
		return nil, nil, errors.New("the authority ends before the certificate would")
	}
	return last, key, nil
}

// newAuthority makes an authority and puts it behind those that are still valid.
func (i *issuer) newAuthority(c credentials) (credentials, *x509.Certificate, *ecdsa.PrivateKey, error) {
	template := i.template("admission webhook authority", authorityFactor*i.validity)
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	template.IsCA, template.MaxPathLenZero = true, true
	text, keyText, key, err := sign(template, nil, nil)
	if err != nil {
		return c, nil, nil, err
	}
	var all []byte
	for _, old := range parseCertificates(c.authorities) {
		if old.NotAfter.After(i.now()) {
			all = append(all, encodeCertificate(old.Raw)...)
		}
	}
	c.authorities, c.authorityKey = append(all, text...), keyText
	return c, parseCertificates(text)[0], key, nil
}

// template returns what certificates of any kind have. Two authorities of one common
// name are told apart by the identifiers of their keys, which
// [x509.CreateCertificate] adds.
func (i *issuer) template(commonName string, validity time.Duration) *x509.Certificate {
	now := i.now()
	name := fmt.Sprintf("%s of %s", commonName, now.UTC().Format(time.RFC3339))
	return &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-clockSkew),
		NotAfter:              now.Add(validity),
		BasicConstraintsValid: true,
	}
}

// sign makes a key for the template, and the certificate; it signs itself where
// there is no authority.
func sign(
	template, authority *x509.Certificate, authorityKey *ecdsa.PrivateKey,
) (text, keyText []byte, key *ecdsa.PrivateKey, err error) {
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, nil, nil, err
	}
	if authority == nil {
		authority, authorityKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return nil, nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, nil, err
	}
	return encodeCertificate(der), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), key, nil
}

func encodeCertificate(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// parseCertificates returns the certificates of the text that can be read.
func parseCertificates(text []byte) []*x509.Certificate {
	var list []*x509.Certificate
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return list
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			list = append(list, c)
		}
	}
}
