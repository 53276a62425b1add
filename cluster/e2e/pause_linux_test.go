// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
)

// The watches of the leader are late, or it is stopped, as in a virtual machine that is
// moved. One node loses its taint, the pods of the other are given all the time, and
// another replica leads if the first is stopped. When all its timers have run out, its
// cache is old. It evicts nothing, and ends if another leads.
func TestALeaderOfOldNews(t *testing.T) {
	for _, stops := range []bool{true, false} {
		t.Run(fmt.Sprint("stops ", stops), func(t *testing.T) {
			t.Parallel() // they sleep most of the time
			testOldNews(t, stops)
		})
	}
}

func testOldNews(t *testing.T, stops bool) {
	c := start(t, controlplane.Options{ControllerManager: []string{noTaintEviction}})
	c.Install("../manifests/evictor")
	nodes := []string{"node-1", "node-2"}
	c.AddNodes(controlplane.Node(nodes[0]), controlplane.Node(nodes[1]))
	const pods, seconds = 50, 8
	for i := range pods {
		c.Apply(podOn(nodes[i%2], fmt.Sprint("pod-", i), tolerates("a", seconds)))
	}
	var late sync.RWMutex
	first := startLeader(t, c, "-kubeconfig="+proxied(t, c, func(response *http.Response) {
		if response.Request.URL.Query().Has("watch") {
			response.Body = lateBody{response.Body, &late}
		}
	}))
	second := startEvictor(t, c, missedSoon...)
	tainted := time.Now().Truncate(time.Second)
	for _, node := range nodes {
		c.SetTaints(node, taints.Taint{Key: "a", Effect: taints.NoExecute, TimeAdded: &tainted})
	}
	first.until("all pods have a deadline", "taints_evictor_queue_length", func(v float64) bool { return v == pods })
	if stops {
		first.Signal(syscall.SIGSTOP)
	}
	late.Lock()
	defer late.Unlock()
	c.SetTaints(nodes[0])
	for i := 1; i < pods; i += 2 {
		must(c.Client.CoreV1().Pods(metav1.NamespaceDefault).Patch(t.Context(), fmt.Sprint("pod-", i), types.JSONPatchType,
			[]byte(`[{"op": "remove", "path": "/spec/tolerations/0/tolerationSeconds"}]`), metav1.PatchOptions{}))(t)
	}
	if stops {
		second.waitUntilLeading()
		time.Sleep(time.Until(tainted.Add((seconds + 1) * time.Second)))
		first.Signal(syscall.SIGCONT)
		c.Eventually("it ends", func() error { return unless(first.Ended(), "it runs") })
	} else {
		first.until("attempts fail", `taints_evictor_failed_attempts_total{reason="stale"}`, func(v float64) bool { return v >= 2*pods })
	}
	if left := len(c.Pods(metav1.NamespaceDefault)); left != pods {
		t.Errorf("%d of %d pods are evicted", pods-left, pods)
	}
}

// proxied returns a kubeconfig for an evictor. The function sees all responses first.
func proxied(t *testing.T, c *controlplane.Cluster, see func(*http.Response)) string {
	t.Helper()
	config := must(clientcmd.BuildConfigFromFlags("", c.ServiceAccount(controlplane.Evictor, controlplane.Evictor)))(t)
	proxy := httputil.NewSingleHostReverseProxy(must(url.Parse(config.Host))(t))
	proxy.Transport, proxy.FlushInterval = must(rest.TransportFor(config))(t), -1
	proxy.ModifyResponse = func(response *http.Response) error { see(response); return nil }
	server := httptest.NewServer(proxy)
	t.Cleanup(server.CloseClientConnections)
	return c.KubeconfigFor("proxied", &rest.Config{Host: server.URL})
}

// A lateBody makes no progress while the mutex is locked.
type lateBody struct {
	io.ReadCloser
	late *sync.RWMutex
}

func (b lateBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.late.RLock()
	defer b.late.RUnlock()
	return n, err
}

// A budget holds back the pod of a node that has failed. The node recovers before the
// evictor knows, and the pod stays. When it fails again, somebody says that it is out of
// service, and the pod is deleted at once.
func TestAFailedNode(t *testing.T) {
	c := start(t, controlplane.Options{ControllerManager: []string{
		noTaintEviction, "--node-monitor-period=1s", "--node-monitor-grace-period=6s", "--node-eviction-rate=20",
	}, Kubelets: true})
	c.Install("../manifests/evictor")
	c.AddNodes(controlplane.Node("node-1"), controlplane.Node("node-2"))
	addGuarded(t, c)
	seen := c.WatchPods()
	back := make(chan struct{})
	var once sync.Once
	e := startLeader(t, c, "-delete-held-after=1ns", "-kubeconfig="+proxied(t, c, func(response *http.Response) {
		if response.StatusCode == http.StatusTooManyRequests {
			once.Do(func() {
				c.StartHeartbeat("node-1")
				c.UntilTainted("the node recovers", "node-1", func(list []corev1.Taint) bool { return len(list) == 0 })
				close(back)
			})
		}
	}))
	c.StopHeartbeat("node-1")
	<-back
	time.Sleep(5 * time.Second)
	if len(evicted(t, time.Second, 0, seen)) > 0 {
		t.Error("the pod is deleted from a node that works")
	}
	e.stop()

	e = startLeader(t, c)
	c.StopHeartbeat("node-1")
	c.UntilTainted("the node fails again", "node-1", func(list []corev1.Taint) bool { return len(list) > 0 })
	e.until("the budget holds the pod back", `taints_evictor_failed_attempts_total{reason="blocked"}`, func(v float64) bool { return v > 3 })
	before := time.Now()
	c.SetTaints("node-1", taints.Taint{Key: corev1.TaintNodeOutOfService, Effect: taints.NoExecute})
	if got := evicted(t, 3*time.Second, 1, seen)["guarded"].Reason; got != "DeletionByTaintManager" {
		t.Errorf("the pod has the condition DisruptionTarget with reason %q", got)
	}
	t.Logf("the pod is deleted after %v", time.Since(before).Round(time.Millisecond))
	e.stop()
}
