// SPDX-License-Identifier: Apache-2.0

package work

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// hostileRows have taints and tolerations that a stranger could write to slow an
// Index down.
func hostileRows() []measure.Row {
	tenant, everything := ofTenant(taints.NoSchedule), tolerating(1, "op=Exists")
	return []measure.Row{
		hostile("1,000 tolerations of a key in another effect", 20_000, ofTenant(taints.NoExecute),
			tolerating(1000, "tenant:NoSchedule op=Exists"), counted),
		hostile("2,000 tolerations of one key, by value", 10_000, tenant, tolerating(2000, "tenant=#0"), counted),
		hostile("1,000 tolerations of other keys", 20_000, tenant,
			tolerating(1000, "other-#:NoSchedule op=Exists"), counted),
		hostile("long lists with only the last taint untolerated", 10_000, longList,
			tolerating(1, "shared op=Exists"), counted),
		hostile("every subset of 14 tolerated taints below an old one", 1<<14, subset,
			tolerating(14, "k# op=Exists"), counted),
		hostile("a keyless toleration of one value", 20_000, tenant,
			func() []taints.Toleration { return []taints.Toleration{{Value: "7"}} }, counted),
		hostile("half of the numbers", 20_000, func(node int) []taints.Taint {
			return []taints.Taint{numbered("score", node)}
		}, tolerating(1, "score=10000 op=Lt"), counted),
		hostile("count 50,000 nodes with a key that is tolerated", 50_000, tenant,
			tolerating(1, "tenant op=Exists"), counted),
		hostile("count 10,000 nodes, all tolerated after 1,000 values of a key", 10_000, tenant,
			tolerating(1000, "tenant=#0", "op=Exists"), counted),
		hostile("append 50,000 nodes, all tolerated after 1,000 values of a key", 50_000, tenant,
			tolerating(1000, "tenant=#0", "op=Exists"), appended),
		hostile("append 100,000 nodes, all tolerated, a list for each", 100_000, tenant, everything, appended),
		hostile("range over 50,000 nodes, all tolerated, a list for each", 50_000, tenant, everything, iterated),
		hostile("the verdicts of 50,000 nodes with five taints each, all tolerated", 50_000,
			ofTenant(taints.NoSchedule, spot, spot, spot, spot), everything, verdicts),
		hostile("the verdicts of 100,000 nodes, all tolerated, a list for each", 100_000, tenant, everything, verdicts),
	}
}

// hostile compares an Index with a loop over the nodes that asks the same Matcher.
func hostile(name string, nodes int, of func(node int) []taints.Taint, pod func() []taints.Toleration, q question) measure.Row {
	index := func(b *testing.B) {
		var x nodeindex.Index[int]
		for i, list := range repeated(nodes, of) { // all lists first, so that no garbage lies between those of x
			x.Set(i, list)
		}
		m := taints.Compile(pod())
		measure.Loop(b, func() { measure.Must(q.index(&x, m) <= nodes) })
	}
	each := func(b *testing.B) {
		lists, m := repeated(nodes, of), taints.Compile(pod())
		measure.Loop(b, func() { measure.Must(q.loop(lists, m) <= nodes) })
	}
	return row("hostile: "+name, loop, 0.5, 16, index, each)
}

var spot = taints.Taint{Key: "spot", Effect: taints.PreferNoSchedule}

func numbered(key string, value int) taints.Taint {
	return taints.Taint{Key: key, Value: fmt.Sprint(value), Effect: taints.NoSchedule}
}

// ofTenant gives each node a taint of its own, and the others.
func ofTenant(effect taints.Effect, others ...taints.Taint) func(node int) []taints.Taint {
	return func(node int) []taints.Taint {
		return append([]taints.Taint{{Key: "tenant", Value: fmt.Sprint(node), Effect: effect}}, others...)
	}
}

func longList(node int) []taints.Taint {
	shared := repeated(39, func(i int) taints.Taint { return numbered("shared", i) })
	return append(shared, numbered("own", node))
}

// subset has a taint for each bit of the node's number.
func subset(node int) []taints.Taint {
	list := []taints.Taint{numbered("old", 0)}
	for bit := range 14 {
		if node>>bit&1 == 1 {
			list = append(list, numbered(fmt.Sprint("k", bit), 0))
		}
	}
	return list
}

// tolerating returns a pod with n tolerations of the text, each with its number in
// place of "#", and with one of each text of more.
func tolerating(n int, text string, more ...string) func() []taints.Toleration {
	return func() []taints.Toleration {
		texts := repeated(n, func(i int) string { return strings.Replace(text, "#", fmt.Sprint(i), 1) })
		return parsed(taints.ParseToleration, append(texts, more...)...)
	}
}

// A question is asked of an Index and of a plain loop. The answer is a number that is
// at most that of the nodes.
type question struct {
	index func(x *nodeindex.Index[int], m *taints.Matcher) int
	loop  func(nodes [][]taints.Taint, m *taints.Matcher) int
}

var (
	counted  = question{(*nodeindex.Index[int]).CountFeasible, countLoop}
	iterated = question{iterate[int], countLoop}
	appended = question{func(x *nodeindex.Index[int], m *taints.Matcher) int {
		found = x.AppendFeasible(found[:0], m)
		return len(found)
	}, func(nodes [][]taints.Taint, m *taints.Matcher) int {
		found = found[:0]
		for i, list := range nodes {
			if _, untolerated := m.FindUntolerated(list, taints.HardEffects); !untolerated {
				found = append(found, i)
			}
		}
		return len(found)
	}}
	verdicts = question{func(x *nodeindex.Index[int], m *taints.Matcher) (n int) {
		for _, v := range x.FeasibleVerdicts(m) {
			n += 1 + v.PreferNoSchedule
		}
		return n
	}, func(nodes [][]taints.Taint, m *taints.Matcher) (n int) {
		for _, list := range nodes {
			if v := m.Filter(list); v.Schedulable() {
				n += 1 + v.PreferNoSchedule
			}
		}
		return n
	}}
	found []int
)

func countLoop(nodes [][]taints.Taint, m *taints.Matcher) (n int) {
	for _, list := range nodes {
		if _, untolerated := m.FindUntolerated(list, taints.HardEffects); !untolerated {
			n++
		}
	}
	return n
}
