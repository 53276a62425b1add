// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// Each line of words.txt is about pools or a state, and no word is there twice.
func TestWords(t *testing.T) {
	lines := map[string]string{}
	for line := range strings.Lines(wordList) {
		name, texts, _ := strings.Cut(line, ": ")
		for text := range strings.FieldsSeq(texts) {
			text = strings.Trim(text, "=:")
			if other, isTwice := lines[text]; isTwice {
				t.Errorf("%s: %s and %s", text, other, name)
			}
			lines[text] = name
		}
	}
	for _, state := range said {
		if state != None && !slices.ContainsFunc(All, func(e *Entry) bool { return e.State == state }) {
			t.Errorf("no state: %q", state)
		}
	}
}

// A state outweighs a pool, a word of a later line one of a line before, and what no word
// says stays unknown.
func TestReading(t *testing.T) {
	for text, want := range map[string]string{
		"x/gpu": "pool", "db1": "pool", "GPUNode": "pool", "x/zgpunodes": "pool", "zonalpool": "pool", "zulu=zulu-2": "pool", "lab=zulu": "", "zulu/gpu": "pool",
		"gpu/zulu": "pool", "gpu.example.com/zulu": "pool", "example.gpu.com/zulu": "", "crashgpu.com/zulu": "", "zulu-gpu.com/zulu": "pool", "zulu": "", "zulu=true": "pool", "x/zulu=true": "", "zulu=false": "", "x/zulu=below-threshold": "unhealthy", "x/do-not-use": "fenced", "out-of-service=true": "fenced", "no-touch=true": "fenced", "memtest=true": "in maintenance", "dedicated=none": "", "owner=tbd": "", "zulu=none": "", "k=k": "", "node.example.com/zulu": "", "zulu-only": "pool", "zulu-only=reboot-tests": "pool",
		"dedicated=zulu": "pool", "dedicated=reboot-tests": "pool", "dedicated=unhealthy": "unhealthy", "dedicated=old": "being removed",
		"gpu-unhealthy": "unhealthy", "unhealthy=gpu": "unhealthy", "pending-reboot": "in maintenance", "reboot=pending": "in maintenance", "drain-failed": "being removed",
		"x/gpu-ready": "starting", "gpu-ready=false": "unhealthy", "gpu-agent=No": "unhealthy", "node-init.example.com/zulu": "starting", "XIDError": "unhealthy",
		"team=drainage": "pool", "tenant=maintel": "pool", "team=repair": "", "org/team=retirement": "", "team=data-repair": "pool", "drainage=true": "", "crashlytics=true": "", "dedicated=drainage": "pool", "x/drained": "being removed", "bootstrapping=true": "starting",
		"x/nccl-test=running": "in maintenance", "benchmark=in-progress": "in maintenance", "stress-test=active": "in maintenance", "drain=running": "being removed", "gpu=active": "", "workload=running": "pool", "gpu-test=true": "", "gpu-reset=true": "", "sandbox-test=true": "pool", "load=testing": "pool", "testing=true": "", "scan=true": "", "workload=test": "pool", "surveying=true": "",
		"disk-swap=true": "in maintenance", "memory-swap=true": "pool", "swap=true": "pool", "rack-move=true": "in maintenance",
		"dedicated=do-not-use": "fenced", "dedicated=on-hold": "pool", "x/tier=blocked": "fenced", "status=incident": "unhealthy", "workload=incident": "pool", "lifecycle=sunset": "being removed", "x/vendor-return=true": "being removed", "customer=return": "pool",
		"ops.example.com/zulu=true": "", "drain.example.com/zulu=true": "being removed", "x/tier=gold": "pool", "x/tier7=enabled": "", "gpu-type=true": "pool", "owner=INC-4471": "", "gpu=RTX-3090": "pool", "reserved=until-friday": "", "noschedule=true": "", "old-pool=true": "being removed", "patch-window=true": "",
		"health-checks": "unhealthy", "x/zulu=health": "", "cloud.google.com/gke-provisioning=spot": "pool", "failure-domain": "",
	} {
		state, isPool := reading(taints.Must(taints.ParseTaint(text + ":NoSchedule")))
		if got := string(state); got != want && (want != "pool" || state != None || !isPool) || want == "" && isPool {
			t.Errorf("%s: %q, %v, want %q", text, got, isPool, want)
		}
	}
}

// A name is split at separators, at capitals, and not within "not ready".
func TestSplit(t *testing.T) {
	for name, want := range map[string]string{
		"gpuNotReady-x":        "gpu notready x",
		"node.config.status":   "node config status",
		"CPUPressure":          "cpu pressure",
		"GPUs":                 "gpus",
		"gpuXIDError":          "gpu xid error",
		"nvidia-gpu_only":      "nvidia gpu only",
		"failure-domain":       "",
		"disk-failure":         "disk failure",
		"un-healthy":           "unhealthy",
		"":                     "",
		"largeJobsOnly":        "large jobs only",
		"not":                  "not",
		"agent-not-ready-yet.": "agent notready yet",
	} {
		if got := split(name); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q", name, got)
		}
	}
}
