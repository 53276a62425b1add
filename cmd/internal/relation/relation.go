// SPDX-License-Identifier: Apache-2.0

// Package relation says how the steps of a fix belong together: which are all needed, of
// which one is enough, and which are in place of others.
package relation

import (
	"fmt"
	"strconv"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Kind says how a step belongs to the others.
type Kind string

const (
	Together Kind = ""        // it is needed beside the others
	Enough   Kind = "enough"  // each of the steps with this relation is enough, without the others of them
	Instead  Kind = "instead" // in place of all others, or of those right above
	Also     Kind = "also"    // it is needed beside the step above, which is in place of others
)

// A Place is the one of a step in a list.
type Place struct {
	Relation Kind `json:"relation,omitempty"` // to the other steps
	OfLast   int  `json:"-"`                  // how many of the parts right above it is instead of; 0: all
}

// Labels returns the words before the steps.
func Labels(steps []Place) (labels []string) {
	count, part, hasEnough := make(map[Kind]int), 0, false
	for _, s := range steps {
		count[s.Relation]++
	}
	parts := count[Together] + min(count[Enough], 1)
	for i, s := range steps {
		label := "Fix"
		if s.Relation == Together || s.Relation == Enough && !hasEnough {
			part++
		}
		if parts > 1 {
			label += fmt.Sprintf(", step %d of %d", part, parts)
		}
		switch s.Relation {
		case Enough:
			hasEnough = true
			label += fmt.Sprintf(", one of %d", count[Enough])
		case Instead, Also:
			label = insteadLabel(steps, i, part, parts)
		}
		labels = append(labels, label)
	}
	return labels
}

// insteadLabel returns the words before a step that is in place of others: of all parts, or
// of those up to this one.
func insteadLabel(steps []Place, i, part, parts int) string {
	first, end := i, i+1
	for steps[first].Relation == Also {
		first--
	}
	for end < len(steps) && steps[end].Relation == Also {
		end++
	}
	label := "Or instead"
	if n := steps[first].OfLast; n > 0 && n < parts {
		var numbers []string
		for k := part - n + 1; k <= part; k++ {
			numbers = append(numbers, strconv.Itoa(k))
		}
		label += " of " + say.Noun(n, "step") + " " + say.Joined(numbers)
	}
	if end-first > 1 {
		label += fmt.Sprintf(", step %d of %d", i-first+1, end-first)
	}
	return label
}
