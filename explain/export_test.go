// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"iter"

	"github.com/seed-0529bac1/taints"
)

// Steps is Nodes, and returns how many tolerations were searched for the closest.
func Steps(m *taints.Matcher, in taints.EffectSet, nodes iter.Seq[[]taints.Taint], limit int) (Summary, int) {
	s := summarizer{explainer: newExplainer(m), in: in}
	for list := range nodes {
		s.count(list, 1)
	}
	return s.summary(limit), s.explainer.steps
}
