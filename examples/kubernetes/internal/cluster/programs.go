// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Evictor is what the manifest calls the evictor's namespace, service account and lease.
const Evictor = "taints-evictor"

// A Profile is one of a scheduler's.
type Profile struct {
	Name    string // what pods have as their schedulerName
	Taints  bool   // with the plugin Taints in the place of TaintToleration
	InClear bool   // Taints tells keys and values
}

// String returns the profile as a KubeSchedulerConfiguration has it.
func (p Profile) String() string {
	if !p.Taints {
		return fmt.Sprintf("- schedulerName: %s\n", p.Name)
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
`, p.Name, !p.InClear)
}

// RunScheduler starts a scheduler with the profiles, waits until it is ready, and
// returns the address of its pages. It is the one with the plugin if a profile wants
// that, and otherwise the one that Kubernetes has.
func (c *Cluster) RunScheduler(flags []string, profiles ...Profile) (*Process, string) {
	c.tb.Helper()
	port := c.FreePort()
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
		custom = custom || p.Taints
		config.WriteString(p.String())
	}
	flags = append([]string{
		"--config=" + c.WriteFile(name+".yaml", config.String()),
		"--bind-address=127.0.0.1",
		"--secure-port=" + port,
		"--cert-dir=" + filepath.Join(c.Dir, name),
		"--authentication-kubeconfig=" + c.Kubeconfig,
		"--authorization-kubeconfig=" + c.Kubeconfig,
		"--feature-gates=TaintTolerationComparisonOperators=true",
	}, flags...)
	var process *Process
	if custom {
		process = c.Run("scheduler", Binary(c.tb, "scheduler"), flags...)
	} else {
		process = c.ControlPlane("kube-scheduler", flags...)
	}
	url := "https://127.0.0.1:" + port
	c.WaitHealthy(url + "/readyz")
	return process, url
}

// RunEvictor starts an evictor with the rights of its manifest, which is installed,
// waits until it is ready, and returns the address of its metrics.
func (c *Cluster) RunEvictor(flags ...string) (p *Process, args []string, metrics string) {
	c.tb.Helper()
	address, health := c.FreeAddress(), c.FreeAddress()
	args = append([]string{
		"-kubeconfig=" + c.ServiceAccount(Evictor, Evictor),
		"-leader-elect-namespace=" + Evictor,
		"-metrics-addr=" + address,
		"-health-addr=" + health,
	}, flags...)
	p = c.Run("evictor", Binary(c.tb, "evictor"), args...)
	c.WaitHealthy("http://" + health + "/readyz")
	return p, args, "http://" + address + "/metrics"
}
