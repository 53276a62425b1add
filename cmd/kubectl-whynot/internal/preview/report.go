// SPDX-License-Identifier: Apache-2.0

package preview

import (
	"errors"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// A Report says what a request would do.
type Report struct {
	// Version changes if a field is removed or changes its meaning.
	Version string `json:"version"`
	// Input describes where the objects come from.
	Input string `json:"input"`
	Now   string `json:"now"`
	Nodes int    `json:"nodes"`
	Pods  int    `json:"pods"`
	// Changed are the nodes that change, and Unchanged those that are already as
	// requested. Refused has the errors of those that kubectl refuses to change.
	Changed   []string          `json:"changedNodes"`
	Unchanged []string          `json:"unchangedNodes"`
	Refused   map[string]string `json:"refusedNodes"`
	// Brief are nodes that change for seconds only, as Kubernetes undoes all of it.
	// Undone says what it undoes, also on Changed nodes.
	Brief  []string `json:"brieflyChangedNodes"`
	Undone []Undone `json:"undoneByKubernetes"`
	// Leaving are the pods that are evicted, or evicted earlier than without the
	// change. Departing leave with or without it. Spared are those that are no longer
	// evicted. Tolerating are those that tolerate the new NoExecute taints.
	Leaving    []Group `json:"leaving"`
	Departing  []Group `json:"leavingAnyway"`
	Spared     []Group `json:"noLongerEvicted"`
	Tolerating []Group `json:"tolerating"`
	// Of the pods on these nodes, Leave counts those of Leaving, Stay all those that
	// stay, and Anyway those of Departing.
	Leave  int `json:"podsThatLeave"`
	Stay   int `json:"podsThatStay"`
	Anyway int `json:"podsThatLeaveAnyway"`
	// Emptied are the workloads of which no pod stays on a node, due to the change.
	Emptied []string `json:"workloadsWithoutPods"`
	// Placeable are the pending pods that get a first node that taints and node
	// affinity allow, Gaining those that get more of them, and Unplaceable those that
	// lose their last one.
	Placeable   []Group `json:"placeable"`
	Gaining     []Group `json:"moreNodes"`
	Unplaceable []Group `json:"noLongerPlaceable"`
	// Notes say what else is to know.
	Notes []string `json:"notes"`
	// Command does what was requested. Undo makes the nodes as they are now.
	Command      string   `json:"command,omitempty"`
	Undo         []string `json:"undo"`
	NotEvaluated []string `json:"notEvaluated"`

	NodeGroups []*NodeGroup `json:"-"` // of the nodes that change, also briefly
}

// New evaluates the request on a finished cluster. Commands have the connection's flags.
func New(c *cluster.Cluster, r *Request, now time.Time, connection []string) *Report {
	report := &Report{
		Version: "whynot-preview/v1", Now: now.Format(time.RFC3339), Nodes: len(c.Nodes), Pods: len(c.Pods),
		Refused: make(map[string]string), NotEvaluated: diagnosis.NotEvaluated(append(sets.List(c.Unevaluated), "new pods of DaemonSets")...),
	}
	requested := r.run(c, now, report)
	e := &evaluation{Report: report, before: c, now: now, changes: make(map[int][]*cluster.Node), choices: make(map[*cluster.Profile]choice)}
	settled := e.settle(requested)
	e.evictions()
	e.pending()
	e.notes(r)
	e.commands(r, settled, connection)
	return report
}

// Refusal returns the errors of kubectl, or nil if there are none.
func (r *Report) Refusal() error {
	if len(r.Refused) == 0 {
		return nil
	}
	words := say.Each(say.SortedKeys(r.Refused), func(name string) string { return r.Refused[name] })
	return errors.New(strings.Join(say.FirstOf(words, 5), "; "))
}
