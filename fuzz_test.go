// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/reference"
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
		if !reference.ValidTaints([]taints.Taint{taint}) {
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
			if !reference.ValidToleration(o, tol) {
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
			checkFuzzedEntries(t, text, err)
			return
		}
		if !reference.ValidTaints(list) || text != "" && len(list) != strings.Count(text, ",")+1 {
			t.Fatalf("%q is read as %+v", text, list)
		}
		again, err := taints.ParseTaints(strings.Join(texts(list), ","))
		if err != nil || !slices.Equal(again, list) {
			t.Fatalf("%q is read as %+v and that as %+v, %v", text, list, again, err)
		}
	})
}

// checkFuzzedEntries checks that each fault is about an entry of the list, in order,
// and says an offset in it.
func checkFuzzedEntries(t *testing.T, text string, err error) {
	t.Helper()
	specs, last := strings.Split(text, ","), -1
	for _, fault := range faultsIn(err) {
		checkFuzzedError(t, text, fault)
		if fault.List != "taints" || fault.Index <= last || fault.Index >= len(specs) {
			t.Fatalf("%q: %v after %d", text, fault, last)
		}
		last = fault.Index
		start := len(strings.Join(append(slices.Clone(specs[:last]), ""), ","))
		if fault.Offset < start || fault.Offset > start+len(specs[last]) {
			t.Fatalf("%q: %v is not in entry %d", text, fault, last)
		}
	}
	if last < 0 {
		t.Fatalf("%q: no fault in %v", text, err)
	}
}

func FuzzParseTaintID(f *testing.F) {
	for _, s := range []string{
		"a", "a:NoSchedule", "a/b:NoExecute", "a:", "a=b:NoSchedule", "", ":NoSchedule", "a:x",
		"a:NoSchedule-", "a::NoSchedule", ":",
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
		} else if !reference.ValidKey(id.Key) || !reference.KnownEffect(id.Effect) || id.String() != s {
			t.Fatalf("%q is read as %+v", s, id)
		}
		var any taints.TaintID
		if err := any.UnmarshalText([]byte(s)); (err == nil) != strings.Contains(s, ":") ||
			err == nil && any.String() != s {
			t.Fatalf("%q is read as %+v, %v", s, any, err)
		}
	})
}

// FuzzUnmarshalText reads names of enumerations and sets.
func FuzzUnmarshalText(f *testing.F) {
	for _, s := range []string{
		"", "all", "none", "NoSchedule|NoExecute", "other|other", "NoSchedule|", "|", "all|none",
		"Effect(3)", "LongestMatch", "EvictsNow", "Stays",
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
	fault, ok := err.(*taints.FieldError)
	if !ok || fault.Input != s || fault.Offset < 0 || fault.Offset > len(s) || err.Error() == "" {
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
			checkFuzzedSpecs(t, specs, err)
			return
		}
		if len(c.Add)+len(c.Remove)+len(c.RemoveKeys) != len(specs) || !reference.ValidTaints(c.Add) {
			t.Fatalf("%q is read as %+v", specs, c)
		}
		again, err := taints.ParseChanges(strings.Fields(c.String())...)
		if diff := cmp.Diff(c, again); err != nil || diff != "" {
			t.Fatalf("%q is read as %q and that with %v (-want +got):\n%s", specs, c, err, diff)
		}
		checkApplyStrict(t, nil, c, true)
	})
}

// checkFuzzedSpecs checks that the faults are about some of the specs, in order.
func checkFuzzedSpecs(t *testing.T, specs []string, err error) {
	t.Helper()
	last := -1
	for _, fault := range faultsIn(err) {
		if fault.List != "specs" || fault.Index <= last || fault.Index >= len(specs) {
			t.Fatalf("%q: %v after %d", specs, fault, last)
		}
		last = fault.Index
		checkFuzzedError(t, specs[last], fault)
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

// callEverything checks what holds for any taints and tolerations.
func callEverything(t *testing.T, list []taints.Taint, tols []taints.Toleration) {
	now := time.Unix(1_800_000_000, 0)
	for _, o := range allOptions {
		v := o.Compile(tols).Filter(list)
		if len(reference.Untolerated(o, list, tols, "NoSchedule", "NoExecute")) != v.NoSchedule+v.NoExecute {
			t.Fatalf("Filter = %+v", v)
		}
		for _, p := range []taints.EvictionPolicy{
			{},
			{Select: taints.LongestMatch, FromTimeAdded: true},
			{Select: taints.ShortestMatch, Arrival: now},
			{Select: taints.ForeverElseShortest},
		} {
			p.Options = o
			if e := p.EvictionOf(list, tols, now); e != p.Compile(tols).EvictionOf(list, now) ||
				e.Outcome == taints.Stays && v.Evicts() {
				t.Fatalf("%+v though %+v", e, v)
			}
		}
		if err := o.ValidateTolerationsUpdate(nil, tols); (err == nil) != refValidTolerations(o, tols) {
			t.Fatalf("ValidateTolerationsUpdate: %v", err)
		}
	}
	if err := taints.ValidateTaints(list); (err == nil) != reference.ValidTaints(list) ||
		err != nil && err.Error() == "" {
		t.Fatalf("ValidateTaints: %v", err)
	}
	for name, add := range adders {
		if got := add(tols); len(add(got)) != len(got) {
			t.Fatalf("%s is not idempotent", name)
		}
	}
}

// changeEverything calls the functions that change a node's taints.
func changeEverything(t *testing.T, list []taints.Taint) {
	half := list[:len(list)/2]
	for _, reconcile := range []func([]taints.Taint) taints.Changes{
		func(current []taints.Taint) taints.Changes { return taints.Reconcile(current, half, list[len(half):]) },
		func(current []taints.Taint) taints.Changes {
			return taints.ReconcileOwned(current, taints.IDs(list), half)
		},
	} {
		c := reconcile(list)
		after, err := c.ApplyStrict(list, true)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if again := reconcile(after); !again.IsZero() {
			t.Fatalf("%v, and again %v", c, again)
		}
	}
	c := taints.Changes{Add: list, Remove: taints.IDs(half)}
	for _, overwrite := range []bool{false, true} {
		checkApplyStrict(t, list, c, overwrite)
	}
}

// The targets below turn bytes into cases as the property tests do.

func FuzzForms(f *testing.F) { fuzz(f, formsAnswerAlike) }

func FuzzEviction(f *testing.F) { fuzz(f, evictionAgrees) }

func FuzzValidate(f *testing.F) { fuzz(f, validationAgrees) }

func FuzzChanges(f *testing.F) { fuzz(f, changesAgree) }

func fuzz(f *testing.F, property func(*rapid.T)) {
	f.Add([]byte{})
	for _, step := range []int{0, 1, 3, 7, 31, 101} {
		seed := make([]byte, 2048)
		for i := range seed {
			seed[i] = byte(2 + i*step)
		}
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(property))
}
