package helper

import (
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/nodeindex"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

func DefaultNormalizeScore(maxPriority int64, reverse bool, scores fwk.NodeScoreList) *fwk.Status {
	counts, some := make([]int, len(scores)), false
	for i, s := range scores {
		counts[i] = int(s.Score)
		some = some || s.Score > 0
	}
	if !some && !reverse {
		return nil
	}
	for i, score := range nodeindex.AppendScores(nil, counts, maxPriority) {
		if !reverse {
			score = maxPriority - score
		}
		scores[i].Score = score
	}
	return nil
}

func DoNotScheduleTaintsFilterFunc() func(t *v1.Taint) bool {
	return func(t *v1.Taint) bool { return taints.HardEffects.Has(taints.Effect(t.Effect)) }
}
