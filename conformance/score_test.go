// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"context"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/nodeindex"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"pgregory.net/rapid"
)

// maxScore is the largest score of the scheduler. The scheduler's constant has a
// different name in each version.
const maxScore = 100

// TestTaintTolerationPlugin runs the kube-scheduler's plugin over a few nodes:
// Filter, PreScore, Score, NormalizeScore.
func TestTaintTolerationPlugin(t *testing.T) {
	ctx := context.Background()
	for _, mode := range modes {
		p, err := tainttoleration.New(ctx, nil, nil, gated.PluginFeatures(mode.comparison))
		if err != nil {
			t.Fatal(err)
		}
		plugin := p.(*tainttoleration.TaintToleration)
		rapid.Check(t, func(t *rapid.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: drawTolerations(t)}}
			m := mode.options.Compile(kube.Tolerations(pod.Spec.Tolerations))
			state := framework.NewCycleState()
			same(t, "PreScore", plugin.PreScore(ctx, state, pod, nil).IsSuccess(), true)
			var scores gated.NodeScoreList
			var counts []int
			for range rapid.IntRange(0, 4).Draw(t, "nodes") {
				list := drawTaints(t)
				info := framework.NewNodeInfo()
				info.SetNode(&corev1.Node{Spec: corev1.NodeSpec{Taints: list}})
				verdict := m.Filter(kube.Taints(list))
				same(t, "Schedulable", verdict.Schedulable(), plugin.Filter(ctx, state, pod, info).IsSuccess())
				score, status := plugin.Score(ctx, state, pod, info)
				same(t, "Score", status.IsSuccess(), true)
				same(t, "PreferNoSchedule", int64(verdict.PreferNoSchedule), score)
				scores = append(scores, gated.NodeScore{Score: score})
				counts = append(counts, verdict.PreferNoSchedule)
			}
			same(t, "NormalizeScore", plugin.NormalizeScore(ctx, state, pod, scores).IsSuccess(), true)
			same(t, "NormalizeScores", nodeindex.NormalizeScores(nil, counts, maxScore), scoresOf(scores))
		})
	}
}

func TestDefaultNormalizeScore(t *testing.T) {
	count := rapid.OneOf(rapid.IntRange(0, 8), rapid.IntRange(0, 1<<50))
	maximum := rapid.OneOf(rapid.SampledFrom([]int64{100, 10, 0, 1, -100}), rapid.Int64Range(-1<<12, 1<<12))
	rapid.Check(t, func(t *rapid.T) {
		counts, most := rapid.SliceOfN(count, 0, 8).Draw(t, "counts"), maximum.Draw(t, "max")
		same(t, "NormalizeScores", nodeindex.NormalizeScores(nil, counts, most), normalized(t, counts, most))
	})
}

// normalized returns the scores for the counts in Kubernetes.
func normalized(t rapid.TB, counts []int, most int64) []int64 {
	scores := make(gated.NodeScoreList, len(counts))
	for i, c := range counts {
		scores[i].Score = int64(c)
	}
	same(t, "DefaultNormalizeScore", plugins.DefaultNormalizeScore(most, true, scores).IsSuccess(), true)
	return scoresOf(scores)
}

func scoresOf(scores gated.NodeScoreList) (list []int64) {
	for _, s := range scores {
		list = append(list, s.Score)
	}
	return list
}

func TestDifferenceScores(t *testing.T) {
	counts := []int{2, -1}
	same(t, "DefaultNormalizeScore", normalized(t, counts, maxScore), []int64{0, 150})
	same(t, "NormalizeScores", nodeindex.NormalizeScores(nil, counts, maxScore), []int64{0, 100})
}
