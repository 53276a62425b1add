// SPDX-License-Identifier: Apache-2.0

// Package fix says what to do, in steps with commands: about tolerations, about the states of
// nodes, and about pods that stay Terminating.
package fix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Step is something for the user to do.
type Step struct {
	Text     string   `json:"text"`
	Command  string   `json:"command,omitempty"`    // does the step, or helps to find out more
	Effect   string   `json:"effect,omitempty"`     // what else the command does
	For      string   `json:"commandFor,omitempty"` // some of the pods or nodes, or a cluster that it does not name
	Relation relation `json:"relation,omitempty"`   // to the other steps
	Replaces int      `json:"replaces,omitzero"`    // instead: it takes the place of so many steps before it that are not instead or also

	IsRepeated bool `json:"-"` // Once has seen the command before

	pods    int    // that the command is for
	cluster string // that the command is for; empty: it says so
}

// A relation says how a step belongs to the others.
type relation string

const (
	together relation = ""        // it is needed beside the others
	enough   relation = "enough"  // each of the steps with this relation is enough, without the others of them
	instead  relation = "instead" // in place of others
	also     relation = "also"    // after the step before, if that is done
)

// Once marks the steps whose command one before has too, so that a page shows it once.
func Once(steps []Step) []Step {
	seen := make(map[string]bool)
	return lists.Each(steps, func(s Step) Step {
		s.IsRepeated = seen[s.Command]
		seen[s.Command] = s.Command != ""
		return s
	})
}

// Labels returns the words before the steps.
func Labels(steps []Step) (labels []string) {
	count, seen := make(map[relation]int), make(map[relation]int)
	for _, s := range steps {
		count[s.Relation]++
	}
	parts := count[together] + min(count[enough], 1)
	for _, s := range steps {
		label := "Fix"
		seen[s.Relation]++
		part := seen[together] + min(seen[enough], 1)
		if parts > 1 {
			label += fmt.Sprintf(", step %d of %d", part, parts)
		}
		switch s.Relation {
		case enough:
			label += fmt.Sprintf(", one of %d", count[enough])
		case instead:
			label = "Or instead" + ofSteps(part-s.Replaces+1, part, parts)
		case also:
			label = "And then"
		}
		labels = append(labels, label)
	}
	return labels
}

// ofSteps names the one or two steps, unless they are all.
func ofSteps(first, last, all int) string {
	switch n := last - first + 1; {
	case n >= all:
		return ""
	case n == 1:
		return fmt.Sprint(" of step ", last)
	}
	return fmt.Sprintf(" of steps %d and %d", first, last)
}

// Widen makes the step, which is for some pods, one for all of so many things.
func (s *Step) Widen(all int, noun string) {
	if s.pods > 0 {
		s.covers(s.pods, all, noun)
	}
}

// covers sets what the command of the step is for.
func (s *Step) covers(some, all int, noun string) {
	if s.For = s.cluster; some < all {
		number := say.For(some, "", fmt.Sprint(" ", some))
		s.For = strings.TrimSuffix(fmt.Sprintf("the first%s of %d %ss, in %s", number, all, noun, s.cluster), ", in ")
	}
}

// Kubectl makes commands.
type Kubectl struct {
	Connection []string // flags that choose the cluster
	Cluster    string   // that commands are for, if the flags do not say it
}

// step returns a step with a command for some of all.
func (k *Kubectl) step(text string, some, all int, noun string, words ...string) Step {
	command := slices.Concat([]string{"kubectl"}, k.Connection, words)
	s := Step{Text: text, Command: say.CommandLine(command...), cluster: k.Cluster}
	s.covers(some, all, noun)
	return s
}

// onNodes returns a step with a command of two or more words for up to most of the
// nodes, whose names follow the first two.
func (k *Kubectl) onNodes(text string, nodes []string, most int, words ...string) Step {
	names, verb := nodes[:min(len(nodes), most)], min(len(words), 2)
	return k.step(text, len(names), len(nodes), "node", slices.Concat(words[:verb], names, words[verb:])...)
}

// OneOf joins lists of steps, each of which is enough.
func OneOf(all ...[]Step) (steps []Step) {
	all = slices.DeleteFunc(all, func(list []Step) bool { return len(list) == 0 })
	for _, list := range all {
		next := enough
		for _, s := range list {
			switch {
			case len(all) == 1:
			case s.Relation == instead:
				s.Replaces = 1
			case s.Relation == together:
				s.Relation = next
			}
			steps, next = append(steps, s), also
		}
	}
	return steps
}
