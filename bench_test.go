// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
)

// The scene of the benchmarks: a GPU node, and a pod that carries the usual
// eight tolerations.
var (
	benchTaints = parseTaints("dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule",
		"cloud.example.com/spot=true:PreferNoSchedule")
	benchTols = parseTolerations(
		"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
		"node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
		"node.kubernetes.io/memory-pressure:NoSchedule op=Exists",
		"sla.example.com/failure-score=60:NoSchedule op=Lt",
		"team=vision:NoSchedule",
		"dedicated=ml:NoSchedule",
		"example.com/fpga:NoSchedule op=Exists",
		"nvidia.com/gpu:NoSchedule op=Exists",
	)
)

func BenchmarkFindUntolerated(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.FindUntolerated(benchTaints, benchTols, taints.Hard)
	}
}

func BenchmarkMatcherFindUntolerated(b *testing.B) {
	m := taints.Compile(benchTols)
	b.ReportAllocs()
	for b.Loop() {
		m.FindUntolerated(benchTaints, taints.Hard)
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.Compile(benchTols)
	}
}

func BenchmarkFilter(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.Filter(benchTaints, benchTols)
	}
}

func BenchmarkMatcherFilter(b *testing.B) {
	m := taints.Compile(benchTols)
	b.ReportAllocs()
	for b.Loop() {
		m.Filter(benchTaints)
	}
}

func BenchmarkEvict(b *testing.B) {
	list := parseTaints("node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/unreachable:NoExecute")
	now := time.Unix(0, 0)
	b.ReportAllocs()
	for b.Loop() {
		taints.EvictionOf(list, benchTols, now)
	}
}

func BenchmarkValidateTolerations(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if taints.ValidateTolerations(benchTols) != nil {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkParseTaint(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := taints.ParseTaint("nvidia.com/gpu=present:NoSchedule"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTaintString(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = benchTaints[1].String()
	}
}

func BenchmarkTaintAppendTo(b *testing.B) {
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		benchTaints[1].AppendTo(buf)
	}
}

func BenchmarkAddDefaults(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.AddDefaults(benchTols[2:], taints.DefaultSeconds{})
	}
}

func BenchmarkCovers(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchTols[0].Covers(benchTols[1])
	}
}

func BenchmarkMerge(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.Merge(benchTols[:4], benchTols[4:])
	}
}

func BenchmarkMinimize(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.Minimize(benchTols)
	}
}

func BenchmarkLint(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.Lint(benchTols)
	}
}

func BenchmarkExplain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.Explain(benchTaints, benchTols[:5])
	}
}

func BenchmarkSummarize(b *testing.B) {
	nodes := make([][]taints.Taint, 10_000)
	for i := range nodes {
		nodes[i] = []taints.Taint{{Key: "tenant", Value: fmt.Sprint(i % 100), Effect: taints.NoSchedule}}
	}
	b.ReportAllocs()
	for b.Loop() {
		taints.Summarize(slices.Values(nodes), benchTols)
	}
}

// indexScene is a cluster in which 40 % of the nodes are tainted, in so many ways:
// each way is a tenant's taint, and for every second tenant a GPU or spot taint
// beside it.
func indexScene(nodes, ways int) map[string][]taints.Taint {
	sets := make([][]taints.Taint, ways)
	for i := range sets {
		sets[i] = []taints.Taint{{Key: "tenant", Value: fmt.Sprint(i), Effect: taints.NoSchedule}}
		switch i % 4 {
		case 1:
			sets[i] = append(sets[i], taints.Taint{
				Key:    "nvidia.com/gpu",
				Value:  "present",
				Effect: taints.NoSchedule,
			})
		case 3:
			sets[i] = append(sets[i], taints.Taint{
				Key:    "cloud.example.com/spot",
				Value:  "true",
				Effect: taints.PreferNoSchedule,
			})
		}
	}
	scene := make(map[string][]taints.Taint, nodes)
	for i := range nodes {
		name := fmt.Sprintf("node-%07d", i)
		scene[name] = nil
		if i%5 < 2 {
			scene[name] = sets[(i*2/5)%ways]
		}
	}
	return scene
}

func indexOf(scene map[string][]taints.Taint) *taints.Index[string] {
	x := new(taints.Index[string])
	for _, name := range slices.Sorted(maps.Keys(scene)) {
		x.Set(name, scene[name])
	}
	return x
}

func BenchmarkIndex(b *testing.B) {
	pods := []struct {
		name string
		m    *taints.Matcher
	}{
		{"nothing", taints.Compile(nil)},
		{"tenant", taints.Compile(parseTolerations("tenant=1:NoSchedule", "nvidia.com/gpu:NoSchedule op=Exists"))},
		{"everything", taints.Compile(parseTolerations("op=Exists"))},
	}
	for _, nodes := range []int{100_000} {
		for _, ways := range []int{20, 10_000} {
			scene := indexScene(nodes, ways)
			x := indexOf(scene)
			for _, pod := range pods {
				name := fmt.Sprintf("nodes=%d/ways=%d/pod=%s", nodes, ways, pod.name)
				b.Run("CountFeasible/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						x.CountFeasible(pod.m)
					}
				})
				b.Run("Feasible/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						n := 0
						for range x.Feasible(pod.m) {
							n++
						}
					}
				})
			}
			names := slices.Sorted(maps.Keys(scene))
			b.Run(fmt.Sprintf("Set/nodes=%d/ways=%d", nodes, ways), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i += 7919
					x.Set(names[i%len(names)], scene[names[(i+i/len(names))%len(names)]])
				}
			})
			b.Run(fmt.Sprintf("Set after a query/nodes=%d/ways=%d", nodes, ways), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					for range x.Feasible(pods[0].m) {
						break
					}
					i += 7919
					x.Set(names[i%len(names)], scene[names[(i+i/len(names))%len(names)]])
				}
			})
			b.Run(fmt.Sprintf("Delete and Set/nodes=%d/ways=%d", nodes, ways), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i += 7919
					x.Delete(names[i%len(names)])
					x.Set(names[i%len(names)], scene[names[i%len(names)]])
				}
			})
		}
	}
}
