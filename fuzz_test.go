// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

func FuzzParseTaint(f *testing.F) {
	for _, s := range []string{
		"dedicated=ml:NoSchedule", "k:NoExecute", "k=:PreferNoSchedule", "k", "k=v", "k:",
		"k=v:NoSchedule-", "a/b/c:x", "a=b=c:NoSchedule", "\xff:NoSchedule",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		taint, err := taints.ParseTaint(s)
		if err != nil {
			checkFuzzedError(t, s, err)
			return
		}
		if !refValidTaints([]taints.Taint{taint}) {
			t.Fatalf("%q is read as the invalid %+v", s, taint)
		}
		again, err := taints.ParseTaint(taint.String())
		if err != nil || again != taint {
			t.Fatalf("%q is read as %+v and that as %+v, %v", s, taint, again, err)
		}
	})
}

func FuzzParseToleration(f *testing.F) {
	for _, s := range []string{
		"k=v:NoSchedule", "op=Exists", "op=Exists op=Equal", ":NoExecute op=Exists for 300s",
		"k=5 op=Lt", "k:NoExecute for -5s", "k for 5s", "k op=", " op=Lt", "k  op=Exists",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, o := range allOptions {
			tol, err := o.ParseToleration(s)
			if err != nil {
				checkFuzzedError(t, s, err)
				continue
			}
			if !refValidToleration(o, tol) {
				t.Fatalf("under %+v %q is read as the invalid %+v", o, s, tol)
			}
			again, err := o.ParseToleration(tol.String())
			if err != nil || !again.Equal(tol) {
				t.Fatalf("under %+v %q is read as %+v and that as %+v, %v", o, s, tol, again, err)
			}
			if _, err := (taints.Options{}).ParseToleration(s); err != nil && !o.KeyWildcards {
				t.Fatalf("%q is read under %+v, and under no options with %v", s, o, err)
			}
		}
	})
}

func FuzzParseTaints(f *testing.F) {
	for _, s := range []string{
		"", ",", "a:NoSchedule", "a=b:NoSchedule,c:NoExecute", "a:NoSchedule,a=b:NoSchedule",
		"a:NoSchedule,,b", "a:NoSchedule, b:NoSchedule", "a:NoSchedule-,b=:x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := taints.ParseTaints(text)
		if err != nil {
			checkFuzzedListErrors(t, text, err)
			return
		}
		if !refValidTaints(list) || text != "" && len(list) != strings.Count(text, ",")+1 {
			t.Fatalf("%q is read as %+v", text, list)
		}
		again, err := taints.ParseTaints(strings.Join(texts(list), ","))
		if err != nil || !slices.Equal(again, list) {
			t.Fatalf("%q is read as %+v and that as %+v, %v", text, list, again, err)
		}
	})
}

// checkFuzzedListErrors checks that each error is about an entry of the list, in
// order, and says a place in it.
func checkFuzzedListErrors(t *testing.T, text string, err error) {
	t.Helper()
	specs, last := strings.Split(text, ","), -1
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		checkFuzzedError(t, text, err)
		parse := err.(*taints.ParseError)
		i, ok := parse.Err.(*taints.FieldError).Index()
		if !ok || i <= last || i >= len(specs) {
			t.Fatalf("%q: %v behind %d", text, err, last)
		}
		start := 0
		for _, spec := range specs[:i] {
			start += len(spec) + len(",")
		}
		if parse.Offset < start || parse.Offset > start+len(specs[i]) {
			t.Fatalf("%q: %v is not in entry %d", text, err, i)
		}
		last = i
	}
	if last < 0 {
		t.Fatalf("%q: no fault in %v", text, err)
	}
}

func FuzzParseTaintID(f *testing.F) {
	for _, s := range []string{
		"a", "a:NoSchedule", "a/b:NoExecute", "a:", "a=b:NoSchedule", "", ":NoSchedule", "a:x",
		"a:NoSchedule-", "a::NoSchedule",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := taints.ParseTaintID(s)
		if err != nil {
			checkFuzzedError(t, s, err)
			if id != (taints.TaintID{}) {
				t.Fatalf("%q is read as %+v, %v", s, id, err)
			}
			return
		}
		if !refValidKey(id.Key) || id.Effect != "" && !refKnownEffect(id.Effect) || id.String() != s {
			t.Fatalf("%q is read as %+v", s, id)
		}
	})
}

// FuzzUnmarshalText reads names of enumerations and sets.
func FuzzUnmarshalText(f *testing.F) {
	for _, s := range []string{
		"", "all", "none", "NoSchedule|NoExecute", "other|other", "NoSchedule|", "|", "all|none",
		"Effect(3)", "MismatchKey", "LongestMatch", "EvictsNow", "HintSpelling",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set := taints.Hard
		if err := set.UnmarshalText([]byte(text)); err != nil {
			checkFuzzedError(t, text, err)
			if set != taints.Hard {
				t.Fatalf("%q is read as %v, %v", text, set, err)
			}
		} else if again := taints.Soft; again.UnmarshalText([]byte(set.String())) != nil || again != set {
			t.Fatalf("%q is read as %v and that as %v", text, set, again)
		}
		for _, e := range enums {
			e.CheckText(t, text)
		}
	})
}

func checkFuzzedError(t *testing.T, s string, err error) {
	t.Helper()
	parse, ok := err.(*taints.ParseError)
	if !ok || parse.Input != s || parse.Offset < 0 || parse.Offset > len(s) || err.Error() == "" {
		t.Fatalf("%q: %#v", s, err)
	}
}

func FuzzParseChanges(f *testing.F) {
	for _, s := range []string{
		"k=v:NoSchedule", "k:NoExecute- k=v:NoSchedule- k-", "k=:PreferNoSchedule j-",
		"k- k- k:NoSchedule", "k=v- - -- k:-", "k:NoSchedule k=v:NoSchedule", "a/b/c-", "\xff-",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		specs := strings.Split(text, " ")
		c, err := taints.ParseChanges(specs...)
		if err != nil {
			checkFuzzedChangeErrors(t, specs, err)
			return
		}
		if len(c.Add)+len(c.Remove) != len(specs) || !refValidTaints(c.Add) {
			t.Fatalf("%q is read as %+v", specs, c)
		}
		again, err := taints.ParseChanges(strings.Fields(c.String())...)
		if diff := cmp.Diff(c, again); err != nil || diff != "" {
			t.Fatalf("%q is read as %q and that with %v (-want +got):\n%s", specs, c, err, diff)
		}
		checkApplyStrict(t, nil, c, true)
	})
}

// checkFuzzedChangeErrors checks that the error is about some of the specs, in order.
func checkFuzzedChangeErrors(t *testing.T, specs []string, err error) {
	t.Helper()
	last := -1
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		fault := err.(*taints.ParseError).Err.(*taints.FieldError)
		i, ok := fault.Index()
		if !ok || i <= last || i >= len(specs) {
			t.Fatalf("%q: %v behind %d", specs, err, last)
		}
		last = i
		checkFuzzedError(t, specs[last], err)
	}
	if last < 0 {
		t.Fatalf("%q: no fault in %v", specs, err)
	}
}

// FuzzJSON decodes a node's taints and a pod's tolerations and calls every function
// that takes them.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"Taints":[{"key":"gpu","value":"x","effect":"NoSchedule","timeAdded":"2026-11-21T01:24:15Z"}],"Tolerations":[{"key":"gpu","operator":"Equal","value":"X"}]}`))
	f.Add([]byte(`{"Taints":[{"key":"score","value":"40","effect":"NoExecute"},{}],"Tolerations":[{"key":"score","operator":"Lt","value":"60","effect":"NoExecute","tolerationSeconds":9223372036854775807}]}`))
	f.Add([]byte(`{"Taints":[{"key":"a*","effect":"x"}],"Tolerations":[{"key":"*","operator":"Exists"},{},{"operator":"exists"}]}`))
	f.Add([]byte(`{"Taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"},{"key":"gpu","effect":""},{"key":"gpu","value":"x","effect":""}],"Conditions":[{"type":"Ready","status":"Unknown"},{"type":"Ready","status":"False"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var pair struct {
			Taints      []taints.Taint
			Tolerations []taints.Toleration
		}
		if json.Unmarshal(data, &pair) != nil ||
			len(pair.Taints)*max(len(pair.Taints), len(pair.Tolerations)) > 1000 {
			return
		}
		again := pair
		if text, err := json.Marshal(pair); err != nil || json.Unmarshal(text, &again) != nil {
			t.Fatalf("%s, %v", text, err)
		}
		if !slices.EqualFunc(again.Taints, pair.Taints, taints.Taint.Equal) ||
			!slices.EqualFunc(again.Tolerations, pair.Tolerations, taints.Toleration.Equal) {
			t.Fatalf("%v came back as %v", pair, again)
		}
		callEverything(t, pair.Taints, pair.Tolerations)
		changeEverything(t, pair.Taints)
	})
}

func callEverything(t *testing.T, list []taints.Taint, tols []taints.Toleration) {
	now := time.Unix(1_800_000_000, 0)
	for _, o := range allOptions {
		m := o.Compile(tols)
		v := m.Filter(list)
		if len(refUntolerated(o, list, tols, "NoSchedule", "NoExecute")) != v.NoSchedule+v.NoExecute {
			t.Fatalf("Filter = %+v", v)
		}
		if e := m.Explain(list); e.Schedulable() != v.Schedulable() ||
			strings.Count(e.String(), "\n") != max(0, len(list)-1) ||
			strings.Count(e.Redact().String(), "\n") != max(0, len(list)-1) {
			t.Fatalf("Explain = %v", e)
		}
		if s := m.Summarize(slices.Values([][]taints.Taint{list})); (s.Feasible == 1) != v.Schedulable() ||
			strings.Count(s.String(), "\n") != 0 ||
			strings.Count(s.Redact().Report(), "\n") != len(s.Reasons) {
			t.Fatalf("Summarize = %v", s)
		}
		var x taints.Index[int]
		x.Set(1, list)
		x.Set(2, nil)
		if n := x.CountFeasible(m); n == 2 != v.Schedulable() || x.Summarize(m).Feasible != n {
			t.Fatalf("CountFeasible = %d though %+v", n, v)
		}
		for _, p := range []taints.EvictionPolicy{
			{},
			{Select: taints.LongestMatch, FromTimeAdded: true},
			{Select: taints.ShortestMatch},
			{Select: taints.ForeverElseShortest},
		} {
			p.Options = o
			if e := p.EvictionOf(list, tols, now); e != p.Compile(tols).EvictionOf(list, now) ||
				e.Outcome == taints.Stays && v.Evicts() {
				t.Fatalf("%+v though %+v", e, v)
			}
		}
		if least := o.Minimize(tols); o.Compile(least).Filter(list) != v ||
			o.Compile(o.Merge(nil, tols)).Filter(list) != v {
			t.Fatalf("minimized to %v", least)
		}
		if err := o.ValidateAllowed(tols, tols); err != nil {
			t.Fatalf("a toleration does not cover itself: %v", err)
		}
		if !o.SameTolerations(tols, o.Minimize(tols)) {
			t.Fatalf("%v does not mean the same as %v", o.Minimize(tols), tols)
		}
		for _, f := range o.Lint(tols) {
			if f.Toleration < 0 || f.Toleration >= len(tols) || otherOf(f) >= len(tols) || f.String() == "" {
				t.Fatalf("Lint: %+v", f)
			}
		}
		err := o.ValidateTolerationsUpdate(nil, tols)
		if (err == nil) != refValidTolerations(o, tols) {
			t.Fatalf("ValidateTolerationsUpdate: %v", err)
		}
	}
	if err := taints.ValidateTaints(list); (err == nil) != refValidTaints(list) ||
		err != nil && err.Error() == "" {
		t.Fatalf("ValidateTaints: %v", err)
	}
	for name, add := range adders {
		if got := add(tols); len(add(got)) != len(got) {
			t.Fatalf("%s is not idempotent", name)
		}
	}
	for _, taint := range list {
		if !taint.Equal(taint) || taint.ID().Key != taint.Key || taint.String() != string(taint.AppendTo(nil)) {
			t.Fatalf("%+v", taint)
		}
	}
	for _, tol := range tols {
		if !tol.Equal(tol) || tol.String() != string(tol.AppendTo(nil)) {
			t.Fatalf("%+v", tol)
		}
	}
}

// changeEverything calls the functions that change a node's taints.
func changeEverything(t *testing.T, list []taints.Taint) {
	half := list[:len(list)/2]
	for _, reconcile := range []func([]taints.Taint) taints.Changes{
		func(current []taints.Taint) taints.Changes { return taints.Diff(current, half) },
		func(current []taints.Taint) taints.Changes { return taints.Reconcile(current, half, list[len(half):]) },
		func(current []taints.Taint) taints.Changes {
			return taints.ReconcileOwned(current, []taints.TaintID{
				{Key: "gpu"}, {Key: "score", Effect: "NoExecute"},
			}, half)
		},
	} {
		c := reconcile(list)
		after, err := c.ApplyStrict(list, true)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if again := reconcile(after); again.String() != "" {
			t.Fatalf("%v, and again %v", c, again)
		}
	}
	c := taints.Changes{Add: list}
	for _, taint := range half {
		c.Remove = append(c.Remove, taint.ID())
	}
	for _, overwrite := range []bool{false, true} {
		checkApplyStrict(t, list, c, overwrite)
	}
}

func FuzzValidate(f *testing.F) {
	f.Add("example.com/gpu", "Equal", "v", "NoExecute", int64(300), true)
	f.Add("", "Exists", "", "", int64(0), false)
	f.Add("a-.b/c", "Lt", "-9223372036854775808", "NoSchedule", int64(-1), false)
	f.Add("a/*", "exists", "007", "x", int64(1), true)
	f.Fuzz(func(t *testing.T, key, operator, value, effect string, seconds int64, timed bool) {
		taint := taints.Taint{Key: key, Value: value, Effect: taints.Effect(effect)}
		list := []taints.Taint{taint}
		if err := taints.ValidateTaints(list); (err == nil) != refValidTaints(list) {
			t.Fatalf("%+v: %v", taint, err)
		}
		tol := taints.Toleration{
			Key:      key,
			Operator: taints.Operator(operator),
			Value:    value,
			Effect:   taints.Effect(effect),
		}
		if timed {
			tol.TolerationSeconds = &seconds
		}
		for _, o := range allOptions {
			if err := o.ValidateTolerations([]taints.Toleration{tol}); (err == nil) != refValidToleration(o, tol) {
				t.Fatalf("%+v under %+v: %v", tol, o, err)
			}
		}
	})
}

func FuzzEvictionOf(f *testing.F) {
	f.Add("a:NoExecute", ":NoExecute op=Exists",
		int64(300), int64(1_800_000_000), int64(1_800_000_000), uint8(0), false)
	f.Add("a=5:NoExecute", "a=4 op=Gt",
		int64(18446744074), int64(-62135596800), int64(0), uint8(1), true)
	f.Add("a:NoExecute", "a",
		int64(-9223372036854775808), int64(9223372036854775807), int64(-9223372036854775808), uint8(2), true)
	f.Fuzz(func(
		t *testing.T, taintText, tolText string,
		seconds, observed, added int64, selection uint8, fromTimeAdded bool,
	) {
		taint, err := taints.ParseTaint(taintText)
		if err != nil {
			return
		}
		tol, err := taints.ParseToleration(tolText)
		if err != nil {
			return
		}
		when := time.Unix(added, 0)
		taint.TimeAdded, tol.TolerationSeconds = &when, &seconds
		list, tols := []taints.Taint{taint}, []taints.Toleration{tol, {Operator: taints.OpExists}}
		now := time.Unix(observed, 0)
		p := taints.EvictionPolicy{Select: taints.Selection(selection), FromTimeAdded: fromTimeAdded}
		e := p.Compile(tols).EvictionOf(list, now)
		if e != p.EvictionOf(list, tols, now) {
			t.Fatalf("compiled %+v, one-shot %+v", e, p.EvictionOf(list, tols, now))
		}
		outcome, deadline := refDeadline(p, list, tols, now)
		if e.Outcome != outcome || deadline != nil && nanosOf(e.At).Cmp(deadline) != 0 {
			t.Fatalf("got %+v, want %v at %v", e, outcome, deadline)
		}
	})
}
