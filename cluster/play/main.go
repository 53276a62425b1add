// SPDX-License-Identifier: Apache-2.0

// Command play starts a Kubernetes cluster to play with: nodes that are objects
// with a heartbeat, the scheduler with the plugin Taints, the evictor, the webhook,
// and some pods. It prints how to reach the cluster and what to try, prints a line
// for each thing that happens, and takes everything down on Ctrl-C.
//
//	go run -C cluster ./play
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

func main() {
	logs := flag.String("logs", "", "keep the output of the programs in this `folder`, relative to cluster")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "play: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	s := &session{ctx: ctx}
	g := begin(s, *logs)
	s.printf("%s", strings.NewReplacer("KUBECONFIG-FILE", g.Kubeconfig, "BIN-FOLDER", g.bin, "RULES-FILE", g.rules).Replace(guide))
	g.watch()
	<-ctx.Done()
	s.end()
	s.printf("everything is down")
}

// A session owns a cluster: the cluster ends with the session.
type session struct {
	ctx context.Context

	mu       sync.Mutex
	cleanups []func()
	failed   atomic.Bool
}

// end takes down everything that was started, the newest first.
func (s *session) end() {
	s.mu.Lock()
	cleanups := s.cleanups
	s.cleanups = nil
	s.mu.Unlock()
	for _, f := range slices.Backward(cleanups) {
		f()
	}
}

func (s *session) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Println(strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"))
}

// The remaining methods implement T of package controlplane.

func (s *session) Helper()                         {}
func (s *session) Name() string                    { return "play" }
func (s *session) Context() context.Context        { return s.ctx }
func (s *session) Failed() bool                    { return s.failed.Load() }
func (s *session) Logf(format string, args ...any) { s.printf(format, args...) }
func (s *session) Fatal(args ...any)               { s.Fatalf("%s", fmt.Sprint(args...)) }

func (s *session) Cleanup(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cleanups = append(s.cleanups, f)
}

func (s *session) Errorf(format string, args ...any) {
	s.failed.Store(true)
	s.printf("play: "+format, args...)
}

// Fatalf takes everything down and ends the program.
func (s *session) Fatalf(format string, args ...any) {
	code := 1
	if s.ctx.Err() != nil { // a failure after Ctrl-C is caused by it
		s.printf("interrupted; what is compiled is kept, run the same command to go on")
		code = 130
	} else {
		s.Errorf(format, args...)
	}
	s.end()
	os.Exit(code)
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
	s       *session
	rules   string             // the path of the webhook's rules
	bin     string             // the folder of kubectl and its plugin
	leaving map[types.UID]bool // leaving pods that were already reported
}

// rules are the webhook's rules. In the namespace sandbox, pods may tolerate anything.
//
//go:embed rules.json
var rules string

const whynot = "../cmd/kubectl-whynot"

// begin builds and starts everything, and returns when all pods run.
func begin(s *session, logs string) *game {
	s.printf("play builds what it needs from source. The first time, that takes about 10 minutes on two idle cores." +
		"\nAfter Ctrl-C, the same command continues.")
	for _, program := range []string{controlplane.ControlPlane, "scheduler", "evictor", "webhook", whynot} {
		controlplane.Binary(s, program)
	}
	g := &game{s: s, leaving: map[types.UID]bool{}}
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
	g.Install("../play/programs")
	g.RunEvictor()
	g.rules = g.WriteFile("rules.json", rules)
	g.RunWebhook(controlplane.FreeAddress(s), "-rules="+g.rules, "-unreachable-seconds="+tolerated, "-not-ready-seconds="+tolerated)
	g.RunScheduler(controlplane.Profile{Name: corev1.DefaultSchedulerName, Taints: true, InClear: true})
	g.Install("../play/workloads")
	g.Eventually("all pods run", g.allRun)
	return g
}

func (g *game) addNodes() {
	var kinds []struct {
		Number int
		Node   corev1.Node
	}
	if err := yaml.UnmarshalStrict(pools, &kinds); err != nil {
		g.s.Fatal(err)
	}
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

// allRun returns an error while a pod is missing or does not run.
func (g *game) allRun() error {
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
}

// guide says how to reach the cluster, and what to try.
//
//go:embed guide.txt
var guide string
