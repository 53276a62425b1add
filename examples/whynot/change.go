package main

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A change is what to do with tolerations to get pods onto nodes.
type change struct {
	// Opens counts the nodes that the pods can go to then.
	Opens int `json:"opensNodes"`
	// NodeTaints are taints that say that the nodes are out of order. They have to go, whatever the pods tolerate, before
	// the change, which may have no entries then, helps.
	NodeTaints []taints.Taint `json:"nodeTaints"`
	Entries    []entry        `json:"entries"`
	// Tolerations is the list after the change.
	Tolerations []taints.Toleration `json:"tolerations"`
}

// An entry is a toleration to write.
type entry struct {
	// Replaces is the toleration that the new one is to replace, and Index its place; nil and -1 for one to add.
	Replaces   *taints.Toleration `json:"replaces"`
	Index      int                `json:"index"`
	Toleration taints.Toleration  `json:"toleration"`
}

// A candidate is a set of taints that keeps pods off nodes, and what could be changed for it.
type candidate struct {
	untolerated []taints.Taint
	nodes       int
	change
}

// maxCounted limits for how many candidates the nodes that they open are counted.
const maxCounted = 100

// smallestChange returns the change that lets the pods of the profile onto some of the nodes, which all reject them:
// nodes that are in order rather than others, the control plane last; then the fewest entries, corrections rather than
// additions, the most nodes. It is nil if nothing helps.
func smallestChange(p *profile, shares []share, reasons map[taints.Taint]taints.Reason) *change {
	candidates := candidates(p, shares)
	protected := toleratedTaints(p, shares)
	usable := candidates[:0]
	for _, c := range candidates {
		if c.plan(p, reasons, protected) {
			usable = append(usable, c)
		}
	}
	slices.SortStableFunc(usable, func(a, b *candidate) int { return cmp.Or(a.compareCost(b), b.nodes-a.nodes) })
	usable = usable[:min(len(usable), maxCounted)]
	for _, c := range usable {
		c.count(shares)
	}
	slices.SortStableFunc(usable, func(a, b *candidate) int { return cmp.Or(a.compareCost(b), b.Opens-a.Opens) })
	if len(usable) == 0 {
		return nil
	}
	return &usable[0].change
}

// candidates returns the distinct sets of untolerated hard taints.
func candidates(p *profile, shares []share) []*candidate {
	var list []*candidate
	at := make(map[string]*candidate)
	for _, s := range shares {
		var untolerated []taints.Taint
		for _, t := range p.matcher.Untolerated(s.group.taints, taints.Hard) {
			untolerated = append(untolerated, *t)
		}
		key := textOf(untolerated)
		c, ok := at[key]
		if !ok {
			c = &candidate{untolerated: untolerated}
			at[key] = c
			list = append(list, c)
		}
		c.nodes += len(s.nodes)
	}
	slices.SortFunc(list, func(a, b *candidate) int {
		return slices.CompareFunc(a.untolerated, b.untolerated, taints.Taint.Compare)
	})
	return list
}

// toleratedTaints returns the distinct taints of the nodes that the profile tolerates.
func toleratedTaints(p *profile, shares []share) []taints.Taint {
	var list []taints.Taint
	for _, s := range shares {
		for _, t := range s.group.taints {
			if _, ok := p.matcher.Match(&t); ok {
				list = append(list, t)
			}
		}
	}
	slices.SortFunc(list, taints.Taint.Compare)
	return slices.Compact(list)
}

// plan works out the change and reports whether an API server accepts it. The protected taints stay tolerated.
func (c *candidate) plan(p *profile, reasons map[taints.Taint]taints.Reason, protected []taints.Taint) bool {
	c.NodeTaints, c.Entries = []taints.Taint{}, []entry{}
	c.Tolerations = append([]taints.Toleration{}, p.tolerations...)
	for _, t := range c.untolerated {
		if isNodeTrouble(t.Key) {
			c.NodeTaints = append(c.NodeTaints, t)
			continue
		}
		if _, found := taints.FindUntolerated([]taints.Taint{t}, c.Tolerations, taints.Hard); found {
			c.tolerate(reasons[t], protected)
		}
	}
	rest := slices.DeleteFunc(slices.Clone(c.untolerated), func(t taints.Taint) bool { return isNodeTrouble(t.Key) })
	_, found := taints.FindUntolerated(rest, c.Tolerations, taints.Hard)
	return !found && taints.ValidateTolerations(c.Tolerations) == nil
}

// tolerate corrects the toleration that comes closest, or adds one.
func (c *candidate) tolerate(r taints.Reason, protected []taints.Taint) {
	if r.Toleration >= 0 && r.Closest.Key != "" && !c.changes(r.Toleration) {
		list := slices.Clone(c.Tolerations)
		list[r.Toleration] = corrected(r)
		if _, breaks := taints.FindUntolerated(protected, list, taints.AnyEffect); !breaks {
			c.Tolerations = list
			c.Entries = append(c.Entries, entry{&r.Closest, r.Toleration, list[r.Toleration]})
			return
		}
	}
	t := tolerationOf(r.Taint)
	c.Tolerations = append(c.Tolerations, t)
	c.Entries = append(c.Entries, entry{nil, -1, t})
}

// changes reports whether the toleration at the index is replaced.
func (c *candidate) changes(index int) bool {
	return slices.ContainsFunc(c.Entries, func(e entry) bool { return e.Index == index })
}

// count counts the nodes that the change opens.
func (c *candidate) count(shares []share) {
	m := taints.Compile(c.Tolerations)
	for _, s := range shares {
		list := s.group.taints
		if len(c.NodeTaints) > 0 {
			list = slices.DeleteFunc(slices.Clone(list), func(t taints.Taint) bool { return isNodeTrouble(t.Key) })
		}
		if _, found := m.FindUntolerated(list, taints.Hard); !found {
			c.Opens += len(s.nodes)
		}
	}
}

func (c *candidate) compareCost(d *candidate) int {
	return cmp.Or(c.rank()-d.rank(), len(c.Entries)-len(d.Entries), c.additions()-d.additions())
}

// rank orders candidates by whose nodes they are: anybody's, the control plane's, out of order.
func (c *candidate) rank() int {
	if len(c.NodeTaints) > 0 {
		return 2
	}
	for _, t := range c.untolerated {
		if t.Key == taints.NodeRoleControlPlane || t.Key == taints.NodeRoleMaster {
			return 1
		}
	}
	return 0
}

func (c *candidate) additions() int {
	n := 0
	for _, e := range c.Entries {
		if e.Replaces == nil {
			n++
		}
	}
	return n
}

// isNodeTrouble reports whether a taint of the key says that the node is out of order or cordoned.
func isNodeTrouble(key string) bool {
	switch key {
	case taints.NodeNotReady, taints.NodeUnreachable, taints.NodeMemoryPressure, taints.NodeDiskPressure,
		taints.NodePIDPressure, taints.NodeNetworkUnavailable, taints.NodeUnschedulable, taints.NodeOutOfService,
		taints.NodeOutOfDisk, taints.CloudProviderUninitialized, taints.CloudProviderShutdown,
		taints.NodeAlphaNotReady, taints.NodeAlphaUnreachable:
		return true
	}
	return false
}

// tolerationOf returns a toleration of just the taint.
func tolerationOf(t taints.Taint) taints.Toleration {
	if t.Value == "" {
		return taints.Toleration{Key: t.Key, Operator: taints.OpExists, Effect: t.Effect}
	}
	return taints.Toleration{Key: t.Key, Operator: taints.OpEqual, Value: t.Value, Effect: t.Effect}
}

// corrected returns the closest toleration with as little changed as makes it tolerate the taint.
func corrected(r taints.Reason) taints.Toleration {
	t := r.Closest
	t.Key = r.Taint.Key
	if t.Effect != "" {
		t.Effect = r.Taint.Effect
	}
	if s := t.TolerationSeconds; s != nil && (t.Effect != taints.NoExecute || *s <= 0) {
		t.TolerationSeconds = nil
	}
	switch t.Check(r.Taint) {
	case 0:
	case taints.MismatchNotInteger, taints.MismatchNotLess, taints.MismatchNotGreater:
		t.Operator, t.Value = threshold(t.Operator, r.Taint.Value)
	case taints.MismatchOperator:
		t.Operator, t.Value = knownOperator(t.Operator, r.Taint.Value)
	default:
		t.Value = r.Taint.Value
	}
	return t
}

// threshold returns the operator, Lt or Gt, with the value that just lets the taint's value through, or Exists where no
// value does, or Equal where the taint's value is not an integer in the form that Lt and Gt want.
func threshold(op taints.Operator, value string) (taints.Operator, string) {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil || strconv.FormatInt(n, 10) != value:
		return taints.OpEqual, value
	case op == taints.OpLt && n < math.MaxInt64:
		return op, strconv.FormatInt(n+1, 10)
	case op == taints.OpGt && n > math.MinInt64:
		return op, strconv.FormatInt(n-1, 10)
	}
	return taints.OpExists, ""
}

// knownOperator returns the operator that the unknown one looks like, or Equal, and the value that goes with it.
func knownOperator(op taints.Operator, value string) (taints.Operator, string) {
	switch strings.ToLower(string(op)) {
	case "exists":
		return taints.OpExists, ""
	case "lt":
		return threshold(taints.OpLt, value)
	case "gt":
		return threshold(taints.OpGt, value)
	}
	return taints.OpEqual, value
}
