// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/visible"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/known"
)

// The reasons of a profile describe why taints reject its pods.
type reasons map[[3]string]explain.Reason

// of returns the reason why the taint rejects the pods.
func (r reasons) of(t taints.Taint) explain.Reason { return r[cluster.KeyOf(t)] }

// reasonsOf returns the reasons why the hard taints of the shares reject the pods.
func (a *analyst) reasonsOf(p *cluster.Profile, shares []cluster.Share) reasons {
	var list []taints.Taint
	for _, s := range shares {
		list = append(list, s.Group.Taints...)
	}
	m := make(reasons)
	for _, t := range p.Matcher.Untolerated(cluster.Distinct(list), taints.HardEffects) {
		m[cluster.KeyOf(*t)] = reasonOf(p, *t)
	}
	return m
}

// reasonOf says why no toleration is for the taint. What every pod gets is not close.
func reasonOf(p *cluster.Profile, t taints.Taint) explain.Reason {
	r := explain.Node(p.Family.Matcher, []taints.Taint{t})[0]
	if isEverybodys(r.Closest) {
		return explain.Reason{Taint: t}
	}
	return r
}

// isEverybodys reports whether every pod gets the toleration by default, for seconds
// that the cluster chooses. It does not show what an author wants.
func isEverybodys(t taints.Toleration) bool {
	isKey := t.Key == taints.NodeNotReady || t.Key == taints.NodeUnreachable
	return isKey && t.Operator == taints.OpExists && t.Effect == taints.NoExecute && t.TolerationSeconds != nil
}

// wordsOf names the toleration that is closest to the taint, and says how it differs.
func wordsOf(r explain.Reason) string {
	if !r.HasClosest() {
		return "no toleration has this key"
	}
	text := "closest toleration " + visible.Toleration(r.Closest) + ", " + r.Why()
	isValue := func(d explain.Difference) bool { return d.Mismatch == explain.MismatchValue }
	if r.Taint.Value == "" && slices.ContainsFunc(r.Differences, isValue) {
		text += " as the taint has no value"
	}
	return text
}

// reasonsText names the taints, together if their closest tolerations differ alike.
func reasonsText(why reasons, list []taints.Taint) string {
	words := func(t taints.Taint) string {
		if r := why.of(t); r.HasClosest() {
			return " (" + wordsOf(r) + ")"
		}
		return ""
	}
	clauses := cluster.Grouped(list, words)
	slices.SortStableFunc(clauses, func(a, b []taints.Taint) int { // those without a close toleration last
		return order(words(a[0]) == "", words(b[0]) == "")
	})
	return strings.Join(say.FirstOf(say.Each(clauses, func(list []taints.Taint) string {
		return "untolerated " + say.Noun(len(list), "taint") + " " + say.TaintsText(list) + words(list[0])
	}), 3), "; ")
}

func taintsOf(why reasons) []taints.Taint {
	var list []taints.Taint
	for _, r := range why {
		list = append(list, r.Taint)
	}
	slices.SortFunc(list, taints.Taint.Compare)
	return list
}

// valuesOf counts the values of each key and effect among distinct taints.
func valuesOf(distinct []taints.Taint) map[taints.TaintID]int {
	values := make(map[taints.TaintID]int)
	for _, t := range distinct {
		values[t.ID()]++
	}
	return values
}

// order compares for sorting. False comes before true, as in the alphabet.
func order(a, b bool) int { return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b)) }

// isMistake reports whether the closest toleration was meant for the taint. If only a
// value or key differs, the taint may exist to keep exactly this pod off the node. A
// toleration is intended if it tolerates a taint of some node, evicts pods at once, or
// lets them stay for a time and is not for this effect.
func (a *adviser) isMistake(r explain.Reason) bool {
	t := r.Closest
	switch {
	case t.Key == "",
		t.Key != r.Taint.Key && !cluster.IsSameWord(t.Key, r.Taint.Key),
		!isEffect(t.Effect) && !strings.EqualFold(string(t.Effect), string(r.Taint.Effect)),
		t.TolerationSeconds != nil && (*t.TolerationSeconds <= 0 || t.Effect != r.Taint.Effect):
		return false
	}
	switch operator := knownOperator(t.Operator); {
	case operator == taints.OpLt || operator == taints.OpGt: // a limit is rarely a mistake
		return false
	case operator == taints.OpExists:
	case t.Value == "" && r.Taint.Value != "":
		hasValue := func(o taints.Toleration) bool { return o.Value != "" && strings.EqualFold(o.Key, t.Key) }
		if !strings.EqualFold(t.Key, r.Taint.Key) || a.rejecting[r.Taint.ID()] > 1 || slices.ContainsFunc(a.Tolerations, hasValue) {
			return false
		}
	case !strings.EqualFold(strings.TrimSpace(t.Value), r.Taint.Value):
		return false
	}
	return !slices.ContainsFunc(a.taints, t.Tolerates) // the slowest question comes last
}

// isEffect reports whether a toleration may have the effect. Empty means all.
func isEffect(e taints.Effect) bool { return e == "" || known.IsEffect(e) }

// corrected returns the mistaken toleration with the fewest changes that make it
// tolerate the taint, and forever: otherwise the pod would be evicted from each node.
func corrected(r explain.Reason) taints.Toleration {
	t := r.Closest
	t.Key, t.TolerationSeconds = r.Taint.Key, nil
	if t.Effect != "" {
		t.Effect = r.Taint.Effect
	}
	if t.Tolerates(r.Taint) {
		return t
	}
	if knownOperator(t.Operator) == taints.OpExists {
		t.Operator, t.Value = taints.OpExists, ""
		return t
	}
	t.Value = r.Taint.Value
	if t.Operator != "" {
		t.Operator = taints.OpEqual
	}
	return t
}

// knownOperator returns the operator, in the right letter case, or else Equal.
func knownOperator(op taints.Operator) taints.Operator {
	for _, known := range []taints.Operator{taints.OpExists, taints.OpLt, taints.OpGt} {
		if strings.EqualFold(string(op), string(known)) {
			return known
		}
	}
	return taints.OpEqual
}

// tolerationOf returns a toleration of just this taint. Without a value the usual
// form is Exists, unless it would also tolerate taints of nodes with a value.
func (a *analyst) tolerationOf(t taints.Taint) taints.Toleration {
	added := t.Toleration()
	if t.Value == "" && a.values[t.ID()] == 1 {
		added.Operator = taints.OpExists
	}
	return added
}

// A nodeState is the state of a node that a taint indicates. Pods need not
// tolerate the taints of a state: the node has to change.
type nodeState string

const (
	stateNone      nodeState = ""
	stateCordoned  nodeState = "unschedulable"
	stateUnhealthy nodeState = "unhealthy"
	stateStarting  nodeState = "starting"
	stateLeaving   nodeState = "being removed"
)

// stateKeys has the keys of the taints of a state, from Kubernetes and from common
// projects. A key that ends with a slash means all keys that begin with it.
var stateKeys = []struct {
	state nodeState
	keys  []string
}{
	{stateCordoned, strings.Fields(`node.kubernetes.io/unschedulable
		remediator.kubernetes.azure.com/unschedulable remediator.aks.microsoft.com/unschedulable`)},
	{stateUnhealthy, strings.Fields(`node.kubernetes.io/not-ready node.kubernetes.io/unreachable
		node.kubernetes.io/memory-pressure node.kubernetes.io/disk-pressure node.kubernetes.io/pid-pressure
		node.kubernetes.io/network-unavailable node.kubernetes.io/out-of-service node.kubernetes.io/out-of-disk
		node.cloudprovider.kubernetes.io/shutdown node.alpha.kubernetes.io/notReady node.alpha.kubernetes.io/unreachable
		status-taint.cluster-autoscaler.kubernetes.io/ baremetal.cluster.gke.io/maintenance`)},
	{stateStarting, strings.Fields(`node.cloudprovider.kubernetes.io/ node.cluster.x-k8s.io/uninitialized
		readiness.k8s.io/ startup-taint.cluster-autoscaler.kubernetes.io/ ignore-taint.cluster-autoscaler.kubernetes.io/
		karpenter.sh/unregistered node.cilium.io/agent-not-ready cni.istio.io/not-ready ebs.csi.aws.com/agent-not-ready
		efs.csi.aws.com/agent-not-ready fsx.csi.aws.com/agent-not-ready s3.csi.aws.com/agent-not-ready`)},
	{stateLeaving, strings.Fields(`ToBeDeletedByClusterAutoscaler DeletionCandidateOfClusterAutoscaler karpenter.sh/disrupted
		karpenter.sh/disruption cloud.google.com/impending-node-termination ` + nodeTerminationHandler)},
}

// nodeTerminationHandler begins the AWS handler's keys. Their values name events.
const nodeTerminationHandler = "aws-node-termination-handler/"

// stateOf returns the state of a node that has a taint with the key.
func stateOf(key string) nodeState {
	for _, s := range stateKeys {
		for _, known := range s.keys {
			if key == known || strings.HasSuffix(known, "/") && strings.HasPrefix(key, known) {
				return s.state
			}
		}
	}
	return stateNone
}

// withState returns the taints that have the state.
func withState(list []taints.Taint, s nodeState) []taints.Taint {
	return slices.DeleteFunc(slices.Clone(list), func(t taints.Taint) bool { return stateOf(t.Key) != s })
}

// statesText describes nodes with such taints.
func statesText(list []taints.Taint) string {
	var words []string
	for _, s := range stateKeys {
		if len(withState(list, s.state)) > 0 {
			words = append(words, string(s.state))
		}
	}
	return say.Enumerate(words, "or")
}

func haveLeaving(list []taints.Taint) bool { return len(withState(list, stateLeaving)) > 0 }

// withoutTime returns the taint without a value that differs on each node.
func withoutTime(t taints.Taint) taints.Taint {
	_, err := strconv.ParseInt(t.Value, 10, 64)
	if err == nil && stateOf(t.Key) == stateLeaving || strings.HasPrefix(t.Key, nodeTerminationHandler) {
		t.Value = ""
	}
	return t
}

func (a *analyst) nodeSteps(nodes []int, list []taints.Taint) []Step {
	slices.Sort(nodes) // this is the order of names
	var steps []Step
	stale := make(map[string][]string) // nodes by taint and the reason why it is stale
	for _, s := range stateKeys {
		keys := withState(list, s.state)
		if len(keys) == 0 {
			continue
		}
		var names []string
		var times []time.Time
		for _, i := range nodes {
			n := &a.Nodes[i]
			for _, t := range withState(n.Taints, s.state) {
				switch {
				case slices.Contains(n.Stale, t.ID()):
					why := t.ID().String() + "\n" + n.StateFor(t.ID())
					stale[why] = append(stale[why], n.Name)
					continue
				case t.TimeAdded != nil:
					times = append(times, *t.TimeAdded)
				}
				names = append(names, n.Name)
			}
		}
		if names = slices.Compact(names); len(names) > 0 {
			steps = append(steps, s.state.step(&a.question, names, keys, times))
		}
	}
	for _, why := range say.SortedKeys(stale) {
		taint, because, _ := strings.Cut(why, "\n")
		steps = append(steps, a.question.removal(taint, because, stale[why]))
	}
	return steps
}

// removal returns the step for a taint that Kubernetes removes from the nodes.
func (q *Question) removal(taint, because string, names []string) Step {
	n := len(names)
	text := "remove " + taint + " from " + say.Noun(n, "node") + " " + say.NamesOf(names, n) + ": " + because +
		", so Kubernetes' node-lifecycle controller does it within seconds if it runs"
	names = names[:min(n, maxNames)]
	return q.step(text, len(names), n, "node", slices.Concat([]string{"taint", "nodes"}, names, []string{taint + "-"})...)
}

func (s nodeState) step(q *Question, names []string, list []taints.Taint, times []time.Time) Step {
	n := len(names)
	are, have := say.For(n, " is", " are"), say.For(n, " has", " have")
	who := say.Noun(n, "node") + " " + say.NamesOf(names, n)
	text, first, verb := "repair "+who+", which"+have+" "+say.TaintsText(list), names[:min(n, 3)], []string{"describe", "node"}
	switch s {
	case stateCordoned:
		text = "if the maintenance of " + who + since(", cordoned", times, q.Now, ",") + " is over, uncordon " + say.For(n, "it", "them")
		first, verb = names[:min(n, maxNames)], []string{"uncordon"}
	case stateStarting:
		starting := since(have+" been starting", times, q.Now, "")
		text = "wait for " + say.TaintsText(list) + " to go away from " + who + ", which" + cmp.Or(starting, are+" starting")
	case stateLeaving:
		return Step{Text: who + are + " being removed: add nodes, or wait for new ones"}
	}
	return q.step(text, len(first), n, "node", slices.Concat(verb, first)...)
}

// since says since when, for the first and the last of the times, if any.
func since(what string, times []time.Time, now time.Time, end string) string {
	if len(times) == 0 {
		return ""
	}
	text := func(t time.Time) string {
		return " since " + t.UTC().Format(time.RFC3339) + " (" + say.Relative(t.Unix()-now.Unix()) + ")"
	}
	first, last := slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
	if what += text(first); !first.Equal(last) {
		what += ", the last" + text(last)
	}
	return what + end
}
