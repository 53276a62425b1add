// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

func TestValidateCreate(t *testing.T) {
	long := taints.Toleration{Key: strings.Repeat("x", 2000), Operator: "Exist"}
	gpu := []any{map[string]any{"resources": map[string]any{
		"requests": map[string]string{"example.com/gpu": "1", "cpu": "1"},
	}}}
	tests := []struct {
		name, namespace string
		pod             podMap
		code            int // 0: allowed
		want            string
	}{
		{"none", "web", tolerating(), 0, ""},
		{"of the cluster's list", "web", tolerating("spot=yes:NoSchedule"), 0, ""},
		{
			"not of the cluster's list", "web", tolerating("spot", "dedicated=ml"), 403,
			`toleration "dedicated=ml" is not allowed in namespace "web"; allowed are: spot op=Exists`,
		},
		{"everything", "monitoring", tolerating("op=Exists"), 0, ""},
		{
			"everything, elsewhere", "web", tolerating("op=Exists"), 403,
			`toleration "op=Exists" is not allowed in namespace "web"`,
		},
		{
			"defaults", "web",
			tolerating("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
				"node.kubernetes.io/unreachable:NoExecute for 5s"),
			0, "",
		},
		{
			"longer than the defaults", "web",
			tolerating("node.kubernetes.io/not-ready:NoExecute op=Exists for 301s"), 403,
			"for 301s",
		},
		{
			"forever", "web", tolerating("node.kubernetes.io/unreachable:NoExecute op=Exists"),
			403, "unreachable:NoExecute op=Exists",
		},
		{
			"best effort under pressure", "web",
			tolerating("node.kubernetes.io/memory-pressure:NoSchedule op=Exists"), 403,
			"memory-pressure",
		},
		{
			"burstable under pressure, with a resource", "web",
			newPod(map[string]any{"containers": gpu, "tolerations": []any{
				map[string]string{
					"key":      "node.kubernetes.io/memory-pressure",
					"operator": "Exists",
					"effect":   "NoSchedule",
				},
				map[string]string{"key": "example.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
			}}), 0, "",
		},
		{
			"a resource that it does not request", "web",
			tolerating("example.com/gpu:NoSchedule op=Exists"), 403, "example.com/gpu",
		},
		{"invalid", "monitoring", tolerating("k op=Exists"), 0, ""},
		{
			"an unknown operator", "monitoring",
			newPod(map[string]any{"tolerations": []any{long, long}}), 422,
			`spec.tolerations[0].key: "xxx`,
		},
		{
			"longer than allowed", "ml",
			selected(tolerating("example.com/maintenance:NoExecute op=Exists for 7201s")), 403,
			"dedicated=ml; example.com/maintenance:NoExecute op=Exists for 7200s; spot op=Exists",
		},
		{"not longer", "ml", selected(tolerating("example.com/maintenance:NoExecute op=Exists for 7200s")), 0, ""},
		{
			"without the node selector", "ml", tolerating("dedicated=ml"), 403,
			`dedication "ml-nodes" sends the pod to nodes with example.com/pool=ml, but its nodeSelector has no example.com/pool`,
		},
		{
			"with another node selector", "ml",
			newPod(map[string]any{"nodeSelector": map[string]string{"example.com/pool": "web"}}),
			403, "its nodeSelector has example.com/pool=web",
		},
	}
	h := handler(testPolicy(t))
	for _, test := range tests {
		r := mustAsk(t, h, "/validate", reviewOf("CREATE", test.namespace, test.pod, nil))
		checkRefusal(t, test.name, r, test.code, test.want)
	}
	free := handler(&Policy{})
	r := mustAsk(t, free, "/validate", reviewOf("CREATE", "web", tolerating("op=Exists"), nil))
	checkRefusal(t, "no rules", r, 0, "")
}

// selected gives the pod the node selector of ml.
func selected(pod podMap) podMap {
	pod["spec"].(map[string]any)["nodeSelector"] = map[string]string{"example.com/pool": "ml"}
	return pod
}

func checkRefusal(t *testing.T, name string, r response, code int, want string) {
	t.Helper()
	if r.Patch != nil || r.Allowed != (code == 0) {
		t.Errorf("%s: %+v, %+v", name, r, r.Status)
		return
	}
	reasons := map[int]string{403: "Forbidden", 422: "Invalid"}
	if code != 0 &&
		(r.Status.Code != code || r.Status.Reason != reasons[code] || !strings.Contains(r.Status.Message, want)) {
		t.Errorf("%s: %+v, want %d %s", name, r.Status, code, want)
	}
}

func TestValidateUpdate(t *testing.T) {
	tests := []struct {
		name     string
		old, new podMap
		code     int
		want     string
	}{
		{"one more", tolerating("dedicated=ml"), tolerating("dedicated=ml", "spot"), 0, ""},
		{"one more, not allowed", tolerating("spot"), tolerating("spot", "dedicated=ml"), 403, `"dedicated=ml"`},
		{"one less", tolerating("spot", "a"), tolerating("spot"), 422, `tolerations: "a" is forbidden`},
		{"another order", tolerating("dedicated=ml", "spot"), tolerating("spot", "dedicated=ml"), 0, ""},
		{
			"what an old one covers", tolerating("dedicated op=Exists"),
			tolerating("dedicated op=Exists", "dedicated=ml"), 0, "",
		},
		{"shorter", tolerating("a:NoExecute for 50s"), tolerating("a:NoExecute for 40s"), 0, ""},
		{"longer", tolerating("a:NoExecute for 50s"), tolerating("a:NoExecute for 60s"), 403, `"a:NoExecute for 60s"`},
		{
			"one more, invalid", tolerating(),
			newPod(map[string]any{"tolerations": []any{map[string]any{"operator": "Exists", "value": "x"}}}),
			422, "spec.tolerations[0].value",
		},
		{"no more node selector", selected(tolerating()), tolerating("spot"), 0, ""},
	}
	h := handler(testPolicy(t))
	for _, test := range tests {
		r := mustAsk(t, h, "/validate", reviewOf("UPDATE", "web", test.new, test.old))
		checkRefusal(t, test.name, r, test.code, test.want)
	}
	r := mustAsk(t, h, "/validate", reviewOf("UPDATE", "ml", tolerating("spot"), tolerating()))
	checkRefusal(t, "no node selector in a dedicated namespace", r, 0, "")
}

// An allow-list that is empty allows nothing; a long one is not told in full.
func TestValidateLists(t *testing.T) {
	h := handler(&Policy{Rules: mustRules(t, `{"namespaces":{"a":{"allowedTolerations":[]}}}`)})
	checkRefusal(t, "empty", mustAsk(t, h, "/validate",
		reviewOf("CREATE", "a", tolerating("k"), nil)), 403, `"k" is not allowed in namespace "a"; allowed are: none`)
	checkRefusal(t, "elsewhere", mustAsk(t, h, "/validate", reviewOf("CREATE", "b", tolerating("k"), nil)), 0, "")
	p := &Policy{}
	for i := range 12 {
		p.Rules.cluster.allowed = append(p.Rules.cluster.allowed, taints.Toleration{Key: fmt.Sprint("k", i)})
	}
	r := mustAsk(t, handler(p), "/validate", reviewOf("CREATE", "b", tolerating("k"), nil))
	checkRefusal(t, "long", r, 403, "k8; k9; and 2 more")
}

// The seconds that need no permission are those of the flags, but no fewer than an
// API server's own.
func TestValidateSeconds(t *testing.T) {
	short, long := int64(60), int64(900)
	p := testPolicy(t)
	p.Defaults = taints.DefaultSeconds{NotReady: &short, Unreachable: &long}
	for toleration, code := range map[string]int{
		"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s":   0,
		"node.kubernetes.io/not-ready:NoExecute op=Exists for 301s":   403,
		"node.kubernetes.io/unreachable:NoExecute op=Exists for 900s": 0,
		"node.kubernetes.io/unreachable:NoExecute op=Exists for 901s": 403,
	} {
		r := mustAsk(t, handler(p), "/validate", reviewOf("CREATE", "web", tolerating(toleration), nil))
		checkRefusal(t, toleration, r, code, "")
	}
}
