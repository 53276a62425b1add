// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/util/cert"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/cluster/internal/exits"
	"github.com/seed-0529bac1/taints/cluster/internal/program"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
	"github.com/seed-0529bac1/taints/cluster/webhook/internal/policy"
)

func TestExits(t *testing.T) {
	exits.Test(t, "webhook", func() program.Options { return &options{} })
}

// newCertificate writes a new certificate to dir, and returns a client that trusts
// only this one.
func newCertificate(t *testing.T, dir string) *http.Client {
	t.Helper()
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	trusted, errTrusted := cert.NewPoolFromBytes(certificate)
	err = errors.Join(err, errTrusted, os.WriteFile(filepath.Join(dir, "tls.crt"), certificate, 0o600),
		os.WriteFile(filepath.Join(dir, "tls.key"), key, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: "localhost"}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",` +
	`"resource":{"version":"v1","resource":"pods"},"namespace":"web","object":{"apiVersion":"v1","kind":"Pod","spec":{}}}}`

// post sends a review, and returns the response if its answer is right.
func post(client *http.Client, addr string) (*http.Response, error) {
	response, err := client.Post("https://"+addr+"/mutate", "application/json", strings.NewReader(review))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer := admissionv1.AdmissionReview{Response: &admissionv1.AdmissionResponse{}}
	err = json.NewDecoder(response.Body).Decode(&answer)
	if r := answer.Response; err == nil && (r.UID != "u" || !r.Allowed || len(r.Patch) == 0) {
		err = fmt.Errorf("%+v", r)
	}
	return response, err
}

// TestServe starts without a certificate and without an API server. The webhook
// answers as soon as a certificate exists, switches to a new certificate, and lets
// clients close their connections before it ends.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	addr, health, metrics, dir := controlplane.FreeAddress(t), controlplane.FreeAddress(t), controlplane.FreeAddress(t), t.TempDir()
	args := []string{"-addr=" + addr, "-health-addr=" + health, "-metrics-addr=" + metrics, "-cert-dir=" + dir, "-rules=../manifests/webhook/rules.json"}
	ended := make(chan int, 1)
	go func() { ended <- program.Run(ctx, "webhook", &options{}, args, io.Discard, t.Output()) }()
	eventually := func(what string, condition func() error) {
		t.Helper()
		controlplane.Within(t, time.Minute, what, condition)
	}
	answers := func(path string) error {
		_, err := controlplane.Get(t.Context(), "http://"+health+path, "")
		return err
	}
	eventually("healthy", func() error { return answers("/healthz") })
	if err := answers("/readyz"); !apierrors.IsInternalError(err) {
		t.Errorf("ready without a certificate: %v", err)
	}
	newCertificate(t, dir)
	eventually("ready", func() error { return answers("/readyz") })
	client := newCertificate(t, dir)
	var response *http.Response
	eventually("the new certificate is shown", func() (err error) {
		response, err = post(client, addr)
		return err
	})
	if response.Proto != "HTTP/1.1" {
		t.Errorf("it speaks %s", response.Proto)
	}
	leaf := response.TLS.PeerCertificates[0]
	eventually("the metrics", func() error {
		text, err := controlplane.Get(t.Context(), "http://"+metrics+"/metrics", "")
		for _, want := range []string{
			`controller_runtime_webhook_requests_total{code="200",webhook="/mutate"} 1`,
			`taints_webhook_reviews_total{outcome="patched",webhook="mutate"} 1`, `taints_webhook_rules_good 1`, `taints_webhook_build_info{version=`,
			fmt.Sprintf("taints_webhook_certificate_lifetime_seconds %g", leaf.NotAfter.Sub(leaf.NotBefore).Seconds()),
		} {
			if err == nil && !strings.Contains(text, want) {
				err = errors.New("they lack " + want)
			}
		}
		return err
	})

	stop()
	eventually("an answer is the last one on its connection", func() error {
		response, err := post(client, addr)
		if err != nil {
			t.Fatal(err)
		}
		if !response.Close {
			err = errors.New("it is not")
		}
		return err
	})
	select {
	case code := <-ended:
		if code != 0 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(drain):
		t.Error("it does not end")
	}
}

func TestAudit(t *testing.T) {
	rules := taints.Must(policy.ParseRules([]byte(`{"cluster": {"allowedTolerations": []}}`)))
	client := fake.NewClientset()
	for _, object := range taints.Must(controlplane.Manifest("testdata/audit")) {
		if pod, ok := object.(*corev1.Pod); ok && pod.Name == "many" {
			pod.Spec.Tolerations = slices.Repeat(pod.Spec.Tolerations, mostLinted+1)
		}
		if err := client.Tracker().Add(object); err != nil {
			t.Fatal(err)
		}
	}
	type test struct{ Registration, Begins, Ends string }
	for _, test := range rows.Read[test](t, "audits.yaml") {
		var out strings.Builder
		err := audit(t.Context(), client, &policy.Policy{Rules: *rules}, test.Registration, &out)
		if text := out.String(); err != errRefusable || !strings.HasPrefix(text, test.Begins) || !strings.HasSuffix(text, test.Ends) {
			t.Errorf("%s: %v: %s", test.Registration, err, text)
		}
	}
}
