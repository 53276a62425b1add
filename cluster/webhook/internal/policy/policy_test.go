// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
	"github.com/seed-0529bac1/taints/kube"
)

const (
	notReady    = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"
	unreachable = "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
	pressure    = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"
)

func testPolicy(t testing.TB) *Policy {
	t.Helper()
	return policyOf(t, string(must(os.ReadFile("../../../manifests/webhook/rules.json"))(t)))
}

func policyOf(t testing.TB, rules string) *Policy {
	t.Helper()
	return &Policy{Rules: *must(ParseRules([]byte(rules)))(t)}
}

// must returns the value, and ends the test if there is an error.
func must[V any](value V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// fields returns the fields of a spec, for podOf.
func fields(spec json.RawMessage) string {
	return strings.TrimSuffix(strings.TrimPrefix(string(spec), "{"), "}")
}

// podOf returns the JSON of a pod with the spec, and with labels as in "a=b".
func podOf(spec string, list ...string) string {
	set, _ := labels.ConvertSelectorToLabelsMap(strings.Join(list, ","))
	text, _ := json.Marshal(set)
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":%s},"spec":{%s}}`, text, spec)
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

// mutated returns the patched pod and the patch steps. Mutating it again adds nothing.
func mutated(t *testing.T, p *Policy, namespace, pod string) (after corev1.Pod, steps []string) {
	t.Helper()
	d := p.Mutate(request(namespace, pod, ""))
	if d.Refusal != nil {
		t.Fatalf("refused: %v", d.Refusal)
	}
	for _, step := range d.Patch {
		steps = append(steps, step.Operation+" "+step.Path)
	}
	patch := must(jsonpatch.DecodePatch(must(json.Marshal(d.Patch))(t)))(t)
	patched := must(patch.Apply([]byte(pod)))(t)
	if again := p.Mutate(request(namespace, string(patched), "")); again.Refusal != nil || len(again.Patch) > 0 {
		t.Fatalf("again: %+v", again)
	}
	if err := json.Unmarshal(patched, &after); err != nil {
		t.Fatal(err)
	}
	return after, steps
}

func TestMutate(t *testing.T) {
	p := policyOf(t, `{
		"cluster": {"defaultTolerations": [{"key": "spot", "operator": "Exists"}]},
		"namespaces": {
			"own": {"defaultTolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 20}]},
			"none": {"defaultTolerations": []}
		},
		"dedications": [
			{"name": "a", "namespaces": ["own", "none"], "podSelector": {"matchLabels": {"team": "a"}}, "tolerations": [{"key": "team", "value": "a"}], "nodeSelector": {"team": "a", "x/y": ""}},
			{"name": "z", "podSelector": {"matchLabels": {"zone": "z"}}, "tolerations": [{"key": "zone", "operator": "Exists"}], "nodeSelector": {"zone": "z"}}
		]
	}`)
	type test struct {
		Name, Namespace, Label string
		Spec                   json.RawMessage
		Want, Steps            []string
	}
	for _, test := range rows.Read[test](t, "mutate.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			after, steps := mutated(t, p, test.Namespace, podOf(fields(test.Spec), test.Label))
			var got []string
			for _, toleration := range kube.Tolerations(after.Spec.Tolerations) {
				got = append(got, toleration.String())
			}
			if diff := cmp.Diff(test.Want, got); diff != "" {
				t.Errorf("tolerations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.Steps, steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if d := strings.Contains(fmt.Sprint(got), "team=a"); d != (after.Spec.NodeSelector["team"] == "a") {
				t.Errorf("node selector %v", after.Spec.NodeSelector)
			}
		})
	}
}

// TestSeconds checks that pods get the seconds of the flags, and that these need no
// permission, like an API server's own seconds.
func TestSeconds(t *testing.T) {
	p := testPolicy(t)
	p.Seconds = taints.DefaultTolerationSeconds{NotReady: new(int64(60)), Unreachable: new(int64(900))}
	after, _ := mutated(t, p, "web", podOf(``))
	want := "[node.kubernetes.io/not-ready:NoExecute op=Exists for 60s node.kubernetes.io/unreachable:NoExecute op=Exists for 900s]"
	if got := fmt.Sprint(kube.Tolerations(after.Spec.Tolerations)); got != want {
		t.Errorf("got %s", got)
	}
	for toleration, allowed := range map[string]bool{
		notReady: true, "node.kubernetes.io/not-ready:NoExecute op=Exists for 301s": false,
		"node.kubernetes.io/unreachable:NoExecute op=Exists for 900s": true,
		"node.kubernetes.io/unreachable:NoExecute op=Exists for 901s": false,
	} {
		if d := p.Validate(request("web", podOf(tolerating(toleration)), "")); (d.Refusal == nil) != allowed {
			t.Errorf("%s: %v", toleration, d.Refusal)
		}
	}
}

func TestMutateRefuses(t *testing.T) {
	p := policyOf(t, `{"dedications": [
		{"name": "ml", "namespaces": ["ml"], "tolerations": [{"key": "a"}], "nodeSelector": {"pool": "ml", "os": "linux"}},
		{"name": "spot", "podSelector": {"matchLabels": {"spot": "yes"}}, "tolerations": [{"key": "a"}], "nodeSelector": {"pool": "spot"}}
	]}`)
	type test struct {
		Label, Want string
		Selector    json.RawMessage
	}
	for _, test := range rows.Read[test](t, "conflicts.yaml") {
		d := p.Mutate(request("ml", podOf(`"nodeSelector":`+string(test.Selector), test.Label), ""))
		want := &Refusal{Kind: "dedication", Code: 403, Reason: "Forbidden", Message: test.Want}
		if diff := cmp.Diff(want, d.Refusal); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.Selector, diff)
		}
	}
}

func TestValidate(t *testing.T) {
	type test struct {
		Name, Namespace, Message string
		Rules, Spec, Old         json.RawMessage
		Code                     int32
		Unknown                  []string
	}
	for _, test := range rows.Read[test](t, "validate.yaml") {
		p, old := testPolicy(t), ""
		if test.Rules != nil {
			p = policyOf(t, string(test.Rules))
		}
		if test.Old != nil {
			old = podOf(fields(test.Old))
		}
		d := p.Validate(request(test.Namespace, podOf(fields(test.Spec)), old))
		if d.Refusal == nil {
			d.Refusal = &Refusal{}
		}
		if d.Refusal.Code != test.Code || !strings.Contains(d.Refusal.Message+"\n", test.Message) || d.Ignored != "" || len(d.Patch) > 0 ||
			!slices.Equal(d.Unknown, test.Unknown) {
			t.Errorf("%s: %+v, want %d %s; unknown: %q", test.Name, d.Refusal, test.Code, test.Message, d.Unknown)
		}
	}
}

// TestIgnored checks that requests that the webhook is not for are allowed, and
// that an update that leaves the tolerations alone is not decoded further.
func TestIgnored(t *testing.T) {
	p := testPolicy(t)
	decide := map[string]func(*Policy, *admissionv1.AdmissionRequest) Decision{"mutate": (*Policy).Mutate, "validate": (*Policy).Validate}
	type test struct {
		Webhook string
		Old     json.RawMessage // a spec
		Change  json.RawMessage // of the request
		Want    string
	}
	for _, test := range rows.Read[test](t, "ignored.yaml") {
		q := request("web", podOf(tolerating("dedicated=ml")), "")
		if test.Old != nil {
			q = request("web", podOf(tolerating("dedicated=ml")), podOf(fields(test.Old)))
		}
		if err := json.Unmarshal(test.Change, q); err != nil {
			t.Fatal(err)
		}
		if d := decide[test.Webhook](p, q); d.Refusal != nil || d.Ignored != test.Want {
			t.Errorf("%+v, want %s", d, test.Want)
		}
	}
}

// TestDaemonSets checks that a pod that the DaemonSet controller creates may have
// the tolerations that the controller adds, and that its author gets no others past
// the rules.
func TestDaemonSets(t *testing.T) {
	type test struct {
		Name, User, Namespace string
		Owner                 json.RawMessage
		Spec                  json.RawMessage // without what the controller adds
		More                  []string        // tolerations besides what the controller adds
		Refused               string          // a part of the message
	}
	var added []string
	for _, toleration := range taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{}) {
		added = append(added, toleration.String())
	}
	for _, test := range rows.Read[test](t, "daemonsets.yaml") {
		spec := tolerating(append(test.More, added...)...)
		if test.Spec != nil {
			spec += "," + fields(test.Spec)
		}
		pod := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"ownerReferences":[{"apiVersion":"other/v1"},%s]},"spec":{%s}}`, test.Owner, spec)
		q := request(test.Namespace, pod, "")
		q.UserInfo = authenticationv1.UserInfo{Username: test.User}
		d := testPolicy(t).Validate(q)
		if (d.Refusal != nil) != (test.Refused != "") || d.Refusal != nil && !strings.Contains(d.Refusal.Message, test.Refused) {
			t.Errorf("%s: %v, want %q", test.Name, d.Refusal, test.Refused)
		}
	}
}
