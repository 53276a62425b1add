// SPDX-License-Identifier: Apache-2.0

package eviction

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

func TestAll(t *testing.T) {
	noon := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	cases.Run(t, "testdata/evictions.txt", func(t *testing.T, lines []string) (got []string) {
		c := cluster.New(cluster.Filter{})
		input := "# YAML\n" + strings.Join(lines, "\n---\n")
		if err := manifest.Read("x", strings.NewReader(input), c.Decode); err != nil {
			t.Fatal(err)
		}
		c.Finish()
		for _, x := range All(c, c.Pods, noon) {
			text := x.Outcome + " " + When(x) + " as " + Why(x.Because) + "; " + x.Then
			if x.Hangs {
				text += ", hangs"
			}
			got = append(got, strings.Join(strings.Fields(text), " "))
		}
		return got
	})
}
