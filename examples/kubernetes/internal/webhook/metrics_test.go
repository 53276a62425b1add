// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhooktest"
)

// A server that runs counts what it does, and tells when its certificate ends.
func TestMetrics(t *testing.T) {
	some := httptest.NewTLSServer(http.NotFoundHandler()) // has a certificate
	defer some.Close()
	certificate := some.TLS.Certificates[0]
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	listener, metricsListener := open(t), open(t)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error)
	f := newRulesFile(t, string(webhooktest.ReadFile(t, "../../webhook/rules.json")))
	policies, err := OpenPolicies(f.name, testPolicy(t).Defaults)
	if err != nil {
		t.Fatal(err)
	}
	server := &Server{
		Policies: policies,
		TLS:      config,
		Log:      slog.New(slog.DiscardHandler),
		Version:  `v"1`,
		Drain:    time.Minute,
	}
	go func() { served <- server.Serve(ctx, listener, metricsListener) }()

	client := webhooktest.Trusting(t, pem.EncodeToMemory(&pem.Block{
		Type:  "CERTIFICATE",
		Bytes: certificate.Certificate[0],
	}))
	url := "https://" + listener.Addr().String()
	elsewhere := tolerating("spot")
	elsewhere["spec"].(map[string]any)["nodeSelector"] = map[string]any{"example.com/pool": "web"}
	wrong := newPod(map[string]any{
		"tolerations": []any{map[string]any{"key": "spot", "operator": "Exists", "value": "a"}},
	})
	for _, call := range []struct {
		path string
		body []byte
	}{
		{"/mutate", reviewOf("CREATE", "ml", tolerating("spot"), nil)}, // patched
		{"/mutate", reviewOf("CREATE", "ml", elsewhere, nil)},          // dedication
		{"/mutate", reviewOf("CREATE", "web", "no pod", nil)},          // unreadable
		{"/mutate", reviewOf("DELETE", "web", nil, nil)},               // ignored
		{"/mutate", nil}, // 400
		{"/validate", reviewOf("CREATE", "web", tolerating("spot"), nil)},         // allowed
		{"/validate", reviewOf("CREATE", "web", tolerating("dedicated=ml"), nil)}, // not-allowed
		{"/validate", reviewOf("CREATE", "web", tolerating("dedicated=ml"), nil)}, // not-allowed
		{"/validate", reviewOf("CREATE", "web", wrong, nil)},                      // invalid
		{"/validate", bytes.Repeat([]byte{' '}, maxBody+1)},                       // 413
		{"/other", nil},
	} {
		webhooktest.Post(t, client, url+call.path, call.body)
	}
	client.CloseIdleConnections()
	f.write("broken")
	policies.reload()

	page := "http://" + metricsListener.Addr().String() + "/metrics"
	code, text := webhooktest.Get(t, http.DefaultClient, page)
	if code != http.StatusOK {
		t.Errorf("code %d", code)
	}
	for _, want := range []string{
		"# TYPE taints_webhook_reviews_total counter",
		`taints_webhook_build_info{version="v\"1"} 1`,
		`taints_webhook_reviews_total{webhook="mutate",outcome="patched"} 1`,
		`taints_webhook_reviews_total{webhook="mutate",outcome="denied"} 2`,
		`taints_webhook_reviews_total{webhook="mutate",outcome="ignored"} 1`,
		`taints_webhook_reviews_total{webhook="mutate",outcome="allowed"} 0`,
		`taints_webhook_reviews_total{webhook="validate",outcome="allowed"} 1`,
		`taints_webhook_reviews_total{webhook="validate",outcome="denied"} 3`,
		`taints_webhook_denials_total{webhook="mutate",reason="dedication"} 1`,
		`taints_webhook_denials_total{webhook="mutate",reason="unreadable"} 1`,
		`taints_webhook_denials_total{webhook="mutate",reason="not-allowed"} 0`,
		`taints_webhook_denials_total{webhook="validate",reason="not-allowed"} 2`,
		`taints_webhook_denials_total{webhook="validate",reason="invalid"} 1`,
		`taints_webhook_responses_total{webhook="mutate",code="200"} 4`,
		`taints_webhook_responses_total{webhook="mutate",code="400"} 1`,
		`taints_webhook_responses_total{webhook="validate",code="200"} 4`,
		`taints_webhook_responses_total{webhook="validate",code="413"} 1`,
		`taints_webhook_request_duration_seconds_bucket{webhook="mutate",le="+Inf"} 5`,
		`taints_webhook_request_duration_seconds_count{webhook="validate"} 5`,
		"taints_webhook_rules_good 0",
		"taints_webhook_rules_failures_total 1",
		"taints_webhook_certificate_expiry_timestamp_seconds " + format(seconds(some.Certificate().NotAfter)),
		"taints_webhook_certificate_lifetime_seconds " +
			format(some.Certificate().NotAfter.Sub(some.Certificate().NotBefore).Seconds()),
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if response, err := http.Get(page); err == nil {
		response.Body.Close()
		t.Error("the metrics are still served")
	}
}

// Times fall into the bucket of their bound, as Prometheus wants it.
func TestBuckets(t *testing.T) {
	m := newMetrics()
	for _, d := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, 5 * time.Second, time.Minute} {
		m.answered("mutate", http.StatusOK, d)
	}
	text := string(m.page(&Server{Policies: fixed(&Policy{})}))
	got := regexp.MustCompile(`duration_seconds_(bucket|sum|count){webhook="mutate".*`).FindAllString(text, -1)
	want := []string{
		`{webhook="mutate",le="0.0005"} 2`, `{webhook="mutate",le="0.001"} 3`,
		`{webhook="mutate",le="5"} 4`, `{webhook="mutate",le="+Inf"} 5`,
		`sum{webhook="mutate"} 65.001001`, `count{webhook="mutate"} 5`,
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(got, "\n")+"\n", w+"\n") {
			t.Errorf("no %s in %q", w, got)
		}
	}
	if strings.Contains(text, "certificate") || strings.Contains(text, "registration") {
		t.Errorf("a certificate or a registration, and there is none: %s", text)
	}
	for good, want := range map[bool]string{false: "0", true: "1"} {
		s := &Server{Policies: fixed(&Policy{}), Registered: func() bool { return good }}
		if text := string(m.page(s)); !strings.Contains(text, "\ntaints_webhook_registration_good "+want+"\n") {
			t.Errorf("registered: %v, in\n%s", good, text)
		}
	}
}
