// SPDX-License-Identifier: Apache-2.0

// Package record asks a control plane for the answers that internal/test/recorded
// holds the library against.
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/recorded"
	"github.com/seed-0529bac1/taints/kube"
)

// Options are those of a control plane whose answers are recorded. It adds the taint
// NoExecute to every node that is not ready at once, even if most are not.
var Options = controlplane.Options{
	APIServer: []string{"--enable-admission-plugins=ExtendedResourceToleration,PodTolerationRestriction"},
	ControllerManager: []string{
		"--node-monitor-period=1s", "--node-eviction-rate=20", "--unhealthy-zone-threshold=1",
	},
}

// A recorder asks a cluster and writes its answers.
type recorder struct {
	*controlplane.Cluster
	dir     string
	share   int // of how many answers one is recorded
	example int // the seed of the next example
}

// Record asks a new cluster with the [Options], and writes its answers to files in
// the folder, about one of share. The seed determines the questions.
func Record(c *controlplane.Cluster, seed, share int, dir string) {
	r := &recorder{Cluster: c, dir: dir, share: share, example: seed * 1_000_000}
	r.Must(os.MkdirAll(dir, 0o755))
	r.Eventually("pods can be created", func() error { return r.TryPod(controlplane.Pod("probe")) })
	r.validation()
	r.updates()
	r.defaults()
	nodes := r.conditions()
	r.scheduling()
	r.evictions()
	r.devices()
	r.taintsByCondition(nodes) // while evictions were watched, the controller has become done
}

// next draws the next example.
func next[V any](r *recorder, g *rapid.Generator[V]) V {
	r.example++
	return g.Example(r.example)
}

// lines returns the list as JSON, one element a line.
func lines[V any](r *recorder, list []V) string {
	texts := make([]string, len(list))
	for i, v := range list {
		text, err := json.Marshal(v)
		r.Must(err)
		texts[i] = string(text)
	}
	return "[\n" + strings.Join(texts, ",\n") + "\n]"
}

func (r *recorder) write(name, content string) {
	r.Must(os.WriteFile(filepath.Join(r.dir, name), []byte(content+"\n"), 0o644))
}

// verdict returns whether the API server accepted a request, or the fields that it
// names.
func (r *recorder) verdict(err error) (accepted bool, causes recorded.Causes) {
	if err == nil {
		return true, nil
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || !apierrors.IsInvalid(err) {
		r.Must(err)
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		causes = append(causes, recorded.Cause{Field: cause.Field, Type: string(cause.Type)})
	}
	return false, causes
}

var dryRun = []string{metav1.DryRunAll}

func (r *recorder) validation() {
	lists := make([]recorded.List, 1200/r.share)
	for i := range lists {
		var err error
		list := &lists[i]
		if i%2 == 0 {
			list.Taints = next(r, rapid.SliceOfN(rapid.OneOf(draw.AnyTaint, draw.ValidTaint, draw.ValidTaint), 1, 3))
			node := controlplane.Node("node", kube.CoreTaints(list.Taints)...)
			_, err = r.Client.CoreV1().Nodes().Create(r.Context(), node, metav1.CreateOptions{DryRun: dryRun})
		} else {
			list.Tolerations = next(r, rapid.SliceOfN(rapid.OneOf(draw.AnyToleration, draw.Like(nil, -1, 0, 300)), 1, 3))
			err = r.TryPod(controlplane.Pod("pod", kube.CoreTolerations(list.Tolerations)...))
		}
		list.Accepted, list.Causes = r.verdict(err)
	}
	r.write("validate.json", lines(r, lists))
}

func (r *recorder) updates() {
	var updates []recorded.Update
	pods := r.Client.CoreV1().Pods(metav1.NamespaceDefault)
	for i := range 60 / r.share {
		pod := r.pod(fmt.Sprintf("update-%02d", i), rapid.SliceOfN(draw.Like(nil, -1, 0, 300), 0, 3))
		pod.Spec.SchedulerName = "none"
		stored, err := pods.Create(r.Context(), pod, metav1.CreateOptions{})
		r.Must(err)
		old := kube.Tolerations(stored.Spec.Tolerations)
		for range 10 {
			update := recorded.Update{Old: old, New: next(r, draw.Changed(old))}
			pod := stored.DeepCopy()
			pod.Spec.Tolerations = kube.CoreTolerations(update.New)
			_, err := pods.Update(r.Context(), pod, metav1.UpdateOptions{DryRun: dryRun})
			update.Accepted, update.Causes = r.verdict(err)
			updates = append(updates, update)
		}
	}
	r.write("update.json", lines(r, updates))
}

// pod returns a pod with tolerations that are drawn.
func (r *recorder) pod(name string, tolerations *rapid.Generator[[]taints.Toleration]) *corev1.Pod {
	return controlplane.Pod(name, kube.CoreTolerations(next(r, tolerations))...)
}

func (r *recorder) defaults() {
	given := rapid.SliceOfN(draw.Like([]taints.Taint{
		{Key: taints.NodeNotReady, Effect: taints.NoExecute},
		{Key: taints.NodeUnreachable, Effect: taints.NoExecute},
		{Key: taints.NodeMemoryPressure, Effect: taints.NoSchedule},
		{Key: "example.com/gpu", Effect: taints.NoSchedule},
	}, 0, 300), 0, 4)
	// PodTolerationRestriction merges the tolerations of pods that request resources. It
	// compares texts and drops short times that a longer one covers; Minimize compares
	// values and keeps the time of the first match.
	plain := rapid.Map(given, func(list []taints.Toleration) []taints.Toleration {
		return slices.DeleteFunc(list, func(t taints.Toleration) bool {
			return t.Operator != taints.OpEqual && t.Operator != taints.OpExists || t.TolerationSeconds != nil
		})
	})
	var pods []recorded.DefaultedPod
	for i := range 100 / r.share {
		pod := r.pod("pod", []*rapid.Generator[[]taints.Toleration]{given, plain}[i%2])
		answer := recorded.DefaultedPod{Given: kube.Tolerations(pod.Spec.Tolerations)}
		limits := corev1.ResourceList{}
		for _, name := range [][]string{nil, {"cpu"}, nil, {"cpu", "memory"}}[i%4] { // each class of service
			limits[corev1.ResourceName(name)] = resource.MustParse("1")
		}
		for _, name := range []string{"example.com/gpu", "example.com/fpga"} {
			if next(r, rapid.Bool()) {
				limits[corev1.ResourceName(name)] = resource.MustParse("1")
				answer.Extended = append(answer.Extended, name)
			}
		}
		pod.Spec.Containers[0].Resources.Limits = limits
		got, err := r.Client.CoreV1().Pods(pod.Namespace).Create(r.Context(), pod, metav1.CreateOptions{DryRun: dryRun})
		r.Must(err)
		answer.QOS, answer.Got = string(got.Status.QOSClass), kube.Tolerations(got.Spec.Tolerations)
		pods = append(pods, answer)
	}
	r.write("defaults.json", lines(r, append(pods, r.daemonSets(given)...)))
}

// daemonSets returns pods of DaemonSets, each on the same node.
func (r *recorder) daemonSets(given *rapid.Generator[[]taints.Toleration]) []recorded.DefaultedPod {
	r.AddNodes(controlplane.Node("plain"))
	pods := make([]recorded.DefaultedPod, 8)
	for i := range pods {
		name := fmt.Sprint("daemonset-", i)
		pod := r.pod(name, given)
		pod.Labels = map[string]string{"app": name}
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "plain"}
		pod.Spec.HostNetwork = i%2 == 1
		r.Apply(&appsv1.DaemonSet{
			ObjectMeta: pod.ObjectMeta,
			Spec: appsv1.DaemonSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec},
			},
		})
		pods[i] = recorded.DefaultedPod{Given: kube.Tolerations(pod.Spec.Tolerations), DaemonSet: true, HostNetwork: i%2 == 1}
		r.Eventually(name+" has a pod", func() error {
			for _, got := range r.Pods(pod.Namespace) {
				if got.Labels["app"] == name {
					pods[i].QOS, pods[i].Got = string(got.Status.QOSClass), kube.Tolerations(got.Spec.Tolerations)
					return nil
				}
			}
			return errors.New("there is none")
		})
	}
	return pods
}

// conditions adds nodes that report conditions, and returns them.
func (r *recorder) conditions() []recorded.ConditionsNode {
	answers := make([]recorded.ConditionsNode, 48/r.share)
	for i := range answers {
		answer := recorded.ConditionsNode{
			Name: fmt.Sprintf("cond-%02d", i), Ready: next(r, draw.Statuses), Conditions: map[string]string{},
			Unschedulable: next(r, rapid.IntRange(0, 3)) == 0, Given: next(r, draw.ValidTaints),
		}
		node := controlplane.Node(answer.Name, kube.CoreTaints(answer.Given)...)
		node.Spec.Unschedulable = answer.Unschedulable
		r.AddNodes(node)
		reported := []map[string]string{{"type": "Ready", "status": answer.Ready}}
		for _, kind := range []string{"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"} {
			if status := next(r, draw.Statuses); next(r, rapid.Bool()) {
				answer.Conditions[kind] = status
				reported = append(reported, map[string]string{"type": kind, "status": status})
			}
		}
		patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": reported}})
		r.Must(err)
		_, err = r.Client.CoreV1().Nodes().Patch(r.Context(), answer.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		r.Must(err)
		answers[i] = answer
	}
	return answers
}

// taintsByCondition writes which taints the nodes have now.
func (r *recorder) taintsByCondition(answers []recorded.ConditionsNode) {
	for i := range answers {
		node, err := r.Client.CoreV1().Nodes().Get(r.Context(), answers[i].Name, metav1.GetOptions{})
		r.Must(err)
		answers[i].Got = kube.Taints(node.Spec.Taints)
	}
	r.write("conditions.json", lines(r, answers))
}

// nodes adds nodes without taints, and returns them with those that they are to have.
func (r *recorder) nodes(n int, prefix string, list *rapid.Generator[[]taints.Taint]) []recorded.Node {
	nodes, objects := make([]recorded.Node, n), make([]*corev1.Node, n)
	for i := range nodes {
		nodes[i] = recorded.Node{Name: fmt.Sprintf("%s-%02d", prefix, i), Taints: next(r, list)}
		objects[i] = controlplane.Node(nodes[i].Name)
	}
	r.AddNodes(objects...)
	return nodes
}

// taint gives the nodes their taints, and returns when.
func (r *recorder) taint(nodes []recorded.Node) map[string]time.Time {
	begin := map[string]time.Time{}
	for _, node := range nodes {
		begin[node.Name] = time.Now()
		r.SetTaints(node.Name, node.Taints...)
	}
	return begin
}

func (r *recorder) scheduling() {
	answers := recorded.Schedule{Nodes: r.nodes(40/r.share, "node", draw.ValidTaints)}
	r.taint(answers.Nodes)
	r.RunScheduler("kube-scheduler", "") // it knows all taints from the start
	for i := range 400 / r.share {
		node := next(r, rapid.SampledFrom(answers.Nodes))
		name := fmt.Sprintf("pod-%04d", i)
		pod := r.pod(name, rapid.SliceOfN(draw.Like(node.Taints, 300, 3600), 0, 6))
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node.Name}
		r.Apply(pod)
		answers.Pods = append(answers.Pods, recorded.ScheduledPod{Name: name, Node: node.Name})
	}
	r.settle()
	pods := r.Pods(metav1.NamespaceDefault)
	for i := range answers.Pods {
		answer := &answers.Pods[i]
		pod := pods[answer.Name]
		answer.Tolerations = kube.Tolerations(pod.Spec.Tolerations)
		answer.Scheduled, answer.Message = pod.Spec.NodeName != "", controlplane.Pending(pod)
	}
	r.write("schedule.json", `{"nodes":`+lines(r, answers.Nodes)+`,"pods":`+lines(r, answers.Pods)+"}")
}

// settle waits until the scheduler has looked at all pods.
func (r *recorder) settle() {
	r.Eventually("the scheduler has looked at all pods", func() error {
		for name, pod := range r.Pods(metav1.NamespaceDefault) {
			if pod.Spec.SchedulerName != "none" && !controlplane.Settled(pod) {
				return fmt.Errorf("not at %s", name)
			}
		}
		return nil
	})
}

func (r *recorder) evictions() {
	answers := recorded.Evictions{Nodes: r.nodes(24/r.share, "ev", draw.Evicting)}
	pods := r.Client.CoreV1().Pods(metav1.NamespaceDefault)
	for i := range 300 / r.share {
		node := next(r, rapid.SampledFrom(answers.Nodes))
		pod := r.pod(fmt.Sprintf("ev-%04d", i), rapid.SliceOfN(draw.Like(node.Taints, -1, 0, 5, 10, 15, 20, 25, 3600), 0, 6))
		pod.Spec.NodeName = node.Name
		stored, err := pods.Create(r.Context(), pod, metav1.CreateOptions{})
		r.Must(err)
		answers.Pods = append(answers.Pods, recorded.EvictedPod{
			Name: pod.Name, Node: node.Name, Tolerations: kube.Tolerations(stored.Spec.Tolerations),
		})
	}
	seen := r.WatchPods()
	begin := r.taint(answers.Nodes)
	r.wait(recorded.Watched * time.Second)
	sightings := seen()
	for i := range answers.Pods {
		pod := &answers.Pods[i]
		if at := sightings[pod.Name].Gone; !at.IsZero() {
			pod.EvictedAfterSeconds = new(at.Sub(begin[pod.Node]).Seconds())
		}
	}
	r.write("evict.json", `{"nodes":`+lines(r, answers.Nodes)+`,"pods":`+lines(r, answers.Pods)+"}")
}

// wait waits, unless the program is interrupted.
func (r *recorder) wait(d time.Duration) {
	select {
	case <-r.Context().Done():
		r.Must(r.Context().Err())
	case <-time.After(d):
	}
}
