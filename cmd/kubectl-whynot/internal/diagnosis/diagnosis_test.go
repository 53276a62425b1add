// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

// TestCauses has the objects of a cluster, and the causes in their order, each with its pods.
func TestCauses(t *testing.T) {
	cases.Run(t, "testdata/causes.txt", func(t *testing.T, lines []string) []string {
		c := cluster.New(cluster.Filter{})
		if err := manifest.Read("x", strings.NewReader("# YAML\n"+strings.Join(lines, "\n---\n")), c.Decode); err != nil {
			t.Fatal(err)
		}
		c.Finish()
		r := New(c, Question{Now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)})
		return lists.Each(r.Causes, func(c *Cause) string {
			return fmt.Sprintf("%s: %s: %s", c.Kind, strings.Join(c.Names, " "), c.Text)
		})
	})
}
