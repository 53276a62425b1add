// SPDX-License-Identifier: Apache-2.0

package recorded

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRecorded(t *testing.T) {
	want := map[string]map[string]int{
		"kubernetes-1.36.3": {
			"conditions.json": 48, "defaults.json": 108, "evict.json": 300, "schedule.json": 399, "validate.json": 1200,
		},
		"kubernetes-1.37.2": {
			"conditions.json": 48, "defaults.json": 28, "evict.json": 300, "schedule.json": 397, "validate.json": 1200,
			"update.json": 600,
		},
	}
	got := map[string]map[string]int{}
	for cluster, folder := range clusters(t) {
		t.Run(cluster, func(t *testing.T) { got[cluster] = Check(t, folder) })
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("numbers of answers (-want +got):\n%s", diff)
	}
}
