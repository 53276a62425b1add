// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cluster/internal/record"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/internal/test/recorded"
)

// The library answers as the cluster does to a quarter of the questions of
// cluster/record, with another seed each time.
func TestRecorded(t *testing.T) {
	seed, dir := rand.IntN(1_000_000), t.TempDir()
	t.Logf("seed %d", seed)
	record.Record(start(t, record.Options), seed, 4, dir)
	if files := recorded.Check(t, os.DirFS(dir)); len(files) != 6 {
		t.Errorf("answers in %v, want 6 files", files)
	}
	found := recorded.File(t, os.DirFS(dir), "devices.json", func(t *testing.T, answers recorded.Devices) {
		answers.Check(t, recorded.DeviceRules{
			Options: dra.Options(),
			Policy:  dra.Policy(),
			NoExecute: func(list []taints.Toleration) []taints.Toleration {
				return dra.NoExecuteTolerations(dra.DeviceTolerations(list))
			},
		})
	})
	if !found {
		t.Error("no answers about devices")
	}
}
