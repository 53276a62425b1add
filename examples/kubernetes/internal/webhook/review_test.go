// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhooktest"
	"github.com/seed-0529bac1/taints/internal/golden"
	"pgregory.net/rapid"
)

func mustRules(t testing.TB, text string) Rules {
	t.Helper()
	r, err := ParseRules([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// testPolicy has the rules of rules.json.
func testPolicy(t testing.TB) *Policy {
	return &Policy{Rules: mustRules(t, string(webhooktest.ReadFile(t, "../../webhook/rules.json")))}
}

// handler returns the webhooks, with a log that nobody reads.
func handler(p *Policy) http.Handler {
	return logging(p, slog.New(slog.DiscardHandler))
}

// logging returns the webhooks, with a log.
func logging(p *Policy, log *slog.Logger) http.Handler {
	return newHandler(fixed(p), newMetrics(), log, time.Minute)
}

// fixed returns policies that stay that one.
func fixed(p *Policy) *Policies { return &Policies{policy: p} }

// ask posts the body and returns the code and the text of the answer.
func ask(h http.Handler, path string, body []byte) (int, string) {
	r := httptest.NewRequest("POST", path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// mustAsk returns the response to a review, which must be in order.
func mustAsk(t testing.TB, h http.Handler, path string, body []byte) response {
	t.Helper()
	code, text := ask(h, path, body)
	var a review
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a); err != nil || code != http.StatusOK {
		t.Fatalf("code %d, %v: %s", code, err, text)
	}
	r := a.Response
	if a.APIVersion != "admission.k8s.io/v1" || a.Kind != "AdmissionReview" || r.UID == "" ||
		r.Allowed != (r.Status == nil) || (r.Patch == nil) != (r.PatchType == "") || r.Patch != nil && !r.Allowed {
		t.Fatalf("not a response: %s", text)
	}
	if s := r.Status; s != nil &&
		(s.Status != "Failure" || s.Code < 400 || s.Reason == "" || s.Message == "" || len(s.Message) > 20000) {
		t.Fatalf("not a status: %s", text)
	}
	return r
}

// A podMap is a Pod as decoded JSON.
type podMap = map[string]any

// newPod returns a pod of that spec.
func newPod(spec map[string]any) podMap {
	return podMap{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"}, "spec": spec}
}

// tolerating returns a pod with the tolerations.
func tolerating(list ...string) podMap {
	tols := []taints.Toleration{}
	for _, s := range list {
		tols = append(tols, taints.MustParseToleration(s))
	}
	return newPod(map[string]any{"tolerations": tols})
}

// reviewOf returns the review of an operation on a pod.
func reviewOf(operation, namespace string, pod, old any) []byte {
	return encode(map[string]any{
		"apiVersion": reviewVersion, "kind": reviewKind,
		"request": map[string]any{
			"uid": "u", "operation": operation, "namespace": namespace, "object": pod, "oldObject": old,
			"resource": map[string]any{"group": "", "version": "v1", "resource": "pods"},
		},
	})
}

// applied returns the object after the JSON Patch, all as decoded JSON.
func applied(t rapid.TB, object any, patch []byte) any {
	t.Helper()
	var steps []struct {
		Op, Path string
		Value    json.RawMessage
	}
	if err := json.Unmarshal(patch, &steps); err != nil {
		t.Fatalf("%v: %s", err, patch)
	}
	copied := decoded(t, object)
	for _, step := range steps {
		parts := strings.Split(step.Path, "/")[1:]
		for i := range parts {
			parts[i] = strings.ReplaceAll(strings.ReplaceAll(parts[i], "~1", "/"), "~0", "~")
		}
		var to any
		if step.Value != nil {
			to = decoded(t, step.Value)
		}
		copied = change(t, copied, parts, step.Op, to)
	}
	return copied
}

// change adds or removes what is at the path within v, and returns the new v.
func change(t rapid.TB, v any, path []string, op string, to any) any {
	t.Helper()
	name := path[0]
	switch v := v.(type) {
	case map[string]any:
		_, ok := v[name]
		switch {
		case len(path) > 1 && ok:
			v[name] = change(t, v[name], path[1:], op, to)
			return v
		case len(path) == 1 && op == "add":
			v[name] = to
			return v
		case len(path) == 1 && op == "remove" && ok:
			delete(v, name)
			return v
		}
	case []any:
		if name == "-" && len(path) == 1 && op == "add" {
			return append(v, to)
		}
		if i, err := strconv.Atoi(name); err == nil && i < len(v) && len(path) > 1 {
			v[i] = change(t, v[i], path[1:], op, to)
			return v
		}
	}
	t.Fatalf("cannot %s %v in %v", op, path, v)
	return nil
}

// An API server's review of a pod with a GPU, over TLS; what it becomes is allowed,
// and gets nothing more.
func TestRecordedReview(t *testing.T) {
	server := httptest.NewTLSServer(handler(testPolicy(t)))
	defer server.Close()
	var request map[string]map[string]any
	body := webhooktest.ReadFile(t, "testdata/create.request.json")
	json.Unmarshal(body, &request) // its other members are no objects

	_, text := webhooktest.Post(t, server.Client(), server.URL+"/validate", body)
	if !strings.Contains(text, `"allowed":false`) {
		t.Errorf("without what it is given: %s", text)
	}
	code, text := webhooktest.Post(t, server.Client(), server.URL+"/mutate?timeout=10s", body)
	if code != http.StatusOK {
		t.Errorf("code %d", code)
	}
	golden.CompareFile(t, "testdata/create.response.json", webhooktest.Indent(t, text))
	var answer review
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	patched := applied(t, request["request"]["object"], answer.Response.Patch)
	again := reviewOf("CREATE", "ml", patched, nil)
	for _, path := range []string{"/mutate", "/validate"} {
		_, text := webhooktest.Post(t, server.Client(), server.URL+path, again)
		if text != `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":true}}` {
			t.Errorf("%s of what it becomes: %s", path, text)
		}
	}
}

// What is no review gets an HTTP error, which says why.
func TestHTTPErrors(t *testing.T) {
	var log bytes.Buffer
	server := httptest.NewTLSServer(logging(testPolicy(t), slog.New(slog.NewJSONHandler(&log, nil))))
	defer server.Close()
	const head = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",`
	deep := strings.Repeat("[", 101) + strings.Repeat("]", 101)
	tests := []struct {
		method, contentType, body string
		code                      int
		want                      string
	}{
		{"GET", "", "", 405, "Method Not Allowed"},
		{"PUT", "application/json", "{}", 405, "Method Not Allowed"},
		{"POST", "", "{}", 415, `the Content-Type is "", not application/json`},
		{"POST", "application/yaml", "{}", 415, `the Content-Type is "application/yaml"`},
		{"POST", "application/json; charset", "{}", 415, "not application/json"},
		{
			"POST", "application/json; charset=utf-8", "{}", 400,
			`kind "" of apiVersion "", not AdmissionReview of admission.k8s.io/v1`,
		},
		{"POST", "application/json", strings.Repeat(" ", maxBody+1), 413, "request body too large"},
		{"POST", "application/json", strings.Repeat(" ", maxBody), 400, "no JSON at all"},
		{"POST", "application/json", "", 400, "no JSON at all"},
		{"POST", "application/json", "\xff", 400, `not JSON: "\xff"`},
		{"POST", "application/json", head + `"request":{"uid":"` + "\xc3\x28" + `"}}`, 400, "not valid UTF-8"},
		{"POST", "application/json", "kind: AdmissionReview", 400, "line 1, column 5: not JSON: \"kind\""},
		{"POST", "application/json", "\n" + head, 400, "line 2, column 62: the JSON ends too early"},
		{"POST", "application/json", head + `"request":{"uid":"u`, 400, "the JSON ends too early"},
		{"POST", "application/json", head + `"request":[`, 400, "the JSON ends too early"},
		{"POST", "application/json", head + `"request":[1,]}`, 400, "not JSON: ']' where a value"},
		{"POST", "application/json", head + `"request":[1}`, 400, "not JSON: '}' where ']' is"},
		{"POST", "application/json", head + `"request":{]`, 400, "not JSON: ']' where a string"},
		{"POST", "application/json", head + `"request":{"uid":}}`, 400, "not JSON: '}' where a value"},
		{"POST", "application/json", head + `5:6}`, 400, "not JSON"},
		{"POST", "application/json", head + `"request":{}} {}`, 400, "text after the end of the JSON"},
		{"POST", "application/json", head + `"kind":"Pod"}`, 400, `duplicate member "kind"`},
		{"POST", "application/json", head + `"request":` + deep + `}`, 400, "more than 100 levels"},
		{"POST", "application/json", "[]", 400, "the JSON is a list, not an object"},
		{"POST", "application/json", "null", 400, `kind ""`},
		{
			"POST", "application/json",
			`{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}`, 400,
			`apiVersion "admission.k8s.io/v1beta1", not AdmissionReview of admission.k8s.io/v1`,
		},
		{"POST", "application/json", `{"apiVersion":"admission.k8s.io/v1","kind":"Pod"}`, 400, `kind "Pod"`},
		{"POST", "application/json", `{"apiVersion":"admission.k8s.io/v1","Kind":"AdmissionReview"}`, 400, `kind ""`},
		{"POST", "application/json", head + `"request":null}`, 400, "the review has no request"},
		{"POST", "application/json", head + `"Request":{"uid":"u"}}`, 400, "the review has no request"},
		{"POST", "application/json", head + `"request":5}`, 400, "request is the number 5, not an object"},
		{"POST", "application/json", head + `"request":{}}`, 400, "the request has no uid"},
		{
			"POST", "application/json",
			head + `"request":{"uid":7,"name":true,"resource":{"group":[]}}}`, 400,
			"request.resource.group is a list, not a string",
		},
	}
	for _, path := range []string{"/mutate", "/validate"} {
		for _, test := range tests {
			r, err := http.NewRequest(test.method, server.URL+path, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if test.contentType != "" {
				r.Header.Set("Content-Type", test.contentType)
			}
			response, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || response.StatusCode != test.code || !strings.Contains(string(text), test.want) {
				t.Errorf("%s %s %q %.200q: %d %s, want %d %s", test.method, path,
					test.contentType, test.body, response.StatusCode, text, test.code, test.want)
			}
		}
	}
	for _, line := range webhooktest.Logged(log.String(), "bad request") {
		if line["code"].(float64) < 400 || line["reason"] == "" || line["from"] == "" {
			t.Errorf("log: %v", line)
		}
	}
	if n := len(webhooktest.Logged(log.String(), "bad request")); n != 2*(len(tests)-2) {
		t.Errorf("%d lines in the log", n)
	}
	if code, _ := ask(server.Config.Handler, "/elsewhere", nil); code != http.StatusNotFound {
		t.Errorf("elsewhere: %d", code)
	}
}

// What is a review of no readable pod gets a response that refuses.
func TestBadPods(t *testing.T) {
	many := strings.Repeat(`{},`, 1000) + `{}`
	var requests []string
	for i := range 1001 {
		requests = append(requests, fmt.Sprintf(`"example.com/r%d":"1"`, i))
	}
	tests := []struct{ pod, want string }{
		{`null`, `object is not a Pod of v1: its kind is "", its apiVersion ""; object.spec is missing`},
		{`[]`, "object is a list, not an object"},
		{
			`{"apiVersion":"apps/v1","kind":"Deployment","spec":{}}`,
			`its kind is "Deployment", its apiVersion "apps/v1"`,
		},
		{`{"apiVersion":"v2","kind":"Pod","spec":{}}`, `its kind is "Pod", its apiVersion "v2"`},
		{`{"apiVersion":"v1","kind":"Service","spec":{}}`, `its kind is "Service", its apiVersion "v1"`},
		{`{"apiVersion":"v1","kind":"Pod"}`, "object.spec is missing"},
		{`{"apiVersion":"v1","kind":"Pod","spec":[]}`, "object.spec is a list, not an object"},
		{spec(`"tolerations":{}`), "object.spec.tolerations is an object, not a list"},
		{spec(`"tolerations":[5]`), "object.spec.tolerations[0] is the number 5, not an object"},
		{
			spec(`"tolerations":[{"key":[],"tolerationSeconds":"300"}]`),
			"object.spec.tolerations[0].key is a list, not a string; " +
				"object.spec.tolerations[0].tolerationSeconds is a string, not a 64-bit integer",
		},
		{spec(`"tolerations":[{"tolerationSeconds":1.5}]`), "is the number 1.5, not a 64-bit integer"},
		{spec(`"tolerations":[{"tolerationSeconds":9223372036854775808}]`), "is the number 9223372036854775808, not"},
		{spec(`"tolerations":[` + many + `]`), "object.spec.tolerations has 1001 entries, more than 1000"},
		{spec(`"tolerations":[` + strings.Repeat(`5,`, 999) + `5]`), "; and 90 more"},
		{spec(`"nodeSelector":["a"]`), "object.spec.nodeSelector is a list"},
		{spec(`"nodeSelector":{"a/b":true}`), `object.spec.nodeSelector["a/b"] is true or false, not a string`},
		{spec(`"nodeSelector":{"` + strings.Repeat("a", 1000) + `":1}`), `aaa…"] is the number 1`},
		{spec(`"containers":"x"`), "object.spec.containers is a string, not a list"},
		{spec(`"containers":[` + many + `]`), "object.spec.containers has 1001 entries"},
		{spec(`"containers":[{"resources":[]}]`), "object.spec.containers[0].resources is a list"},
		{
			spec(`"containers":[{"resources":{"requests":{"memory":{}}}}]`),
			"requests.memory is an object, not a quantity",
		},
		{
			spec(`"containers":[{"resources":{"requests":{` + strings.Join(requests, ",") + `}}}]`),
			"object requests 1001 resources, more than 1000",
		},
		{
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":5,"generateName":6,"labels":7},"spec":{}}`,
			"object.metadata.name is the number 5, not a string",
		},
	}
	for _, test := range tests {
		if !json.Valid([]byte(test.pod)) {
			t.Fatalf("not JSON: %s", test.pod)
		}
		for _, path := range []string{"/mutate", "/validate"} {
			r := mustAsk(t, handler(testPolicy(t)), path, reviewOf("CREATE", "ml", json.RawMessage(test.pod), nil))
			if r.Allowed || r.Status.Code != 400 || r.Status.Reason != "BadRequest" ||
				!strings.Contains(r.Status.Message, test.want) {
				t.Errorf("%s %.100s: %+v, want %s", path, test.pod, r.Status, test.want)
			}
		}
	}
	for _, path := range []string{"/mutate", "/validate"} {
		r := mustAsk(t, handler(testPolicy(t)), path, reviewOf("CREATE", "", tolerating(), nil))
		if r.Allowed || r.Status.Message != "the request has no namespace" {
			t.Errorf("no namespace: %+v", r)
		}
	}
	r := mustAsk(t, handler(testPolicy(t)), "/validate", reviewOf("UPDATE", "ml", tolerating("a"), nil))
	if r.Allowed || !strings.Contains(r.Status.Message, "oldObject is not a Pod") {
		t.Errorf("no old object: %+v", r)
	}
	if r := mustAsk(t, handler(testPolicy(t)), "/validate",
		reviewOf("UPDATE", "ml", podMap{}, podMap{})); r.Allowed || r.Status.Code != 400 {
		t.Errorf("no pods at all: %+v", r)
	}
	if r := mustAsk(t, handler(testPolicy(t)), "/validate",
		reviewOf("CREATE", "web", tolerating("a"), tolerating("a"))); r.Allowed || r.Status.Code != 403 {
		t.Errorf("an old object of a new pod: %+v", r)
	}
}

// spec returns a pod with that in its spec.
func spec(members string) string { return `{"apiVersion":"v1","kind":"Pod","spec":{` + members + `}}` }

// What a webhook was not made for is allowed unchecked.
func TestIgnored(t *testing.T) {
	var log bytes.Buffer
	h := logging(testPolicy(t), slog.New(slog.NewJSONHandler(&log, nil)))
	review := string(reviewOf("CREATE", "web", tolerating("dedicated=ml"), nil))
	with := func(old, new string) []byte {
		if !strings.Contains(review, old) {
			t.Fatalf("%s is not in %s", old, review)
		}
		return []byte(strings.Replace(review, old, new, 1))
	}
	tests := []struct {
		path string
		body []byte
		want string
	}{
		{"/mutate", with(`"CREATE"`, `"UPDATE"`), "nothing to do at this operation"},
		{"/mutate", with(`"CREATE"`, `"DELETE"`), "nothing to do at this operation"},
		{"/validate", with(`"CREATE"`, `"DELETE"`), "nothing to do at this operation"},
		{"/validate", with(`"CREATE"`, `"CONNECT"`), "nothing to do at this operation"},
		{"/mutate", with(`"uid"`, `"subResource":"eviction","uid"`), "it is about a subresource"},
		{"/validate", with(`"uid"`, `"subResource":"status","uid"`), "it is about a subresource"},
		{"/mutate", with(`"resource":"pods"`, `"resource":"nodes"`), "the resource is not pods"},
		{"/validate", with(`"group":""`, `"group":"metrics.k8s.io"`), "the resource is not pods"},
		{
			"/validate",
			reviewOf("UPDATE", "web", tolerating("dedicated=ml"), tolerating("dedicated=ml")),
			"the tolerations stay as they are",
		},
		{
			"/validate",
			reviewOf("UPDATE", "web", newPod(map[string]any{}), newPod(map[string]any{"tolerations": nil})),
			"the tolerations stay as they are",
		},
	}
	for i, test := range tests {
		if r := mustAsk(t, h, test.path, test.body); !r.Allowed || r.Patch != nil {
			t.Errorf("%s %s: %+v", test.path, test.body, r)
		}
		if line := webhooktest.Logged(log.String(), "decision")[i]; line["ignored"] != test.want {
			t.Errorf("%s %s: log %v, want %s", test.path, test.body, line, test.want)
		}
	}
}

// One line for each decision, with what was done, and nothing else of the pod.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	h := logging(testPolicy(t), slog.New(slog.NewJSONHandler(&log, nil)))
	mustAsk(t, h, "/mutate", webhooktest.ReadFile(t, "testdata/create.request.json"))
	mustAsk(t, h, "/validate", reviewOf("CREATE", "web", tolerating("dedicated=ml"), nil))
	lines := webhooktest.Logged(log.String(), "decision")
	want := []map[string]any{
		{
			"level": "INFO", "msg": "decision", "webhook": "mutate", "uid": "6c2e8a94-0d4c-4e0f-9a4e-8b7f5d3c1a20",
			"operation": "CREATE", "namespace": "ml", "name": "train-7d9c5b6f4-", "allowed": true,
			"patch": []any{
				"add /spec/tolerations/- example.com/maintenance:NoExecute op=Exists for 3600s",
				"add /spec/tolerations/- node.kubernetes.io/memory-pressure:NoSchedule op=Exists",
				"add /spec/tolerations/- nvidia.com/gpu:NoSchedule op=Exists",
				"add /spec/tolerations/- dedicated=ml",
				"add /spec/nodeSelector/example.com~1pool ml",
			},
		},
		{
			"level": "INFO", "msg": "decision", "webhook": "validate", "uid": "u",
			"operation": "CREATE", "namespace": "web", "name": "p", "allowed": false, "code": 403.0,
			"reason": `toleration "dedicated=ml" is not allowed in namespace "web"; allowed are: spot op=Exists`,
		},
	}
	for _, line := range lines {
		delete(line, "time")
		delete(line, "microseconds")
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	steps := make([]operation, 25)
	if got := texts(steps); len(got) != 21 || got[20] != "and 5 more" {
		t.Errorf("25 steps: %q", got)
	}
}

// A panic is answered, and the next request too.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	h := recovering(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request,
	) {
		panic("broken")
	}), slog.New(slog.NewJSONHandler(&log, nil)))
	for range 2 {
		if code, text := ask(h, "/mutate", nil); code != 500 || text != "internal error\n" {
			t.Errorf("code %d: %s", code, text)
		}
	}
	if lines := webhooktest.Logged(log.String(), "panic"); len(lines) != 2 ||
		lines[0]["panic"] != "broken" || !strings.Contains(lines[0]["stack"].(string), "review_test.go") {
		t.Errorf("log: %s", &log)
	}
}

// A client that does not go on is not waited for.
func TestTimeout(t *testing.T) {
	body, w := io.Pipe()
	defer w.Close()
	r := httptest.NewRequest("POST", "/mutate", body)
	r.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	h := newHandler(fixed(testPolicy(t)), newMetrics(), slog.New(slog.DiscardHandler), 10*time.Millisecond)
	h.ServeHTTP(recorder, r)
	if recorder.Code != http.StatusServiceUnavailable || recorder.Body.String() != "this took too long\n" {
		t.Errorf("code %d: %s", recorder.Code, recorder.Body)
	}
}

func TestBodyBreaksOff(t *testing.T) {
	r := httptest.NewRequest("POST", "/mutate", io.MultiReader(strings.NewReader("{"), failingReader{}))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler(testPolicy(t)).ServeHTTP(w, r)
	if w.Code != 400 || w.Body.String() != "line 1, column 2: the JSON could not be read: cable cut\n" {
		t.Errorf("code %d: %s", w.Code, w.Body)
	}
}

// The log says when a decision did not get through.
func TestUnanswered(t *testing.T) {
	var log bytes.Buffer
	r := httptest.NewRequest("POST", "/mutate", bytes.NewReader(reviewOf("CREATE", "web", tolerating(), nil)))
	r.Header.Set("Content-Type", "application/json")
	v := reviewer{
		"mutate", fixed(testPolicy(t)), (*Policy).mutateRequest, newMetrics(),
		slog.New(slog.NewJSONHandler(&log, nil)), nil,
	}
	v.ServeHTTP(goneWriter{httptest.NewRecorder()}, r)
	if lines := webhooktest.Logged(log.String(), "decision"); len(lines) != 1 || lines[0]["unanswered"] != "gone" {
		t.Errorf("log: %s", &log)
	}
}

type goneWriter struct{ http.ResponseWriter }

func (goneWriter) Write([]byte) (int, error) { return 0, errors.New("gone") }

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("cable cut") }

// FuzzReview posts anything, as it is, and as a pod and as the spec of one if it is
// JSON: no panic, a clear answer, and a patched pod gets nothing more and stays with
// what it had.
func FuzzReview(f *testing.F) {
	f.Add(reviewOf("UPDATE", "web",
		tolerating("spot", "node.kubernetes.io/not-ready:NoExecute op=Exists for 5s"), tolerating("spot")))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"workload":"batch"}},"spec":{"tolerations":[null]}}`))
	f.Add([]byte(`{"nodeSelector":{"a~/b":"c"},"tolerations":[]}`))
	f.Add([]byte(`{"tolerations":[{"key":"a.b/c","operator":"Exists","effect":"NoSchedule","tolerationSeconds":5}],"containers":[{"resources":{"requests":{"a.b/c":1}}}]}`))
	f.Add([]byte(`{"resources":{"requests":{"cpu":"1e3"}},"initContainers":[{"resources":{"limits":{"memory":"1.5Gi"}}}]}`))
	f.Add([]byte(`{"tolerations":[{"operator":"Lt","key":"k","value":"5"},{"key":"spot","value":"x","effect":"NoExecute","tolerationSeconds":-1}]}`))
	f.Add([]byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","uid":"v"}}`))
	f.Add([]byte(`[[[[`))
	h := handler(testPolicy(f))
	f.Fuzz(func(t *testing.T, text []byte) {
		bodies := [][]byte{text}
		if json.Valid(text) {
			bodies = append(bodies, reviewOf("CREATE", "ml", json.RawMessage(text), nil),
				reviewOf("UPDATE", "web", json.RawMessage(text), newPod(map[string]any{})),
				reviewOf("CREATE", "ml", podMap{"apiVersion": "v1", "kind": "Pod", "spec": json.RawMessage(text)}, nil))
		}
		for _, body := range bodies {
			checkAnswers(t, h, body)
		}
	})
}

// checkAnswers posts the body to both webhooks, and checks the answers.
func checkAnswers(t *testing.T, h http.Handler, body []byte) {
	for _, path := range []string{"/mutate", "/validate"} {
		code, text := ask(h, path, body)
		if code != http.StatusOK {
			if code != 400 || text == "" {
				t.Errorf("%s: code %d: %s", path, code, text)
			}
			continue
		}
		r := mustAsk(t, h, path, body)
		q, err := readRequest(bytes.NewReader(body))
		if err != nil || q.uid != r.UID {
			t.Fatalf("%s: %v, answered to %q", path, err, r.UID)
		}
		if r.Patch == nil {
			continue
		}
		if path == "/validate" {
			t.Fatalf("a patch of what is only validated: %s", r.Patch)
		}
		after := applied(t, q.pod.json, r.Patch)
		if again := mustAsk(t, h, path, reviewOf("CREATE", q.namespace, after, nil)); again.Patch != nil {
			t.Errorf("again: %s", again.Patch)
		}
		if !strings.Contains(string(r.Patch), `"op":"remove"`) && !hasAllOf(after, decoded(t, q.pod.json)) {
			t.Errorf("%s lost something of %s", encode(after), encode(q.pod.json))
		}
	}
}

// decoded returns the value as decodeJSON decodes it.
func decoded(t rapid.TB, v any) any {
	t.Helper()
	d, err := decodeJSON(bytes.NewReader(encode(v)), nil, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// hasAllOf reports whether v has what u has, in objects and at the beginning of
// lists; null counts as nothing.
func hasAllOf(v, u any) bool {
	switch u := u.(type) {
	case nil:
		return true
	case map[string]any:
		members, _ := v.(map[string]any)
		for name := range u {
			if !hasAllOf(members[name], u[name]) {
				return false
			}
		}
		return true
	case []any:
		elements, _ := v.([]any)
		for i := range u {
			if i >= len(elements) || !hasAllOf(elements[i], u[i]) {
				return false
			}
		}
		return true
	}
	return v == u
}
