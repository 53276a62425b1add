// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"slices"
	"strings"
	"testing"
)

// A name is split at separators, at capitals, and not within "not ready".
func TestSplit(t *testing.T) {
	for name, want := range map[string]string{
		"gpuNotReady-x":        "gpu notready x",
		"node.config.status":   "node config status",
		"CPUPressure":          "cpu pressure",
		"GPUs":                 "gpus",
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
