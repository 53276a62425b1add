// SPDX-License-Identifier: Apache-2.0

package work

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/measure"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/nodeindex"
)

// Tainted returns the taints of 100,000 nodes. Two of five nodes have some, in the given
// number of ways: each way has the taint of a tenant, and most have up to two more, for
// GPUs, for a pool or for spot machines.
func Tainted(ways int) [][]taints.Taint {
	gpu, pool, spot := "nvidia.com/gpu=present:NoSchedule ", "dedicated=ml:NoSchedule ", "cloud.example.com/spot=true:PreferNoSchedule "
	others := [...]string{"", gpu, gpu + pool, spot}
	lists := repeated(ways, func(i int) []taints.Taint { return node(others[i%4] + "tenant=t#:NoSchedule")(i) })
	return repeated(100_000, func(i int) []taints.Taint {
		if i%5 >= 2 {
			return nil
		}
		return lists[(i/5*2+i%5)%ways]
	})
}

// Tenants tolerate two tenants, a GPU and more.
func Tenants() []taints.Toleration {
	return append(test.Tolerations("tenant=t1:NoSchedule", "tenant=t2:NoSchedule"), PodTolerations[2:]...)
}

// hostileRows have taints and tolerations that a stranger could write to slow an
// Index down. They compare it with a loop over the nodes that asks the same Matcher.
func hostileRows() []measure.Row {
	hostile := func(name string, n int, of func(i int) []taints.Taint, ask question, pod func() []taints.Toleration) measure.Row {
		nodes := func() [][]taints.Taint { return repeated(n, func(i int) []taints.Taint { return slices.Clone(of(i)) }) }
		return measure.Beside("a plain loop", "hostile: "+name, 0.5, 16, indexed(nodes, ask, pod), func(b *testing.B) {
			lists, m := nodes(), taints.Compile(pod())
			measure.Each(func() { ask.loop(lists, m) })(b)
		})
	}
	tenant, everything := node("tenant=#:NoSchedule"), tolerating(1, "op=Exists")
	thousand := tolerating(1000, "tenant=#0", "op=Exists")
	return []measure.Row{
		hostile("1,000 tolerations of a key in another effect", 20_000, node("tenant=#:NoExecute"), count,
			tolerating(1000, "tenant:NoSchedule op=Exists")),
		hostile("2,000 tolerations of one key, by value", 10_000, tenant, count, tolerating(2000, "tenant=#0")),
		hostile("1,000 tolerations of other keys", 20_000, tenant, count, tolerating(1000, "other-#:NoSchedule op=Exists")),
		hostile("long lists with only the last taint untolerated", 10_000, long, count, tolerating(1, "shared op=Exists")),
		hostile("every subset of 14 tolerated taints below an old one", 1<<14, subset, count, tolerating(14, "k# op=Exists")),
		hostile("a keyless toleration of one value", 20_000, tenant, count,
			func() []taints.Toleration { return []taints.Toleration{{Value: "7"}} }),
		hostile("half of the numbers", 20_000, node("score=#:NoSchedule"), count, tolerating(1, "score=10000 op=Lt")),
		hostile("count 50,000 nodes with a key that is tolerated", 50_000, tenant, count, tolerating(1, "tenant op=Exists")),
		hostile("count 10,000 nodes, all tolerated after 1,000 values of a key", 10_000, tenant, count, thousand),
		hostile("append 50,000 nodes, all tolerated after 1,000 values of a key", 50_000, tenant, appended, thousand),
		hostile("append 100,000 nodes, all tolerated, a list for each", 100_000, tenant, appended, everything),
		hostile("range over 50,000 nodes, all tolerated, a list for each", 50_000, tenant, ranged, everything),
		hostile("the verdicts of 50,000 nodes with five taints each, all tolerated", 50_000,
			node("tenant=#:NoSchedule a:PreferNoSchedule b:PreferNoSchedule c:PreferNoSchedule d:PreferNoSchedule"), verdicts, everything),
		hostile("the verdicts of 100,000 nodes, all tolerated, a list for each", 100_000, tenant, verdicts, everything),
	}
}

// indexed asks an Index of the nodes.
func indexed(nodes func() [][]taints.Taint, ask question, pod func() []taints.Toleration) measure.Side {
	return func(b *testing.B) {
		lists, m := nodes(), taints.Compile(pod()) // all lists first, so that no garbage lies between those of x
		want := ask.loop(lists, m)
		var x nodeindex.Index[int]
		for i, list := range lists {
			x.Set(i, list)
		}
		measure.Each(func() { measure.Must(ask.index(&x, m) == want) })(b)
	}
}

// node returns the taints of the text with the node's number in place of "#".
func node(text string) func(i int) []taints.Taint {
	return func(i int) []taints.Taint { return test.Taints(numbered(text)(i)) }
}

func numbered(text string) func(i int) string {
	return func(i int) string { return strings.ReplaceAll(text, "#", strconv.Itoa(i)) }
}

// long has 39 taints of one key, and one of the node.
func long(i int) []taints.Taint {
	return test.Taints(append(repeated(39, numbered("shared=#:NoSchedule")), numbered("own=#:NoSchedule")(i))...)
}

// subset has a taint for each bit of the node's number.
func subset(i int) []taints.Taint {
	texts := []string{"old:NoSchedule"}
	for bit := range 14 {
		if i>>bit&1 == 1 {
			texts = append(texts, numbered("k#:NoSchedule")(bit))
		}
	}
	return test.Taints(texts...)
}

// tolerating returns a pod with n tolerations of the text, each with its number in
// place of "#", and with one of each text of more.
func tolerating(n int, text string, more ...string) func() []taints.Toleration {
	return func() []taints.Toleration { return test.Tolerations(append(repeated(n, numbered(text)), more...)...) }
}

// A question asks an Index, or a plain loop, how many nodes are feasible.
type question struct {
	index func(x *nodeindex.Index[int], m *taints.Matcher) int
	loop  func(nodes [][]taints.Taint, m *taints.Matcher) int
}

var (
	found    []int
	count    = question{(*nodeindex.Index[int]).CountFeasible, countLoop}
	appended = question{func(x *nodeindex.Index[int], m *taints.Matcher) int {
		found = x.AppendFeasible(found[:0], m)
		return len(found)
	}, countLoop}
	ranged = question{func(x *nodeindex.Index[int], m *taints.Matcher) (n int) {
		for range x.Feasible(m) {
			n++
		}
		return n
	}, countLoop}
	verdicts = question{func(x *nodeindex.Index[int], m *taints.Matcher) (n int) {
		for range x.FeasibleVerdicts(m) {
			n++
		}
		return n
	}, func(nodes [][]taints.Taint, m *taints.Matcher) (n int) {
		for _, list := range nodes {
			if m.Filter(list).Schedulable() {
				n++
			}
		}
		return n
	}}
)

func countLoop(nodes [][]taints.Taint, m *taints.Matcher) (n int) {
	for _, list := range nodes {
		if _, untolerated := m.FindUntolerated(list, taints.HardEffects); !untolerated {
			n++
		}
	}
	return n
}

// A Queue has the pending evictions of pods.
type Queue struct {
	Evict  func(pod types.NamespacedName, at time.Time) // schedules or moves an eviction
	Cancel func(pod types.NamespacedName)
	Drain  func() // returns when all evictions that are left have come due
}

func ourQueue() Queue {
	var q lifecycle.Queue[string]
	return Queue{
		Evict: func(pod types.NamespacedName, at time.Time) {
			q.Update(pod.String(), taints.Eviction{Outcome: taints.EvictsAt, At: at, Seconds: 60})
		},
		Cancel: func(pod types.NamespacedName) { q.Update(pod.String(), taints.Eviction{Outcome: taints.Stays}) },
		Drain: func() {
			n := 0
			for range q.PopDue(time.Now().Add(time.Hour)) {
				n++
			}
			measure.Must(n == Pods*3/4)
		},
	}
}

const Pods = 1_000_000 // in a queue

// Evictions measures a queue: it schedules all pods, moves every second one, cancels every
// fourth, and lets the rest come due. With memory, it measures the live heap with all pods.
// If some come due early, on a slow machine, Kubernetes' queue has less to do.
func Evictions(newQueue func() Queue, memory bool) measure.Side {
	return func(b *testing.B) {
		pods := repeated(Pods, func(i int) types.NamespacedName {
			return types.NamespacedName{Namespace: numbered("namespace-#")(i % 100), Name: numbered("pod-#")(i)}
		})
		// Each pod has a deadline of its own within a millisecond, in no order.
		due := repeated(Pods, func(i int) time.Duration { return 10*time.Second + time.Duration(i*7919%1_000_000) })
		before, start, now := liveHeap(), measure.CPU(), time.Now()
		if memory {
			now = now.Add(time.Hour)
		}
		q := newQueue()
		for i, pod := range pods {
			q.Evict(pod, now.Add(due[i]))
		}
		if memory {
			b.ReportMetric(liveHeap()-before, "cost")
			runtime.KeepAlive([]any{q, pods, due})
			return
		}
		for i := 0; i < Pods; i += 2 {
			q.Evict(pods[i], now.Add(due[i]+time.Millisecond))
		}
		for i := 1; i < Pods; i += 4 {
			q.Cancel(pods[i])
		}
		q.Drain()
		b.ReportMetric(float64(measure.CPU()-start), "cost")
	}
}

func liveHeap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
