// SPDX-License-Identifier: Apache-2.0

package why

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

const nodes = `{"kind": "Node", "metadata": {"name": "a", "labels": {"pool": "x"}}, "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}}
{"kind": "Node", "metadata": {"name": "b", "labels": {"pool": "y"}}, "spec": {"unschedulable": true}}
{"kind": "Node", "metadata": {"name": "c", "labels": {"pool": "x"}}, "spec": {"taints": [{"key": "x.com/gpu", "effect": "NoSchedule"}]}, "status": {"allocatable": {"x.com/gpu": "2"}}}
`

func TestPlace(t *testing.T) {
	cases.Run(t, "testdata/places.txt", func(t *testing.T, lines []string) []string {
		c, spec := cluster.New(cluster.Filter{}), lines[0]
		pod := `{"kind": "Pod", "metadata": {"name": "p"}, "spec": ` + spec + "}"
		if err := manifest.Read("x", strings.NewReader(nodes+pod), c.Decode); err != nil {
			t.Fatal(err)
		}
		c.Finish()
		profile := c.Pods[0].Profile
		r := Place(c, profile, c.Choose(profile))
		var meant []int
		for _, s := range r.Meant {
			meant = append(meant, s.Nodes...)
		}
		if r.Nodes != 3 || len(r.FeasibleNames) != r.Feasible || (len(r.Rejections) == 0) != (r.Feasible == r.Matching) {
			t.Errorf("%s: %+v", spec, r)
		}
		for _, x := range r.Rejections {
			if reason := r.Reasons.Of(x.Taint); x.Nodes != 1 || x.Why != Words(ReasonOf(profile, x.Taint)) || x.Closest != nil && reason.HasClosest() && !x.Closest.Equal(reason.Closest) {
				t.Errorf("%s: %+v", spec, x)
			}
		}
		if r.IsOpen() != (r.Feasible > 0 && r.Only == "") || len(r.Rejections) != r.RejectionsTotal {
			t.Errorf("%s: %+v", spec, r)
		}
		counts := fmt.Sprint(r.Matching, r.Feasible, r.Kept["node(s) were unschedulable"], r.Kept["node(s) had untolerated taint(s)"], " ", meant, " ")
		return []string{strings.TrimSpace(counts + r.Only + strings.Join(r.Lacks, "; ") + r.Unmatched + r.Reasons.Text(r.Reasons.Taints()))}
	})
}
