// SPDX-License-Identifier: Apache-2.0

package fields_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// An effect that Kubernetes knows counts in each place that this test names.
func TestKnownEffects(t *testing.T) {
	kinds := map[taints.Effect]struct{ repels, prefers, evicts bool }{
		taints.NoSchedule:       {repels: true},
		taints.PreferNoSchedule: {prefers: true},
		taints.NoExecute:        {repels: true, evicts: true},
	}
	documents := map[string]string{}
	for _, file := range []string{"doc.go", "docs/semantics.md"} {
		text, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		documents[file] = string(text)
	}
	var all []taints.Effect
	for _, name := range known.Effects() {
		all = append(all, taints.Effect(name))
	}
	for i, e := range all {
		kind, decided := kinds[e]
		if !decided {
			t.Errorf("%q is new. Enter it in the table of this test, which then asks for most places. It does not see\n"+
				"  - score and main in examples/scheduler/main.go, and Score in cluster/scheduler/internal/plugin/plugin.go\n"+
				"  - answer.go in cmd/playground/internal/play", e)
		}
		if !slices.Contains(reference.KnownEffects, e) {
			t.Errorf("%q is unknown to internal/test/reference", e)
		}
		if taint := (taints.Taint{Key: "k", Effect: e}); taints.Effects(e).String() != string(e) || taint.Validate() != nil {
			t.Errorf("%q prints as %v: %v", e, taints.Effects(e), taint.Validate())
		}
		for _, other := range all[:i] {
			if taints.Effects(e).Has(other) {
				t.Errorf("the set of %q has %q", e, other)
			}
		}
		list := []taints.Taint{{Key: "k", Effect: e}}
		v := taints.Filter(list, nil)
		if v.Other != 0 || v.AllTolerated() || v.String() != "untolerated: 1 "+string(e) {
			t.Errorf("%q is counted as %q: give it a field of Verdict, and lines in its count and String methods (filter.go)", e, v)
		}
		if v.Schedulable() == kind.repels {
			t.Errorf("%q: Verdict.Schedulable (filter.go) is %v", e, !kind.repels)
		}
		if v.Avoid() != kind.prefers {
			t.Errorf("%q: Verdict.Avoid (filter.go) is %v", e, !kind.prefers)
		}
		if taints.HardEffects.Has(e) != kind.repels {
			t.Errorf("%q: HardEffects (taint.go) is %v", e, taints.HardEffects)
		}
		if eviction := taints.EvictionOf(list, nil, time.Time{}); (eviction.Outcome != taints.Stays) != kind.evicts {
			t.Errorf("%q: EvictionOf (eviction.go) says that the pod %v", e, eviction)
		}
		findings := tolerationset.Lint([]taints.Toleration{{Operator: taints.OpExists, Effect: e}}, taints.Options{})
		if warns := len(findings) == 1 && findings[0].Code == tolerationset.CodeEverything; warns != kind.repels {
			t.Errorf("%q: checkEverything (tolerationset/lint.go) finds %v", e, findings)
		}
		for file, text := range documents {
			if !strings.Contains(text, string(e)) {
				t.Errorf("%q is not in %s", e, file)
			}
		}
		if !slices.ContainsFunc(drawn(draw.Taint), func(taint taints.Taint) bool { return taint.Effect == e }) {
			t.Errorf("%q is never drawn (internal/test/draw)", e)
		}
	}
	if len(reference.KnownEffects) != len(all) {
		t.Errorf("the reference knows %v, and the library %v", reference.KnownEffects, all)
	}
}
