// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/internal/lookup"
)

// Changes are taints to add to a node and to remove from it. Most callers should
// use [Changes.Apply] to make them:
//
//	after, changed := taints.Changes{Add: desired}.Apply(node.Taints)
type Changes struct {
	Add        []Taint   `json:"add,omitempty"` // at most one with a given key and effect
	Remove     []TaintID `json:"remove,omitempty"`
	RemoveKeys []string  `json:"removeKeys,omitempty"` // of taints with any effect
}

// IsZero reports whether c neither adds nor removes a taint.
func (c Changes) IsZero() bool {
	return len(c.Add) == 0 && len(c.Remove) == 0 && len(c.RemoveKeys) == 0
}

// String returns the changes as arguments of "kubectl taint", as in
// "dedicated=ml:NoSchedule gpu:NoExecute- spot-". [ParseChanges] parses the
// arguments of valid changes.
func (c Changes) String() string {
	b := make([]byte, 0, 128)
	for _, t := range c.Add {
		b = append(t.AppendTo(b), ' ')
	}
	for _, id := range c.Remove {
		b = append(b, id.String()+"- "...)
	}
	for _, key := range c.RemoveKeys {
		b = append(b, key+"- "...)
	}
	return strings.TrimSuffix(string(b), " ")
}

// Apply returns the taints with the changes made, and whether they differ from
// before. In the result, every taint of Add is present, and every other taint that
// Remove or RemoveKeys names is gone. Apply does not validate.
//
//   - A present taint with the same value keeps its TimeAdded, which AddOrUpdateTaint
//     in Kubernetes replaces. With another value it is replaced in its place. A
//     missing taint is appended.
//   - Of several taints with the key and effect of a taint of Add, the first stays.
//
// The result is taints itself if nothing changes, and otherwise a new list, not nil.
func (c Changes) Apply(taints []Taint) (result []Taint, changed bool) {
	return c.apply(taints, true)
}

// Ensure is like [Changes.Apply], except that a present taint keeps its value.
func (c Changes) Ensure(taints []Taint) (result []Taint, changed bool) {
	return c.apply(taints, false)
}

func (c *Changes) apply(taints []Taint, overwrite bool) (result []Taint, changed bool) {
	if len(c.Add) == 0 && (len(taints) == 0 || c.IsZero()) { // most events of a node change nothing
		return taints, false
	}
	var buf [lookup.Short]bool
	there := append(buf[:0], make([]bool, len(c.Add))...) // which taints of c.Add are present
	add, remove := byID(c.Add), removal{}
	if len(c.Remove)+len(c.RemoveKeys) > 0 {
		remove = c.removal()
	}
	for i := range taints {
		t := &taints[i]
		at := add.Find(idOf(t))
		repeats := at >= 0 && there[at]
		replaced := at >= 0 && overwrite && c.Add[at].Value != t.Value
		gone := repeats || at < 0 && remove.has(t)
		if (gone || replaced) && !changed {
			changed, result = true, c.clones(taints, i)
		}
		if at >= 0 {
			there[at] = true
		}
		switch {
		case !changed, gone:
			continue
		case replaced:
			t = &c.Add[at]
		}
		result = append(result, t.clone())
	}
	for i := range c.Add {
		t := &c.Add[i]
		if there[i] || add.Find(idOf(t)) != i {
			continue
		}
		if !changed {
			changed, result = true, c.clones(taints, len(taints))
		}
		result = append(result, t.clone())
	}
	if !changed {
		result = taints
	}
	return result, changed
}

// clones returns copies of the first n taints, with room for the others and c.Add.
func (c Changes) clones(taints []Taint, n int) []Taint {
	list := make([]Taint, 0, len(taints)+len(c.Add))
	for i := range taints[:n] {
		list = append(list, taints[i].clone())
	}
	return list
}

// A taintsByID finds the first taint of a list with an identity. It is not a
// [lookup.First], whose calls of idOf make the rows "Reconcile" of the ratios slower.
type taintsByID struct {
	list []Taint
	at   map[TaintID]int // for a long list
}

func byID(taints []Taint) taintsByID { return taintsByID{taints, lookup.Map(taints, idOf)} }

// Find returns the index of the taint, or -1.
func (f *taintsByID) Find(id TaintID) int {
	if f.at != nil {
		return lookup.In(f.at, id)
	}
	i, _ := FindTaint(f.list, id)
	return i
}

// idOf is like [Taint.ID], which copies the taint: Apply with nothing to do takes half
// the time.
func idOf(t *Taint) TaintID { return TaintID{t.Key, t.Effect} }

func withValue(t *Taint) lookup.Taint { return lookup.Taint{t.Key, t.Value, string(t.Effect)} }

// A removal finds the entries that name a taint to remove.
type removal struct {
	ids  lookup.First[TaintID, TaintID]
	keys lookup.First[string, string]
}

func (c *Changes) removal() removal {
	return removal{lookup.FirstOf(c.Remove, lookup.Self), lookup.FirstOf(c.RemoveKeys, lookup.Self)}
}

func (r *removal) has(t *Taint) bool { return r.ids.Find(idOf(t)) >= 0 || r.keys.Find(t.Key) >= 0 }

// everyEffectOf reports whether Remove names each valid taint with the key.
func (r *removal) everyEffectOf(key string) bool {
	return !slices.ContainsFunc(knownEffects[:], func(e Effect) bool { return r.ids.Find(TaintID{key, e}) < 0 })
}

// ApplyStrict returns the taints with the changes made as "kubectl taint" makes
// them, with or without --overwrite. It returns an error if
//
//   - a taint of Add is present and overwrite is false ([ErrForbidden]),
//   - no taint is left for an entry of Remove or RemoveKeys ([ErrNotFound]),
//   - Remove or RemoveKeys names a taint of Add ([ErrInvalid]), or
//   - Add repeats the key and effect of an earlier taint ([ErrDuplicate]).
//
// The error is an [ErrorList] for the lists "add", "remove" and "removeKeys". Without
// an error, it returns what [Changes.Apply] does. kubectl puts added taints first, and
// drops the TimeAdded of a taint that it overwrites.
func (c Changes) ApplyStrict(taints []Taint, overwrite bool) ([]Taint, error) {
	v := validator{list: "add"}
	current := byID(taints)
	c.eachAdd(&v, func(t *Taint) {
		switch at := current.Find(t.ID()); {
		case at < 0 || overwrite:
		case taints[at].Value == t.Value:
			v.report("", t.String(), taintPresent)
		default:
			v.report("", t.String(), taintOfOtherValue)
		}
	})
	ids, keys := c.found(taints)
	for i, id := range c.Remove {
		if v.list, v.index = "remove", i; !ids[i] {
			v.report("", id.String(), taintAbsent)
		}
	}
	for i, key := range c.RemoveKeys {
		if v.list, v.index = "removeKeys", i; !keys[i] {
			v.report("", key, taintAbsent)
		}
	}
	if err := v.errors.Err(); err != nil {
		return nil, err
	}
	result, _ := c.Apply(taints)
	return result, nil
}

// found reports, for each entry of Remove and RemoveKeys, whether it is the first
// entry to remove some taint. Taints of Add are included: removing one is reported
// as a conflict.
func (c Changes) found(taints []Taint) (ids, keys []bool) {
	ids, keys = make([]bool, len(c.Remove)), make([]bool, len(c.RemoveKeys))
	remove := c.removal()
	for _, list := range [...][]Taint{taints, c.Add} {
		for i := range list {
			if at := remove.ids.Find(list[i].ID()); at >= 0 {
				ids[at] = true
			} else if at := remove.keys.Find(list[i].Key); at >= 0 {
				keys[at] = true
			}
		}
	}
	return ids, keys
}

// eachAdd calls check for each taint to add, and reports its conflict with a
// removal and with an earlier taint to add.
func (c Changes) eachAdd(v *validator, check func(t *Taint)) {
	add, remove := byID(c.Add), c.removal()
	for i := range c.Add {
		t := &c.Add[i]
		v.index = i
		check(t)
		if remove.has(t) {
			v.report("", t.String(), taintRemovedToo)
		}
		if add.Find(t.ID()) < i {
			v.report("", t.String(), taintRepeated)
		}
	}
}

// Validate returns nil if the changes are valid: keys, values and effects are, no
// entry repeats another, and nothing is both added and removed. Otherwise the error is
// an [ErrorList] with every error of the lists "add", "remove" and "removeKeys".
func (c Changes) Validate() error {
	v := validator{list: "add"}
	c.eachAdd(&v, v.taint)
	remove := c.removal()
	for i, id := range c.Remove {
		v.list, v.index = "remove", i
		v.check("key", id.Key, checkKey(id.Key))
		v.check("effect", string(id.Effect), checkEffect(id.Effect))
		if remove.ids.Find(id) < i {
			v.report("", id.String(), removalRepeated)
		}
	}
	for i, key := range c.RemoveKeys {
		v.list, v.index = "removeKeys", i
		v.check("key", key, checkKey(key))
		if remove.keys.Find(key) < i || remove.everyEffectOf(key) {
			v.report("", key, removalRepeated)
		}
	}
	return v.errors.Err()
}

// ParseChanges parses the arguments that "kubectl taint" takes after the names
// of nodes, and accepts exactly those:
//
//	key=value:Effect    adds the taint, like key:Effect and key=:Effect
//	key:Effect-         removes the taint with that key and effect
//	key=value:Effect-   does the same, whatever the taint's value
//	key-                removes the taints with that key, whatever their effects
//
// Removals may repeat and conflict; see [Changes.Validate]. In contrast, kubectl
// never finds the taint of a "key:Effect-" that follows a "key-". The error is an
// [ErrorList] with the first error of each invalid spec, of the list "specs". A
// taint that is added twice is an [ErrDuplicate].
func ParseChanges(specs ...string) (Changes, error) {
	var c Changes
	v := validator{list: "specs"}
	seen := map[TaintID]bool{}
	for i, spec := range specs {
		if err := c.parse(spec, seen); err != nil {
			err.List, err.Index, err.Input = v.list, i, spec
			v.errors = append(v.errors, err)
		}
	}
	if v.errors != nil {
		return Changes{}, v.errors
	}
	return c, nil
}

// parse adds the change that the spec describes. The taints of c.Add are seen.
func (c *Changes) parse(spec string, seen map[TaintID]bool) *FieldError {
	name, removes := strings.CutSuffix(spec, "-")
	if removes && !strings.ContainsAny(name, "=:") {
		if p := checkKey(name); p != noProblem {
			return parseError(spec, 0, "key", name, p)
		}
		c.RemoveKeys = append(c.RemoveKeys, name)
		return nil
	}
	t, err := parseTaint(name)
	switch {
	case err != nil:
		return err
	case removes:
		c.Remove = append(c.Remove, t.ID())
	case seen[t.ID()]:
		return parseError(spec, 0, "", spec, taintRepeated)
	default:
		seen[t.ID()] = true
		c.Add = append(c.Add, t)
	}
	return nil
}

// Reconcile returns the changes that a controller makes to a node's current
// taints if it last applied one list and now desires another:
//
//   - A desired taint is added unless it is present with the same value.
//   - A taint that was applied and is no longer desired is removed if it is still
//     present with the value that was applied.
//   - Every other taint stays.
//
// Record desired after every call, even if there are no changes. A desired taint that
// another client added becomes the controller's. If you cannot write the record and the
// taints in one request, write the record first, with lastApplied and desired in any
// order. A taint that is not recorded is never removed.
//
// Reconcile(from, from, to) returns the changes that turn one list into another
// (TaintSetDiff in Kubernetes, which does not notice a changed value).
func Reconcile(current, lastApplied, desired []Taint) Changes {
	var c Changes
	now, applied, wanted := byID(current), lookup.FirstOf(lastApplied, withValue), byID(desired)
	for i := range lastApplied {
		t := &lastApplied[i]
		id := idOf(t)
		if wanted.Find(id) >= 0 || applied.Find(withValue(t)) < i {
			continue
		}
		if at := now.Find(id); at >= 0 && current[at].Value == t.Value {
			c.Remove = append(c.Remove, id)
		}
	}
	c.addMissing(desired, &now, &wanted)
	return c
}

// ReconcileOwned is like [Reconcile] for a controller that records only the
// identities of its taints, [Taint.ID] of each desired one, as Cluster API does. An
// owned taint that is not desired is removed whatever its value.
func ReconcileOwned(current []Taint, owned []TaintID, desired []Taint) Changes {
	var c Changes
	now, own, wanted := byID(current), lookup.FirstOf(owned, lookup.Self), byID(desired)
	for i := range current {
		id := idOf(&current[i])
		if wanted.Find(id) < 0 && own.Find(id) >= 0 && now.Find(id) == i {
			c.Remove = append(c.Remove, id)
		}
	}
	c.addMissing(desired, &now, &wanted)
	return c
}

// addMissing adds the desired taints that the node lacks.
func (c *Changes) addMissing(desired []Taint, now, wanted *taintsByID) {
	for i := range desired {
		t := &desired[i]
		id := idOf(t)
		if at := now.Find(id); at >= 0 && now.list[at].Value == t.Value || wanted.Find(id) != i {
			continue
		}
		c.Add = append(c.Add, t.clone())
	}
}
