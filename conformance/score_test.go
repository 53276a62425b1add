// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"context"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"pgregory.net/rapid"
)

// maxScore is the largest score of the scheduler. The scheduler's constant has a
// different name in each version.
const maxScore = 100

func newPlugin(t testing.TB, comparison bool) *tainttoleration.TaintToleration {
	p, err := tainttoleration.New(context.Background(), nil, nil, gated.PluginFeatures(comparison))
	if err != nil {
		t.Fatal(err)
	}
	return p.(*tainttoleration.TaintToleration)
}

// TestTaintTolerationPlugin runs the kube-scheduler's plugin over a few nodes:
// Filter, PreScore, Score, NormalizeScore.
func TestTaintTolerationPlugin(t *testing.T) {
	for _, mode := range modes {
		plugin := newPlugin(t, mode.comparison)
		rapid.Check(t, func(t *rapid.T) {
			ctx := context.Background()
			pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: drawTolerations(t)}}
			m := mode.options.Compile(convert.Each(pod.Spec.Tolerations, convert.FromToleration))
			state := framework.NewCycleState()
			if status := plugin.PreScore(ctx, state, pod, nil); !status.IsSuccess() {
				t.Fatal(status)
			}
			var scores gated.NodeScoreList
			var counts []int
			for range rapid.IntRange(0, 4).Draw(t, "nodes") {
				list := drawTaints(t)
				info := framework.NewNodeInfo()
				info.SetNode(&corev1.Node{Spec: corev1.NodeSpec{Taints: list}})
				verdict := m.Filter(convert.Each(list, convert.FromTaint))
				if want := plugin.Filter(ctx, state, pod, info).IsSuccess(); verdict.Schedulable() != want {
					t.Fatalf("Schedulable = %v, Kubernetes %v", verdict.Schedulable(), want)
				}
				want, status := plugin.Score(ctx, state, pod, info)
				if !status.IsSuccess() {
					t.Fatal(status)
				}
				if int64(verdict.PreferNoSchedule) != want {
					t.Fatalf("PreferNoSchedule = %d, Kubernetes %d", verdict.PreferNoSchedule, want)
				}
				scores = append(scores, gated.NodeScore{Score: want})
				counts = append(counts, verdict.PreferNoSchedule)
			}
			if status := plugin.NormalizeScore(ctx, state, pod, scores); !status.IsSuccess() {
				t.Fatal(status)
			}
			sameScores(t, taints.NormalizeScores(nil, counts, maxScore), scores)
		})
	}
}

func TestDefaultNormalizeScore(t *testing.T) {
	count := rapid.OneOf(rapid.IntRange(0, 8), rapid.IntRange(0, 1<<50))
	maximum := rapid.OneOf(rapid.SampledFrom([]int64{100, 10, 0, 1, -100}), rapid.Int64Range(-1<<12, 1<<12))
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(count, 0, 8).Draw(t, "counts")
		most := maximum.Draw(t, "max")
		scores := make(gated.NodeScoreList, len(counts))
		for i, c := range counts {
			scores[i].Score = int64(c)
		}
		if status := plugins.DefaultNormalizeScore(most, true, scores); !status.IsSuccess() {
			t.Fatal(status)
		}
		sameScores(t, taints.NormalizeScores(nil, counts, most), scores)
	})
}

func sameScores(t *rapid.T, got []int64, want gated.NodeScoreList) {
	if len(got) != len(want) {
		t.Fatalf("NormalizeScores = %v, Kubernetes %v", got, want)
	}
	for i := range got {
		if got[i] != want[i].Score {
			t.Fatalf("NormalizeScores = %v, Kubernetes %v", got, want)
		}
	}
}
