// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

// apiServer serves the lists in pages of half the requested size. It has forgotten
// the second page of the list whose path is expired.
func apiServer(t *testing.T, lists map[string][]string, expired string) (url string, requests *[]string) {
	requests = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		*requests = append(*requests, r.URL.Path+" "+query.Get("labelSelector"))
		items, ok := lists[r.URL.Path]
		isObject := strings.HasPrefix(r.URL.Path, "/apis")
		if accept := r.Header.Get("Accept"); isObject == strings.HasPrefix(accept, runtime.ContentTypeProtobuf) {
			t.Errorf("%s: accepts %s", r.URL.Path, accept)
		}
		switch {
		case !ok:
			http.NotFound(w, r)
			return
		case isObject, r.URL.Path == "/version":
			fmt.Fprint(w, items[0])
			return
		}
		limit, _ := strconv.Atoi(query.Get("limit"))
		if r.URL.Path == expired && query.Get("continue") != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusGone)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","message":"too old","code":410}`)
			return
		}
		if limit == 0 {
			limit = 2 * len(items)
		}
		from, _ := strconv.Atoi(query.Get("continue"))
		end := min(from+limit/2, len(items))
		next := ""
		if end < len(items) {
			next = strconv.Itoa(end)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"metadata":{"continue":%q},"items":[%s]}`, next, strings.Join(items[from:end], ","))
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// TestCluster lists a cluster in pages.
func TestCluster(t *testing.T) {
	nodes := []string{objectOf("node n k=v:NoSchedule")}
	const pod = `{"kind":"Pod","metadata":{"name":%q,"labels":{"app":"web"}},"spec":{"nodeName":%q}}`
	var pods []string
	for i := range 600 {
		pods = append(pods, fmt.Sprintf(pod, fmt.Sprint("p", i), "n"))
	}
	pods = append(pods, fmt.Sprintf(pod, "q", ""))
	url, requests := apiServer(t, map[string][]string{
		"/api/v1/nodes": nodes, "/api/v1/pods": pods, "/api/v1/namespaces/default/pods": pods,
		"/api/v1/namespaces": {`{"metadata":{"name":"a"}}`, `{"metadata":{"name":"b"}}`},
	}, "")
	t.Setenv("HOME", t.TempDir())
	const counts = "1 node and 601 pods from the cluster, "
	const pages = "/api/v1/nodes ,/apis/apps/v1/daemonsets ,/api/v1/pods app=web,/api/v1/pods app=web,/api/v1/pods app=web,/apis "
	const deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{}}}}`
	for _, tc := range []struct{ stdin, args, start, want string }{
		{"not read", "-A -l app=web", counts, ""},
		{"not read", "", counts, "Only pods that match -n default."},
		{"not read", "q", "", "0/1 nodes are available: 1 node(s) had untolerated taint(s)."},
		{deployment, "-f -", "", "1 pod of Deployment default/web: untolerated"}, // before it is applied
	} {
		*requests = nil
		stdin := strings.NewReader(tc.stdin)
		code, stdout, stderr := runOn(stdin, append(strings.Fields(tc.args), "-s", url)...)
		if code != 0 || stderr != "" || !strings.HasPrefix(stdout, tc.start) || !strings.Contains(stdout, tc.want) {
			t.Errorf("%s: exit code %d, stdout %s, stderr %q", tc.args, code, stdout, stderr)
		}
		if got := strings.Join(*requests, ","); strings.HasPrefix(tc.args, "-A") && got != pages {
			t.Errorf("requests %s", got)
		}
		if tc.stdin == "not read" && stdin.Len() != len(tc.stdin) {
			t.Errorf("%s: standard input was read, which a loop of a shell reads from", tc.args)
		}
	}
	for _, args := range [][]string{{"", "\nq\n"}, {"-n", "", "a\nb\n:4"}, {"--kubeconfig", "testdata/context.yaml", "--context", "", "c\n:4"}} {
		last := len(args) - 1
		code, names, _ := runOn(nil, slices.Concat([]string{"__complete", "-s", url}, args[:last])...)
		if code != 0 || !strings.Contains(names, args[last]) {
			t.Errorf("completion of %q: %s", args[:last], names)
		}
	}
}

// DaemonSets of the cluster are read, or it is said that they are not.
func TestDaemonSets(t *testing.T) {
	const set = `{"metadata":{"name":"agent","namespace":"ops","generation":1},"spec":{"template":{"spec":{}}},` +
		`"status":{"observedGeneration":1,"desiredNumberScheduled":1,"numberReady":1}}`
	lists := map[string][]string{
		"/api/v1/nodes": {objectOf("node a"), objectOf("node b k=v:NoSchedule")}, "/api/v1/pods": {}, "/api/v1/namespaces/ops/pods": {},
		"/apis/apps/v1/daemonsets":                      {`{"kind":"DaemonSetList","apiVersion":"apps/v1","items":[` + set + `]}`},
		"/apis/apps/v1/namespaces/ops/daemonsets":       {`{"kind":"DaemonSetList","apiVersion":"apps/v1","items":[` + set + `]}`},
		"/apis/apps/v1/namespaces/ops/daemonsets/agent": {strings.Replace(set, "{", `{"kind":"DaemonSet","apiVersion":"apps/v1",`, 1)},
	}
	url, _ := apiServer(t, lists, "")
	for _, args := range []string{"-A", "-n ops", "daemonset/agent -n ops", "ds agent -n ops"} {
		got := oneLine(mustRun(t, "", append(strings.Fields(args), "-s", url)...))
		if !strings.Contains(got, "does not run on b: untolerated taint k=v:NoSchedule") || strings.Contains(got, "DaemonSets (") {
			t.Errorf("%s: %s", args, got)
		}
	}
	delete(lists, "/apis/apps/v1/daemonsets")
	url, _ = apiServer(t, lists, "")
	if got := oneLine(mustRun(t, "", "-A", "-s", url)); !strings.Contains(got, "and DaemonSets (the server could not find") {
		t.Errorf("not permitted: %s", got)
	}
	if got := oneLine(mustRun(t, "", "-n", "ops", "-s", url)); !strings.Contains(got, "does not run on b") || !strings.Contains(got, "and DaemonSets of other namespaces.") {
		t.Errorf("permitted in one namespace: %s", got)
	}
}

// The API server says which rule counts for devices if it has the nodes.
func TestVersion(t *testing.T) {
	input, err := os.ReadFile("testdata/reports/devices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	stdin := strings.ReplaceAll(string(input), "kind: Node,", "kind: Other,")
	for version, want := range map[string]string{"v1.37.2": "up to Kubernetes 1.37", "v1.38.0": "from Kubernetes 1.38 on", "": "up to Kubernetes 1.37"} {
		lists := map[string][]string{"/api/v1/nodes": {objectOf("node g1")}, "/version": {fmt.Sprintf(`{"gitVersion":%q}`, version)}}
		if version == "" {
			delete(lists, "/version")
		}
		url, _ := apiServer(t, lists, "")
		if got := oneLine(mustRun(t, stdin, "-f", "-", "-s", url, "--now", "2026-11-26T12:03:00Z")); !strings.Contains(got, "by the rule "+want) {
			t.Errorf("%s: lacks %q: %s", version, want, got)
		}
	}
}

// Of a pod that is asked for by name and has not started, its events, claims and the
// attachments of volumes are read, or it is said that they are not.
func TestStart(t *testing.T) {
	const pod = `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"p","namespace":"default"},"spec":{"nodeName":"b",` +
		`"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}]},"status":{"phase":"PHASE"}}]}`
	const storage = "/apis/storage.k8s.io/v1/volumeattachments "
	answers := map[string]string{
		"/api/v1/nodes ":            `{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`,
		"/apis/apps/v1/daemonsets ": `{"kind":"DaemonSetList","apiVersion":"apps/v1","items":[]}`,
		storage:                     `{"kind":"VolumeAttachmentList","apiVersion":"storage.k8s.io/v1","metadata":{"continue":"more"},"items":[]}`,
		storage + "more":            `{"kind":"VolumeAttachmentList","items":[{"metadata":{"name":"x"},"spec":{"nodeName":"a","source":{"persistentVolumeName":"pv"}},"status":{"attached":true}}]}`,
		"/api/v1/namespaces/default/persistentvolumeclaims metadata.name=c":               `{"kind":"PersistentVolumeClaimList","items":[{"metadata":{"name":"c","namespace":"default"},"spec":{"volumeName":"pv"}}]}`,
		"/api/v1/namespaces/default/events involvedObject.kind=Pod,involvedObject.name=p": `{"kind":"EventList","items":[{"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p","namespace":"default"},"type":"Warning","reason":"FailedMount","message":"no secret"}]}`,
	}
	permitted, requests := true, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Content-Type", "application/json")
		answer, ok := answers[r.URL.Path+" "+r.URL.Query().Get("fieldSelector")+r.URL.Query().Get("continue")]
		if isExtra := strings.Contains(r.URL.Path, "storage") || strings.Contains(r.URL.Path, "persistent") || strings.Contains(r.URL.Path, "events"); !ok || isExtra && !permitted {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"you may not read %s","code":403}`, r.URL.Path)
			return
		}
		fmt.Fprint(w, answer)
	}))
	defer server.Close()
	const started = "Pod default/p has started on node b, which"
	for _, tc := range []struct {
		phase     string
		permitted bool
		want      string
		requests  int
	}{
		{"Pending", true, "has not reported on its containers; volume pv is still attached to node a; event FailedMount: no secret.", 7},
		{"Pending", false, "has not reported on its containers.", 6},
		{"Running", true, started, 3},
	} {
		answers["/api/v1/namespaces/default/pods "], permitted, requests = strings.Replace(pod, "PHASE", tc.phase, 1), tc.permitted, 0
		got := oneLine(mustRun(t, "", "p", "-n", "default", "-s", server.URL))
		if saysMissing := strings.Contains(got, "Events (you may not read /api/v1/namespaces/default/events), "+
			"PersistentVolumeClaims (you may not read /api/v1/namespaces/default/persistentvolumeclaims) and VolumeAttachments (you may not"); !strings.Contains(got, tc.want) ||
			saysMissing == tc.permitted || requests != tc.requests {
			t.Errorf("%+v: %d requests: %s", tc, requests, got)
		}
	}
}

// What makes nodes is read if the cluster has such APIs, and if a taint that nothing else
// explains, or a cordon, keeps pods off. What may not be read is named once.
func TestProvisioners(t *testing.T) {
	const groups = `{"kind":"APIGroupList","groups":[{"name":"apps","preferredVersion":{"groupVersion":"apps/v1"}},` +
		`{"name":"karpenter.sh","preferredVersion":{"groupVersion":"karpenter.sh/v1"}},{"name":"cluster.x-k8s.io","preferredVersion":{"groupVersion":"cluster.x-k8s.io/v1beta2"}}]}`
	const pool = `{"kind":"NodePoolList","apiVersion":"karpenter.sh/v1","items":[{"metadata":{"name":"gpu"},"spec":{"template":{"spec":{"startupTaints":[{"key":"k","effect":"NoSchedule"}]}}}}]}`
	const machine = `{"kind":"MachineList","apiVersion":"cluster.x-k8s.io/v1beta2","items":[{"metadata":{"name":"m","deletionTimestamp":"2026-11-21T01:00:00Z"},"status":{"nodeRef":{"name":"n"}}}]}`
	const cordoned, karpenter, machines = "node n node.kubernetes.io/unschedulable:NoSchedule", "/apis/karpenter.sh/v1/nodepools", "/apis/cluster.x-k8s.io/v1beta2/machines"
	for _, tc := range []struct {
		node, stdin string // or a pod
		forbidden   bool
		want        string
		reads       bool
	}{
		{"node n k:NoSchedule", "", false, "nodes are starting", true},
		{"node n k:NoSchedule", `{"kind":"Pod","metadata":{"name":"q"}}`, false, "nodes are starting", true},
		{"node n k:NoSchedule", "", true, "disruption budgets and NodePools, NodeClaims, MachineDeployments, MachineSets and Machines (you may not)", true},
		{cordoned, "p", false, "Node n is being removed with Machine m", true},
		{cordoned, "b", false, "Pod default/b has started on node n", false},
		{cordoned, "", false, "Node n is being removed with Machine m", true},
		{"node n node.kubernetes.io/not-ready:NoSchedule", "", false, "nodes are unhealthy", false},
		{"node n", "", false, "has not reported a reason", false},
	} {
		lists := map[string][]string{
			"/api/v1/nodes": {objectOf(tc.node)}, "/api/v1/pods": {`{"metadata":{"name":"p"}}`}, "/apis": {groups},
			"/api/v1/namespaces/default/pods": {`{"metadata":{"name":"p","namespace":"default"}}`, `{"metadata":{"name":"b","namespace":"default"},"spec":{"nodeName":"n"},"status":{"phase":"Running"}}`},
			"/apis/apps/v1/daemonsets":        {`{"kind":"DaemonSetList","apiVersion":"apps/v1","items":[]}`}, karpenter: {pool}, machines: {machine},
		}
		url, requests := apiServer(t, lists, "")
		if tc.forbidden {
			url = forbidding(t, url, "/apis/karpenter.sh/", "/apis/cluster.x-k8s.io/")
		}
		args := []string{"-A", "-s", url}
		switch tc.stdin {
		case "":
		case "p", "b":
			args = []string{tc.stdin, "-n", "default", "-s", url}
		default:
			args = []string{"-f", "-", "-s", url}
		}
		got := oneLine(mustRun(t, tc.stdin, args...))
		if reads := slices.Contains(*requests, "/apis "); !strings.Contains(got, tc.want) || reads != tc.reads {
			t.Errorf("%+v: requests %s: %s", tc, *requests, got)
		}
	}
}

// forbidding serves what the other server does, except paths with these prefixes.
func forbidding(t *testing.T, other string, prefixes ...string) (own string) {
	target, err := url.Parse(other)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(r.URL.Path, prefix) }) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"you may not","code":403}`)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A list whose pages expire is read again, without doubles.
func TestExpired(t *testing.T) {
	var nodes, pods []string
	for i := range 600 {
		nodes = append(nodes, objectOf(fmt.Sprintf("node n%d k=v:NoSchedule", i)))
		pods = append(pods, fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p%d"}}`, i))
	}
	for _, expired := range []string{"/api/v1/nodes", "/api/v1/pods"} {
		url, _ := apiServer(t, map[string][]string{"/api/v1/nodes": nodes, "/api/v1/pods": pods}, expired)
		if got := mustRun(t, "", "-A", "-s", url); !strings.HasPrefix(got, "600 nodes and 600 pods from the cluster, ") {
			t.Errorf("%s: %s", expired, got)
		}
	}
}

// A workload of the cluster is evaluated by its template, or by its pods.
func TestWorkloads(t *testing.T) {
	const workload = `{"apiVersion":"VERSION","kind":"KIND","metadata":{"name":"web","namespace":"default"},` +
		`"spec":{"template":{"spec":{"tolerations":[{"key":"k","value":"V"}]}}}}`
	const other = `{"kind":"Pod","metadata":{"name":"other"},"spec":{"nodeName":"n"}}`
	const made = `{"kind":"Pod","metadata":{"name":"web-0","ownerReferences":[{"kind":"StatefulSet","name":"web","controller":true}]}}`
	objects := map[string][]string{
		"/api/v1/nodes": {objectOf("node n k=v:NoSchedule")}, "/api/v1/namespaces/default/pods": {other, made},
	}
	for path, kind := range map[string]string{
		"apps/v1 deployments": "Deployment", "apps/v1 statefulsets": "StatefulSet", "apps/v1 daemonsets": "DaemonSet", "batch/v1 jobs": "Job",
	} {
		version, resource, _ := strings.Cut(path, " ")
		objects["/apis/"+version+"/namespaces/default/"+resource+"/web"] = []string{
			strings.NewReplacer("VERSION", version, "KIND", kind).Replace(workload),
		}
	}
	url, _ := apiServer(t, objects, "")
	for args, want := range map[string]string{
		"deployment/web": "default/deployment/web", "deploy web": "default/deployment/web", "ds/web": "default/daemonset/web",
		"jobs/web": "default/job/web", "sts/web": "default/web-0",
	} {
		if r := mustReport(t, "", append(strings.Fields(args), "-s", url)...); r.Pod != want || len(r.Pending) != 1 {
			t.Errorf("%s: pod %q, %d pending", args, r.Pod, len(r.Pending))
		}
	}
	if code, _, stderr := runOn(nil, "cronjob/web", "-s", url); code != 1 || !strings.Contains(stderr, "not find") {
		t.Errorf("no such CronJob: %s", stderr)
	}
}

// What is not found says in the API server's words that it is not there, which namespace
// has it, and which name is close.
func TestNotFound(t *testing.T) {
	status := func(w http.ResponseWriter, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":%q,"code":404}`, message)
	}
	answers := map[string]string{
		"/api/v1/nodes ":                                      `{"items":[{"metadata":{"name":"n"}}]}`,
		"/api/v1/namespaces/default/pods ":                    `{"items":[{"metadata":{"name":"web-5f-1","namespace":"default","ownerReferences":[{"kind":"Deployment","name":"web","controller":true}]}}]}`,
		"/api/v1/pods metadata.name=train-1":                  `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"train-1","namespace":"ml"}}]}`,
		"/api/v1/pods metadata.name=web-5f-2":                 `{"kind":"PodList","apiVersion":"v1","items":[]}`,
		"/api/v1/pods metadata.name=train":                    `{"kind":"PodList","apiVersion":"v1","items":[]}`,
		"/apis/apps/v1/deployments metadata.name=train":       `{"kind":"DeploymentList","apiVersion":"apps/v1","items":[{"metadata":{"name":"train","namespace":"ml"}},{"metadata":{"name":"train","namespace":"a"}}]}`,
		"/apis/apps/v1/namespaces/default/deployments/ready ": `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"ready","namespace":"default"},"spec":{"replicas":0}}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer, ok := answers[r.URL.Path+" "+r.URL.Query().Get("fieldSelector")]; ok {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, answer)
			return
		}
		status(w, "there is no "+r.URL.Path)
	}))
	defer server.Close()
	t.Setenv("HOME", t.TempDir())
	for asked, want := range map[string]string{
		"train-1":          "pod train-1 not found in namespace default; namespace ml has it",
		"web-5f-2":         "pod web-5f-2 not found in namespace default; did you mean default/web-5f-1?",
		"train":            "pod train not found in namespace default; did you mean deployment/train -n a or deployment/train -n ml?",
		"none":             "pod none not found in namespace default",
		"deployment/train": "there is no /apis/apps/v1/namespaces/default/deployments/train; namespaces a and ml have it",
		"deploy/wbe":       "there is no /apis/apps/v1/namespaces/default/deployments/wbe; did you mean deployment/web -n default?",
		"rs/web":           "there is no /apis/apps/v1/namespaces/default/replicasets/web; namespace default has deployment/web",
		"rc/web":           "there is no /api/v1/namespaces/default/replicationcontrollers/web; namespace default has deployment/web",
		"deployment/ready": "deployment/ready not found in namespace default; it is there, but has no pods or is left out by -l",
	} {
		code, _, stderr := runOn(nil, asked, "-s", server.URL)
		if code != 1 || stderr != "error: "+want+"\n" {
			t.Errorf("%s: exit code %d: %s", asked, code, stderr)
		}
	}
}

// A URL that does not answer is given up.
func TestTimeout(t *testing.T) {
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-done }))
	defer server.Close()
	defer close(done)
	if code, _, stderr := runOn(nil, "-f", server.URL, "--request-timeout", "10ms"); code != 1 || !strings.Contains(stderr, "Timeout exceeded") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := runOn(nil, "-f", server.URL, "--request-timeout", "soon"); code != 2 || !strings.Contains(stderr, "Invalid timeout value") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// A drain of the cluster reads its disruption budgets, or says that it may not.
func TestDrain(t *testing.T) {
	const pod = `{"metadata":{"name":"p","namespace":"a","labels":{"app":"x"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","controller":true}]},` +
		`"spec":{"nodeName":"n","volumes":[{"name":"v","emptyDir":{}}]},"status":{"phase":"Running"}}`
	const budget = `{"metadata":{"name":"b","namespace":"a"},"spec":{"selector":{}},"status":{"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1,"expectedPods":1}}`
	lists := map[string][]string{
		"/api/v1/nodes": {objectOf("node n")}, "/api/v1/pods": {pod}, "/apis/apps/v1/daemonsets": {`{"kind":"DaemonSetList","apiVersion":"apps/v1","items":[]}`},
	}
	for budgets, want := range map[string]string{
		budget: "Pods that stay PodDisruptionBudget a/b allows no eviction", "": "Pods that leave Now: evicted, and the data in their emptyDir volumes is lost ReplicaSet a/r",
		"forbidden": "disruption budgets, PodDisruptionBudgets (the server could not find",
	} {
		if lists["/apis/policy/v1/poddisruptionbudgets"] = []string{`{"kind":"PodDisruptionBudgetList","apiVersion":"policy/v1","items":[` + budgets + `]}`}; budgets == "forbidden" {
			delete(lists, "/apis/policy/v1/poddisruptionbudgets")
		}
		url, _ := apiServer(t, lists, "")
		got := oneLine(mustRun(t, "", "preview", "drain", "n", "--delete-emptydir-data", "-s", url))
		if !strings.Contains(got, want) || strings.Contains(got, "disruption budgets") != (budgets == "forbidden") {
			t.Errorf("%s: lacks %q: %s", budgets, want, got)
		}
	}
}
