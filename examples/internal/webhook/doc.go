// Package webhook answers an API server's questions about pods (AdmissionReview of admission.k8s.io/v1): /mutate gives new ones
// tolerations and node selectors, and /validate refuses tolerations that their namespace does not allow. It needs the standard
// library alone. The program admission in the folder above serves it, and its README has the rules file, how the webhook is
// registered, and what it answers to what.
//
//	rules, err := webhook.ParseRules(text)
//	…
//	server := webhook.NewServer(&webhook.Policy{Rules: rules}, config, log)
//	err = webhook.Serve(ctx, server, listener, 20*time.Second)
package webhook
