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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
)

// The leader is stopped, as in a virtual machine that is moved. The node loses its
// taint, and another replica leads. When the first one goes on, all its timers have
// run out, and its cache still has the taint. It evicts nothing, and ends.
func TestALeaderThatIsStopped(t *testing.T) {
	c := start(t, controlplane.Options{ControllerManager: []string{noTaintEviction}})
	c.Install("evictor")
	c.AddNodes(controlplane.Node("node-1"))
	const pods, seconds = 50, 8
	for i := range pods {
		pod := controlplane.Pod(fmt.Sprint("pod-", i), tolerates("a", seconds))
		pod.Spec.NodeName = "node-1"
		c.AddPods(pod)
	}
	var late sync.RWMutex
	first := startEvictor(t, c, append(missedSoon, "-kubeconfig="+lateWatches(t, c, &late))...)
	first.waitUntilLeading()
	second := startEvictor(t, c, missedSoon...)
	tainted := time.Now().Truncate(time.Second)
	setTaints(t, c, "node-1", []taints.Taint{{Key: "a", Effect: taints.NoExecute, TimeAdded: &tainted}})
	first.until("all pods have a deadline", "taints_evictor_queue_length", "", func(v float64) bool { return v == pods })
	first.Signal(syscall.SIGSTOP)
	late.Lock()
	defer late.Unlock()
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

// lateWatches returns a kubeconfig for an evictor. No watch makes progress while the
// mutex is locked.
func lateWatches(t *testing.T, c *controlplane.Cluster, late *sync.RWMutex) string {
	t.Helper()
	config := must(clientcmd.BuildConfigFromFlags("", c.ServiceAccount(controlplane.Evictor, controlplane.Evictor)))(t)
	proxy := httputil.NewSingleHostReverseProxy(must(url.Parse(config.Host))(t))
	proxy.Transport, proxy.FlushInterval = must(rest.TransportFor(config))(t), -1
	proxy.ModifyResponse = func(response *http.Response) error {
		if response.Request.URL.Query().Has("watch") {
			response.Body = lateBody{response.Body, late}
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.CloseClientConnections)
	return c.WriteFile("late.kubeconfig", fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "late",
		"clusters": [{"name": "late", "cluster": {"server": %q}}], "contexts": [{"name": "late", "context": {"cluster": "late"}}]}`, server.URL))
}

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
