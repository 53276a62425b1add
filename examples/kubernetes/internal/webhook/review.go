// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
)

const (
	reviewVersion = "admission.k8s.io/v1"
	reviewKind    = "AdmissionReview"
)

// A review is the AdmissionReview that answers one.
type review struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Response   response `json:"response"`
}

// A response is an AdmissionResponse.
type response struct {
	UID       string  `json:"uid"`
	Allowed   bool    `json:"allowed"`
	Status    *status `json:"status,omitempty"`
	Patch     []byte  `json:"patch,omitempty"` // base64 in JSON
	PatchType string  `json:"patchType,omitempty"`
}

// A status is the part of a Status of Kubernetes that a refusal has. The API server
// shows the message to whoever made the pod.
type status struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Reason  string `json:"reason"`
	Code    int    `json:"code"`
}

// A request is the part of an AdmissionRequest that counts here.
type request struct {
	uid, operation, namespace, name string
	resource                        string // as in "apps/deployments", or "pods"
	subResource                     string
	user                            string // who asks
	pod, old                        value
	tooMuch                         error // why some of it is missing, if so
}

// mostKept is how much is kept of a review. Two pods with a thousand tolerations
// each, and a thousand requests, need a quarter of it.
const mostKept = 4 << 20

var reviewShape = shape{
	"apiVersion": nil,
	"kind":       nil,
	"request": {
		"uid": nil, "operation": nil, "namespace": nil, "name": nil, "subResource": nil,
		"resource":  {"group": nil, "resource": nil},
		"userInfo":  {"username": nil},
		"object":    podShape,
		"oldObject": podShape,
	},
}

// readRequest reads an AdmissionReview. Fields that it does not know are ignored.
// Where there is more of the others than is kept, it has at least the uid.
func readRequest(body io.Reader) (*request, error) {
	decoded, tooMuch := decodeJSON(body, reviewShape, mostKept)
	if tooMuch != nil && tooMuch != errTooMuch {
		return nil, tooMuch
	}
	var r reader
	top := r.object(value{json: decoded})
	version, kind := r.text(top.field("apiVersion")), r.text(top.field("kind"))
	if len(r.problems) == 0 && (version != reviewVersion || kind != reviewKind) {
		r.note("", "kind %s of apiVersion %s, not %s of %s", quote(kind), quote(version), reviewKind, reviewVersion)
	}
	o := r.object(top.field("request"))
	resource := r.object(o.field("resource"))
	read := &request{
		uid:         r.text(o.field("uid")),
		operation:   r.text(o.field("operation")),
		namespace:   r.text(o.field("namespace")),
		name:        r.text(o.field("name")),
		resource:    r.text(resource.field("resource")),
		subResource: r.text(o.field("subResource")),
		user:        r.text(r.object(o.field("userInfo")).field("username")),
		pod:         value{"object", o.field("object").json},
		old:         value{"oldObject", o.field("oldObject").json},
		tooMuch:     tooMuch,
	}
	if group := r.text(resource.field("group")); group != "" {
		read.resource = group + "/" + read.resource
	}
	switch {
	case len(r.problems) > 0:
		return nil, errors.New(summary(r.problems))
	case o.members == nil:
		return nil, errors.New("the review has no request")
	case read.uid == "":
		return nil, errors.New("the request has no uid")
	}
	return read, nil
}

// A decision is what becomes of a request.
type decision struct {
	ignored string   // why it was allowed without checking the pod, if so
	refusal *refusal // nil: allowed
	name    string   // of the pod
	patch   []operation
}

// mutateRequest decides what a new pod is given.
func (p *Policy) mutateRequest(q *request) decision {
	if why := q.ignore("CREATE"); why != "" {
		return decision{ignored: why}
	}
	pod, refusal := q.readPod(q.pod)
	if refusal != nil {
		return decision{refusal: refusal}
	}
	pod.exempt = p.exempts(q, pod)
	m, refusal := p.mutate(q.namespace, pod)
	if refusal != nil {
		return decision{refusal: refusal, name: pod.name}
	}
	return decision{name: pod.name, patch: m.patch(pod)}
}

// validateRequest decides whether a pod may be, or become, as it is.
func (p *Policy) validateRequest(q *request) decision {
	if why := q.ignore("CREATE", "UPDATE"); why != "" {
		return decision{ignored: why}
	}
	if q.tooMuch == nil && q.operation == "UPDATE" && q.keepsTolerations() {
		return decision{ignored: "the tolerations stay as they are"}
	}
	now, refusal := q.readPod(q.pod)
	var old *pod
	if refusal == nil && q.operation == "UPDATE" {
		old, refusal = q.readPod(q.old)
	}
	if refusal != nil {
		return decision{refusal: refusal}
	}
	now.exempt = p.exempts(q, now)
	return decision{name: now.name, refusal: p.validate(q.namespace, old, now)}
}

// daemonSetControllers are who creates the pods of DaemonSets: the controller, where
// each has a service account of its own, or the kube-controller-manager.
var daemonSetControllers = []string{
	"system:serviceaccount:kube-system:daemon-set-controller",
	"system:kube-controller-manager",
}

// exempts reports whether the rules exempt the pod, which is a new one of a
// DaemonSet. Anybody can write an owner into a pod, but not be its controller.
func (p *Policy) exempts(q *request, pod *pod) bool {
	return p.Rules.exemptDaemonSets && pod.ofDaemonSet && q.operation == "CREATE" &&
		slices.Contains(daemonSetControllers, q.user)
}

// ignore says why the request is none to decide on, and so allowed; empty if it is
// one, or if not all of it is known. Such requests come where the webhook is
// registered for more than it needs; to refuse them could stop a whole cluster.
func (q *request) ignore(operations ...string) string {
	switch {
	case q.tooMuch != nil:
	case q.resource != "pods":
		return "the resource is not pods"
	case q.subResource != "":
		return "it is about a subresource"
	case !slices.Contains(operations, q.operation):
		return "nothing to do at this operation"
	}
	return ""
}

// keepsTolerations reports whether an update leaves them alone. Then it must go
// through even if they are no longer allowed, or are too many to look at: else such a
// pod could not lose its finalizers, and stay forever.
func (q *request) keepsTolerations() bool {
	var r reader
	_, now := r.podParts(q.pod)
	_, old := r.podParts(q.old)
	return len(r.problems) == 0 && reflect.DeepEqual(now.members["tolerations"], old.members["tolerations"])
}

// readPod reads one of the request's objects.
func (q *request) readPod(v value) (*pod, *refusal) {
	var r reader
	p := r.pod(v)
	if q.tooMuch != nil {
		r.problems = []string{q.tooMuch.Error()}
	} else if q.namespace == "" {
		r.note("", "the request has no namespace")
	}
	if len(r.problems) > 0 {
		return nil, &refusal{unreadable, http.StatusBadRequest, "BadRequest", summary(r.problems)}
	}
	return p, nil
}

// answer returns the body of the answer to the request.
func (d decision) answer(q *request) []byte {
	a := review{reviewVersion, reviewKind, response{UID: q.uid, Allowed: d.refusal == nil}}
	if d.refusal != nil {
		a.Response.Status = &status{"Failure", d.refusal.message, d.refusal.reason, d.refusal.code}
	}
	if len(d.patch) > 0 {
		a.Response.Patch, a.Response.PatchType = encode(d.patch), "JSONPatch"
	}
	return encode(a)
}

// encode returns the JSON of values that always have one.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// attributes returns what the log says of the decision: no more of the pod than its
// name and what is wrong with it.
func (d decision) attributes(q *request) []slog.Attr {
	name := q.name
	if name == "" {
		name = d.name
	}
	list := []slog.Attr{
		slog.String("uid", clip(q.uid, 100)), slog.String("operation", clip(q.operation, 100)),
		slog.String("namespace", clip(q.namespace, 100)), slog.String("name", clip(name, 300)),
		slog.Bool("allowed", d.refusal == nil),
	}
	if d.ignored != "" {
		list = append(list, slog.String("ignored", d.ignored))
	}
	if d.refusal != nil {
		list = append(list, slog.Int("code", d.refusal.code), slog.String("reason", d.refusal.message))
	}
	if len(d.patch) > 0 {
		list = append(list, slog.Any("patch", texts(d.patch)))
	}
	return list
}
