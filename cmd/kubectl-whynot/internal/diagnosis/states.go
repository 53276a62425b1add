// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A nodeState is what a taint says about its node. Pods need not tolerate the taints
// of a state: the node has to change.
type nodeState string

const (
	stateNone       nodeState = ""
	stateCordoned   nodeState = "unschedulable"
	stateUnhealthy  nodeState = "unhealthy"
	stateFenced     nodeState = "fenced"
	stateMaintained nodeState = "in maintenance"
	stateStarting   nodeState = "starting"
	stateLeaving    nodeState = "being removed"
	stateVirtual    nodeState = "for their own pods only"
)

// isFinal reports whether nodes of the state never take the pods.
func (s nodeState) isFinal() bool { return s == stateLeaving || s == stateVirtual }

// A KnownTaint says what taints with some keys mean, and who acts on them.
type KnownTaint struct {
	Keys             []string // "*" stands for any text, and a value follows "="
	State            nodeState
	SetBy, RemovedBy string
	Within           time.Duration // how long the taint normally stays; 0: as long as its reason does
	Look             string        // at this, if it stays longer
}

//go:embed states.txt
var table string

var columns = regexp.MustCompile(` *\| *`)

// KnownTaints lists the taints of nodes' states, from Kubernetes and from common
// projects. The first entry that has a key applies, and steps are in this order.
var KnownTaints = func() (list []*KnownTaint) {
	rows := strings.Split(strings.TrimSpace(table), "\n")
	for _, row := range rows[2:] { // after the names of the columns
		c := columns.Split(row, -1)
		if len(c) > 1 {
			within, _ := time.ParseDuration(c[4]) // none is 0
			list = append(list, &KnownTaint{State: nodeState(c[1]), SetBy: c[2], RemovedBy: c[3], Within: within, Look: c[5]})
		}
		k := list[len(list)-1] // a row with only a key belongs to the entry above
		k.Keys = append(k.Keys, c[0])
	}
	return list
}()

const (
	outOfService           = "node.kubernetes.io/out-of-service"
	nodeTerminationHandler = "aws-node-termination-handler/" // begins keys whose values name events
	whoSetIt               = "who set it"                    // by hand
)

// Known returns the entry for the taint. Without one, it has no state.
func Known(t taints.Taint) *KnownTaint {
	for _, k := range KnownTaints {
		if slices.ContainsFunc(k.Keys, func(key string) bool { return isFor(key, t) }) {
			return k
		}
	}
	return new(KnownTaint)
}

func isFor(pattern string, t taints.Taint) bool {
	key, value, _ := strings.Cut(pattern, "=")
	start, end, hasStar := strings.Cut(key, "*")
	rest, isKey := strings.CutPrefix(t.Key, start)
	return isKey && (rest == end || hasStar && strings.HasSuffix(rest, end)) && (value == "" || value == t.Value)
}

// WhoElse says who else sets or removes taints with the key, or "". What Kubernetes does
// depends on the nodes.
func WhoElse(key string) string {
	k := Known(taints.Taint{Key: key})
	switch {
	case key == outOfService:
		return "on nodes with this taint that are not ready, Kubernetes deletes Terminating pods by force and detaches their volumes. " +
			"Be sure that these nodes are off."
	case k.State == stateNone || k.RemovedBy == whoSetIt || strings.HasPrefix(k.SetBy, "Kubernetes"):
		return ""
	}
	text := "set by " + k.SetBy + ", and removed by " + k.RemovedBy
	if k.SetBy == k.RemovedBy {
		text = "set and removed by " + k.SetBy
	}
	if k.Within > 0 {
		text += ", normally within " + duration.HumanDuration(k.Within)
	}
	return text + "."
}

// stateOf returns the state of a node that has the taint.
func stateOf(t taints.Taint) nodeState { return Known(t).State }

// statesText describes nodes with such taints.
func statesText(list []taints.Taint) string {
	var words []string
	for _, k := range KnownTaints {
		isOf := func(t taints.Taint) bool { return stateOf(t) == k.State }
		if word := string(k.State); !slices.Contains(words, word) && slices.ContainsFunc(list, isOf) {
			words = append(words, word)
		}
	}
	return say.Enumerate(words, "or")
}

// haveFinal reports whether nodes with these taints never take the pods.
func haveFinal(list []taints.Taint) bool {
	return slices.ContainsFunc(list, func(t taints.Taint) bool { return stateOf(t).isFinal() })
}

// withoutTime returns the taint without its time, and without a value that differs on
// each node.
func withoutTime(t taints.Taint) taints.Taint {
	t.TimeAdded = nil
	if _, isTime := timeIn(t); isTime || strings.HasPrefix(t.Key, nodeTerminationHandler) {
		t.Value = ""
	}
	return t
}

// timeIn returns the time in the value of a taint that Cluster Autoscaler sets.
func timeIn(t taints.Taint) (at time.Time, ok bool) {
	seconds, err := strconv.ParseInt(t.Value, 10, 64)
	return time.Unix(seconds, 0).UTC(), err == nil && stateOf(t) == stateLeaving
}
