// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// BenchmarkQueries compares queries with plain loops over the same nodes, every
// second of which has a tenant's taint. There are so many lists of taints.
func BenchmarkQueries(b *testing.B) {
	for _, lists := range []int{20, 10_000} {
		s := benchCluster(lists)
		for _, pod := range []string{"", "tenant=1:NoSchedule", "op=Exists"} {
			s.name, s.pod = fmt.Sprintf("lists=%d/pod=%s", lists, pod), compile(strings.Fields(pod)...)
			s.compare(b)
		}
	}
}

// BenchmarkHostile compares queries with plain loops in the hostile scenes, and for
// a pod that tolerates the taints of so many nodes that each has its own.
func BenchmarkHostile(b *testing.B) {
	scenes := hostileScenes(10_000)
	for _, n := range []int{300, 10_000, 120_000} {
		scenes = append(scenes, scene{fmt.Sprint("everything of ", n), times(n, own), compile("op=Exists")})
	}
	for _, s := range scenes {
		s.compare(b)
	}
}

func benchCluster(lists int) scene {
	return scene{nodes: times(100_000, func(i int) []taints.Taint {
		if i%2 == 0 {
			return nil
		}
		return append(own(i/2%lists), soft("spot", ""))[:1+i/2%lists%2]
	})}
}

func (s *scene) compare(b *testing.B) {
	x, found := s.index(), []int(nil)
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"loop of FindUntolerated", func() { s.loop() }},
		{"CountFeasible", func() { x.CountFeasible(s.pod) }},
		{"AppendFeasible", func() { found = x.AppendFeasible(found[:0], s.pod) }},
		{"Feasible", func() {
			for range x.Feasible(s.pod) {
			}
		}},
		{"loop of Filter", func() {
			n := 0
			for _, list := range s.nodes {
				if v := s.pod.Filter(list); v.Schedulable() {
					n++
				}
			}
		}},
		{"FeasibleVerdicts", func() { countSchedulable(x.FeasibleVerdicts(s.pod)) }},
		{"Verdicts", func() { countSchedulable(x.Verdicts(s.pod)) }},
	} {
		b.Run(strings.ReplaceAll(s.name+"/"+c.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}

func countSchedulable(verdicts iter.Seq2[int, taints.Verdict]) int {
	n := 0
	for _, v := range verdicts {
		if v.Schedulable() {
			n++
		}
	}
	return n
}

// BenchmarkSet shows what an update takes, alone and when it has to copy pages for a
// query.
func BenchmarkSet(b *testing.B) {
	for _, lists := range []int{20, 10_000} {
		s := benchCluster(lists)
		x := s.index()
		for _, query := range []bool{false, true} {
			b.Run(fmt.Sprintf("lists=%d/after-a-query=%v", lists, query), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i += 7919 {
					if query {
						x.all()
					}
					x.Set(i%len(s.nodes), s.nodes[(i+i/len(s.nodes))%len(s.nodes)])
				}
			})
		}
	}
}

// BenchmarkParallel shows whether queries that copy nothing wait for each other: so
// many goroutines share b.N of them.
func BenchmarkParallel(b *testing.B) {
	s, pod := benchCluster(10_000), compile("tenant=1:NoSchedule")
	x := s.index()
	for _, goroutines := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint("goroutines=", goroutines), func(b *testing.B) {
			b.ReportAllocs()
			var wait sync.WaitGroup
			for i := range goroutines {
				wait.Add(1)
				go func() {
					defer wait.Done()
					for n := i; n < b.N; n += goroutines {
						x.CountFeasible(pod)
					}
				}()
			}
			wait.Wait()
		})
	}
}
