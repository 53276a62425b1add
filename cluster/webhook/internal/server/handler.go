// SPDX-License-Identifier: Apache-2.0

// Package server answers admission reviews over HTTPS according to a policy.
package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	kjson "sigs.k8s.io/json"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/program"
	"github.com/seed-0529bac1/taints/cluster/webhook/internal/policy"
)

// maxBody is the maximum size of a request. A pod of up to 3 MiB can be sent to an
// API server, and one of up to 1.5 MiB can be stored. An API server encodes one byte
// as up to six, as in \u003c, and sends both pods of an update.
const maxBody = 20 << 20

// registerHooks registers both webhooks with the server.
func registerHooks(s webhook.Server, clients *clients, policies *Policies, log logr.Logger) {
	for name, decide := range map[string]decide{
		"mutate": (*policy.Policy).Mutate, "validate": (*policy.Policy).Validate,
	} {
		s.Register("/"+name, &hook{name, decide, policies, clients, log.WithValues("webhook", name)})
	}
}

type decide func(*policy.Policy, *admissionv1.AdmissionRequest) policy.Decision

// A hook is one of the webhooks. It serves HTTP like an [admission.Webhook]. But that
// does not read more than 7 MiB, so a large pod could pass under failurePolicy Ignore,
// and it reads any number of large requests at once.
type hook struct {
	name     string
	decide   decide
	policies *Policies
	clients  *clients
	log      logr.Logger
}

// Handle implements [admission.Handler].
func (h *hook) Handle(_ context.Context, q admission.Request) admission.Response {
	d := h.decide(h.policies.Policy(), &q.AdmissionRequest)
	log, outcome := h.log.V(1), "allowed"
	values := []any{
		"uid", printable(string(q.UID)), "operation", printable(string(q.Operation)),
		"namespace", printable(q.Namespace), "name", printable(cmp.Or(q.Name, d.Pod)),
		"user", printable(q.UserInfo.Username), "allowed", d.Refusal == nil,
	}
	switch {
	case d.Ignored != "":
		outcome = "ignored"
		values = append(values, "ignored", d.Ignored)
	case d.Refusal != nil:
		log, outcome = h.log, "denied"
		denials.WithLabelValues(h.name, d.Refusal.Kind).Inc()
		values = append(values, "code", d.Refusal.Code, "reason", d.Refusal.Message)
	case len(d.Patch) > 0:
		outcome = "patched"
		values = append(values, "patch", fmt.Sprintf("%.2000s", fmt.Sprint(d.Patch)))
	}
	reviews.WithLabelValues(h.name, outcome).Inc()
	if len(d.Unknown) > 0 {
		log = h.log
		unknown.Inc()
		values = append(values, "notUnderstood", printable(strings.Join(d.Unknown, "; ")))
	}
	log.Info("decision", values...)
	if d.Refusal == nil {
		return admission.Patched("", d.Patch...)
	}
	response := admission.Errored(d.Refusal.Code, d.Refusal)
	response.Result.Reason = d.Refusal.Reason
	return response
}

// printable returns the beginning of a text of a client for the log. A text log
// prints what has more than one line as it is, escape sequences included.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, fmt.Sprintf("%.300s", s))
}

// ServeHTTP implements [http.Handler]. A request that is not a review has no uid
// for an answer, and gets an HTTP error. The API server then applies the webhook's
// failurePolicy.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if code, err := checkHeader(r); err != nil {
		h.fail(w, r, code, err)
		return
	}
	body, release, code, err := h.clients.read(w, r)
	defer release()
	if err != nil {
		h.fail(w, r, code, err)
		return
	}
	review, err := parse(body)
	if err != nil {
		h.fail(w, r, http.StatusBadRequest, err)
		return
	}
	// It also answers after a panic, and encodes the patch.
	response := (&admission.Webhook{Handler: h}).Handle(r.Context(), admission.Request{AdmissionRequest: *review.Request})
	h.setLast(w)
	w.Header().Set("Content-Type", "application/json")
	answer := admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: &response.AdmissionResponse}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		h.log.Error(err, "a decision cannot be written", "uid", review.Request.UID)
	}
}

// checkHeader returns an error with an HTTP status code if the request cannot be a
// review.
func checkHeader(r *http.Request) (code int, err error) {
	content := r.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(content)
	switch {
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, fmt.Errorf("the method is %s, not POST", r.Method)
	case err != nil || media != "application/json":
		return http.StatusUnsupportedMediaType, fmt.Errorf("the Content-Type is %q, not application/json", content)
	case r.ContentLength < 0:
		return http.StatusLengthRequired, errors.New("the request has no Content-Length")
	case r.ContentLength > maxBody:
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the request is larger than %d bytes", maxBody)
	}
	return 0, nil
}

func parse(body []byte) (*admissionv1.AdmissionReview, error) {
	review := &admissionv1.AdmissionReview{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(body, review); err != nil {
		return nil, err
	}
	if review.GroupVersionKind() != admissionv1.SchemeGroupVersion.WithKind("AdmissionReview") ||
		review.Request == nil || review.Request.UID == "" {
		return nil, errors.New("not an AdmissionReview of admission.k8s.io/v1 with a request and a uid")
	}
	return review, nil
}

func (h *hook) fail(w http.ResponseWriter, r *http.Request, code int, err error) {
	h.log.Error(err, "bad request", "from", r.RemoteAddr, "code", code)
	h.setLast(w)
	http.Error(w, err.Error(), code)
}

// setLast says that this answer is the last one on the connection, if it is to be.
func (h *hook) setLast(w http.ResponseWriter) {
	if h.clients.draining.Load() {
		w.Header().Set("Connection", "close")
	}
}

var (
	register = promauto.With(metrics.Registry)

	reviews = register.NewCounterVec(prometheus.CounterOpts{
		Name: "taints_webhook_reviews_total",
		Help: "Reviews by outcome: allowed, patched, ignored or denied.",
	}, []string{"webhook", "outcome"})
	denials = register.NewCounterVec(prometheus.CounterOpts{
		Name: "taints_webhook_denials_total",
		Help: "Pods that were denied, by reason: not-allowed, dedication, invalid or unreadable.",
	}, []string{"webhook", "reason"})

	unknown = register.NewCounter(prometheus.CounterOpts{
		Name: "taints_webhook_not_understood_total",
		Help: "Pods with a toleration that was not checked, because this version does not know its operator or effect.",
	})

	rulesGood = gauge("taints_webhook_rules_good",
		"1 if the rules in use are those of the file, 0 if the file was refused or cannot be read.")
	rulesLoaded   = gauge("taints_webhook_rules_loaded_timestamp_seconds", "When the rules in use were read, in seconds since 1970.")
	rulesFailures = register.NewCounter(prometheus.CounterOpts{
		Name: "taints_webhook_rules_failures_total",
		Help: "Attempts to read rules that failed.",
	})

	certificateExpiry = gauge("taints_webhook_certificate_expiry_timestamp_seconds",
		"When the certificate in use ends, in seconds since 1970.")
	certificateLifetime = gauge("taints_webhook_certificate_lifetime_seconds",
		"How long the certificate in use is valid from its beginning to its end.")
)

func gauge(name, help string) prometheus.Gauge {
	return register.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

// init sets each counter to zero, so that the first event is an increase.
func init() {
	for _, webhook := range []string{"mutate", "validate"} {
		for _, outcome := range []string{"allowed", "patched", "ignored", "denied"} {
			reviews.WithLabelValues(webhook, outcome)
		}
		for _, reason := range policy.Reasons {
			denials.WithLabelValues(webhook, reason)
		}
	}
	register.NewGauge(prometheus.GaugeOpts{
		Name:        "taints_webhook_build_info",
		Help:        "The program's version.",
		ConstLabels: prometheus.Labels{"version": program.Version()},
	}).Set(1)
}

// reloadInterval is how often the rules file is read.
const reloadInterval = 5 * time.Second

// Policies has the policy in use. It reads the rules file again when the file
// changes. The rules change as a whole: if the file cannot be read or is refused,
// the old rules stay in use.
type Policies struct {
	file    string
	seconds taints.DefaultTolerationSeconds
	log     logr.Logger
	policy  atomic.Pointer[policy.Policy]

	text    []byte // the contents of the file when it was last read
	problem string // what is wrong with the file
}

// OpenPolicies reads the rules file. If the name is empty, there are no rules.
func OpenPolicies(file string, seconds taints.DefaultTolerationSeconds, log logr.Logger) (*Policies, error) {
	p := &Policies{file: file, seconds: seconds, log: log}
	p.use(&policy.Rules{})
	if file == "" {
		return p, nil
	}
	return p, p.reload()
}

// Policy returns the policy in use.
func (p *Policies) Policy() *policy.Policy { return p.policy.Load() }

// Start reads the file periodically until the context ends.
func (p *Policies) Start(ctx context.Context) error {
	if p.file != "" {
		wait.UntilWithContext(ctx, p.update, reloadInterval)
	}
	return nil
}

// update reads the file again, and logs a problem once.
func (p *Policies) update(context.Context) {
	last := p.problem
	if err := p.reload(); err != nil && p.problem != last {
		p.log.Error(err, "the rules cannot be reloaded; the old ones stay in use")
	}
}

// reload reads the file, and uses its rules if they are new and valid.
func (p *Policies) reload() error {
	text, err := os.ReadFile(p.file)
	if err != nil {
		p.text = nil
		return p.fail(err)
	}
	if p.text != nil && bytes.Equal(text, p.text) {
		return nil
	}
	p.text = text
	rules, err := policy.ParseRules(text)
	if err != nil {
		return p.fail(fmt.Errorf("%s: %w", p.file, err))
	}
	p.use(rules)
	p.log.Info("new rules", "namespaces", len(rules.Namespaces), "dedications", len(rules.Dedications))
	return nil
}

func (p *Policies) fail(err error) error {
	p.problem = err.Error()
	rulesGood.Set(0)
	rulesFailures.Inc()
	return err
}

func (p *Policies) use(rules *policy.Rules) {
	p.policy.Store(&policy.Policy{Rules: *rules, Seconds: p.seconds})
	p.problem = ""
	rulesGood.Set(1)
	rulesLoaded.SetToCurrentTime()
}
