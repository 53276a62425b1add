// SPDX-License-Identifier: Apache-2.0

package why

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
)

const nodes = `{"kind": "Node", "metadata": {"name": "a", "labels": {"pool": "x"}}, "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}}
{"kind": "Node", "metadata": {"name": "b", "labels": {"pool": "y"}}, "spec": {"unschedulable": true}}
{"kind": "Node", "metadata": {"name": "c", "labels": {"pool": "x"}}, "spec": {"taints": [{"key": "x.com/gpu", "effect": "NoSchedule"}]}, "status": {"allocatable": {"x.com/gpu": "2"}}}
`

// affinity returns a pod's spec with a term of required node affinity.
func affinity(term string) string {
	return `{"tolerations": [{"operator": "Exists"}], "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [` + term + "]}}}}"
}

// TestPlace has pods' specs, the nodes that match and are feasible, those that the scheduler
// counts, those that are meant, and why.
func TestPlace(t *testing.T) {
	for spec, want := range map[string]string{
		`{}`: "3 0 1 2 [0 1 2] untolerated taints k=v:NoSchedule, node.kubernetes.io/unschedulable:NoSchedule and x.com/gpu:NoSchedule",
		`{"tolerations": [{"key": "k", "value": "V"}]}`: "3 0 1 2 [0 1 2] untolerated taint k=v:NoSchedule (closest toleration k=V, the value differs only in letter case); " +
			"untolerated taints node.kubernetes.io/unschedulable:NoSchedule and x.com/gpu:NoSchedule",
		`{"tolerations": [{"key": "k", "value": "v"}]}`: "3 1 1 1 [1 2] untolerated taints node.kubernetes.io/unschedulable:NoSchedule and x.com/gpu:NoSchedule",
		`{"nodeSelector": {"pool": "x"}}`:               "2 0 1 2 [0 2] untolerated taints k=v:NoSchedule and x.com/gpu:NoSchedule",
		`{"nodeSelector": {"pool": "Y"}}`:               `0 0 1 2 [] no node has the label pool=Y; did you mean pool=y?`,
		`{"containers": [{"resources": {"limits": {"x.com/gpu": "1"}}}], "tolerations": [{"key": "k", "operator": "Exists"}]}`: "3 1 1 1 [2] " +
			"only 1 node has x.com/gpu; untolerated taint x.com/gpu:NoSchedule",
		`{"containers": [{"resources": {"limits": {"x.com/gpu": "3"}}}], "tolerations": [{"operator": "Exists"}]}`: "3 3 0 0 [] no node has 3 x.com/gpu; the most is 2",
		// A term that excludes a node by its name excludes it, one that names a node, as in a
		// DaemonSet's pods, excludes all others, and an empty term matches none.
		affinity(`{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["a"]}]}`): "2 2 0 0 [] ",
		affinity(`{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}`):    "1 1 0 0 [] ",
		affinity("{}"): "0 0 0 0 [] no node matches required node affinity ",
	} {
		c := cluster.New(cluster.Filter{})
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
		got := fmt.Sprint(r.Matching, r.Feasible, r.Kept["node(s) were unschedulable"], r.Kept["node(s) had untolerated taint(s)"], " ", meant, " ") +
			r.Only + strings.Join(r.Lacks, "; ") + r.Unmatched + r.Reasons.Text(r.Reasons.Taints())
		if got != want || r.IsOpen() != (r.Feasible > 0 && r.Only == "") || len(r.Rejections) != r.RejectionsTotal {
			t.Errorf("%s:\n got %s\nwant %s", spec, got, want)
		}
	}
}
