// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	k8stesting "k8s.io/client-go/testing"
	"sigs.k8s.io/yaml"
)

func TestConfigurations(t *testing.T) {
	const common = `
  admissionReviewVersions: [v1]
  namespaceSelector:
    matchExpressions:
    - {key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, webhooks]}
  objectSelector: {}
  matchPolicy: Equivalent
  sideEffects: None
  timeoutSeconds: 5
`
	const mutating = `
metadata: {name: admission.example.com, labels: {app.kubernetes.io/managed-by: taints-webhook}}
webhooks:
- name: mutate.admission.example.com
  clientConfig:
    caBundle: Q0E=
    service: {namespace: webhooks, name: admission, path: /mutate, port: 443}
  rules:
  - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE], scope: Namespaced}
  reinvocationPolicy: IfNeeded
  failurePolicy: Fail` + common
	const validating = `
metadata: {name: admission.example.com, labels: {app.kubernetes.io/managed-by: taints-webhook}}
webhooks:
- name: validate.admission.example.com
  clientConfig:
    caBundle: Q0E=
    service: {namespace: webhooks, name: admission, path: /validate, port: 443}
  rules:
  - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE, UPDATE], scope: Namespaced}
  matchConditions:
  - name: tolerations-are-new
    expression: >-
      request.operation == 'CREATE' ||
      (has(object.spec.tolerations) ? object.spec.tolerations : []) !=
      (has(oldObject.spec.tolerations) ? oldObject.spec.tolerations : [])
  failurePolicy: Ignore` + common
	r := newRegistration()
	r.exempt = append(r.exempt, "webhooks")
	r.validatePolicy = admissionv1.Ignore
	var wantMutating admissionv1.MutatingWebhookConfiguration
	if err := yaml.UnmarshalStrict([]byte(mutating), &wantMutating); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&wantMutating, r.mutating([]byte("CA"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var wantValidating admissionv1.ValidatingWebhookConfiguration
	if err := yaml.UnmarshalStrict([]byte(validating), &wantValidating); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&wantValidating, r.validating([]byte("CA"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	r.url = "https://127.0.0.1:8443"
	config := r.mutating([]byte("CA")).Webhooks[0].ClientConfig
	if config.Service != nil || *config.URL != "https://127.0.0.1:8443/mutate" || string(config.CABundle) != "CA" {
		t.Errorf("with an address: %+v", config)
	}
}

func TestUnregister(t *testing.T) {
	now, client, r := start, newAPI(), newRegistration()
	k := newKeeper(client, &now)
	mustPass(t, k)
	for range 2 { // the second time there is nothing
		if err := unregister(t.Context(), client, r, k.secret); err != nil {
			t.Fatal(err)
		}
	}
	list, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	if got := strings.Join(writes(client)[3:],
		", "); got != "delete mutatingwebhookconfigurations, delete validatingwebhookconfigurations, delete secrets" {
		t.Errorf("got %s", got)
	}
	mustPass(t, k) // and again from the beginning
	get(t, client)
}

func TestUnregisterFails(t *testing.T) {
	now := start
	for _, test := range []struct{ verb, resource, want string }{
		{"get", mutatingResource, "no network"},
		{"delete", mutatingResource, "no network"},
		{"delete", validatingResource, "no network"},
		{"delete", "secrets", "no network"},
	} {
		client := newAPI()
		mustPass(t, newKeeper(client, &now))
		client.PrependReactor(test.verb, test.resource, func(k8stesting.Action) (bool, runtime.Object, error) {
			return true, nil, errors.New("no network")
		})
		err := unregister(t.Context(), client, newRegistration(), "admission-tls")
		if err == nil || err.Error() != test.want {
			t.Errorf("%+v: got %v", test, err)
		}
	}
	client := newAPI()
	mine := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "webhooks", Name: "admission-tls"}}
	if err := client.Tracker().Add(mine); err != nil {
		t.Fatal(err)
	}
	if err := unregister(t.Context(), client, newRegistration(), "admission-tls"); err == nil ||
		!strings.Contains(err.Error(), "the Secret admission-tls is not this program's") {
		t.Errorf("got %v", err)
	}
}
