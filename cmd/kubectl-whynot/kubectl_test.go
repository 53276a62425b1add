// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd/drain"
	"k8s.io/kubectl/pkg/cmd/taint"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
)

// A nodeServer is an API server with nodes and pods. It stores what kubectl writes.
type nodeServer struct {
	nodes map[string]corev1.Node
	pods  []corev1.Pod
	url   string
	cache string // of kubectl
}

func newNodeServer(t *testing.T) *nodeServer {
	s := &nodeServer{cache: t.TempDir()}
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, object any) {
		w.Header().Set("Content-Type", "application/json")
		if status, ok := object.(metav1.Status); ok {
			w.WriteHeader(int(status.Code))
		}
		fmt.Fprint(w, mustJSON(object))
	}
	for path, object := range map[string]any{
		"/api":  metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
		"/apis": metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}},
		"/api/v1": metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "v1",
			APIResources: []metav1.APIResource{
				{Name: "nodes", SingularName: "node", ShortNames: []string{"no"}, Kind: "Node", Verbs: []string{"get", "list", "patch"}},
				{Name: "pods", SingularName: "pod", ShortNames: []string{"po"}, Kind: "Pod", Namespaced: true, Verbs: []string{"get"}},
				{Name: "pods/eviction", Kind: "Eviction", Group: "policy", Version: "v1", Namespaced: true, Verbs: []string{"create"}},
			},
		},
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { reply(w, object) })
	}
	mux.HandleFunc("GET /api/v1/nodes", func(w http.ResponseWriter, r *http.Request) {
		selector, err := labels.Parse(r.FormValue("labelSelector"))
		if err != nil {
			reply(w, apierrors.NewBadRequest(err.Error()).Status())
			return
		}
		list := corev1.NodeList{TypeMeta: metav1.TypeMeta{Kind: "NodeList", APIVersion: "v1"}}
		for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
			if n := s.nodes[name]; selector.Matches(labels.Set(n.Labels)) {
				list.Items = append(list.Items, n)
			}
		}
		reply(w, list)
	})
	mux.HandleFunc("/api/v1/nodes/{name}", func(w http.ResponseWriter, r *http.Request) {
		n, ok := s.nodes[r.PathValue("name")]
		if !ok {
			reply(w, apierrors.NewNotFound(corev1.Resource("nodes"), r.PathValue("name")).Status())
			return
		}
		if r.Method == http.MethodPatch {
			patch, _ := io.ReadAll(r.Body)
			after, err := strategicpatch.StrategicMergePatch([]byte(mustJSON(n)), patch, n)
			n = corev1.Node{}
			if err == nil {
				err = json.Unmarshal(after, &n)
			}
			if err != nil {
				t.Error(err)
			}
			s.nodes[n.Name] = n
		}
		reply(w, n)
	})
	mux.HandleFunc("GET /api/v1/pods", func(w http.ResponseWriter, r *http.Request) {
		selector, _ := labels.Parse(r.FormValue("labelSelector"))
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
		for _, p := range s.pods {
			if "spec.nodeName="+p.Spec.NodeName == r.FormValue("fieldSelector") && selector.Matches(labels.Set(p.Labels)) {
				list.Items = append(list.Items, p)
			}
		}
		reply(w, list)
	})
	mux.HandleFunc("GET /apis/apps/v1/namespaces/default/daemonsets/{name}", func(w http.ResponseWriter, r *http.Request) {
		reply(w, appsv1.DaemonSet{TypeMeta: metav1.TypeMeta{Kind: "DaemonSet", APIVersion: "apps/v1"}})
	})
	var deleting sync.Mutex // kubectl evicts many at once
	remove := func(w http.ResponseWriter, r *http.Request) {
		deleting.Lock()
		defer deleting.Unlock()
		s.pods = slices.DeleteFunc(s.pods, func(p corev1.Pod) bool { return p.Name == r.PathValue("name") })
		reply(w, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Code: http.StatusOK})
	}
	mux.HandleFunc("POST /api/v1/namespaces/default/pods/{name}/eviction", remove)
	mux.HandleFunc("DELETE /api/v1/namespaces/default/pods/{name}", remove)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		reply(w, apierrors.NewNotFound(corev1.Resource("pods"), r.URL.Path).Status())
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// kubectl runs kubectl's own code and returns its exit code and errors.
func (s *nodeServer) kubectl(args ...string) (code int, stderr string) {
	defer cmdutil.DefaultBehaviorOnFatal()
	var out bytes.Buffer
	type fatal struct{ code int }
	cmdutil.BehaviorOnFatal(func(text string, code int) {
		fmt.Fprintln(&out, text)
		panic(fatal{code})
	})
	defer func() {
		if f, ok := recover().(fatal); ok {
			code, stderr = f.code, out.String()
		}
	}()
	flags := genericclioptions.NewConfigFlags(true).WithWrapConfigFn(func(c *rest.Config) *rest.Config {
		c.QPS = -1 // no limit
		return c
	})
	flags.APIServer, flags.CacheDir = &s.url, &s.cache
	streams := genericiooptions.IOStreams{Out: io.Discard, ErrOut: &out}
	root := &cobra.Command{Use: "kubectl", SilenceErrors: true, SilenceUsage: true}
	flags.AddFlags(root.PersistentFlags())
	f := cmdutil.NewFactory(flags)
	root.AddCommand(taint.NewCmdTaint(f, streams), drain.NewCmdCordon(f, streams), drain.NewCmdUncordon(f, streams), drain.NewCmdDrain(f, streams))
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		return cmdutil.DefaultErrorExitCode, err.Error()
	}
	return 0, out.String()
}

// state returns the taints of each node, sorted, and whether it is cordoned.
func (s *nodeServer) state() map[string]string {
	all := make(map[string]string)
	for name, n := range s.nodes {
		var list []string
		for _, t := range n.Spec.Taints {
			list = append(list, t.ToString())
		}
		slices.Sort(list)
		all[name] = fmt.Sprint(list, n.Spec.Unschedulable)
	}
	return all
}

// A commandLine draws nodes and arguments for kubectl.
type commandLine struct{ *rand.Rand }

func (c commandLine) oneOf(words ...string) string { return words[c.IntN(len(words))] }

func (c commandLine) nodes() map[string]corev1.Node {
	nodes := make(map[string]corev1.Node)
	for _, name := range []string{"a", "b1", "c-2", "d.e"} {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"pool": c.oneOf("x", "y")}}}
		n.Kind, n.APIVersion = "Node", "v1"
		n.Spec.Unschedulable = c.IntN(3) == 0
		for _, key := range []string{"k", "l", "e.f/g"} {
			if c.IntN(2) == 0 {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: c.oneOf("", "v"), Effect: corev1.TaintEffect(c.effect())})
			}
		}
		nodes[name] = n
	}
	return nodes
}

// pods returns pods on the nodes, of all kinds that kubectl tells apart.
func (c commandLine) pods() (pods []corev1.Pod) {
	for i := range 1 + c.IntN(5) {
		p := corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}}
		p.Namespace, p.Name, p.Spec.NodeName = "default", fmt.Sprint("p", i), c.oneOf("a", "b1", "c-2")
		p.Labels = map[string]string{"app": c.oneOf("x", "y")}
		p.Status.Phase = corev1.PodPhase(c.oneOf("Running", "Running", "Running", "Pending", "Succeeded", "Failed", "Unknown"))
		owner := metav1.OwnerReference{Name: "o", UID: "u", Controller: new(c.IntN(9) > 0)}
		switch owner.Kind, _, _ = strings.Cut(c.oneOf("", "ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet", "DaemonSet of others", "Node"), " "); {
		case owner.Kind == "":
		case owner.Kind == "Node" && *owner.Controller:
			owner.APIVersion, p.Annotations = "v1", map[string]string{corev1.MirrorPodAnnotationKey: ""}
		default:
			owner.APIVersion = c.oneOf("apps/v1", "apps/v1", "apps/v1", "example.com/v1")
		}
		if owner.Kind != "" {
			p.OwnerReferences = []metav1.OwnerReference{owner}
		}
		switch c.IntN(5) {
		case 0:
			p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}}}
			fallthrough
		case 1:
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "w", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
		case 2:
			p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}}}
		case 3:
			p.DeletionTimestamp = new(metav1.NewTime(testNow))
		}
		pods = append(pods, p)
	}
	return pods
}

func (c commandLine) effect() string { return c.oneOf("NoSchedule", "PreferNoSchedule", "NoExecute") }

// rarely returns one of the words at one time of twelve.
func (c commandLine) rarely(usual string, words ...string) string {
	if c.IntN(12) == 0 {
		return c.oneOf(words...)
	}
	return usual
}

func (c commandLine) name() string {
	name := c.oneOf("a", "b1", "c-2", "d.e")
	if c.IntN(3) == 0 {
		name = c.oneOf("node", "nodes", "no", c.rarely("node", "Node", "NODES", "No", "nodes.v1.", "node.v1", "pods", "po", "x", "")) + "/" + name
	}
	return c.rarely(name, "none", "node/", "/", "a/b1/c", "node/none", "a,b1", "", "A", ".", "a%")
}

func (c commandLine) spec() string {
	spec := c.oneOf("k", "l", "m", "e.f/g") + c.oneOf("", "=v", "=w")
	switch c.IntN(3) {
	case 0:
		spec = strings.TrimSuffix(spec+":"+c.oneOf(c.effect(), ""), ":") + "-"
	default:
		spec += ":" + c.effect()
	}
	return c.rarely(spec, "k=v", "k:", "k:NoSchedule:", "=v:NoSchedule", ":NoSchedule", "k:noschedule", "k:-", "-k:NoSchedule-",
		"k=v=w:NoSchedule", "k=-v:NoSchedule", "/k:NoSchedule", "e_f/k:NoSchedule-", "k=v:NoSchedule,l:NoExecute", "k:NoSchedule-x")
}

func (c commandLine) args() []string {
	verb := c.oneOf("taint", "taint", "taint", "cordon", "uncordon", "drain", "drain", "drain")
	args := []string{verb}
	if verb == "taint" {
		args = append(args, c.rarely(c.oneOf("node", "nodes", "no"), "Nodes", "NO", "nodes.v1.", "nodes.v1", "no.", "pods", "a", "x", "node/a", ""))
	}
	selects := c.IntN(4) == 0
	for range c.IntN(4) {
		if !selects || verb == "taint" || c.IntN(8) == 0 {
			args = append(args, c.name())
		}
	}
	if c.IntN(12) == 0 {
		args = append(args, args[len(args)-1]) // a node twice
	}
	if verb == "taint" {
		for range 1 + c.IntN(3) - c.IntN(12)/11 {
			args = append(args, c.spec())
		}
	}
	var flags []string
	if selects {
		flags = append(flags, c.rarely(c.oneOf("-lpool=x", "--selector=pool!=x", "-lpool in (x,y)", "-lpool=z", "-lpool"), "-l", "-l=", "-l ", "-la=b=c", "-l,"))
	}
	if verb == "taint" {
		flags = append(flags, c.oneOf("", "--overwrite", "--overwrite=false"))
		flags = append(flags, c.rarely("", "--all", "--all=false", "--all=x"))
	}
	if verb == "drain" {
		for _, f := range []string{"--force", "--ignore-daemonsets", "--delete-emptydir-data"} {
			flags = append(flags, c.rarely(c.oneOf("", f, f, f), f+"=false", f+"=x"))
		}
		flags = append(flags, c.oneOf("", "", "--disable-eviction"), c.oneOf("", "", "--pod-selector=app=x", c.rarely("", "--pod-selector=a=b=c")))
		flags = append(flags, c.rarely("", "--timeout=1m", "--grace-period=3", "--none"))
	}
	for _, f := range flags {
		if f != "" {
			args = slices.Insert(args, 1+c.IntN(len(args)), f)
		}
	}
	if c.IntN(20) == 0 {
		args = slices.Insert(args, 1+c.IntN(len(args)), "--") // flags before it, names after it
	}
	return args
}

// Random command lines: the preview agrees with kubectl's own code in the exit code,
// in the nodes that change, and in the pods that a drain evicts. The printed command changes the same nodes in the
// same way, and those that undo it make the nodes as they were. An unknown flag or
// value of one is invalid usage of whynot, with exit code 2.
func TestKubectl(t *testing.T) {
	s, seen := newNodeServer(t), make(map[string]int)
	for seed := range uint64(1000) {
		c := commandLine{rand.New(rand.NewPCG(seed, 54))}
		nodes, pods, args := c.nodes(), c.pods(), c.args()
		s.nodes, s.pods = maps.Clone(nodes), slices.Clone(pods)
		var items []string
		for _, p := range pods {
			items = append(items, mustJSON(p))
		}
		for _, n := range nodes {
			items = append(items, mustJSON(n))
		}
		before := s.state()
		code, refusal := s.kubectl(args...)
		after := s.state()

		got, stdout, stderr := runOn(strings.NewReader(list(items...)), slices.Concat([]string{"preview", "-f", "-", "-o", "json"}, args)...)
		var r preview.Report
		if err := json.Unmarshal([]byte(stdout), &r); stdout != "" && err != nil {
			t.Fatal(err)
		}
		isFlag := got == 2 && code == 1 && strings.Contains(refusal, "flag")
		var changed []string
		for _, name := range slices.Sorted(maps.Keys(after)) {
			if after[name] != before[name] {
				changed = append(changed, name)
			}
		}
		deleting := podNames(r.Departing) // of which kubectl deletes some again
		isDeleting := func(name string) bool { return slices.Contains(deleting, name) }
		if evicted := slices.DeleteFunc(s.without(pods), isDeleting); args[0] == "drain" && !slices.Equal(podNames(r.Leaving), evicted) {
			t.Errorf("seed %d: %q: evicts %v, want %v\nkubectl: %s", seed, args, podNames(r.Leaving), evicted, refusal)
		} else if args[0] == "drain" {
			seen[fmt.Sprintf("drain, code %d, evicts %t", code, len(evicted) > 0)]++
		}
		if got != code && !isFlag || !slices.Equal(r.Changed, changed) {
			t.Errorf("seed %d: %q: exit code %d, want %d; changes %v, want %v\n%s\nkubectl: %s", seed, args, got, code, r.Changed, changed, stderr, refusal)
			continue
		}
		seen[fmt.Sprintf("code %d, changes %t", code, len(changed) > 0)]++
		if r.Command == "" || args[0] == "drain" && code != 0 {
			continue
		}
		s.nodes, s.pods = nodes, pods
		s.checkCommands(t, &r, after)
	}
	for _, kind := range []string{
		"code 0, changes true", "code 0, changes false", "code 1, changes true", "code 1, changes false",
		"drain, code 0, evicts true", "drain, code 1, evicts false",
	} {
		if seen[kind] < 20 {
			t.Errorf("%s: %d times", kind, seen[kind])
		}
	}
}

// without returns the names of the pods that are gone.
func (s *nodeServer) without(before []corev1.Pod) (names []string) {
	for _, p := range before {
		if !slices.ContainsFunc(s.pods, func(o corev1.Pod) bool { return o.Name == p.Name }) {
			names = append(names, "default/"+p.Name)
		}
	}
	return names
}

func podNames(groups []preview.Group) []string {
	return slices.Sorted(slices.Values(slices.Concat(lists.Each(groups, func(g preview.Group) []string { return g.Pods })...)))
}

// checkCommands runs the command, after which the nodes have the state, and those that
// undo it.
func (s *nodeServer) checkCommands(t *testing.T, r *preview.Report, after map[string]string) {
	t.Helper()
	s.nodes = maps.Clone(s.nodes)
	before := s.state()
	for i, line := range append([]string{r.Command}, r.Undo...) {
		if code, stderr := s.kubectl(shellWords(t, line)[1:]...); code != 0 {
			t.Errorf("%s: %s", line, stderr)
		}
		if diff := cmp.Diff(after, s.state()); i == 0 && diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
	if diff := cmp.Diff(before, s.state()); diff != "" {
		t.Errorf("%s, then %s (-want +got):\n%s", r.Command, r.Undo, diff)
	}
}

// What undoes the change of many nodes is not one long line.
func TestKubectlManyNodes(t *testing.T) {
	s := newNodeServer(t)
	for args, want := range map[string][]string{
		"taint nodes --all m=v:NoSchedule":   {"kubectl taint nodes --all m:NoSchedule-"},
		"taint nodes -l all m:NoSchedule":    {"kubectl taint nodes -l all m:NoSchedule-"},
		"cordon -l all":                      {"kubectl uncordon -l all"},
		"cordon -l last!=0":                  {"kubectl uncordon -l 'last!=0'"},
		"taint nodes -l last=1 m:NoSchedule": {"kubectl taint nodes n1 n101 n11 n111 n121 n21 n31 n41 n51 n61 n71 n81 n91 m:NoSchedule-"},
		"taint nodes --all k=v:NoSchedule --overwrite": {
			"kubectl taint nodes n1 n101 ", "kubectl taint nodes n83 n84 ", "kubectl taint nodes n0 n10 ",
		},
	} {
		s.nodes = make(map[string]corev1.Node)
		var items []string
		for i := range 130 {
			n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), Labels: map[string]string{"all": "", "last": strconv.Itoa(i % 10)}}}
			n.Kind, n.APIVersion = "Node", "v1"
			if i%10 == 0 {
				n.Spec.Taints = []corev1.Taint{{Key: "k", Value: "w", Effect: corev1.TaintEffectNoSchedule}}
			}
			s.nodes[n.Name] = n
			items = append(items, mustJSON(n))
		}
		nodes := maps.Clone(s.nodes)
		if code, stderr := s.kubectl(strings.Fields(args)...); code != 0 {
			t.Fatal(stderr)
		}
		after := s.state()
		s.nodes = nodes
		var r preview.Report
		stdout := mustRun(t, list(items...), append([]string{"preview", "-f", "-", "-o", "json"}, strings.Fields(args)...)...)
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(r.Undo, want, strings.HasPrefix) {
			t.Errorf("%s: %q, want %q", args, r.Undo, want)
		}
		s.checkCommands(t, &r, after)
	}
}
