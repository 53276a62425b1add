// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/lifecycle"
)

// What somebody has the node for is in the words of annotations and labels. Settings, the
// past and what has ended are not.
func TestSaysHeld(t *testing.T) {
	for text, want := range map[string]bool{
		"quarantineHealthEventIsCordoned=True":                                          true,
		"dgxc.nvidia.com/nvsentinel-state=quarantined":                                  true,
		"nvidia.com/gpu-driver-upgrade-state=drain-required":                            true,
		"nvidia.com/gpu-driver-upgrade-state=upgrade-done":                              false,
		"nvidia.com/gpu-driver-upgrade-enabled=true":                                    false,
		"k8saas.nvidia.com/cordon-by=NVSentinel":                                        true,
		"k8saas.nvidia.com/cordon-reason=GPU-fatal-error-ruleset":                       true,
		"example.com/in-maintenance=true":                                               true,
		"example.com/in-maintenance=false":                                              false,
		"weave.works/kured-most-recent-reboot-needed=2026-11-01":                        false,
		"machineconfiguration.openshift.io/state=Done":                                  false,
		"machineconfiguration.openshift.io/lastAppliedDrain=uncordon-rendered-worker-1": false,
		"karpenter.sh/initialized=true":                                                 false,
		"karpenter.sh/do-not-disrupt=true":                                              false,
		"cloud.google.com/gke-provisioning=standard":                                    false,
		"node.alpha.kubernetes.io/ttl=0":                                                false,
		"volumes.kubernetes.io/controller-managed-attach-detach=true":                   false,
		"node.kubernetes.io/exclude-from-external-load-balancers=":                      false,
		"node-role.kubernetes.io/control-plane=":                                        false,
		"kubernetes.io/hostname=gpu-0":                                                  false,
		"nvidia.com/gpu.present=true":                                                   false,
		"topology.kubernetes.io/zone=eu-1":                                              false,
		"failure-domain.beta.kubernetes.io/zone=eu-1":                                   false,
		"cluster-autoscaler.kubernetes.io/scale-down-disabled=true":                     false,
		"rke.cattle.io/machine=x":                                                       false,
		"example.com/repair-ticket=1234":                                                true,
		"example.com/reserved-by=j.doe":                                                 true,
		"app.kubernetes.io/managed-by=Helm":                                             false,
		"harvesterhci.io/maintain-status=completed":                                     true,
		"drain.example.com/drain-state=completed":                                       true,
		"example.com/quarantine-state=active":                                           true,
		"example.com/quarantine-state=released":                                         false,
		"example.com/maintenance-mode=disabled":                                         false,
		"example.com/reboot=done":                                                       false,
		"aws-node-termination-handler/action=UncordonAfterReboot":                       true,
		"aws-node-termination-handler/action=CordonAndDrain":                            true,
		"cordon.example.com/reason=disk":                                                true,
		"flatcar-linux-update.v1.flatcar-linux.net/id=flatcar":                          false,
		"flatcar-linux-update.v1.flatcar-linux.net/status=UPDATE_STATUS_IDLE":           false,
		"example.com/lifecycle=decommissioning":                                         true,
		"example.com/comment=disk dead":                                                 true,
		"example.com/at=repair":                                                         false,
		"example.com/team=repair":                                                       false,
		"example.com/machine-name=repair":                                               false,
		"example.com/debugging-by=lisa":                                                 true,
		"example.com/debugging-by=":                                                     false,
		"example.com/built-by=lisa":                                                     false,
		"reboot.example.com/in-progress=1":                                              true,
		"reboot.example.com/grace=30s":                                                  false,
		"shutdown.example.com/planned=2026-11-28T13:00Z":                                true,
		"metal3.io/detached=":                                                           true,
		"chg=CHG0048213":                                                                true,
		"example.com/todo=replace PSU":                                                  true,
		"example.com/reserved-for=loadtest":                                             true,
		"example.com/silenced-by=kim":                                                   true,
		"upgrade.cattle.io/kubernetes-upgrade=true":                                     false,
		"px/service=restart":                                                            true,
		"px/service=stop":                                                               true,
		"px/enabled=true":                                                               false,
		"example.com/next=Reboot":                                                       true,
		"example.com/failure-policy=reboot":                                             false,
		"example.com/disable-scheduling=HW-812":                                         true,
		"example.com/disable-scheduling=false":                                          false,
		"example.com/disable-drain=true":                                                false,
		"example.com/skip-drain=true":                                                   false,
		"example.com/schedulingDisabled=true":                                           true,
		"example.com/scheduling=off":                                                    true,
		"example.com/scheduling=on":                                                     false,
		"kubevirt.io/schedulable=false":                                                 false,
		"taken=kim":                                                                     true,
		"example.com/taken=false":                                                       false,
		"example.com/checked-out-by=kim":                                                true,
		"example.com/in-use-until=Friday":                                               true,
		"example.com/reserved-by=":                                                      false,
		"example.com/reserved-by=nobody":                                                false,
		"example.com/held=kim":                                                          true,
		"reserved=backup":                                                               false,
		"example.com/disk-swap=HW-9":                                                    true,
		"cluster.x-k8s.io/machine=repair-1":                                             false,
		"nvidia.com/mig.config.state=rebooting":                                         true,
		"nvidia.com/mig.config.state=success":                                           false,
		"machineconfiguration.openshift.io/desiredDrain=uncordon-rendered-worker-9":     false,
		"machineconfiguration.openshift.io/desiredDrain=drain-rendered-worker-9":        true,
		"kubernetes.azure.com/consolidated-additional-properties=3d6b0a7c":              false,
		"kubernetes.azure.com/localdns-state=disabled":                                  false,
		"sagemaker.amazonaws.com/node-health-status=Schedulable":                        false,
		"autopilot.ibm.com/gpuhealth=PASS":                                              false,
		"volumes.kubernetes.io/keep-terminated-pod-volumes=true":                        false,
		"node.example.com/maintained-by=platform-team":                                  false,
		"example.com/keep-cordoned=INC-4411":                                            true,
		"example.com/maintenance-window=active":                                         true,
		"example.com/maintenance-window=Sat-02-00":                                      false,
		"example.com/scheduling-disabled-by=alice":                                      true,
		"cluster-autoscaler.kubernetes.io/scale-down-disabled-by-mcm=true":              false,
		"example.com/drain-timeout=5m":                                                  false,
		"example.com/drain-timeout-exceeded=true":                                       true,
		"out-of-service=true":                                                           true,
		"nvidia.com/gpu.deploy.device-plugin=paused-for-mig-change":                     true,
		"nvidia.com/mig.config.state=pending":                                           true,
		"nvidia.com/mig.config.state=initialized":                                       false,
		"instance.hetzner.cloud/provided-by=cloud":                                      false,
		"amd.com/gpu.compute-partitioning-supported=true":                               false,
		"network.cilium.io/ipv4-health-ip=10.2.0.9":                                     false,
		"example.com/health=red":                                                        true,
		"is-reboot-capable.self-node-remediation.medik8s.io=true":                       false,
		"feature.node.kubernetes.io/memory-swap=true":                                   false,
		"example.com/do-not-uncordon=":                                                  true,
	} {
		if key, value, _ := strings.Cut(text, "="); saysHeld(key, value) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

func TestIsHarmless(t *testing.T) {
	for text, want := range map[string]bool{
		"Ready=True": true, "MemoryPressure=False": true, "MemoryPressure=True": false, "GpuXidError=True": false, "GpuXidError=False": true,
		"EtcdIsVoter=True": true, "AcceleratedHardwareReady=True": true, "AcceleratedHardwareReady=False": false, "NetworkUnavailable=True": false,
		"KernelDeadlock=Unknown": true, "StorageUnavailable=True": false, "SufficientIP=True": true,
		"GPUHealthCheckPassed=False": false, "GPUHealthCheckPassed=True": true, "NTPSynchronized=False": false, "KubeletConfigOk=True": true, "ClockUnsynchronized=True": false, "InfiniBandLinkUp=False": false, "LustreMounted=True": true, "NeedsBackup=True": false, "Initialized=False": false, "StorageReady=Unknown": false, "UpdateAvailable=True": true, "UpdateAvailable=False": true, "Provisioned=True": true, "Updated=False": false,
	} {
		name, status, _ := strings.Cut(text, "=")
		if isHarmless(lifecycle.Condition{Type: name, Status: status}) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

func TestIsPerson(t *testing.T) {
	for name, want := range map[string]bool{
		"kubectl": true, "kubectl-edit": true, "kubectl-client-side-apply": true, "oc": true, "k9s": true,
		"": false, "kubectlish": false, "nvsentinel": false, "karpenter": false, "kube-controller-manager": false,
	} {
		if got := IsPerson(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
