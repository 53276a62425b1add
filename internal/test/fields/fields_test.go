// SPDX-License-Identifier: Apache-2.0

// When Kubernetes gives Taint or Toleration a new field, these tests fail and name each
// place that ignores it. There are three ways to ignore a field: to take two values that
// differ only in it for the same, not to draw it for the properties, and to share what it
// points to with a caller.
package fields_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/nodeindex"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// A place is code that tells two values apart, whichever field they differ in.
type place[T any] struct {
	name    string
	tells   func(a, b T) bool
	ignores string // the fields that do not matter there, by decision
}

// check checks whether the place tells values apart that differ in the field.
func (p place[T]) check(t *testing.T, field string, tells bool) {
	t.Helper()
	if want := !slices.Contains(strings.Fields(p.ignores), field); tells != want {
		var v T
		t.Errorf("%s tells values apart that differ in %T.%s: %v, want %v", p.name, v, field, tells, want)
	}
}

// checkPlaces checks each place with two values for each field, which differ in it.
func checkPlaces[T any](t *testing.T, places []place[T]) {
	for field, pair := range draw.Pairs[T]() {
		for _, p := range places {
			p.check(t, field, p.tells(pair[0], pair[1]))
		}
	}
}

// Each field of a taint matters where taints are compared, written or hidden.
func TestFieldsOfTaint(t *testing.T) {
	type list = []taints.Taint
	checkPlaces(t, []place[taints.Taint]{
		{"Taint.Compare (taint.go)", func(a, b taints.Taint) bool { return a.Compare(b) != 0 && b.Compare(a) == -a.Compare(b) }, ""},
		{"Taint.Equal (taint.go)", func(a, b taints.Taint) bool { return !a.Equal(b) && a.Equal(a) }, ""},
		{"Taint.ID (taint.go)", func(a, b taints.Taint) bool { return a.ID() != b.ID() }, "Value TimeAdded"},
		{"TaintID.String (taint.go)", func(a, b taints.Taint) bool { return a.ID().String() != b.ID().String() }, "Value TimeAdded"},
		{"FindTaint (taint.go)", func(a, b taints.Taint) bool {
			i, _ := taints.FindTaint(list{a, b}, b.ID())
			return i == 1
		}, "Value TimeAdded"},
		{"Taint.AppendTo (taint.go)", func(a, b taints.Taint) bool { return a.String() != b.String() }, "TimeAdded"},
		{"its JSON (taint.go)", inJSON[taints.Taint], ""},
		{"Changes.Apply (changes.go)", func(a, b taints.Taint) bool {
			_, changed := taints.Changes{Add: list{b}}.Apply(list{a})
			return changed
		}, "TimeAdded"},
		{"Reconcile, of what is desired (changes.go)", func(a, b taints.Taint) bool {
			return !taints.Reconcile(list{a}, nil, list{b}).IsZero()
		}, "TimeAdded"},
		{"Reconcile, of what was applied (changes.go)", func(a, b taints.Taint) bool {
			return taints.Reconcile(list{a}, list{b}, nil).IsZero()
		}, "TimeAdded"},
		{"ConditionRules.Reconcile (lifecycle/conditions.go)", func(a, b taints.Taint) bool {
			rules := lifecycle.ConditionRules{{Type: "T", Status: "A", Taint: a}, {Type: "T", Status: "B", Taint: b}}
			state := lifecycle.NodeState{Conditions: []lifecycle.Condition{{Type: "T", Status: "B"}}}
			return !rules.Reconcile(list{a}, state, time.Unix(9, 0)).IsZero()
		}, "TimeAdded"},
		{"Index.Set, in appendText (nodeindex/groups.go)", func(a, b taints.Taint) bool {
			var x nodeindex.Index[int]
			x.Set(1, list{a})
			x.Set(2, list{b})
			groups := 0
			for range x.Groups() {
				groups++
			}
			return groups == 2
		}, "TimeAdded"},
		{"summarizer.counted (explain/summary.go)", func(a, b taints.Taint) bool {
			return len(explain.Summarize(nil, taints.AllEffects, slices.Values([]list{{a}, {b}}), 9).Reasons) == 2
		}, "TimeAdded"},
		{"redactor.reason (explain/redact.go)", func(a, b taints.Taint) bool {
			return isHidden(explain.Reason{Taint: a}) && isHidden(explain.Reason{Taint: b})
		}, ""},
	})
	tols := drawn(draw.Toleration)
	checkDrawn(t, draw.Taint, draw.CommonTaint, draw.ConditionTaint)
	checkRules(t, draw.Taint, []place[taints.Taint]{
		{"reference.Tolerates or Evict", func(a, b taints.Taint) bool {
			return slices.ContainsFunc(tols, func(tol taints.Toleration) bool {
				return reference.Tolerates(taints.Options{}, tol, a) != reference.Tolerates(taints.Options{}, tol, b) ||
					!reflect.DeepEqual(referenceEviction(a, tol), referenceEviction(b, tol))
			})
		}, ""},
		{"reference.ValidTaints", func(a, b taints.Taint) bool {
			return reference.ValidTaints(list{a}) != reference.ValidTaints(list{b})
		}, "TimeAdded"},
		{"Taint.Validate (validation.go)", func(a, b taints.Taint) bool {
			return (a.Validate() == nil) != (b.Validate() == nil)
		}, "TimeAdded"},
		{"ParseTaint (parse.go)", func(a, b taints.Taint) bool {
			x, err1 := taints.ParseTaint(a.String())
			y, err2 := taints.ParseTaint(b.String())
			return err1 == nil && err2 == nil && !x.Equal(y)
		}, "TimeAdded"},
	})
	checkCopies(t, map[string]func(list) list{
		"Changes.Apply, of its argument": func(l list) list {
			after, _ := taints.Changes{Add: list{{Key: "other"}}}.Apply(l)
			return after[:1]
		},
		"Changes.Apply, of Add": func(l list) list { after, _ := taints.Changes{Add: l}.Apply(nil); return after },
		"Reconcile":             func(l list) list { return taints.Reconcile(nil, nil, l).Add },
		"ReconcileOwned":        func(l list) list { return taints.ReconcileOwned(nil, nil, l).Add },
		"Index.Set": func(l list) list {
			var x nodeindex.Index[int]
			x.Set(1, l)
			draw.Overwrite(l...)
			for group := range x.Groups() {
				group = slices.Clone(group)
				group[0].TimeAdded = first[taints.Taint]("TimeAdded").(*time.Time)
				return group
			}
			return nil
		},
	})
}

// Each field of a toleration matters where tolerations are compared, written or hidden.
func TestFieldsOfToleration(t *testing.T) {
	type list = []taints.Toleration
	checkPlaces(t, []place[taints.Toleration]{
		{"Toleration.Compare (toleration.go)", func(a, b taints.Toleration) bool { return a.Compare(b) != 0 && b.Compare(a) == -a.Compare(b) }, ""},
		{"Toleration.Equal (toleration.go)", func(a, b taints.Toleration) bool { return !a.Equal(b) && a.Equal(a) }, ""},
		{"Toleration.ID (toleration.go)", func(a, b taints.Toleration) bool { return a.ID() != b.ID() }, "TolerationSeconds"},
		{"TolerationID.String (toleration.go)", func(a, b taints.Toleration) bool { return a.ID().String() != b.ID().String() }, "TolerationSeconds"},
		{"tolerationset.Find", func(a, b taints.Toleration) bool {
			i, _ := tolerationset.Find(list{a, b}, b.ID())
			return i == 1
		}, "TolerationSeconds"},
		{"Toleration.AppendTo (toleration.go)", func(a, b taints.Toleration) bool { return a.String() != b.String() }, ""},
		{"its JSON (toleration.go)", inJSON[taints.Toleration], ""},
		{"ValidateUpdate (tolerationset/update.go)", func(a, b taints.Toleration) bool {
			errs := test.Errors(tolerationset.ValidateUpdate(list{a}, list{b}, taints.Options{}))
			return slices.ContainsFunc(errs, func(e *taints.FieldError) bool { return e.Kind == taints.ErrForbidden })
		}, "TolerationSeconds"},
		{"Reconcile (tolerationset/reconcile.go)", func(a, b taints.Toleration) bool {
			_, changed := tolerationset.Reconcile(list{a}, list{a}, list{b})
			return changed
		}, ""},
		{"redactor.reason (explain/redact.go)", func(a, b taints.Toleration) bool {
			return isHidden(explain.Reason{Closest: a}) && isHidden(explain.Reason{Closest: b})
		}, ""},
	})
	checkCopies(t, map[string]func(list) list{
		"Compile":   func(l list) list { return slices.Collect(taints.Compile(l).Tolerations()) },
		"Reconcile": func(l list) list { after, _ := tolerationset.Reconcile(nil, nil, l); return after },
		"Merge, of extra": func(l list) list {
			l[0].Operator = taints.OpExists
			merged := tolerationset.Merge(nil, l, taints.Options{})
			l[0].Operator, merged[0].Operator = draw.Secret+"1", draw.Secret+"1"
			return merged
		},
		"Minimize": func(l list) list {
			l[0].Operator = taints.OpExists
			minimal := tolerationset.Minimize(append(l, taints.Toleration{Operator: "none"}), taints.Options{})
			l[0].Operator, minimal[0].Operator = draw.Secret+"1", draw.Secret+"1"
			return minimal[:1]
		},
		"Node": func(l list) list {
			m := taints.Compile(l)
			e := explain.Node(m, []taints.Taint{{Key: l[0].Key}})
			draw.Overwrite(slices.Collect(m.Tolerations())...)
			return list{e[0].Closest}
		},
	})
	for field, pair := range draw.Pairs[taints.Toleration]() {
		own := taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{})
		own[0] = draw.With(own[0], field, pair[0])
		all := taints.AddDaemonSetTolerations(own, taints.DaemonSetPod{})
		if same := len(all) == len(own); same != (field == "TolerationSeconds") {
			t.Errorf("%T.%s is ignored in addForever (defaults.go): %v", pair[0], field, same)
		}
	}
	some := drawn(draw.Taint)
	checkDrawn(t, draw.Toleration, draw.CommonToleration)
	checkRules(t, draw.Toleration, []place[taints.Toleration]{
		{"reference.Tolerates or Evict", func(a, b taints.Toleration) bool {
			return slices.ContainsFunc(some, func(taint taints.Taint) bool {
				return reference.Tolerates(taints.Options{}, a, taint) != reference.Tolerates(taints.Options{}, b, taint) ||
					!reflect.DeepEqual(referenceEviction(taint, a), referenceEviction(taint, b))
			})
		}, ""},
		{"reference.ValidToleration", func(a, b taints.Toleration) bool {
			return reference.ValidToleration(taints.Options{}, a) != reference.ValidToleration(taints.Options{}, b)
		}, ""},
		{"Toleration.Validate (validation.go)", func(a, b taints.Toleration) bool {
			return (a.Validate() == nil) != (b.Validate() == nil)
		}, ""},
		{"ParseToleration (parse.go)", func(a, b taints.Toleration) bool {
			x, err1 := taints.ParseToleration(a.String())
			y, err2 := taints.ParseToleration(b.String())
			return err1 == nil && err2 == nil && x.Equal(a) && y.Equal(b) && !x.Equal(y)
		}, ""},
		{"Covers (tolerationset/covers.go)", func(a, b taints.Toleration) bool {
			return !tolerationset.Covers(a, b, taints.Options{})
		}, ""},
		{"differences (explain/differences.go)", func(a, b taints.Toleration) bool {
			return slices.ContainsFunc(some[:9], func(taint taints.Taint) bool {
				mismatch := func(tol taints.Toleration) explain.Mismatch {
					return explain.Taint(taints.Compile(list{tol}), taint).Mismatch()
				}
				return mismatch(a) != mismatch(b)
			})
		}, "TolerationSeconds"},
	})
}

// checkDrawn checks that the generators draw each field, so that the properties notice
// it.
func checkDrawn[T any](t *testing.T, generators ...*rapid.Generator[T]) {
	for i, g := range generators {
		list := drawn(g)
		for field := range draw.Pairs[T]() {
			if !slices.ContainsFunc(list, func(v T) bool { return !draw.IsZero(v, field) }) {
				t.Errorf("%T.%s is never drawn by generator %d, %v (internal/test/draw)", list[0], field, i, g)
			}
		}
	}
}

// checkRules checks each place with what the generator draws: some of the values that
// differ in the field are told apart. This is for rules in which most differences do not
// matter.
func checkRules[T any](t *testing.T, g *rapid.Generator[T], places []place[T]) {
	list := drawn(g)
	for field := range draw.Pairs[T]() {
		for _, p := range places {
			p.check(t, field, someTold(list, field, p.tells))
		}
	}
}

// someTold reports whether the function tells two of the values apart that differ
// in the field alone.
func someTold[T any](list []T, field string, tells func(a, b T) bool) bool {
	for i, v := range list {
		for _, other := range list[:i] {
			if tells(v, draw.With(v, field, other)) {
				return true
			}
		}
	}
	return false
}

// drawn returns examples of the generator, always the same.
func drawn[T any](g *rapid.Generator[T]) []T {
	var list []T
	for seed := range 80 {
		list = append(list, g.Example(seed))
	}
	return list
}

// referenceEviction returns what the reference says of a pod.
func referenceEviction(taint taints.Taint, tol taints.Toleration) []any {
	outcome, deadline, _ := reference.Evict(taints.Options{}, taints.EvictionPolicy{FromTimeAdded: true},
		[]taints.Taint{taint}, []taints.Toleration{tol}, time.Unix(1e9, 0))
	return []any{outcome, deadline}
}

// inJSON reports whether the values have different JSON that is read back.
func inJSON[T any](a, b T) bool {
	texts := map[string]bool{}
	for _, v := range []T{a, b} {
		var back T
		text, err := json.Marshal(v)
		if err != nil || json.Unmarshal(text, &back) != nil || !reflect.DeepEqual(v, back) {
			return false
		}
		texts[string(text)] = true
	}
	return len(texts) == 2
}

// isHidden reports whether no text of the reason is left when it is redacted.
func isHidden(r explain.Reason) bool {
	text, err := json.Marshal(r.Redact())
	return err == nil && !strings.Contains(string(text), draw.Secret)
}

// checkCopies checks that the result of each function shares no memory with its
// argument, which has all fields set.
func checkCopies[T any](t *testing.T, copies map[string]func([]T) []T) {
	for name, copied := range copies {
		for field, pair := range draw.Pairs[T]() {
			got := copied(pair[:1])
			draw.Overwrite(pair[0])
			if len(got) != 1 || !reflect.DeepEqual(draw.Get(got[0], field), first[T](field)) {
				t.Errorf("%T.%s is shared by the result of %s", pair[0], field, name)
			}
		}
	}
}

// first returns the value that the field has in the first value of each pair.
func first[T any](field string) any {
	for name, pair := range draw.Pairs[T]() {
		if name == field {
			return draw.Get(pair[0], field)
		}
	}
	return nil
}
