// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/internal/test/docs"
)

// TestReadmes runs the commands of the READMEs as they are printed.
func TestReadmes(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	c := start(t, controlplane.Options{ControllerManager: []string{noTaintEviction}, Kubelets: true})
	c.AddNodes(controlplane.Node("node-1"), controlplane.Node("node-2"))
	c.Install("testdata/cloud") // the kinds of monitoring, too
	r := &readmeTest{Cluster: c, env: []string{
		"KUBECONFIG=" + c.Kubeconfig,
		inPath(t, c.Tools()),
		"TMPDIR=" + c.Dir,
		"BUILDER=true", // TestImages looks at what is in an image
		"node=node-1",  // for the runbooks
	}}
	t.Run("webhook", r.webhook) // first: its audit counts all pods
	t.Run("modules", r.module)
	t.Run("evictor", r.evictor)
	t.Run("scheduler", r.scheduler)
	t.Run("removal", r.removal)
}

// A readmeTest is a cluster, and the environment of commands that talk to it.
type readmeTest struct {
	*controlplane.Cluster
	env []string
}

// blocks returns the blocks of a README, and checks their number: a new block must
// also be run here.
func (r *readmeTest) blocks(t *testing.T, folder string, want int) []docs.Block {
	t.Helper()
	blocks := docs.Blocks(t, filepath.Join("..", folder, "README.md"), "sh", "console")
	if len(blocks) != want {
		t.Fatalf("%d blocks of commands, want %d", len(blocks), want)
	}
	return blocks
}

func (r *readmeTest) run(t *testing.T, b docs.Block) {
	t.Helper()
	b.Run(t, root, r.env...)
}

// compiled is how long a command may take that has to be compiled first.
const compiled = 9 * time.Minute

// inBackground starts a command that runs until it is interrupted.
func inBackground(t *testing.T, command *exec.Cmd) *controlplane.Process {
	t.Helper()
	log := must(os.Create(filepath.Join(t.TempDir(), "log")))(t)
	defer log.Close()
	p := controlplane.StartProcess(t, command.String(), command, log)
	t.Cleanup(func() { _ = p.Interrupt() }) // it may have ended in any way
	return p
}

// module checks the README of the module. TestPlay runs the first block, and the gate
// those of the tests and the benchmark.
func (r *readmeTest) module(t *testing.T) {
	blocks := r.blocks(t, ".", 4)
	if blocks[0].Text != playCommand+"\n" {
		t.Errorf("TestPlay runs another command than %s", blocks[0].Text)
	}
	r.run(t, blocks[1])
}

func (r *readmeTest) evictor(t *testing.T) {
	blocks := r.blocks(t, "evictor", 7)
	for _, b := range blocks[:3] {
		r.run(t, b)
	}
	// The manifest's pods only report that they run; this one is real.
	e := inBackground(t, blocks[3].Command(t, root, r.env...))
	e.Within(compiled, "it is ready", func() error {
		_, err := r.Get("http://127.0.0.1:8081/readyz")
		return err
	})
	r.Apply(podOn("node-1", "web"))
	r.run(t, blocks[5])
	node := must(r.Client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{}))(t)
	list := node.Spec.Taints
	if len(list) != 1 || list[0].TimeAdded == nil || time.Since(list[0].TimeAdded.Time) > time.Hour {
		t.Errorf("the node has taints %v", list)
	}
	event(r.Cluster, "it says what it would do", func(event eventsv1.Event) bool {
		return event.Note == "Dry run: Marking for deletion Pod default/web"
	})
	if r.Pods(metav1.NamespaceDefault)["web"] == nil {
		t.Error("the pod is gone")
	}
	_ = e.Interrupt() // the code is that of go run
	r.run(t, blocks[6])
	r.run(t, blocks[4])
	r.SetTaints("node-1")
	deletePods(t, r.Cluster)
}

func (r *readmeTest) scheduler(t *testing.T) {
	blocks := r.blocks(t, "scheduler", 4)
	r.run(t, blocks[0])
	s := inBackground(t, blocks[1].Command(t, root, r.env...))
	pod := controlplane.Pod("second")
	pod.Spec.SchedulerName = "taints-scheduler"
	r.Apply(pod)
	s.Within(compiled, "the pod is placed", func() error {
		pod := r.Pods(metav1.NamespaceDefault)["second"]
		return unless(pod != nil && pod.Spec.NodeName != "", "it is not: %+v", pod)
	})
	_ = s.Interrupt()
	r.run(t, blocks[2])
	deletePods(t, r.Cluster)
}

func (r *readmeTest) webhook(t *testing.T) {
	blocks := r.blocks(t, "webhook", 7)
	r.Apply(controlplane.Pod("plain"), controlplane.Pod("sneak", corev1.Toleration{Key: "dedicated", Value: "ml"},
		corev1.Toleration{Operator: corev1.TolerationOpExists}))
	blocks[0].Check(t, root, r.env...)
	deletePods(t, r.Cluster)
	r.run(t, blocks[1])
	r.run(t, blocks[2])
	r.run(t, blocks[3])
	// The manifest's pods only report that they run; this one is real.
	rules := must(filepath.Abs("../manifests/webhook/rules.json"))(t)
	w := r.RunWebhook(controlplane.FreeAddress(t), "-rules="+rules)
	blocks[4].Check(t, root, r.env...)
	blocks[5].Check(t, root, r.env...)
	w.Kill()
	r.run(t, blocks[6])
	r.Apply(controlplane.Pod("late"))
	deletePods(t, r.Cluster)
}

// removal installs everything, with two configurations of the scheduler, does what the
// runbooks say, and removes it as the READMEs say. Nothing is left.
func (r *readmeTest) removal(t *testing.T) {
	before := r.objects(t)
	for _, text := range []string{
		"components: [cluster/manifests/evictor/delete]\nconfigMapGenerator:\n" +
			"- {name: taints-scheduler-config, namespace: kube-system, behavior: merge, literals: [old=true]}",
		"components: [cluster/manifests/webhook/cert-manager]",
	} {
		folder := kustomization(t, "resources: [cluster/manifests/example]\n"+text)
		r.run(t, docs.Block{File: folder, Text: "kubectl apply -k " + folder})
	}
	installed := len(r.objects(t)) - len(before)
	for _, b := range docs.Blocks(t, "../runbooks.md", "sh") {
		r.run(t, b)
	}
	for _, program := range programs {
		for _, b := range docs.Blocks(t, filepath.Join("..", program, "README.md"), "sh") {
			if strings.Contains(b.Text, "kubectl delete") {
				r.run(t, b)
			}
		}
	}
	r.Eventually("nothing is left", func() error { // Kubernetes removes some objects, such as EndpointSlices, later
		left := r.objects(t).Difference(before)
		return unless(left.Len() == 0 && installed >= 60, "of %d objects these are left: %q", installed, sets.List(left))
	})
}

// objects returns all objects but events: their kinds, namespaces and names.
func (r *readmeTest) objects(t *testing.T) sets.Set[string] {
	t.Helper()
	list := docs.Block{Text: `kubectl get --all-namespaces --no-headers --output=custom-columns=:.kind,:.metadata.namespace,:.metadata.name \
		"$(kubectl api-resources --verbs=list,delete --output=name | grep --invert-match '^events' | paste --serial --delimiters=,)"`}
	return sets.New(strings.Split(list.Run(t, root, r.env...), "\n")...)
}

// TestImages runs images/build, with testdata/builder in place of docker. Each image has
// one binary and nothing else, for linux on any host, and its version is the tag of the
// image.
func TestImages(t *testing.T) {
	skipShort(t)
	builder := must(filepath.Abs("testdata/builder"))(t)
	for program, version := range map[string]string{
		"evictor":   "evictor v1.2.3\n",
		"webhook":   "webhook v1.2.3\n",
		"scheduler": "Kubernetes v1.",
	} {
		build := exec.Command("../images/build", program, "registry.example.com/taints-"+program+":v1.2.3")
		build.Env = append(os.Environ(), "BUILDER="+builder, "GOOS=darwin")
		got := string(must(build.Output())(t))
		if !strings.HasPrefix(got, program+"\n"+version) {
			t.Errorf("the image of the %s holds, with the version: %s", program, got)
		}
	}
}
