// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

const (
	outage = 30 * time.Second
	lease  = 15 * time.Second // the default of -lease-duration; a leader that cannot renew it ends
	slack  = 15 * time.Second // on a busy machine, for the API server to start and pods to disappear
)

// The API server is gone for 30 s. The leader of two evictors ends, because it
// cannot renew its lease, and is started again, as a kubelet would do. Pods that
// were due before are evicted. Pods that become due during the outage are evicted
// at most a lease duration after its end. The others are in time, because their
// deadlines do not change. A single evictor does the same.
func TestOutage(t *testing.T) {
	for _, replicas := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d replicas", replicas), func(t *testing.T) {
			t.Parallel() // they sleep most of the time
			testOutage(t, replicas)
		})
	}
}

func testOutage(t *testing.T, replicas int) {
	// The nodes' heartbeats also stop, and the nodes must not become unreachable.
	c := start(t, cluster.Options{ControllerManager: []string{noTaintEviction, "--node-monitor-grace-period=10m"}})
	c.Install("evictor")
	c.AddNodes(cluster.Node("node-1"))
	want := map[string]time.Duration{} // after the taint
	for seconds := int64(2); seconds <= 65; seconds += 3 {
		name := fmt.Sprintf("pod-%02d", seconds)
		pod := cluster.Pod(name, tolerates("a", seconds))
		pod.Spec.NodeName = "node-1"
		c.AddPods(pod)
		want[name] = time.Duration(seconds) * time.Second
	}
	var evictors []*evictor
	for range replicas {
		evictors = append(evictors, startEvictor(t, c))
		evictors[0].waitUntilLeading()
	}

	tainted := time.Now().Truncate(time.Second)
	setTaints(t, c, "node-1", []taints.Taint{{Key: "a", Effect: taints.NoExecute, TimeAdded: &tainted}})
	time.Sleep(time.Until(tainted.Add(10 * time.Second)))
	c.StopAPIServer()
	begun := time.Now()
	restarts := 0
	for ; time.Since(begun) < outage; time.Sleep(100 * time.Millisecond) {
		for _, e := range evictors {
			restarts += e.startAgainWhereEnded()
		}
	}
	c.StartAPIServer()
	ended := time.Now()
	t.Logf("the API server was gone for %v, and evictors ended %d times", ended.Sub(begun).Round(time.Millisecond), restarts)
	if restarts == 0 {
		t.Error("the leader did not end: this is not about a lease")
	}

	gone := map[string]time.Time{}
	cluster.Within(t, time.Until(tainted.Add(time.Minute))+lease+slack+time.Minute, "all pods are evicted", func() error {
		for _, e := range evictors {
			e.startAgainWhereEnded()
		}
		left := c.Pods(metav1.NamespaceDefault)
		for name := range want {
			if _, there := left[name]; !there && gone[name].IsZero() {
				gone[name] = time.Now()
			}
		}
		if len(gone) < len(want) {
			return fmt.Errorf("%d of %d are", len(gone), len(want))
		}
		return nil
	})
	for name, after := range want {
		due, at, bound := tainted.Add(after), gone[name], ended.Add(lease)
		if due.After(bound) {
			bound = due
		}
		if at.Before(due) || at.After(bound.Add(slack)) {
			t.Errorf("%s, due %v after the outage began, is evicted %v after it ended", name, due.Sub(begun), at.Sub(ended))
		}
	}
}

// startAgainWhereEnded restarts an evictor that has ended, and returns how often.
func (e *evictor) startAgainWhereEnded() int {
	select {
	case <-e.Done():
		e.Process = e.c.Restart(e.Process)
		return 1
	default:
		return 0
	}
}
