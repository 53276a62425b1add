// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// A pool is so many nodes of a kind.
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

// tolerated is for how long pods stay on a node that falls silent. It is 300 s in a
// cluster where nobody watches.
const tolerated = "20"

// A game is a cluster to play with.
type game struct {
	*cluster.Cluster
	s       *session
	webhook *cluster.Process
	path    string             // of kubectl
	leaving map[types.UID]bool // pods that go, of which that is told
}

// begin starts everything, and returns when all pods run.
func begin(s *session, logs string) *game {
	c := cluster.Start(s, cluster.Options{
		APIServer: []string{
			"--default-not-ready-toleration-seconds=" + tolerated,
			"--default-unreachable-toleration-seconds=" + tolerated,
		},
		ControllerManager: []string{
			"--controllers=*,-node-ipam-controller,-cloud-node-lifecycle-controller,-taint-eviction-controller",
			"--node-monitor-period=1s", "--node-monitor-grace-period=15s",
		},
		Heartbeat: heartbeat,
		Kubelets:  true,
		Logs:      logs,
	})
	g := &game{Cluster: c, s: s, path: c.Kubectl(), leaving: map[types.UID]bool{}}
	g.addNodes()
	rules := g.install()
	c.RunScheduler(nil, cluster.Profile{Name: corev1.DefaultSchedulerName, Taints: true, InClear: true})
	c.RunEvictor()
	g.webhook, _ = c.RunWebhook(rules, "-unreachable-seconds="+tolerated, "-not-ready-seconds="+tolerated)
	c.Apply(workloads()...)
	c.Eventually("all pods run", g.allRun)
	return g
}

// install installs the manifests of the programs, and returns the path of the
// webhook's rules. The programs run on this machine, with the rights of their
// service accounts; there is no machine for their Deployments' pods.
func (g *game) install() (rules string) {
	for _, program := range []string{"evictor", "webhook"} {
		objects, err := cluster.Manifest(program)
		if err != nil {
			g.s.Fatal(err)
		}
		for _, object := range objects {
			switch object := object.(type) {
			case *appsv1.Deployment:
				object.Spec.Replicas = new(int32)
			case *corev1.ConfigMap:
				rules = g.WriteFile("rules.json", object.Data["rules.json"])
			}
		}
		g.Apply(objects...)
	}
	return rules
}

func (g *game) addNodes() {
	var nodes []*corev1.Node
	for _, p := range pools {
		for i := range p.nodes {
			node := cluster.Node(fmt.Sprintf("%s-%d", p.name, i+1), p.taints...)
			for key, value := range p.labels {
				node.Labels[key] = value
			}
			nodes = append(nodes, node)
		}
	}
	g.AddNodes(nodes...)
}

// wanted is how many pods there are, by namespace and the name of who makes them.
var wanted = map[[2]string]int{
	{"default", "web"}:   16, // one on each general node
	{"default", "batch"}: 10,
	{"ml", "train"}:      20,
	{"logging", "agent"}: 36,
}

// allRun returns an error while a pod is missing or does not run.
func (g *game) allRun() error {
	for key, want := range wanted {
		run := 0
		for name, pod := range g.Pods(key[0]) {
			if strings.HasPrefix(name, key[1]+"-") && pod.Status.Phase == corev1.PodRunning {
				run++
			}
		}
		if run != want {
			return fmt.Errorf("%d of %d pods of %s in %s run", run, want, key[1], key[0])
		}
	}
	return nil
}

// workloads are web, which is spread evenly and which a PodDisruptionBudget guards,
// batch, which the webhook sends to spot nodes, train, which it sends to those of
// ml, and a DaemonSet that tolerates everything.
func workloads() []runtime.Object {
	var objects []runtime.Object
	for _, name := range []string{"ml", "logging"} {
		objects = append(objects, &corev1.Namespace{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: name},
		})
	}
	web := deployment("default", "web", "1")
	honor := corev1.NodeInclusionPolicyHonor
	web.Spec.Template.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: web.Spec.Selector, NodeTaintsPolicy: &honor,
	}}
	batch := deployment("default", "batch", "1")
	batch.Spec.Template.Labels["workload"] = "batch"
	train := deployment("ml", "train", "4")
	fifteen := intstr.FromInt32(15)
	budget := &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{MinAvailable: &fifteen, Selector: web.Spec.Selector},
	}
	agent := podTemplate("agent", "0")
	agent.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	set := &appsv1.DaemonSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "DaemonSet"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "logging", Name: "agent"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "agent"}},
			Template: agent,
		},
	}
	return append(objects, web, batch, train, budget, set)
}

func deployment(namespace, name, cpu string) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(wanted[[2]string{namespace, name}])),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: podTemplate(name, cpu),
		},
	}
}

// podTemplate is that of pods that ask for so many CPUs.
func podTemplate(app, cpu string) corev1.PodTemplateSpec {
	spec := cluster.Pod("").Spec
	spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}}, Spec: spec}
}

var guideText = template.Must(template.New("").Parse(`
A cluster of 36 nodes: 16 general ones, 10 of ml with the taint dedicated=ml:NoSchedule, and 10 spot ones with the taint
spot:NoSchedule. They are objects with a heartbeat, on which pods say that they run. In another terminal:

  export KUBECONFIG={{.Kubeconfig}}
  export PATH={{.Path}}:$PATH   # kubectl, of the same version

  kubectl taint node general-1 maintenance=now:NoExecute    # its pods go, and come again elsewhere
  kubectl taint node general-1 maintenance-
  kubectl taint node general-2 general-3 general-4 maintenance=now:NoExecute    # the PodDisruptionBudget of web lets one go at a time
  kubectl annotate node spot-1 play=silent    # no heartbeat: unreachable in 15 s, its pods go {{.Tolerated}} s later
  kubectl annotate node spot-1 play-    # it is back
  kubectl run sneak --image=none --overrides='{"spec":{"tolerations":[{"key":"dedicated","value":"ml"}]}}'    # denied
  kubectl -n ml scale deployment train --replicas=45    # too many for its nodes: the scheduler says why
  kubectl -n ml get pods -o wide

Ctrl-C takes everything down. This happens:
`))

// guide says how to reach the cluster, and what to try.
func (g *game) guide() string {
	var b bytes.Buffer
	data := struct{ Kubeconfig, Path, Tolerated string }{g.Kubeconfig, g.path, tolerated}
	if err := guideText.Execute(&b, data); err != nil {
		g.s.Fatal(err)
	}
	return b.String()
}
