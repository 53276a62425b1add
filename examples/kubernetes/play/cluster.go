// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// A pool is a number of nodes of one kind.
type pool struct {
	name   string
	nodes  int
	taints []corev1.Taint
	labels map[string]string
}

var pools = []pool{
	{"general", 16, nil, nil},
	{
		"ml", 10,
		[]corev1.Taint{{Key: "dedicated", Value: "ml", Effect: corev1.TaintEffectNoSchedule}},
		map[string]string{"example.com/pool": "ml"},
	},
	{
		"spot", 10,
		[]corev1.Taint{{Key: "spot", Effect: corev1.TaintEffectNoSchedule}},
		map[string]string{"example.com/spot": "true"},
	},
}

// tolerated is how many seconds pods stay on a node whose heartbeat stops. It is
// 300 in an ordinary cluster.
const tolerated = "20"

// label marks everything that play adds to an existing cluster. Its nodes also have
// a label and a taint with the key fakeKey, and its pods run only on them.
const (
	partOf     = "app.kubernetes.io/part-of"
	label      = partOf + "=taints-play"
	fakeKey    = "example.com/play"
	anotherOne = "taints-scheduler" // the second scheduler in an existing cluster
)

// A game is a cluster to play with.
type game struct {
	*cluster.Cluster
	s        *session
	borrowed bool // the cluster existed before
	webhook  *cluster.Process
	rules    string             // the path of the webhook's rules
	bin      string             // the folder of kubectl and its plugin
	leaving  map[types.UID]bool // leaving pods that were already reported
}

// rules are the webhook's rules. In the namespace sandbox, pods may tolerate anything.
//
//go:embed rules.json
var rules string

// begin starts everything, and returns when all pods run.
func begin(s *session, o options) *game {
	build(s, o)
	settings := cluster.Options{
		APIServer: []string{
			"--default-not-ready-toleration-seconds=" + tolerated,
			"--default-unreachable-toleration-seconds=" + tolerated,
		},
		ControllerManager: []string{
			"--controllers=*,-node-ipam-controller,-taint-eviction-controller",
			"--node-monitor-period=1s", "--node-monitor-grace-period=15s",
		},
		Programs: o.controlPlane,
		Kubelets: true,
		Logs:     o.logs,
	}
	g := &game{s: s, borrowed: o.kubeconfig != "", leaving: map[types.UID]bool{}}
	if g.borrowed {
		g.Cluster = cluster.Connect(s, o.kubeconfig, settings)
		s.printf("The webhook does not run: it would decide about the pods of all namespaces, and the cluster's API server would" +
			"\nhave to reach this machine. The controller of Kubernetes evicts; the evictor only says what it would do.")
	} else {
		g.Cluster = cluster.Start(s, settings)
	}
	g.bin = g.Tools(whynot)
	g.addNodes()
	workloads, scheduler := "../play/workloads", corev1.DefaultSchedulerName
	if g.borrowed {
		workloads, scheduler = "../play/workloads-borrowed", anotherOne
		g.install("evictor-dry-run")
		g.RunEvictor("-dry-run")
	} else {
		g.install("evictor")
		g.RunEvictor()
		g.runWebhook()
	}
	g.RunScheduler(cluster.Profile{Name: scheduler, Taints: true, InClear: true})
	g.install(workloads)
	g.Eventually("all pods run", g.allRun)
	return g
}

func (g *game) runWebhook() {
	g.install("webhook")
	g.rules = g.WriteFile("rules.json", rules)
	g.webhook, _ = g.RunWebhook(cluster.FreeAddress(g.s), "-rules="+g.rules, "-logging-format=json",
		"-unreachable-seconds="+tolerated, "-not-ready-seconds="+tolerated)
}

// install creates the objects in a folder of manifests, but no pods with service
// accounts: these programs run on this machine, with the rights of the accounts.
func (g *game) install(folder string) {
	objects, err := cluster.Manifest(folder)
	if err != nil {
		g.s.Fatal(err)
	}
	for _, object := range objects {
		if g.borrowed {
			object.SetLabels(labelled(object.GetLabels()))
		}
		if deployment, ok := object.(*appsv1.Deployment); ok && deployment.Spec.Template.Spec.ServiceAccountName != "" {
			deployment.Spec.Replicas = new(int32)
		}
	}
	g.Apply(objects...)
}

// labelled adds the label of the objects that are deleted at the end.
func labelled(labels map[string]string) map[string]string {
	all := map[string]string{partOf: "taints-play"}
	maps.Copy(all, labels)
	return all
}

func (g *game) addNodes() {
	var nodes []*corev1.Node
	for _, p := range pools {
		for i := range p.nodes {
			node := cluster.Node(fmt.Sprintf("%s-%d", p.name, i+1), p.taints...)
			maps.Copy(node.Labels, p.labels)
			if g.borrowed {
				node.Labels = labelled(node.Labels)
				node.Labels[fakeKey] = "fake"
				node.Spec.Taints = append(node.Spec.Taints,
					corev1.Taint{Key: fakeKey, Value: "fake", Effect: corev1.TaintEffectNoSchedule})
			}
			nodes = append(nodes, node)
		}
	}
	g.AddNodes(nodes...)
}

// wanted is the number of pods in each namespace.
var wanted = map[string]int{"shop": 26, "ml": 20, "logging": 36}

// allRun returns an error while a pod is missing or does not run.
func (g *game) allRun() error {
	for namespace, want := range wanted {
		run := 0
		for _, pod := range g.Pods(namespace) {
			if pod.Status.Phase == corev1.PodRunning {
				run++
			}
		}
		if run != want {
			return fmt.Errorf("%d of %d pods in %s run", run, want, namespace)
		}
	}
	return nil
}

//go:embed guide.txt
var guideText string

// guide returns a text about how to reach the cluster, and what to try.
func (g *game) guide() string {
	data := map[string]any{
		"Borrowed": g.borrowed, "Kubeconfig": g.Kubeconfig, "Bin": g.bin, "Rules": g.rules, "Label": label,
		"Grace": 15, "Tolerated": tolerated, "Scheduler": "", "Fence": "",
	}
	if g.borrowed {
		data["Grace"], data["Tolerated"] = "about 50", "300"
		data["Scheduler"] = fmt.Sprintf(`"schedulerName":%q,`, anotherOne)
		data["Fence"] = fmt.Sprintf(`,{"key":%q,"operator":"Exists"}`, fakeKey)
	}
	var b bytes.Buffer
	if err := template.Must(template.New("").Parse(guideText)).Execute(&b, data); err != nil {
		g.s.Fatal(err)
	}
	return b.String()
}

const whynot = "../../cmd/kubectl-whynot"

func build(s *session, o options) {
	programs := []string{"scheduler", "evictor", whynot}
	if o.kubeconfig == "" {
		programs = append(programs, "webhook")
	}
	if o.controlPlane != "" {
		version, err := exec.Command(filepath.Join(o.controlPlane, "kube-apiserver"), "--version").Output()
		if err == nil {
			err = cluster.CheckVersion(strings.TrimPrefix(strings.TrimSpace(string(version)), "Kubernetes "))
		}
		if err != nil {
			s.Fatalf("%s/kube-apiserver: %v", o.controlPlane, err)
		}
		if lacks := cluster.Lacks(o.controlPlane, "etcd", "kube-apiserver", "kube-controller-manager"); len(lacks) > 0 {
			s.printf("%s lacks %s: play builds its own", o.controlPlane, strings.Join(lacks, ", "))
			programs = append(programs, cluster.ControlPlane)
		}
	} else if o.kubeconfig == "" {
		programs = append(programs, cluster.ControlPlane)
	}
	cluster.Build(s, s.announce, programs...)
}

func (s *session) announce(download bool, packages int) {
	caches, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		s.Fatal(err)
	}
	modules, compiled, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	programs, err := cluster.Cache()
	if err != nil {
		s.Fatal(err)
	}
	takes := fmt.Sprintf("  Go compiles %d packages to its build cache, %s", packages, compiled)
	if download {
		takes = fmt.Sprintf("  Go downloads modules to %s: at most 100 MB, 640 MB when unpacked\n"+
			"  Go compiles them to its build cache, %s", modules, compiled)
	}
	s.printf("play builds its programs from source. All of it takes about 10 minutes on two idle cores.\n%s\n"+
		"  The programs stay in %s: 300 MB; -clean removes them\n"+
		"Everything else is in a temporary folder that is deleted at the end. After Ctrl-C, the same command continues.",
		takes, programs)
}
