// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/test/golden"
)

// post sends a review and returns the status and body of the response.
func post(path, body string) (int, string) {
	w := httptest.NewRecorder()
	handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

func TestReviews(t *testing.T) {
	for _, c := range []struct {
		name, path, namespace, spec, before string
	}{
		{"adds", "/mutate", "ml", `{"containers": [{"resources": {"requests": {"cpu": "1", "nvidia.com/gpu": 2}}}], "initContainers": [{"resources": {"requests": {"example.com/disk": "1"}}}]}`, ""},
		{"loses seconds", "/mutate", "ml", `{"tolerations": [{"key": "example.com/disk", "operator": "Exists", "effect": "NoSchedule", "tolerationSeconds": 5}, {"operator": "Exists", "effect": "NoExecute"}], "containers": [{"resources": {"requests": {"example.com/disk": "1"}}}]}`, ""},
		{"nothing to add", "/mutate", "kube-system", `{"tolerations": [{"operator": "Exists"}]}`, ""},
		{"allowed", "/validate", "ml", `{"tolerations": [{"key": "dedicated", "value": "ml", "effect": "NoSchedule"}]}`, ""},
		{"defaults are allowed", "/validate", "shop", `{"tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]}`, ""},
		{"not allowed", "/validate", "shop", `{"tolerations": [{"key": "dedicated", "value": "ml", "effect": "NoSchedule"}]}`, ""},
		{"what is requested", "/validate", "shop", `{"containers": [{"resources": {"requests": {"nvidia.com/gpu": "0"}}}], "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]}`, ""},
		{"new in an update", "/validate", "shop", `{"tolerations": [{"key": "dedicated", "value": "ml", "effect": "NoSchedule"}]}`, `{"tolerations": [{"key": "dedicated", "value": "web"}]}`},
		{"kept in an update", "/validate", "shop", `{"tolerations": [{"key": "dedicated", "value": "ml", "effect": "NoSchedule"}]}`, `{"tolerations": [{"key": "dedicated", "value": "ml"}]}`},
		{"daemon", "/validate", "daemons", `{"tolerations": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}, {"key": "node.kubernetes.io/network-unavailable", "operator": "Exists", "effect": "NoSchedule"}]}`, ""},
		{"daemon that wants more", "/validate", "daemons", `{"tolerations": [{"key": "dedicated", "value": "ml", "effect": "NoSchedule"}]}`, ""},
		{"no daemon", "/validate", "shop", `{"tolerations": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}]}`, ""},
		{"not valid", "/validate", "ml", `{"tolerations": [{"key": "dedicated", "operator": "NoSuchOperator", "value": "ml"}]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, body := post(c.path, `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "7", "namespace": "`+
				c.namespace+`", "userInfo": {"username": "`+map[string]string{"daemons": daemonSets}[c.namespace]+`"}, "object": {"spec": `+c.spec+`}, "oldObject": {"spec": `+cmp.Or(c.before, "null")+`}}}`)
			var v review
			if err := json.Unmarshal([]byte(body), &v); err != nil || code != http.StatusOK || v.Response == nil {
				t.Fatalf("%d %s %v", code, body, err)
			}
			text := body + string(v.Response.Patch)
			golden.Compare(t, strings.ReplaceAll(c.name, " ", "-"), text)
		})
	}
}

func TestRefusesOtherInput(t *testing.T) {
	for _, body := range []string{"", "{", "{}", `{"request": []}`, strings.Repeat(" ", largest+1) + `{"request": {}}`} {
		if code, _ := post("/mutate", body); code != http.StatusBadRequest {
			t.Errorf("%.20q: %d", body, code)
		}
	}
}
