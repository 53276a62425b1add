// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// The leader is stopped, as in a virtual machine that is moved. The node loses its
// taint, and another replica leads. When the first one goes on, all its timers have
// run out, and its cache still has the taint. It evicts nothing, and ends.
func TestALeaderThatIsStopped(t *testing.T) {
	c := start(t, cluster.Options{ControllerManager: []string{noTaintEviction}})
	c.Install("evictor")
	c.AddNodes(cluster.Node("node-1"))
	const pods, seconds = 300, 8
	for i := range pods {
		pod := cluster.Pod(fmt.Sprint("pod-", i), tolerates("a", seconds))
		pod.Spec.NodeName = "node-1"
		c.AddPods(pod)
	}
	first := startEvictor(t, c, append(missedSoon, "-qps=0", "-workers=64")...)
	first.waitUntilLeading()
	second := startEvictor(t, c, missedSoon...)
	tainted := time.Now().Truncate(time.Second)
	setTaints(t, c, "node-1", []taints.Taint{{Key: "a", Effect: taints.NoExecute, TimeAdded: &tainted}})
	first.until("all pods have a deadline", "taints_evictor_queue_length", "", func(v float64) bool { return v == pods })
	first.Signal(syscall.SIGSTOP)
	setTaints(t, c, "node-1", nil)
	second.waitUntilLeading()
	time.Sleep(time.Until(tainted.Add((seconds + 1) * time.Second)))
	first.Signal(syscall.SIGCONT)
	select {
	case <-first.Done():
	case <-time.After(time.Minute):
		t.Error("the first leader does not end")
	}
	if left := len(c.Pods(metav1.NamespaceDefault)); left != pods {
		t.Errorf("%d of %d pods are evicted", pods-left, pods)
	}
}
