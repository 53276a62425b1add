// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
)

// The benchmarks use a GPU node and a pod with eight common tolerations.
var (
	benchTaints = test.Taints("dedicated=ml:NoSchedule", "nvidia.com/gpu=present:NoSchedule",
		"cloud.example.com/spot=true:PreferNoSchedule")
	benchTols = test.Tolerations(
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
		taints.FindUntolerated(benchTaints, benchTols, taints.HardEffects)
	}
}

func BenchmarkMatcherFindUntolerated(b *testing.B) {
	m := taints.Compile(benchTols)
	b.ReportAllocs()
	for b.Loop() {
		m.FindUntolerated(benchTaints, taints.HardEffects)
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		taints.Compile(benchTols)
	}
}

func BenchmarkEvict(b *testing.B) {
	list := test.Taints("node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/unreachable:NoExecute")
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
