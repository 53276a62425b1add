// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
	"github.com/seed-0529bac1/taints/kube"
)

func testPolicy() *Policy {
	return policyOf(string(taints.Must(os.ReadFile("../../../manifests/webhook/rules.json"))))
}

func policyOf(rules string) *Policy { return &Policy{Rules: *taints.Must(ParseRules([]byte(rules)))} }

// fields returns the fields of a spec, for podOf.
func fields(spec json.RawMessage) string {
	return strings.TrimSuffix(strings.TrimPrefix(string(spec), "{"), "}")
}

// podOf returns the JSON of a pod with the spec.
func podOf(spec string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{%s}}`, spec)
}

// tolerating returns the field tolerations of a spec as JSON.
func tolerating(list ...string) string {
	tolerations := []taints.Toleration{}
	for _, s := range list {
		tolerations = append(tolerations, taints.Must(taints.ParseToleration(s)))
	}
	text, _ := json.Marshal(tolerations)
	return fmt.Sprintf(`"tolerations":%s`, text)
}

// request returns a request for a new pod, or for an update if there is an old pod.
func request(namespace, pod, old string) *admissionv1.AdmissionRequest {
	q := &admissionv1.AdmissionRequest{
		Operation: admissionv1.Create, Namespace: namespace,
		Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
		Object:   runtime.RawExtension{Raw: []byte(pod)},
	}
	if old != "" {
		q.Operation, q.OldObject.Raw = admissionv1.Update, []byte(old)
	}
	return q
}

// TestDecisions decides about requests that are allowed, changed, refused or ignored.
func TestDecisions(t *testing.T) {
	type test struct {
		Name, Namespace     string
		Mutate              bool // asks /mutate
		DaemonSet           bool // has the tolerations that the DaemonSet controller adds, too
		Rules               json.RawMessage
		Seconds             taints.DefaultTolerationSeconds
		Metadata, Spec, Old json.RawMessage
		Request             json.RawMessage // what differs in the request

		Code                   int32
		Kind, Message, Ignored string // Message is a part of the refusal's
		Unknown                []string
		Tolerations, Steps     []string // of the pod that /mutate changes, and of the patch
	}
	reasons := map[int32]metav1.StatusReason{400: metav1.StatusReasonBadRequest, 403: metav1.StatusReasonForbidden, 422: metav1.StatusReasonInvalid}
	for _, test := range rows.Read[test](t, "decisions.yaml") {
		p, decide := testPolicy(), (*Policy).Validate
		if test.Rules != nil {
			p = policyOf(string(test.Rules))
		}
		if test.Mutate {
			decide = (*Policy).Mutate
		}
		p.Seconds = test.Seconds
		if test.DaemonSet {
			var spec corev1.PodSpec
			if err := json.Unmarshal(test.Spec, &spec); err != nil {
				t.Fatal(err)
			}
			added := taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{})
			spec.Tolerations = append(spec.Tolerations, kube.CoreTolerations(added)...)
			test.Spec = taints.Must(json.Marshal(spec))
		}
		pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": test.Metadata, "spec": test.Spec}
		old := ""
		if test.Old != nil {
			old = podOf(fields(test.Old))
		}
		q := request(test.Namespace, string(taints.Must(json.Marshal(pod))), old)
		if err := json.Unmarshal(test.Request, q); test.Request != nil && err != nil {
			t.Fatal(err)
		}
		d := decide(p, q)
		r := cmp.Or(d.Refusal, &Refusal{})
		var steps []string
		for _, step := range d.Patch {
			steps = append(steps, step.Operation+" "+step.Path)
		}
		if r.Code != test.Code || r.Reason != reasons[r.Code] || test.Kind != "" && r.Kind != test.Kind ||
			!strings.Contains(r.Message+"\n", test.Message) || d.Ignored != test.Ignored || !slices.Equal(d.Unknown, test.Unknown) ||
			!slices.Equal(steps, test.Steps) {
			t.Errorf("%s: %+v, want %d %s; unknown: %q; ignored: %s; steps: %q", test.Name, r, test.Code, test.Message, d.Unknown, d.Ignored, steps)
		}
		if test.Tolerations == nil {
			continue
		}
		patch := taints.Must(jsonpatch.DecodePatch(taints.Must(json.Marshal(d.Patch))))
		q.Object.Raw = taints.Must(patch.Apply(q.Object.Raw))
		if again := p.Mutate(q); again.Refusal != nil || len(again.Patch) > 0 {
			t.Errorf("%s, again: %+v", test.Name, again)
		}
		var after corev1.Pod
		if err := json.Unmarshal(q.Object.Raw, &after); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, toleration := range kube.Tolerations(after.Spec.Tolerations) {
			got = append(got, toleration.String())
		}
		if selector := after.Spec.NodeSelector; !slices.Equal(got, test.Tolerations) || slices.Contains(got, "team=a") != (selector["team"] == "a") {
			t.Errorf("%s: tolerations %q, want %q; node selector %v", test.Name, got, test.Tolerations, selector)
		}
	}
}
