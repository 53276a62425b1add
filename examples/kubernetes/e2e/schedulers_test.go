package e2e

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	corev1 "k8s.io/api/core/v1"
)

// A profile is one of a scheduler's.
type profile struct {
	name    string // what pods have as their schedulerName
	taints  bool   // with the plugin Taints in the place of TaintToleration
	inClear bool   // Taints tells keys and values
}

func (p profile) String() string {
	if !p.taints {
		return fmt.Sprintf("- schedulerName: %s\n", p.name)
	}
	return fmt.Sprintf(`- schedulerName: %s
  plugins:
    multiPoint:
      enabled: [{name: Taints, weight: 3}]
      disabled: [{name: TaintToleration}]
    filter: {enabled: [{name: Taints}]}
  pluginConfig:
  - name: Taints
    args: {apiVersion: taints.scheduler/v1, kind: TaintsArgs, redact: %v}
`, p.name, !p.inClear)
}

// startScheduler starts a scheduler with the profiles, waits until it is ready, and returns the address of its pages. It is
// the one with the plugin if a profile wants that, and otherwise the one that Kubernetes has.
func startScheduler(t *testing.T, c *cluster.Cluster, flags []string, profiles ...profile) (*cluster.Process, string) {
	t.Helper()
	address := c.FreeAddress()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	name := "scheduler-" + port
	var config strings.Builder
	fmt.Fprintf(&config, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 5000, burst: 5000, contentType: application/vnd.kubernetes.protobuf}
profiles:
`, c.Kubeconfig)
	custom := false
	for _, p := range profiles {
		custom = custom || p.taints
		config.WriteString(p.String())
	}
	flags = append([]string{
		"--config=" + c.WriteFile(name+".yaml", config.String()),
		"--bind-address=" + host,
		"--secure-port=" + port,
		"--cert-dir=" + c.Dir + "/" + name,
		"--authentication-kubeconfig=" + c.Kubeconfig,
		"--authorization-kubeconfig=" + c.Kubeconfig,
		"--feature-gates=TaintTolerationComparisonOperators=true",
	}, flags...)
	var process *cluster.Process
	if custom {
		process = c.Run("scheduler", cluster.Binary(t, "scheduler"), flags...)
	} else {
		process = c.ControlPlane("kube-scheduler", flags...)
	}
	url := "https://" + address
	c.WaitHealthy(url + "/readyz")
	return process, url
}

// pending is the message of the scheduler about a pod that it did not place, and empty for a pod that is placed or that no
// scheduler has looked at.
func pending(pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return condition.Message
		}
	}
	return ""
}

// settled returns an error as long as there is a pod that no scheduler has looked at.
func settled(pods map[string]*corev1.Pod, want int) error {
	if len(pods) != want {
		return fmt.Errorf("%d pods, want %d", len(pods), want)
	}
	done := 0
	for _, pod := range pods {
		if pod.Spec.NodeName != "" || pending(pod) != "" {
			done++
		}
	}
	if done < want {
		return fmt.Errorf("%d of %d pods have been looked at", done, want)
	}
	return nil
}
