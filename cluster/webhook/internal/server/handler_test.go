// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
	"github.com/seed-0529bac1/taints/internal/test/golden"
)

const (
	spot      = `{"key":"spot","operator":"Exists"}`
	dedicated = `{"key":"dedicated","value":"ml"}`
	refusal   = `toleration "dedicated=ml" is not allowed in namespace "web"; allowed are: spot op=Exists`
)

func newHandler(log io.Writer) http.Handler {
	logger := funcr.NewJSON(func(line string) { fmt.Fprintln(log, line) }, funcr.Options{Verbosity: 1})
	policies := taints.Must(OpenPolicies("../../../manifests/webhook/rules.json", taints.DefaultTolerationSeconds{}, logr.Discard()))
	s := webhook.NewServer(webhook.Options{})
	registerHooks(s, newClients(), policies, logger)
	return s.WebhookMux()
}

func pod(tolerations string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"p-"},"spec":{"tolerations":[` + tolerations + `]}}`
}

func review(namespace, pod string) string {
	text := taints.Must(json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "u", Operation: admissionv1.Create, Namespace: namespace,
			Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			Object:   runtime.RawExtension{Raw: []byte(pod)},
			UserInfo: authenticationv1.UserInfo{Username: "ann\n"},
		},
	}))
	return string(text)
}

// requestOf returns a request with the body, as an API server sends it.
func requestOf(path string, body io.Reader) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, body)
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	return r
}

// A recorder has deadlines for the connection, if it has one.
type recorder struct {
	*httptest.ResponseRecorder
	connection net.Conn
}

func (r recorder) SetReadDeadline(t time.Time) error {
	if r.connection == nil {
		return nil
	}
	return r.connection.SetReadDeadline(t)
}

func post(h http.Handler, path, body string) *httptest.ResponseRecorder {
	w := recorder{httptest.NewRecorder(), nil}
	h.ServeHTTP(w, requestOf(path, strings.NewReader(body)))
	return w.ResponseRecorder
}

func ask(t testing.TB, h http.Handler, path, body string) *admissionv1.AdmissionResponse {
	t.Helper()
	w := post(h, path, body)
	var answer admissionv1.AdmissionReview
	err := json.Unmarshal(w.Body.Bytes(), &answer)
	if err != nil || w.Code != http.StatusOK || answer.APIVersion != "admission.k8s.io/v1" || answer.Kind != "AdmissionReview" {
		t.Fatalf("code %d, %v: %s", w.Code, err, w.Body)
	}
	return answer.Response
}

// TestReview compares log entries, the answers after them, and the metrics with a golden
// file.
func TestReview(t *testing.T) {
	var all bytes.Buffer
	h := newHandler(&all)
	reviews.Reset()
	denials.Reset()
	before := testutil.ToFloat64(unknown)
	good := review("web", pod(dedicated))
	newer := review("web", pod(`{"key":"a","operator":"NoSuchOperator","value":"b\n"}`))
	ignored := strings.NewReplacer(`"CREATE"`, `"DELETE"`, `"uid"`, `"name":"a\n\u001b[1m","uid"`).Replace(good)
	for _, request := range [][2]string{{"/mutate", good}, {"/validate", good}, {"/mutate", ignored}, {"/mutate", newer}, {"/validate", newer}} {
		answer := ask(t, h, request[0], request[1])
		patch := answer.Patch
		answer.Patch = nil // it would be in base64
		text, _ := json.Marshal(answer)
		fmt.Fprintf(&all, "%s\n%s\n", text, patch)
	}
	all.Write(taints.Must(testutil.CollectAndFormat(reviews, expfmt.TypeTextPlain, "taints_webhook_reviews_total")))
	all.Write(taints.Must(testutil.CollectAndFormat(denials, expfmt.TypeTextPlain, "taints_webhook_denials_total")))
	golden.Compare(t, "reviews", all.String())
	if got := testutil.ToFloat64(unknown); got != before+1 {
		t.Errorf("%v pods with an unknown operator", got-before)
	}
}

// TestBadRequests checks that requests that are not reviews get an HTTP error.
func TestBadRequests(t *testing.T) {
	var log bytes.Buffer
	h := newHandler(&log)
	good := review("web", pod(""))
	for _, test := range []struct {
		name string
		body string
		set  func(*http.Request)
		code int
	}{
		{"not POST", good, func(r *http.Request) { r.Method = "PUT" }, 405},
		{"no type", good, func(r *http.Request) { r.Header.Del("Content-Type") }, 415},
		{"no length", good, func(r *http.Request) { r.ContentLength = -1 }, 411},
		{"too large", good, func(r *http.Request) { r.ContentLength = maxBody + 1 }, 413},
		{"cut off", good, func(r *http.Request) { r.ContentLength++ }, 400},
		{"empty", "", nil, 400},
		{"not JSON", good[1:], nil, 400},
		{"another version", strings.Replace(good, "admission.k8s.io/v1", "admission.k8s.io/v1beta1", 1), nil, 400},
		{"no request", `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`, nil, 400},
		{"no uid", strings.Replace(good, `"uid":"u"`, `"uid":""`, 1), nil, 400},
	} {
		r := requestOf("/validate", strings.NewReader(test.body))
		if test.set != nil {
			test.set(r)
		}
		w := recorder{httptest.NewRecorder(), nil}
		if h.ServeHTTP(w, r); w.Code != test.code || w.Body.Len() == 0 {
			t.Errorf("%s: %d %s", test.name, w.Code, w.Body)
		}
		line := log.String()
		log.Reset()
		if !strings.Contains(line, `"bad request"`) || !strings.HasSuffix(line, fmt.Sprintf(`"code":%d}`+"\n", test.code)) {
			t.Errorf("%s: log %s", test.name, line)
		}
	}
}

// TestLargePods checks that a pod does not pass because it is large, however an API
// server encodes it.
func TestLargePods(t *testing.T) {
	h := newHandler(io.Discard)
	spec := func(more string) string {
		return `{"apiVersion":"v1","kind":"Pod","spec":{"tolerations":[` + dedicated + `],` + more + `}}`
	}
	for name, pod := range map[string]string{
		"many values": spec(`"containers":[{"env":[` + strings.Repeat(`{"name":"A","value":"b"},`, 100_000) + `{}]}]`),
		"escaped":     spec(`"volumes":[{"name":"` + strings.Repeat(`\u003c`, 3<<20) + `"}]`),
	} {
		if r := ask(t, h, "/validate", review("web", pod)); r.Result.Message != refusal {
			t.Errorf("%s: %+v", name, r.Result)
		}
	}
}

// FuzzReview posts any text as it is, and as a pod if it is JSON. The webhooks must
// not panic, and must answer with the uid.
func FuzzReview(f *testing.F) {
	f.Add([]byte(review("web", pod(spot))))
	f.Add([]byte(pod(`null,{"key":"a.b/c","operator":"Exists","effect":"NoSchedule","tolerationSeconds":5}`)))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Pod","spec":{"nodeSelector":{"a~/b":"c"},"containers":[{"resources":{"requests":{"a.b/c":1}}}]}}`))
	f.Add([]byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE","resource":{"resource":"pods"}}}`))
	f.Add([]byte(`[[[[`))
	h := newHandler(io.Discard)
	f.Fuzz(func(t *testing.T, text []byte) {
		bodies := []string{string(text)}
		if json.Valid(text) {
			bodies = append(bodies, review("ml", string(text)))
		}
		for i, body := range bodies {
			for _, path := range []string{"/mutate", "/validate"} {
				w := post(h, path, body)
				var answer admissionv1.AdmissionReview
				if w.Code == http.StatusBadRequest && i == 0 {
					continue
				}
				err := json.Unmarshal(w.Body.Bytes(), &answer)
				if err != nil || w.Code != http.StatusOK || answer.Response.UID == "" || answer.Response.Result.Code == 500 ||
					i > 0 && answer.Response.UID != "u" || answer.Response.Patch != nil && !json.Valid(answer.Response.Patch) {
					t.Fatalf("%s: code %d, %v: %s", path, w.Code, err, w.Body)
				}
			}
		}
	})
}

// TestReload checks that rules change as a whole or not at all.
func TestReload(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rules.json")
	write := func(text string) {
		t.Helper()
		err := os.WriteFile(name, []byte(text), 0o600)
		if text == "-" {
			err = os.Remove(name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(`{"cluster": {"allowedTolerations": []}}`)
	var log bytes.Buffer
	p := taints.Must(OpenPolicies(name, taints.DefaultTolerationSeconds{}, logr.FromSlogHandler(slog.NewJSONHandler(&log, nil))))
	before := p.Policy()
	failures := testutil.ToFloat64(rulesFailures)
	type step struct {
		Text   string // "-" removes the file
		Log    string // part of the log; empty if nothing is logged
		Good   bool
		Allows int // how many tolerations are allowed
	}
	for _, step := range rows.Read[step](t, "reloads.yaml") {
		write(step.Text)
		p.update(t.Context())
		if got := log.String(); !strings.Contains(got, step.Log) || (got == "") != (step.Log == "") {
			t.Errorf("%s: log %q, want %q", step.Text, got, step.Log)
		}
		log.Reset()
		if good := testutil.ToFloat64(rulesGood) == 1; good != step.Good {
			t.Errorf("%s: good is %v", step.Text, good)
		}
		if got := len(p.Policy().Rules.Cluster.AllowedTolerations); got != step.Allows {
			t.Errorf("%s: %d tolerations are allowed", step.Text, got)
		}
	}
	if got := testutil.ToFloat64(rulesFailures) - failures; got != 4 {
		t.Errorf("%v failures", got)
	}
	if before == p.Policy() {
		t.Error("a policy that somebody has was changed")
	}
	write("{")
	if _, err := OpenPolicies(name, taints.DefaultTolerationSeconds{}, logr.Discard()); err == nil || !strings.Contains(err.Error(), "rules.json: unexpected end") {
		t.Errorf("bad rules at the start: %v", err)
	}
}
