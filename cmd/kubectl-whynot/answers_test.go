// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/seed-0529bac1/taints"
)

// TestAnswers has what people see on the first page: the cause, and what to do.
func TestAnswers(t *testing.T) {
	raw := func(list string) string {
		return `{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[` + list + `]}}`
	}
	says := func(pod, message string) string {
		return strings.TrimSuffix(pod, "}") + `,"status":{"conditions":[{"type":"PodScheduled","status":"False","message":` +
			mustJSON(message) + `}]}}`
	}
	created := func(node string) string {
		return strings.Replace(node, `"metadata":{`, `"metadata":{"creationTimestamp":"2026-11-21T01:22:00Z",`, 1)
	}
	scheduledBy := func(name, pod string) string {
		return strings.Replace(pod, `"spec":{`, `"spec":{"schedulerName":"`+name+`",`, 1)
	}
	full := "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). preemption: 0/2 nodes are " +
		"available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling."
	tests := []struct {
		name  string
		items []string
		text  string   // of the cause
		fix   []string // "text; command", with the beginning of the command
		notes []string
	}{
		{
			name: "the taint has no value",
			items: []string{
				nodeJSON("n", "", "node-role.kubernetes.io/control-plane:NoSchedule"),
				podJSON("p", "", "", tol("node-role.kubernetes.io/control-plane=true:NoSchedule")),
			},
			text: "untolerated taint node-role.kubernetes.io/control-plane:NoSchedule (closest toleration: " +
				"node-role.kubernetes.io/control-plane=true:NoSchedule, the value differs: the taint has no value)",
			fix: []string{
				"if the pod belongs on nodes with node-role.kubernetes.io/control-plane:NoSchedule (n), add toleration " +
					"node-role.kubernetes.io/control-plane:NoSchedule op=Exists; kubectl -n default patch pod p --type=json -p '[",
			},
		},
		{
			name: "two effects of a key",
			items: []string{
				nodeJSON("n", "", "dedicated=ml:NoSchedule", "dedicated=ml:NoExecute"),
				podJSON("p", "", "", tol("dedicated=ml:NoSchedule")),
			},
			text: "untolerated taint dedicated=ml:NoExecute (closest toleration: dedicated=ml:NoSchedule, the effect differs)",
			fix: []string{
				"if the pod belongs on nodes with dedicated=ml:NoExecute (n), add toleration dedicated=ml:NoExecute; kubectl ",
			},
		},
		{
			name: "two effects of a mistake",
			items: []string{
				nodeJSON("n", "", "dedicated=ml:NoSchedule", "dedicated=ml:NoExecute"),
				podJSON("p", "", "", tol("dedicated=ML")),
			},
			text: "untolerated taints dedicated=ml:NoExecute and dedicated=ml:NoSchedule (closest toleration: dedicated=ML, " +
				"the value differs only in letter case)",
			fix: []string{"add toleration dedicated=ml; kubectl "},
		},
		{
			name: "a comparison with no integer",
			items: []string{
				nodeJSON("n", "", "score=high:NoSchedule"),
				podJSON("p", "", "", tol("score=30:NoSchedule op=Lt")),
			},
			text: "untolerated taint score=high:NoSchedule (closest toleration: score=30:NoSchedule op=Lt, " +
				"the taint's value is not an integer)",
			fix: []string{"if the pod belongs on nodes with score=high:NoSchedule (n), add toleration score=high:NoSchedule; kubectl "},
		},
		{
			name:  "a taint in place of a key",
			items: []string{nodeJSON("n", "", "dedicated=ml:NoSchedule"), raw(`{"key":"dedicated=ml","operator":"Exists"}`)},
			text:  `invalid toleration: tolerations[0].key: "dedicated=ml" is invalid: must be a name (letters, digits, `,
			fix:   []string{"add toleration dedicated=ml; kubectl "},
		},
		{
			name: "a template that an API server refuses",
			items: []string{
				nodeJSON("n", ""), `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"p"},"spec":{"template":{"spec":` +
					`{"tolerations":[{"key":"dedicated=ml:NoSchedule"}]}}}}`,
			},
			text: `invalid toleration: tolerations[0].key: "dedicated=ml:NoSchedule" is invalid: `,
			fix: []string{
				`write tolerations[0] as {"key":"dedicated","value":"ml","effect":"NoSchedule"} in the pod template of Deployment p; `,
			},
		},
		{
			name: "quotes in a value, of the second toleration",
			items: []string{
				nodeJSON("n", "", "dedicated=ml:NoSchedule"),
				raw(`{"key":"x","operator":"Exists"},{"key":"dedicated","value":"\"ml\""}`),
			},
			text: `invalid toleration: tolerations[1].value: "\"ml\"" is invalid`,
			fix:  []string{"add toleration dedicated=ml; kubectl "},
		},
		{
			name: "cordoned nodes",
			items: []string{
				`{"kind":"Node","metadata":{"name":"n2"},"spec":{"unschedulable":true}}`,
				nodeJSON("n1", "", "node.kubernetes.io/unschedulable:NoSchedule"), podJSON("p", "", ""),
			},
			text: "nodes are cordoned: untolerated taint node.kubernetes.io/unschedulable:NoSchedule",
			fix:  []string{"uncordon nodes n1 and n2; kubectl uncordon n1 n2"},
		},
		{
			name: "nodes that are starting",
			items: []string{
				created(nodeJSON("n", "", "karpenter.sh/unregistered:NoExecute", "ebs.csi.aws.com/agent-not-ready:NoExecute")),
				podJSON("p", "", ""),
			},
			text: "nodes are starting: untolerated taints ebs.csi.aws.com/agent-not-ready:NoExecute and " +
				"karpenter.sh/unregistered:NoExecute",
			fix: []string{
				"node n is starting, since 2026-11-21T01:22:00Z (2m ago): wait for ebs.csi.aws.com/agent-not-ready:NoExecute " +
					"and karpenter.sh/unregistered:NoExecute to go away; kubectl describe node n",
			},
		},
		{
			name: "a mistake, and a node that is not healthy",
			items: []string{
				nodeJSON("n", "", "node.kubernetes.io/unreachable:NoSchedule", "k=v:NoSchedule"),
				podJSON("p", "", "", tol("k=V")),
			},
			text: "untolerated taint k=v:NoSchedule (closest toleration: k=V, the value differs only in letter case); " +
				"nodes are also unhealthy: node.kubernetes.io/unreachable:NoSchedule",
			fix: []string{
				"repair node n: node.kubernetes.io/unreachable:NoSchedule; kubectl describe node n",
				"add toleration k=v; kubectl ",
			},
		},
		{
			name: "nodes that are being removed",
			items: []string{
				nodeJSON("n", "", "karpenter.sh/disrupted:NoSchedule"), podJSON("p", "", ""),
			},
			text: "nodes are being removed: untolerated taint karpenter.sh/disrupted:NoSchedule",
			fix:  []string{"node n is being removed: add nodes, or wait for new ones; "},
		},
		{
			name: "an eviction a minute after each placement",
			items: []string{
				nodeJSON("n", "", "dedicated=ml:NoExecute"), podJSON("p", "", "", tol("dedicated=ML:NoExecute for 60s")),
			},
			text: "untolerated taint dedicated=ml:NoExecute (closest toleration: dedicated=ML:NoExecute for 60s, " +
				"the value differs only in letter case)",
			fix: []string{"add toleration dedicated=ml:NoExecute; kubectl "},
		},
		{
			name: "full nodes, and a mistake",
			items: []string{
				nodeJSON("full", ""), nodeJSON("free", "", "dedicated=ml:NoSchedule"),
				says(podJSON("p", "", "", tol("dedicated=ML")), full),
			},
			text: "Insufficient cpu on 1 node; on 1 more node: untolerated taint dedicated=ml:NoSchedule (closest toleration: " +
				"dedicated=ML, the value differs only in letter case)",
			fix: []string{"to use 1 more node, add toleration dedicated=ml; kubectl "},
		},
		{
			name: "full nodes",
			items: []string{
				nodeJSON("full", ""), nodeJSON("other", "", "dedicated=db:NoSchedule"), says(podJSON("p", "", ""), full),
			},
			text: "Insufficient cpu on 1 node",
		},
		{
			name:  "no reason",
			items: []string{nodeJSON("n", ""), podJSON("p", "", "")},
			text:  "taints and node affinity allow 1 node; the scheduler has not reported a reason",
		},
		{
			name:  "a scheduler that said nothing",
			items: []string{nodeJSON("n", ""), scheduledBy("volcano", podJSON("p", "", ""))},
			text:  "waiting for the scheduler volcano",
			notes: []string{"the pod uses the scheduler volcano, which may apply other rules"},
		},
		{
			name: "a key that nothing sets any more",
			items: []string{
				nodeJSON("n", "", "node-role.kubernetes.io/control-plane:NoSchedule"),
				podJSON("p", "", "", tol("node-role.kubernetes.io/master:NoSchedule op=Exists")),
			},
			text: "untolerated taint node-role.kubernetes.io/control-plane:NoSchedule",
			fix: []string{
				"if the pod belongs on nodes with node-role.kubernetes.io/control-plane:NoSchedule (n), add toleration " +
					"node-role.kubernetes.io/control-plane:NoSchedule op=Exists; kubectl ",
			},
			notes: []string{"tolerations[0] is node-role.kubernetes.io/master:NoSchedule op=Exists: "},
		},
		{
			name:  "a misspelled label",
			items: []string{nodeJSON("n", "disk=ssd"), nodeJSON("m", "disk=hdd"), podJSON("p", "", "disk=sdd")},
			text:  "no node has the label disk=sdd; 1 node has disk=ssd",
			fix:   []string{"if you meant the label disk=ssd, change the pod's node selector or affinity; "},
		},
		{
			name:  "a label without a value",
			items: []string{nodeJSON("n", "gpu="), nodeJSON("m", "gpu="), podJSON("p", "", "gpu=true")},
			text:  "no node has the label gpu=true; 2 nodes have gpu=",
			fix:   []string{"if you meant the label gpu=, change the pod's node selector or affinity; "},
		},
		{
			name:  "letter case of a label's key",
			items: []string{nodeJSON("n", "Pool=gpu"), podJSON("p", "", "pool=gpu")},
			text:  "no node has the label pool=gpu; 1 node has Pool=gpu",
			fix:   []string{"if you meant the label Pool=gpu, change the pod's node selector or affinity; "},
		},
		{
			name:  "a label of an affinity",
			items: []string{nodeJSON("n", "zone=east-1"), affine("", `{"key":"zone","operator":"In","values":["east1","west1"]}`)},
			text:  "no node has the label zone in (east1,west1); 1 node has zone=east-1",
			fix:   []string{"if you meant the label zone=east-1, change the pod's node selector or affinity; "},
		},
		{
			name:  "an invalid affinity",
			items: []string{nodeJSON("n", "zone=a"), affine("", `{"key":"zone","operator":"Is","values":["a"]}`)},
			text: `required node affinity is invalid: nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Is": ` +
				"supported values: ",
		},
		{
			name: "a key without its prefix",
			items: []string{
				nodeJSON("n", "", "example.com/dedicated=ml:NoSchedule"), podJSON("p", "", "", tol("dedicated=ml:NoSchedule")),
			},
			text: "untolerated taint example.com/dedicated=ml:NoSchedule (closest toleration: dedicated=ml:NoSchedule, " +
				"the key differs: it lacks the prefix example.com/)",
			fix: []string{"add toleration example.com/dedicated=ml:NoSchedule; kubectl "},
		},
		{
			name: "many values",
			items: []string{
				nodeJSON("a", "", "k=a:NoSchedule"), nodeJSON("b", "", "k=b:NoSchedule"), nodeJSON("c", "", "k=c:NoSchedule"),
				nodeJSON("d", "", "k=d:NoSchedule"), nodeJSON("e", "", "k=e:NoSchedule"), podJSON("p", "", "", tol("k=x")),
			},
			text: "untolerated taints k=a:NoSchedule, k=b:NoSchedule, k=c:NoSchedule and 2 more (closest toleration: k=x, " +
				"the value differs)",
			fix: []string{
				"choose the nodes that the pod belongs on; their taints are listed by this command; kubectl whynot -n default p",
			},
		},
		{
			name:  "an invalid taint",
			items: []string{`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"?","effect":"NoSchedule"}]}}`, podJSON("p", "", "")},
			text:  "untolerated taint ?:NoSchedule",
		},
		{
			name:  "gates",
			items: []string{nodeJSON("n", ""), `{"kind":"Pod","metadata":{"name":"p"},"spec":{"schedulingGates":[{"name":"g"}]}}`},
			text:  "scheduling gates: the scheduler ignores the pod until they are removed",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			input := list(test.items...)
			r := mustReport(t, input)
			if len(r.Causes) != 1 {
				t.Fatalf("got %+v", r.Causes)
			}
			c := &r.Causes[0]
			if !strings.HasPrefix(c.Text, test.text) {
				t.Errorf("got the cause  %s\nwant %s", c.Text, test.text)
			}
			checkTexts(t, "fix", fixTexts(c.Fix), test.fix)
			checkTexts(t, "note", c.Notes, test.notes)
			checkForms(t, c, input)
			if x := &r.Pending[0]; x.Text != c.Text || !slices.Equal(x.Fix, c.Fix) {
				t.Errorf("the pod has %+v", x)
			}
		})
	}
}

func fixTexts(steps []step) []string {
	var texts []string
	for _, s := range steps {
		texts = append(texts, s.Text+"; "+s.Command)
	}
	return texts
}

func checkTexts(t *testing.T, what string, got, begin []string) {
	t.Helper()
	if !slices.EqualFunc(got, begin, strings.HasPrefix) {
		t.Errorf("got the %s %q\nwant %q", what, got, begin)
	}
}

// checkForms sees that page one, the details and the page have the same words.
func checkForms(t *testing.T, c *cause, input string) {
	t.Helper()
	tags := regexp.MustCompile(`<[^>]+>`)
	page := html.UnescapeString(tags.ReplaceAllString(mustRun(t, input, "-o", "html"), " "))
	for form, text := range map[string]string{
		"page one": mustRun(t, input), "the details": mustRun(t, input, "p"), "the page": page,
	} {
		words := []string{c.Text}
		for _, s := range c.Fix {
			words = append(words, sentence(s.Text), s.Command)
		}
		for _, w := range words {
			if !strings.Contains(oneLine(text), oneLine(w)) {
				t.Errorf("%s lacks %q: %s", form, w, text)
			}
		}
	}
}

// A pod that leaves is told which toleration comes closest.
func TestEvictionWords(t *testing.T) {
	input := list(at("n", 0), podJSON("p", "n", "", tol("k=V:NoExecute")))
	r := mustReport(t, input)
	const want = "closest toleration: k=V:NoExecute, the value differs only in letter case"
	if why := r.Evictions[0].Because[0].Why; why != want {
		t.Errorf("got %q", why)
	}
	for _, args := range [][]string{{}, {"-o", "wide"}, {"p"}, {"-o", "html"}} {
		if got := oneLine(mustRun(t, input, args...)); !strings.Contains(got, "ntolerated taint k=v:NoExecute ("+want+")") {
			t.Errorf("%q: got %s", args, got)
		}
	}
}

// TestPatches applies to each kind of owner what the API server accepts.
func TestPatches(t *testing.T) {
	const replace = `--type=json -p '[{"op":"test","path":"PATH/tolerations/0","value":{"key":"team","value":"ML"}},` +
		`{"op":"replace","path":"PATH/tolerations/0","value":{"key":"team","value":"ml"}}]'`
	const add = `kubectl -n default patch pod p --type=json -p '[{"op":"add","path":"/spec/tolerations/-","value":{"key":"team","value":"ml"}}]'`
	in := func(path string) string { return strings.ReplaceAll(replace, "PATH", path) }
	for _, tc := range []struct {
		kind, name, hash string
		want             []string
	}{
		{"ReplicaSet", "web-5d9f", "5d9f", []string{
			"replace toleration team=ML with team=ml; kubectl -n default patch deployment web " + in("/spec/template/spec"),
		}},
		{"ReplicaSet", "web", "", []string{
			"replace toleration team=ML with team=ml; kubectl -n default patch replicaset web " + in("/spec/template/spec"),
			"delete the pod, so that the ReplicaSet makes a new one; kubectl -n default delete pod p",
		}},
		{"StatefulSet", "db", "", []string{
			"replace toleration team=ML with team=ml; kubectl -n default patch statefulset db " + in("/spec/template/spec"),
			"delete the pod if the StatefulSet does not replace it; kubectl -n default delete pod p",
		}},
		{"Job", "load", "", []string{"add toleration team=ml; " + add}},
		{"Job", "load-29395680", "", []string{
			"add toleration team=ml; " + add,
			"do the same for the next Jobs; kubectl -n default patch cronjob load " + in("/spec/jobTemplate/spec/template/spec"),
		}},
		{"Workflow", "wf", "", []string{
			"add toleration team=ml; " + add, "change what Workflow wf makes its pods from; ",
		}},
	} {
		p := ownedPod(tc.kind, tc.name, tc.hash, tol("team=ML"))
		got := fixTexts(mustReport(t, list(nodeJSON("n", "", "team=ml:NoSchedule"), p)).Causes[0].Fix)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s %s: got %q\nwant %q", tc.kind, tc.name, got, tc.want)
		}
	}
	first := mustReport(t, list(nodeJSON("n", "", "team=ml:NoSchedule"), ownedPod("ReplicaSet", "web-5d", "5d")))
	const whole = `-p '[{"op":"add","path":"/spec/template/spec/tolerations","value":[{`
	if got := first.Causes[0].Fix[0].Command; !strings.Contains(got, whole) {
		t.Errorf("the template has no tolerations, and the command is %s", got)
	}
}

// The patches make the pods of a template tolerate the taints, and fail if the
// template has changed.
func TestPatchedTemplates(t *testing.T) {
	apply := func(command string, template []taints.Toleration) ([]taints.Toleration, error) {
		_, quoted, _ := strings.Cut(command, " -p '")
		patch, err := jsonpatch.DecodePatch([]byte(strings.TrimSuffix(quoted, "'")))
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		type object struct {
			Spec struct {
				Template struct {
					Spec struct {
						Tolerations []taints.Toleration `json:"tolerations,omitempty"`
					} `json:"spec"`
				} `json:"template"`
			} `json:"spec"`
		}
		var o object
		o.Spec.Template.Spec.Tolerations = template
		patched, err := patch.Apply([]byte(mustJSON(o)))
		if err != nil {
			return nil, err
		}
		err = json.Unmarshal(patched, &o)
		return o.Spec.Template.Spec.Tolerations, err
	}
	added := tol("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s") // by admission
	for _, tc := range []struct {
		node     []string
		template []taints.Toleration
	}{
		{[]string{"team=ml:NoSchedule"}, nil},
		{[]string{"team=ml:NoSchedule"}, tols("team=ML")},
		{[]string{"team=ml:NoSchedule", "gpu:NoSchedule"}, tols("x op=Exists", "team=ML:NoSchedule")},
		{[]string{"team=ml:NoSchedule", "team=ml:NoExecute"}, tols("team=ML:NoSchedule", "y=z")},
		{[]string{"score=40:NoSchedule"}, tols("score=30:NoSchedule op=Lt")},
	} {
		node := nodeJSON("n", "", tc.node...)
		pod := ownedPod("ReplicaSet", "web-5d", "5d", append(slices.Clone(tc.template), added)...)
		command := mustReport(t, list(node, pod)).Causes[0].Fix[0].Command
		got, err := apply(command, tc.template)
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		pod = ownedPod("ReplicaSet", "web-5d", "5d", got...)
		if x := mustReport(t, list(node, pod)).Pending[0]; x.Feasible != 1 {
			t.Errorf("%s: the pod does not tolerate %s with %v", command, tc.node, got)
		}
		if other := tols("other op=Exists"); strings.Contains(command, `"test"`) {
			if got, err := apply(command, other); err == nil {
				t.Errorf("%s: a template that has changed becomes %v", command, got)
			}
		}
	}
}

// ownedPod returns a pending Pod with a controller.
func ownedPod(kind, name, hash string, list ...taints.Toleration) string {
	return mustJSON(map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{
			"name": "p", "labels": map[string]any{"pod-template-hash": hash},
			"ownerReferences": []any{map[string]any{"kind": kind, "name": name, "controller": true}},
		},
		"spec": map[string]any{"tolerations": list},
	})
}

// affine returns a Pod with a node selector and a required node affinity of one
// match expression.
func affine(selector, expression string) string {
	return `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeSelector":` +
		mustJSON(labelMap(selector)) + `,"affinity":{"nodeAffinity":{` +
		`"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[` +
		expression + `]}]}}}}}`
}
