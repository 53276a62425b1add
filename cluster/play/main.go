// SPDX-License-Identifier: Apache-2.0

// Command play starts a Kubernetes cluster to play with: nodes that are objects
// with a heartbeat, the scheduler with the plugin Taints, the evictor, the webhook,
// and some pods. It prints how to reach the cluster and what to try, prints a line
// for each thing that happens, and takes everything down on Ctrl-C.
//
//	go run -C cluster ./play
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	logs := flag.String("logs", "", "keep the output of the programs in this `folder`, relative to cluster")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "play: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	s := controlplane.NewSession("play")
	g := begin(s, *logs)
	s.Logf("%s", strings.NewReplacer("KUBECONFIG-FILE", g.Kubeconfig, "BIN-FOLDER", g.bin, "RULES-FILE", g.rules).Replace(guide))
	g.watch()
	<-s.Context().Done()
	s.End()
	s.Logf("everything is down")
}

// pools are kinds of nodes, and how many there are of each.
//
//go:embed pools.yaml
var pools []byte

// tolerated is how many seconds pods stay on a node whose heartbeat stops. It is
// 300 in an ordinary cluster.
const tolerated = "20"

// A game is a cluster to play with.
type game struct {
	*controlplane.Cluster
	s     *controlplane.Session
	rules string // the path of the webhook's rules
	bin   string // the folder of kubectl and its plugin
}

// rules are the webhook's rules. In the namespace sandbox, pods may tolerate anything.
//
//go:embed rules.json
var rules string

// profiles are those of the scheduler.
//
//go:embed profiles.yaml
var profiles string

const whynot = "../cmd/kubectl-whynot"

// begin builds and starts everything, and returns when all pods run.
func begin(s *controlplane.Session, logs string) *game {
	s.Logf("play builds what it needs from source. The first time, that takes about 10 minutes on two idle cores." +
		"\nAfter Ctrl-C, the same command continues.")
	for _, program := range []string{
		"etcd", "kube-apiserver", "kube-controller-manager", "scheduler", "evictor", "webhook", "kubectl", whynot,
	} {
		controlplane.Binary(s, program)
	}
	g := &game{s: s}
	g.Cluster = controlplane.Start(s, controlplane.Options{
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
	g.Install("play/programs")
	g.RunEvictor()
	g.rules = g.WriteFile("rules.json", rules)
	g.RunWebhook(controlplane.FreeAddress(s), "-rules="+g.rules, "-unreachable-seconds="+tolerated, "-not-ready-seconds="+tolerated)
	g.RunScheduler("scheduler", profiles)
	g.Install("play/workloads")
	g.Eventually("all pods run", func() error {
		run := 0
		for _, pod := range g.Pods(metav1.NamespaceAll) {
			if pod.Status.Phase == corev1.PodRunning {
				run++
			}
		}
		if run != wanted {
			return fmt.Errorf("%d of %d run", run, wanted)
		}
		return nil
	})
	return g
}

func (g *game) addNodes() {
	var kinds []struct {
		Number int
		Node   corev1.Node
	}
	g.Must(yaml.UnmarshalStrict(pools, &kinds))
	var nodes []*corev1.Node
	for _, kind := range kinds {
		for i := range kind.Number {
			node := kind.Node.DeepCopy()
			node.Name = fmt.Sprintf("%s-%d", node.Name, i+1)
			nodes = append(nodes, node)
		}
	}
	g.AddNodes(nodes...)
}

// wanted is the number of pods.
const wanted = 82

// guide says how to reach the cluster, and what to try.
//
//go:embed guide.txt
var guide string
