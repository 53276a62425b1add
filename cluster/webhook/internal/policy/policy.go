// SPDX-License-Identifier: Apache-2.0

// Package policy decides which tolerations and node selectors pods get, and which
// tolerations they may not have.
package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gomodules.xyz/jsonpatch/v2"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// A Policy decides about pods. The zero Policy adds what the admission plugins of
// Kubernetes add, and allows everything. It is safe for concurrent use.
type Policy struct {
	Rules Rules
	// Seconds is how long pods tolerate nodes that are not ready or unreachable, if
	// they do not set this themselves.
	Seconds taints.DefaultTolerationSeconds
}

// A Decision is the answer to a request. The request is allowed unless Refusal is set.
type Decision struct {
	Ignored string // why the pod was not checked; empty if it was
	Pod     string // the pod's name, or the prefix that its name will have
	Refusal *Refusal
	Patch   []jsonpatch.Operation
	// Unknown are the pod's tolerations with an operator or an effect that this version
	// does not know. They are allowed: an API server that accepts them is newer.
	Unknown []string
}

// Reasons are the possible values of a [Refusal]'s Kind.
var Reasons = []string{notAllowed, dedicated, notValid, unreadable}

const (
	notAllowed = "not-allowed" // a toleration that the namespace does not allow
	dedicated  = "dedication"  // a node selector that contradicts a dedication
	notValid   = "invalid"     // tolerations that no API server would accept
	unreadable = "unreadable"  // an object that is not a pod, or exceeds a limit
)

// A Refusal is the reason why a pod is not admitted.
type Refusal struct {
	Kind    string // one of Reasons
	Code    int32  // HTTP status code
	Reason  metav1.StatusReason
	Message string
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

func forbid(kind, format string, args ...any) *Refusal {
	return &Refusal{kind, http.StatusForbidden, metav1.StatusReasonForbidden, fmt.Sprintf(format, args...)}
}

// Mutate decides how a new pod is changed.
func (p *Policy) Mutate(q *admissionv1.AdmissionRequest) Decision {
	if why := ignored(q, admissionv1.Create); why != "" {
		return Decision{Ignored: why}
	}
	pod, refusal := readPod(q, "object", q.Object.Raw)
	if refusal != nil {
		return Decision{Refusal: refusal}
	}
	tolerations, nodeSelector, refusal := p.mutate(q, pod)
	if refusal != nil {
		return Decision{Pod: pod.name(), Refusal: refusal}
	}
	return Decision{Pod: pod.name(), Patch: patch(pod.Spec, tolerations, nodeSelector)}
}

// Validate decides whether a new or updated pod is allowed.
func (p *Policy) Validate(q *admissionv1.AdmissionRequest) Decision {
	if why := ignored(q, admissionv1.Create, admissionv1.Update); why != "" {
		return Decision{Ignored: why}
	}
	if q.Operation == admissionv1.Update && keepsTolerations(q) {
		return Decision{Ignored: "the tolerations stay as they are"}
	}
	pod, refusal := readPod(q, "object", q.Object.Raw)
	if refusal != nil {
		return Decision{Refusal: refusal}
	}
	var before []taints.Toleration
	if q.Operation == admissionv1.Update {
		old, refusal := readPod(q, "oldObject", q.OldObject.Raw)
		if refusal != nil {
			return Decision{Pod: pod.name(), Refusal: refusal}
		}
		before, pod.class = old.Spec.Tolerations, old.Status.QOSClass
	}
	d := Decision{Pod: pod.name(), Refusal: p.validate(q, before, pod)}
	for _, t := range pod.Spec.Tolerations {
		if !known(t) && len(d.Unknown) < 10 {
			d.Unknown = append(d.Unknown, fmt.Sprintf("%.500s", t))
		}
	}
	return d
}

// known reports whether this version knows the operator and the effect. An API server
// validates a pod before it asks /validate, so only a newer one sends others.
func known(t taints.Toleration) bool {
	return !errors.Is(taints.ValidateTolerations([]taints.Toleration{t}), taints.ErrNotSupported)
}

// ignored returns why there is nothing to decide, or "". Such requests arrive if
// the webhook is registered for more than it needs, and refusing them could stop a
// whole cluster.
func ignored(q *admissionv1.AdmissionRequest, operations ...admissionv1.Operation) string {
	switch {
	case q.Resource.Group != "" || q.Resource.Resource != "pods":
		return "the resource is not pods"
	case q.SubResource != "":
		return "it is about a subresource"
	case !slices.Contains(operations, q.Operation):
		return "nothing to do at this operation"
	}
	return ""
}

// keepsTolerations reports whether an update leaves the tolerations alone. Such an
// update is allowed even if the tolerations no longer are. Otherwise the pod could
// not lose its finalizers, and would stay forever.
func keepsTolerations(q *admissionv1.AdmissionRequest) bool {
	now, err := rawTolerations(q.Object.Raw)
	if err != nil {
		return false
	}
	old, err := rawTolerations(q.OldObject.Raw)
	return err == nil && bytes.Equal(now, old)
}

func readPod(q *admissionv1.AdmissionRequest, name string, text []byte) (*pod, *Refusal) {
	pod, err := decodePod(text)
	why := ""
	switch {
	case err != nil:
		why = fmt.Sprintf("%s: %.1000s", name, err)
	case q.Namespace == "":
		why = "the request has no namespace"
	default:
		return pod, nil
	}
	return nil, &Refusal{unreadable, http.StatusBadRequest, metav1.StatusReasonBadRequest, why}
}

// daemonSetControllers are the users that create the pods of DaemonSets: the
// controller itself, if each controller has its own service account, or the
// kube-controller-manager.
var daemonSetControllers = []string{
	"system:serviceaccount:kube-system:daemon-set-controller",
	"system:kube-controller-manager",
}

// fromDaemonSet reports whether the DaemonSet controller creates the pod. Any user
// can write an owner into a pod, but only the controller can have its user name.
func fromDaemonSet(q *admissionv1.AdmissionRequest, pod *pod) bool {
	return q.Operation == admissionv1.Create && pod.ofDaemonSet() && slices.Contains(daemonSetControllers, q.UserInfo.Username)
}

// mutate returns the tolerations and the node selector that a new pod will have. It
// removes no tolerations: if the pod itself sets how long it tolerates a taint,
// that value is kept. A pod that already has everything gets nothing more.
//
// The order follows Kubernetes' admission plugins, DefaultTolerationSeconds,
// PodTolerationRestriction and ExtendedResourceToleration, except that the defaults
// of the namespace come first. So they can set the seconds for not-ready and
// unreachable. In Kubernetes they are lost if they are shorter than the seconds
// that the pod already has.
func (p *Policy) mutate(q *admissionv1.AdmissionRequest, pod *pod) ([]taints.Toleration, map[string]string, *Refusal) {
	tolerations := tolerationset.Merge(pod.Spec.Tolerations, p.Rules.in(q.Namespace).DefaultTolerations, taints.Options{})
	tolerations = addStandard(tolerations, p.Seconds, pod)
	nodeSelector := map[string]string{}
	maps.Copy(nodeSelector, pod.Spec.NodeSelector)
	for _, d := range p.Rules.dedications(q.Namespace, pod.Metadata.Labels) {
		tolerations = tolerationset.Merge(tolerations, d.Tolerations, taints.Options{})
		for _, key := range slices.Sorted(maps.Keys(d.NodeSelector)) {
			have, ok := nodeSelector[key]
			if ok && have != d.NodeSelector[key] {
				return nil, nil, d.refuse(key, pod, "another dedication requires "+label(key, have))
			}
			nodeSelector[key] = d.NodeSelector[key]
		}
	}
	return tolerations, nodeSelector, nil
}

// addStandard adds the tolerations that Kubernetes' admission gives every pod with
// the same QoS class and resource requests.
func addStandard(tolerations []taints.Toleration, seconds taints.DefaultTolerationSeconds, pod *pod) []taints.Toleration {
	tolerations = taints.AddDefaultTolerations(tolerations, seconds)
	if !pod.bestEffort() {
		tolerations = taints.AddMemoryPressureToleration(tolerations)
	}
	return taints.AddExtendedResourceTolerations(tolerations, pod.requested...)
}

// refuse refuses a pod whose node selector has another value for the key, or none.
// If it has none, the reason is the argument otherwise.
func (d *Dedication) refuse(key string, pod *pod, otherwise string) *Refusal {
	if have, ok := pod.Spec.NodeSelector[key]; ok {
		otherwise = "its nodeSelector has " + label(key, have)
	}
	return forbid(dedicated, "dedication %q sends the pod to nodes with %s, but %s", d.Name, label(key, d.NodeSelector[key]), otherwise)
}

func label(key, value string) string { return fmt.Sprintf("%s=%.63q", key, value) }

// validate checks a new pod, or an update of one that had the tolerations before:
//
//   - The tolerations must be valid, and an update must not remove any. (An API
//     server also checks this.) Those that are not known may be anything.
//   - Each toleration must be allowed in the namespace, or tolerate no more than
//     the pod tolerated before.
//   - A new pod must have the node selector of its dedications, whatever other
//     webhooks did after this one.
func (p *Policy) validate(q *admissionv1.AdmissionRequest, before []taints.Toleration, pod *pod) *Refusal {
	errs, _ := tolerationset.ValidateUpdate(before, pod.Spec.Tolerations, taints.Options{}).(taints.ErrorList)
	errs = slices.DeleteFunc(errs, func(err *taints.FieldError) bool {
		if err.List == "old" {
			return !known(before[err.Index])
		}
		return !known(pod.Spec.Tolerations[err.Index])
	})
	if len(errs) > 0 {
		return invalid(errs)
	}
	if refused := p.refused(q, before, pod); len(refused) > 0 {
		var texts []string
		for _, t := range p.Rules.in(q.Namespace).AllowedTolerations {
			texts = append(texts, t.String())
		}
		if len(texts) == 0 {
			texts = []string{"none"}
		}
		t := pod.Spec.Tolerations[refused[0]]
		return forbid(notAllowed, "toleration %.500q is not allowed in namespace %q; allowed are: %s%s",
			t.String(), q.Namespace, summary(texts), whence(t, pod))
	}
	if q.Operation == admissionv1.Update {
		return nil
	}
	for _, d := range p.Rules.dedications(q.Namespace, pod.Metadata.Labels) {
		for _, key := range slices.Sorted(maps.Keys(d.NodeSelector)) {
			if have, ok := pod.Spec.NodeSelector[key]; !ok || have != d.NodeSelector[key] {
				return d.refuse(key, pod, "its nodeSelector has no "+key)
			}
		}
	}
	return nil
}

// whence says where a toleration comes from if the pod's author need not have written
// it: ExtendedResourceToleration adds it for a request of zero, also in each update.
// So the webhook cannot remove it, because no update would be allowed then.
func whence(t taints.Toleration, pod *pod) string {
	added := taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: taints.NoSchedule}
	if !t.Equal(added) || !pod.requestsNone(t.Key) {
		return ""
	}
	return fmt.Sprintf("; a container requests 0 of %s, and some API servers add this toleration for that: remove the request", t.Key)
}

// refused returns the indexes of the pod's known tolerations that the namespace does not
// allow, and that tolerate more, or longer, than the old ones. Tolerations that
// admission gives every such pod, or the DaemonSet controller its pods, need not be
// listed.
func (p *Policy) refused(q *admissionv1.AdmissionRequest, before []taints.Toleration, pod *pod) []int {
	allowed := p.Rules.in(q.Namespace).AllowedTolerations
	if allowed == nil {
		return nil
	}
	standard := addStandard(nil, p.longestSeconds(), pod)
	if fromDaemonSet(q, pod) {
		standard = taints.AddDaemonSetTolerations(standard, taints.DaemonSetPod{HostNetwork: pod.Spec.HostNetwork})
	}
	refused := uncovered(pod.Spec.Tolerations, slices.Concat(allowed, standard, before))
	return slices.DeleteFunc(refused, func(i int) bool { return !known(pod.Spec.Tolerations[i]) })
}

// APIServerSeconds are the seconds of an API server that was not told others.
const APIServerSeconds = 300

// longestSeconds returns the policy's seconds, or an API server's default seconds
// if they are longer: the API server's own plugin may have run first.
func (p *Policy) longestSeconds() taints.DefaultTolerationSeconds {
	longest := func(seconds *int64) *int64 { return new(max(ptr.Deref(seconds, 0), APIServerSeconds)) }
	return taints.DefaultTolerationSeconds{NotReady: longest(p.Seconds.NotReady), Unreachable: longest(p.Seconds.Unreachable)}
}

// invalid refuses a pod with tolerations that no API server would accept.
func invalid(errs taints.ErrorList) *Refusal {
	var texts []string
	for _, fieldErr := range errs {
		at := *fieldErr
		at.List = "spec.tolerations"
		if fieldErr.List == "old" { // it was removed, so its index is not an index in the pod
			at.List, at.Field = "", "spec.tolerations"
		}
		texts = append(texts, at.Error())
	}
	return &Refusal{notValid, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, summary(texts)}
}

func summary(texts []string) string {
	const most = 10
	if len(texts) > most {
		texts = append(texts[:most:most], fmt.Sprintf("and %d more", len(texts)-most))
	}
	return strings.Join(texts, "; ")
}

// patch returns the steps that give a pod the tolerations, which begin with the
// pod's own, and the node selector, which includes the pod's. Only seconds may be
// removed; see [taints.AddExtendedResourceTolerations]. Existing elements stay as they are,
// because they may have fields that this version does not know. There are no test
// steps, because an API server applies the patch to the same object that it sent.
func patch(from *spec, tolerations []taints.Toleration, nodeSelector map[string]string) (steps []jsonpatch.Operation) {
	step := func(op string, value any, path ...string) {
		steps = append(steps, jsonpatch.NewOperation(op, "/spec/"+strings.Join(path, "/"), value))
	}
	for i, t := range from.Tolerations {
		if t.TolerationSeconds != nil && tolerations[i].TolerationSeconds == nil {
			step("remove", nil, "tolerations", strconv.Itoa(i), "tolerationSeconds")
		}
	}
	if from.Tolerations == nil && len(tolerations) > 0 {
		step("add", tolerations, "tolerations")
	} else {
		for _, t := range tolerations[len(from.Tolerations):] {
			step("add", t, "tolerations", "-")
		}
	}
	if from.NodeSelector == nil && len(nodeSelector) > 0 {
		step("add", nodeSelector, "nodeSelector")
		return steps
	}
	for _, key := range slices.Sorted(maps.Keys(nodeSelector)) {
		if _, ok := from.NodeSelector[key]; !ok {
			// A JSON Pointer also escapes tildes, but a label key has none.
			step("add", nodeSelector[key], "nodeSelector", strings.ReplaceAll(key, "/", "~1"))
		}
	}
	return steps
}

// Audit returns why the webhooks would refuse a new pod like this one: a text for
// each toleration that is not allowed, and one for any other problem. Nil means
// that they would allow it.
func (p *Policy) Audit(object *corev1.Pod) ([]string, error) {
	fresh := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: object.ObjectMeta, Spec: object.Spec}
	fresh.ManagedFields = nil
	text, err := json.Marshal(fresh)
	if err != nil {
		return nil, err
	}
	// An existing pod that names a DaemonSet as its controller is controlled by it.
	q := &admissionv1.AdmissionRequest{
		Operation: admissionv1.Create, Namespace: object.Namespace,
		UserInfo: authenticationv1.UserInfo{Username: daemonSetControllers[0]},
	}
	pod, refusal := readPod(q, "object", text)
	if refusal != nil {
		return []string{wouldBeRefused(refusal)}, nil
	}
	tolerations, nodeSelector, refusal := p.mutate(q, pod)
	if refusal == nil {
		pod.Spec.Tolerations, pod.Spec.NodeSelector = tolerations, nodeSelector
	}
	var list []string
	for _, i := range p.refused(q, nil, pod) {
		list = append(list, fmt.Sprintf("tolerations[%d]: %v would be refused (%s)", i, pod.Spec.Tolerations[i], notAllowed))
	}
	if refusal == nil {
		refusal = p.validate(q, nil, pod)
	}
	if refusal != nil && refusal.Kind != notAllowed {
		list = append(list, wouldBeRefused(refusal))
	}
	return list, nil
}

func wouldBeRefused(r *Refusal) string {
	return fmt.Sprintf("would be refused: %s (%s)", r.Message, r.Kind)
}
