// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"context"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/nodeindex"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"pgregory.net/rapid"
)

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
			tolerations := drawTolerations(t)
			pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: tolerations}}
			matcher := taints.Compile(kube.Tolerations(tolerations))
			if !mode.comparison {
				matcher = gateOff.Compile(kube.Tolerations(tolerations))
			}
			state := framework.NewCycleState()
			same(t, "PreScore", plugin.PreScore(ctx, state, pod, nil).IsSuccess(), true)
			var scores gated.NodeScoreList
			var counts []int
			for range rapid.IntRange(0, 4).Draw(t, "nodes") {
				list := drawTaints(t)
				info := framework.NewNodeInfo()
				info.SetNode(&corev1.Node{Spec: corev1.NodeSpec{Taints: list}})
				same(t, "Schedulable", matcher.Filter(kube.Taints(list)).Schedulable(), plugin.Filter(ctx, state, pod, info).IsSuccess())
				score, status := plugin.Score(ctx, state, pod, info)
				same(t, "Score", status.IsSuccess(), true)
				count := matcher.Filter(kube.Taints(list)).PreferNoSchedule
				same(t, "PreferNoSchedule", int64(count), score)
				scores = append(scores, gated.NodeScore{Score: score})
				counts = append(counts, count)
			}
			same(t, "NormalizeScore", plugin.NormalizeScore(ctx, state, pod, scores).IsSuccess(), true)
			same(t, "AppendScores", nodeindex.AppendScores(nil, counts, 100), scoresOf(scores))
		})
	}
}

func TestDefaultNormalizeScore(t *testing.T) {
	count := rapid.OneOf(rapid.IntRange(0, 8), rapid.IntRange(0, 1<<50))
	maximum := rapid.OneOf(rapid.SampledFrom([]int64{100, 10, 0, 1, -100}), rapid.Int64Range(-1<<12, 1<<12))
	rapid.Check(t, func(t *rapid.T) {
		counts, maxPriority := rapid.SliceOfN(count, 0, 8).Draw(t, "counts"), maximum.Draw(t, "max")
		same(t, "AppendScores", nodeindex.AppendScores(nil, counts, maxPriority), normalized(t, counts, maxPriority))
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
	same(t, "DefaultNormalizeScore", normalized(t, counts, 100), []int64{0, 150})
	same(t, "AppendScores", nodeindex.AppendScores(nil, counts, 100), []int64{0, 100})
}
