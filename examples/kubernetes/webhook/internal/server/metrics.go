// SPDX-License-Identifier: Apache-2.0

package server

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/program"
	"github.com/seed-0529bac1/taints/examples/kubernetes/webhook/internal/policy"
)

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

func count(webhook string, d policy.Decision) {
	outcome := "allowed"
	switch {
	case d.Refusal != nil:
		outcome = "denied"
		denials.WithLabelValues(webhook, d.Refusal.Kind).Inc()
	case d.Ignored != "":
		outcome = "ignored"
	case len(d.Patch) > 0:
		outcome = "patched"
	}
	reviews.WithLabelValues(webhook, outcome).Inc()
}
