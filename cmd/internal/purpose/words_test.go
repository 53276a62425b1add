// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// keys.tsv has taints of real clusters and projects, with what they mean. At least 95 % of
// those that say a state have one, and at least 97 % of the pools have none, from the taint
// alone.
func TestKeys(t *testing.T) {
	file, err := os.Open("testdata/keys.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all, right, offered int // of states
	var pools, kept int
	for lines := bufio.NewScanner(file); lines.Scan(); {
		c := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(c[0], "#") {
			continue
		}
		effect, _, _ := strings.Cut(c[2], ",")
		x := taints.Taint{Key: c[0], Value: c[1], Effect: taints.Effect(effect)}
		isState := StateOf(x) != None
		if isState == (c[3] == "pool") {
			t.Logf("%s: %s, and read as %q", c[3], x, StateOf(x))
		}
		if c[3] == "pool" {
			pools++
			if !isState {
				kept++
			}
			continue
		}
		all++
		if isState {
			right++
		} else if Of(x, Evidence{}).Kind == ForPool {
			offered++
		}
	}
	t.Logf("%d of %d states are read as states, and %d as pools; %d of %d pools are not read as states", right, all, offered, kept, pools)
	if 100*right < 95*all || 100*offered > 5*all || 100*kept < 97*pools || all < 90 || pools < 80 {
		t.Error("too few are right")
	}
}

// A name is split at separators, at capitals, and not within "not ready".
func TestSplit(t *testing.T) {
	for name, want := range map[string]string{
		"gpuNotReady-x":        "gpu notready x",
		"node.config.status":   "node config status",
		"CPUPressure":          "cpupressure",
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
