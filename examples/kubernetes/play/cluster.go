// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"fmt"
	"maps"
	"strings"

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

// A game is a cluster to play with.
type game struct {
	*cluster.Cluster
	s       *session
	rules   string             // the path of the webhook's rules
	bin     string             // the folder of kubectl and its plugin
	leaving map[types.UID]bool // leaving pods that were already reported
}

// rules are the webhook's rules. In the namespace sandbox, pods may tolerate anything.
//
//go:embed rules.json
var rules string

const whynot = "../../cmd/kubectl-whynot"

// begin builds and starts everything, and returns when all pods run.
func begin(s *session, logs string) *game {
	s.printf("play builds what it needs from source. The first time, that takes about 10 minutes on two idle cores." +
		"\nAfter Ctrl-C, the same command continues.")
	for _, program := range []string{cluster.ControlPlane, "scheduler", "evictor", "webhook", whynot} {
		cluster.Binary(s, program)
	}
	g := &game{s: s, leaving: map[types.UID]bool{}}
	g.Cluster = cluster.Start(s, cluster.Options{
		APIServer: []string{
			"--default-not-ready-toleration-seconds=" + tolerated,
			"--default-unreachable-toleration-seconds=" + tolerated,
		},
		ControllerManager: []string{
			"--controllers=*,-node-ipam-controller,-taint-eviction-controller",
			"--node-monitor-period=1s", "--node-monitor-grace-period=15s",
		},
		Kubelets: true,
		Logs:     logs,
	})
	g.bin = g.Tools(whynot)
	g.addNodes()
	g.install("evictor")
	g.RunEvictor()
	g.runWebhook()
	g.RunScheduler(cluster.Profile{Name: corev1.DefaultSchedulerName, Taints: true, InClear: true})
	g.install("../play/workloads")
	g.Eventually("all pods run", g.allRun)
	return g
}

func (g *game) runWebhook() {
	g.install("webhook")
	g.rules = g.WriteFile("rules.json", rules)
	g.RunWebhook(cluster.FreeAddress(g.s), "-rules="+g.rules, "-unreachable-seconds="+tolerated, "-not-ready-seconds="+tolerated)
}

// install creates the objects in a folder of manifests, but no pods with service
// accounts: these programs run on this machine, with the rights of the accounts.
func (g *game) install(folder string) {
	objects, err := cluster.Manifest(folder)
	if err != nil {
		g.s.Fatal(err)
	}
	for _, object := range objects {
		if deployment, ok := object.(*appsv1.Deployment); ok && deployment.Spec.Template.Spec.ServiceAccountName != "" {
			deployment.Spec.Replicas = new(int32)
		}
	}
	g.Apply(objects...)
}

func (g *game) addNodes() {
	var nodes []*corev1.Node
	for _, p := range pools {
		for i := range p.nodes {
			node := cluster.Node(fmt.Sprintf("%s-%d", p.name, i+1), p.taints...)
			maps.Copy(node.Labels, p.labels)
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
	return strings.NewReplacer("KUBECONFIG-FILE", g.Kubeconfig, "BIN-FOLDER", g.bin, "RULES-FILE", g.rules).Replace(guideText)
}
