// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	"github.com/seed-0529bac1/taints/internal/readme"
)

// root is the folder where the READMEs' commands are to be run.
const root = "../../.."

// TestReadmes runs the commands of the READMEs as they are printed. Images are built
// with buildah, where it is there.
func TestReadmes(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	c := start(t, cluster.Options{ControllerManager: []string{noTaintEviction}, Kubelets: true})
	c.AddNodes(cluster.Node("node-1"), cluster.Node("node-2"))
	store := t.TempDir()
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+w", store).Run() })
	r := &readmeTest{Cluster: c, env: []string{
		"KUBECONFIG=" + c.Kubeconfig,
		"PATH=" + c.Kubectl() + ":" + os.Getenv("PATH"),
		"TMPDIR=" + c.Dir,
		"BUILDER=buildah --root " + store + "/root --runroot " + store + "/run --storage-driver vfs",
		"BUILDAH_ISOLATION=chroot",
	}}
	t.Run("modules", r.module)
	t.Run("evictor", r.evictor)
	t.Run("scheduler", r.scheduler)
	t.Run("webhook", r.webhook)
}

// A readmeTest is a cluster, and the environment of commands that talk to it.
type readmeTest struct {
	*cluster.Cluster
	env []string
}

// blocks returns the blocks of a README, which are so many: another one is to
// be run here too.
func (r *readmeTest) blocks(t *testing.T, folder string, want int) []readme.Block {
	t.Helper()
	blocks := readme.Blocks(t, filepath.Join("..", folder, "README.md"), "sh", "console")
	if len(blocks) != want {
		t.Fatalf("%d blocks of commands, want %d", len(blocks), want)
	}
	return blocks
}

func (r *readmeTest) run(t *testing.T, b readme.Block) {
	t.Helper()
	if strings.Contains(b.Text, "images/build") {
		if _, err := exec.LookPath("buildah"); err != nil {
			t.Logf("no image is built without buildah, in Debian's package of that name: %v", err)
			return
		}
	}
	b.Run(t, root, r.env...)
}

// A command is a block that goes on until it is interrupted.
type command struct {
	*exec.Cmd
	ended chan error
}

// startBlock starts a block that goes on.
func (r *readmeTest) startBlock(t *testing.T, b readme.Block) *command {
	t.Helper()
	c := &command{b.Command(t, root, r.env...), make(chan error, 1)}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.CreateTemp(r.Dir, "block-*.log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { c.ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // fails where it has ended
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s:%d says\n%s", b.File, b.Line, text)
		}
	})
	return c
}

// interrupt does what Ctrl-C does: all that run in the foreground get the signal.
func (c *command) interrupt(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(-c.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.ended:
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
}

// waitFor waits until the page answers, while the command runs. The first time
// it is compiled.
func (r *readmeTest) waitFor(t *testing.T, c *command, url string) {
	t.Helper()
	r.Within(9*time.Minute, url+" answers", func() error {
		select {
		case err := <-c.ended:
			t.Fatalf("it has ended: %v", err)
		default:
		}
		_, err := r.Get(url)
		return err
	})
}

// module looks at the README of the module: its commands are these tests, and a
// benchmark that is only listed.
func (r *readmeTest) module(t *testing.T) {
	blocks := r.blocks(t, ".", 3)
	if blocks[0].Text != playCommand+"\n" {
		t.Errorf("TestPlay runs another command than %s", blocks[0].Text)
	}
	for _, name := range []string{"TestOutage", "TestPlay"} {
		content, err := os.ReadFile("../README.md")
		if err != nil || !strings.Contains(string(content), "`"+name+"`") {
			t.Errorf("the README does not have %s, %v", name, err)
		}
	}
	lists(t, blocks[1], " -list .", "TestOutage")
	lists(t, blocks[2], " -list", "Tainted80/5000Nodes")
}

// lists runs the commands of the block with one more argument that has them list
// what they would run.
func lists(t *testing.T, block readme.Block, argument, want string) {
	t.Helper()
	for line := range strings.Lines(block.Text) {
		command, _, _ := strings.Cut(line, "#")
		list := exec.Command("bash", "-euc", strings.TrimSpace(command)+argument)
		list.Dir = root
		if output, err := list.CombinedOutput(); err != nil || !strings.Contains(string(output), want) {
			t.Errorf("%s: %v\n%s", command, err, output)
		}
	}
}

func (r *readmeTest) evictor(t *testing.T) {
	blocks := r.blocks(t, "evictor", 5)
	for _, b := range blocks[:3] {
		r.run(t, b)
	}
	// The manifest's pods only say that they run; this one is real.
	e := r.startBlock(t, blocks[3])
	r.waitFor(t, e, "http://127.0.0.1:8081/readyz")
	web := cluster.Pod("web")
	web.Spec.NodeName = "node-1"
	r.AddPods(web)
	r.run(t, blocks[4])
	node, err := r.Client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list := node.Spec.Taints
	if len(list) != 1 || list[0].TimeAdded == nil || time.Since(list[0].TimeAdded.Time) > time.Hour {
		t.Errorf("the node has taints %v", list)
	}
	r.Eventually("it says what it would do", func() error {
		list, err := r.Client.EventsV1().Events(metav1.NamespaceDefault).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Note == "Dry run: Marking for deletion Pod default/web" {
				return nil
			}
		}
		return fmt.Errorf("none of %d events is that", len(list.Items))
	})
	if r.Pods(metav1.NamespaceDefault)["web"] == nil {
		t.Error("the pod is gone")
	}
	e.interrupt(t)
	setTaints(t, r.Cluster, "node-1", nil)
	r.deletePods(t)
}

// deletePods leaves the namespace default empty.
func (r *readmeTest) deletePods(t *testing.T) {
	t.Helper()
	pods := r.Client.CoreV1().Pods(metav1.NamespaceDefault)
	atOnce := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	if err := pods.DeleteCollection(t.Context(), atOnce, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	eventuallyPods(r.Cluster, 0)
}

func (r *readmeTest) scheduler(t *testing.T) {
	blocks := r.blocks(t, "scheduler", 2)
	r.run(t, blocks[0])
	s := r.startBlock(t, blocks[1])
	pod := cluster.Pod("second")
	pod.Spec.SchedulerName = "taints-scheduler"
	r.AddPods(pod)
	r.Within(9*time.Minute, "the pod is placed", func() error {
		select {
		case err := <-s.ended:
			t.Fatalf("it has ended: %v", err)
		default:
		}
		if pod := r.Pods(metav1.NamespaceDefault)["second"]; pod == nil || pod.Spec.NodeName == "" {
			return fmt.Errorf("it is not: %+v", pod)
		}
		return nil
	})
	s.interrupt(t)
	r.deletePods(t)
}

func (r *readmeTest) webhook(t *testing.T) {
	blocks := r.blocks(t, "webhook", 5)
	r.AddPods(cluster.Pod("plain"), cluster.Pod("sneak", corev1.Toleration{Key: "dedicated", Value: "ml"},
		corev1.Toleration{Operator: corev1.TolerationOpExists}))
	r.removeEvictor(t)
	blocks[0].Check(t, root, r.env...)
	r.deletePods(t)
	r.run(t, blocks[1])
	r.run(t, blocks[2])
	// The manifest's pods only say that they run; this one is real.
	rules, err := filepath.Abs("../manifests/webhook/rules.json")
	if err != nil {
		t.Fatal(err)
	}
	w, _ := r.RunWebhook(rules)
	blocks[3].Check(t, root, r.env...)
	w.Stop()
	r.run(t, blocks[4])
	r.AddPods(cluster.Pod("late"))
}

// removeEvictor takes away the pods that an earlier part has left in a namespace
// that the audit looks at.
func (r *readmeTest) removeEvictor(t *testing.T) {
	t.Helper()
	policy := metav1.DeletePropagationBackground
	err := r.Client.AppsV1().Deployments(cluster.Evictor).Delete(t.Context(), cluster.Evictor,
		metav1.DeleteOptions{PropagationPolicy: &policy})
	if err != nil {
		t.Fatal(err)
	}
	r.Eventually("the evictor's pods are gone", func() error {
		if n := len(r.Pods(cluster.Evictor)); n > 0 {
			return fmt.Errorf("%d are left", n)
		}
		return nil
	})
}
