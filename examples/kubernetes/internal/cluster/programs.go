// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"slices"
)

// Evictor is the manifest's name for the namespace, service account and lease.
const Evictor = "taints-evictor"

// A Profile is a profile of a scheduler.
type Profile struct {
	Name    string // the schedulerName of its pods
	Taints  bool   // with the plugin Taints instead of TaintToleration
	InClear bool   // Taints does not redact keys and values
}

// String returns the profile as YAML for a KubeSchedulerConfiguration.
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

// RunScheduler starts a scheduler with the profiles, and waits until it is ready. It
// looks at every node for each pod.
// It is the scheduler with the plugin if a profile uses the plugin, and otherwise
// Kubernetes' own.
func (c *Cluster) RunScheduler(profiles ...Profile) {
	c.tb.Helper()
	config := fmt.Sprintf(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 5000, burst: 5000, contentType: application/vnd.kubernetes.protobuf}
percentageOfNodesToScore: 100
profiles:
`, c.Kubeconfig)
	command := c.command("kube-scheduler")
	for _, p := range profiles {
		config += p.String()
		if p.Taints {
			command = []string{Binary(c.tb, "scheduler")}
		}
	}
	c.StartScheduler(command, config, c.Kubeconfig, "--feature-gates=TaintTolerationComparisonOperators=true")
}

// StartScheduler starts a scheduler with the configuration, waits until it is ready,
// and returns the address of its metrics.
func (c *Cluster) StartScheduler(command []string, config, kubeconfig string, flags ...string) (p *Process, metrics string) {
	c.tb.Helper()
	port := FreePort(c.tb)
	name := "scheduler-" + port
	p = c.Run("scheduler", command[0], slices.Concat(command[1:], []string{
		"--config=" + c.WriteFile(name+".yaml", config),
		"--bind-address=127.0.0.1",
		"--secure-port=" + port,
		"--cert-dir=" + c.path(name),
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
	}, flags)...)
	url := "https://127.0.0.1:" + port
	c.WaitHealthy(url + "/readyz")
	return p, url + "/metrics"
}

// RunEvictor starts an evictor with the rights of its manifest, which must be
// installed, waits until it is ready, and returns the address of its metrics.
func (c *Cluster) RunEvictor(flags ...string) (p *Process, args []string, metrics string) {
	c.tb.Helper()
	address, health := FreeAddress(c.tb), FreeAddress(c.tb)
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
