// SPDX-License-Identifier: Apache-2.0

// Package webhook answers an API server's questions about pods (AdmissionReview of
// admission.k8s.io/v1): /mutate gives new ones tolerations and node selectors, and
// /validate refuses tolerations that their namespace does not allow. It needs the
// standard library alone. The program admission in the folder above serves it, and
// its README has the rules file, how the webhook is registered, and what it answers
// to what.
//
//	policies, err := webhook.OpenPolicies("rules.json", taints.DefaultSeconds{})
//	…
//	server := &webhook.Server{Policies: policies, TLS: config, Log: log, Drain: 20 * time.Second}
//	err = server.Serve(ctx, listener, nil)
package webhook
