// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// TestCases has what the package says of taints, conditions, annotations, labels and clients. A
// case has those of which it says the same.
func TestCases(t *testing.T) {
	conditions := []lifecycle.Condition{
		{Type: "Ready", Status: "False"}, {Type: "GpuXid", Status: "True"}, {Type: "KernelDeadlock", Status: "False"}, {Type: "NVLinkHealthy", Status: "False"}, {Type: "GPUFallenOffBus", Status: "True"},
	}
	taintOf := func(text string) taints.Taint {
		key, value, _ := strings.Cut(text, "=")
		return taints.Taint{Key: key, Value: value}
	}
	faultOf := func(named []lifecycle.Condition) string {
		return cmp.Or(strings.Join(Wrong(named), " "), map[bool]string{true: "all is well", false: "no fault"}[len(named) > 0])
	}
	says := func(is bool, yes, no string) string { return map[bool]string{true: yes, false: no}[is] }
	for name, answer := range map[string]func(text string) string{
		"faults": func(text string) string { return faultOf(Named(taintOf(text), conditions)) },
		"clients": func(text string) string {
			return says(isOf("people", text), "a person", says(IsSetter(text), "has taints of its own", "another"))
		},
		"splits": func(text string) string { return cmp.Or(strings.Join(split(text), " "), "none") },
		"annotations": func(text string) string {
			key, value, _ := strings.Cut(text, "=")
			return says(saysHeld(key, value), "somebody has the node", "nothing")
		},
		"conditions": func(text string) string {
			name, status, _ := strings.Cut(text, "=")
			return says(isHarmless(lifecycle.Condition{Type: name, Status: status}), "well", "sick")
		},
		"known": func(text string) string {
			e := Known(taintOf(text))
			return says(e.State == None || e.IsGuess, "not in the table", string(e.State))
		},
		"words": func(text string) string {
			state, isPool, isMark := reading(taintOf(text))
			return cmp.Or(string(state), says(isPool, "pool", says(isMark, "a mark", "unknown")))
		},
		"marks": func(text string) string {
			taint, label, _ := strings.Cut(text, " beside ")
			key, value, _ := strings.Cut(label, "=")
			hasResource := func(name string) bool { return name == "vendor.com/chip" }
			return says(Marks(taintOf(taint), func(k string) (string, bool) { return value, k == key }, hasResource), "the same pool", "nothing")
		},
		"purposes": func(text string) string {
			taint, words, _ := strings.Cut(text, " ")
			has := func(word string) bool { return slices.Contains(strings.Fields(words), word) }
			p := Of(taintOf(taint), Evidence{
				Fault: says(has("fault"), "a fault", ""), Startup: says(has("startup"), "NodePool p", ""), Writer: says(has("written"), "a controller", ""),
				IsListed: has("listed"), IsChosen: has("chosen"), IsMarked: has("marked"), IsWanted: has("wanted"), IsLater: has("later"), IsNamed: has("named"),
				IsPartly: has("partly"), IsAlone: has("alone"),
			})
			if p.State != None {
				return string(p.State) + ": " + p.Because
			}
			return says(p.IsPool, "pool", "unknown")
		},
		"since": func(text string) string {
			var key, other string
			var hours, otherHours, made int
			taints.Must(fmt.Sscanf(text, "%s %dh beside %s %dh on a node of %dh", &key, &hours, &other, &otherHours, &made))
			now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
			ago := func(hours int) time.Time { return now.Add(-time.Duration(hours) * time.Hour) }
			taint := func(text string, hours int) taints.Taint {
				t := taints.Must(taints.ParseTaint(text))
				if hours > 0 {
					t.TimeAdded = new(ago(hours))
				}
				return t
			}
			n := NodeState{Taints: []taints.Taint{taint(key, hours), taint(other, otherHours)}, Made: ago(made)}
			since := n.Since(n.Taints[0], now)
			return says(since.IsZero(), "not known", fmt.Sprintf("%.0fh", now.Sub(since).Hours()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cases.Run(t, "testdata/"+name+".txt", func(_ *testing.T, lines []string) []string { return slices.Compact(lists.Each(lines, answer)) })
		})
	}
}
