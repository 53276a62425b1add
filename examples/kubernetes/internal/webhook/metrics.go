// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The outcomes of a review.
const (
	allowed = "allowed"
	patched = "patched"
	ignored = "ignored" // allowed, because there was nothing to decide
	denied  = "denied"
)

// Why pods are denied.
const (
	notAllowed = "not-allowed" // a toleration that the namespace does not allow
	dedicated  = "dedication"  // a node selector that contradicts a dedication
	notValid   = "invalid"     // tolerations that no API server would accept
	unreadable = "unreadable"  // an object that is no pod
)

// buckets are the upper bounds of the latencies that are counted, in seconds.
var buckets = [...]float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5}

// metrics counts what the webhooks do. They are told apart by name.
type metrics struct {
	mu        sync.Mutex
	reviews   map[[2]string]uint64 // by webhook and outcome
	denials   map[[2]string]uint64 // by webhook and reason
	responses map[[2]string]uint64 // by webhook and code
	durations map[string]*histogram
}

// A histogram counts durations.
type histogram struct {
	counts [len(buckets) + 1]uint64 // the last is for those beyond all bounds
	sum    float64
}

// newMetrics returns metrics that have each outcome and reason from the beginning:
// the first of something is a change then.
func newMetrics() *metrics {
	m := &metrics{
		reviews: map[[2]string]uint64{}, denials: map[[2]string]uint64{}, responses: map[[2]string]uint64{},
		durations: map[string]*histogram{},
	}
	for _, name := range []string{"mutate", "validate"} {
		for _, outcome := range []string{allowed, patched, ignored, denied} {
			m.reviews[[2]string{name, outcome}] = 0
		}
		for _, reason := range []string{notAllowed, dedicated, notValid, unreadable} {
			m.denials[[2]string{name, reason}] = 0
		}
		m.responses[[2]string{name, strconv.Itoa(http.StatusOK)}] = 0
		m.durations[name] = &histogram{}
	}
	return m
}

// decided counts a decision of the webhook.
func (m *metrics) decided(webhook string, d decision) {
	outcome := allowed
	switch {
	case d.refusal != nil:
		outcome = denied
	case d.ignored != "":
		outcome = ignored
	case len(d.patch) > 0:
		outcome = patched
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reviews[[2]string{webhook, outcome}]++
	if d.refusal != nil {
		m.denials[[2]string{webhook, d.refusal.kind}]++
	}
}

// answered counts an answer of the webhook, of any kind.
func (m *metrics) answered(webhook string, code int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.responses[[2]string{webhook, strconv.Itoa(code)}]++
	h := m.durations[webhook]
	i, _ := slices.BinarySearch(buckets[:], took.Seconds())
	h.counts[i]++
	h.sum += took.Seconds()
}

// counting passes on to h, and counts the answers of the webhooks.
func (m *metrics) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if m.durations[name] == nil { // the names do not change
			h.ServeHTTP(w, r)
			return
		}
		begin, recorder := time.Now(), &codeRecorder{ResponseWriter: w, code: http.StatusOK}
		h.ServeHTTP(recorder, r)
		m.answered(name, recorder.code, time.Since(begin))
	})
}

// A codeRecorder knows the code of the answer.
type codeRecorder struct {
	http.ResponseWriter
	code int
}

// WriteHeader implements [http.ResponseWriter].
func (r *codeRecorder) WriteHeader(code int) {
	r.code = code
	r.ResponseWriter.WriteHeader(code)
}

// Unwrap lets [http.ResponseController] find what it wraps.
func (r *codeRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// page returns the metrics in the text format of Prometheus, those of the server's
// rules, certificate and registration included.
func (m *metrics) page(s *Server) []byte {
	var b page
	b.begin("taints_webhook_build_info", "gauge", "The program's version.")
	b.line("", `version="`+escaper.Replace(s.Version)+`"`, "1")
	m.mu.Lock()
	b.counts("taints_webhook_reviews_total",
		"Reviews by outcome: allowed, patched, ignored or denied.", "outcome", m.reviews)
	b.counts("taints_webhook_denials_total",
		"Pods that were denied, by reason: not-allowed, dedication, invalid or unreadable.", "reason", m.denials)
	b.counts("taints_webhook_responses_total",
		"Answers by code of HTTP. All but 200 are calls that failed.", "code", m.responses)
	b.begin("taints_webhook_request_duration_seconds", "histogram", "How long requests took, reading them included.")
	for _, name := range slices.Sorted(maps.Keys(m.durations)) {
		b.histogram(name, m.durations[name])
	}
	m.mu.Unlock()

	loaded, good, failures := s.Policies.state()
	b.gauge("taints_webhook_rules_loaded_timestamp_seconds",
		"When the rules in use were read, in seconds since 1970.", seconds(loaded))
	b.gauge("taints_webhook_rules_good",
		"1 if the rules in use are those of the file, 0 if the file was refused or cannot be read.", number(good))
	b.begin("taints_webhook_rules_failures_total", "counter", "Attempts to read rules that failed.")
	b.line("", "", strconv.FormatUint(failures, 10))
	if s.Registered != nil {
		b.gauge("taints_webhook_registration_good",
			"1 if certificates and registration were in order when they were last looked at, 0 if that failed.",
			number(s.Registered()))
	}
	if leaf := leafOf(s.TLS); leaf != nil {
		b.gauge("taints_webhook_certificate_expiry_timestamp_seconds",
			"When the certificate that is shown ends, in seconds since 1970.", seconds(leaf.NotAfter))
		b.gauge("taints_webhook_certificate_lifetime_seconds",
			"How long the certificate that is shown is valid from its beginning to its end.",
			leaf.NotAfter.Sub(leaf.NotBefore).Seconds())
	}
	return b.Bytes()
}

// leafOf returns the certificate that the configuration shows, nil if there is none.
func leafOf(config *tls.Config) *x509.Certificate {
	var certificate *tls.Certificate
	switch {
	case config == nil:
	case config.GetCertificate != nil:
		certificate, _ = config.GetCertificate(&tls.ClientHelloInfo{})
	case len(config.Certificates) > 0:
		certificate = &config.Certificates[0]
	}
	if certificate == nil || len(certificate.Certificate) == 0 {
		return nil
	}
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	if err != nil {
		return nil
	}
	return leaf
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// escaper escapes the value of a label.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// A page is one in the text format of Prometheus.
type page struct {
	bytes.Buffer
	name string // of the metric that is being written
}

func (p *page) begin(name, kind, help string) {
	p.name = name
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %[1]s %[3]s\n", name, help, kind)
}

func (p *page) line(suffix, labels, value string) {
	if labels != "" {
		labels = "{" + labels + "}"
	}
	fmt.Fprintf(p, "%s%s%s %s\n", p.name, suffix, labels, value)
}

func (p *page) gauge(name, help string, value float64) {
	p.begin(name, "gauge", help)
	p.line("", "", format(value))
}

// counts writes counters by webhook and another label.
func (p *page) counts(name, help, label string, values map[[2]string]uint64) {
	p.begin(name, "counter", help)
	keys := slices.SortedFunc(maps.Keys(values), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		p.line("", fmt.Sprintf(`webhook="%s",%s="%s"`, key[0], label, key[1]), strconv.FormatUint(values[key], 10))
	}
}

func (p *page) histogram(webhook string, h *histogram) {
	labels := `webhook="` + webhook + `"`
	total := uint64(0)
	for i, count := range h.counts {
		bound := "+Inf"
		if i < len(buckets) {
			bound = format(buckets[i])
		}
		total += count
		p.line("_bucket", labels+`,le="`+bound+`"`, strconv.FormatUint(total, 10))
	}
	p.line("_sum", labels, format(h.sum))
	p.line("_count", labels, strconv.FormatUint(total, 10))
}

func format(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
