// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strings"

	"github.com/seed-0529bac1/taints/internal/lookup"
)

// Changes are taints to add to a node and to remove from it. The zero Changes do
// nothing. [Reconcile], [ReconcileOwned] and [ParseChanges] return Changes. Most
// callers should use [Changes.Apply] to make them.
type Changes struct {
	// Add holds the taints to add, at most one with a given key and effect.
	Add []Taint `json:"add,omitempty"`
	// Remove identifies the taints to remove.
	Remove []TaintID `json:"remove,omitempty"`
	// RemoveKeys holds the keys of taints to remove, whatever their effects.
	RemoveKeys []string `json:"removeKeys,omitempty"`
}

// IsZero reports whether c neither adds nor removes a taint.
func (c Changes) IsZero() bool {
	return len(c.Add) == 0 && len(c.Remove) == 0 && len(c.RemoveKeys) == 0
}

// String returns the changes as arguments of "kubectl taint", separated by
// spaces: the taints to add, as [Taint.String] returns them, and then those to
// remove and the keys to remove, with "-" at the end, as in
// "dedicated=ml:NoSchedule gpu:NoExecute- spot-". [ParseChanges] parses the
// arguments of valid changes.
func (c Changes) String() string {
	b := make([]byte, 0, 128)
	for _, t := range c.Add {
		b = append(t.AppendTo(b), ' ')
	}
	for _, id := range c.Remove {
		b = append(b, id.String()...)
		b = append(b, "- "...)
	}
	for _, key := range c.RemoveKeys {
		b = append(b, key...)
		b = append(b, "- "...)
	}
	return strings.TrimSuffix(string(b), " ")
}

// Only returns the changes to taints whose effect is in the set, for controllers
// that make NoExecute changes more slowly than others. A key to remove becomes an
// identity for each known effect in the set, unless that is [AllEffects]. The
// result may share memory with c.
func (c Changes) Only(in EffectSet) Changes {
	if in == AllEffects {
		return c
	}
	var only Changes
	for _, t := range c.Add {
		if in.Has(t.Effect) {
			only.Add = append(only.Add, t)
		}
	}
	for _, id := range c.Remove {
		if in.Has(id.Effect) {
			only.Remove = append(only.Remove, id)
		}
	}
	for _, key := range c.RemoveKeys {
		for _, name := range knownEffects {
			if effect := Effect(name); in.Has(effect) {
				only.Remove = append(only.Remove, TaintID{key, effect})
			}
		}
	}
	return only
}

// Apply returns the taints with the changes made, and whether they differ from
// before. Afterwards every taint of Add is present with its value, and no other
// taint that Remove or RemoveKeys names. Applying c again changes nothing.
//
// A taint of Add that the node has with the same value keeps its TimeAdded. One
// with another value is replaced in its place, and a missing one is appended. In
// contrast, AddOrUpdateTaint in Kubernetes also replaces the TimeAdded. To do
// that, first remove the taint with separate Changes.
//
// If Add has several taints with one key and effect, the first counts. If the
// node has several taints with the key and effect of one in Add, they become
// one. If nothing changes, the result is taints itself, and otherwise a new list
// that shares no memory with taints or c and is not nil. Nothing is validated.
func (c Changes) Apply(taints []Taint) (result []Taint, changed bool) {
	return c.apply(taints, true)
}

// Ensure is like [Changes.Apply], except that a taint that the node has with
// another value than in Add keeps it (EnsureNodeTaint in Cluster API,
// Taints.Merge in Karpenter).
func (c Changes) Ensure(taints []Taint) (result []Taint, changed bool) {
	return c.apply(taints, false)
}

func (c Changes) apply(taints []Taint, overwrite bool) (result []Taint, changed bool) {
	add, remove := identitiesOf(c.Add), c.removals()
	if c.areMade(taints, &add, &remove, overwrite) {
		return taints, false
	}
	var buf [16]bool
	added := append(buf[:0], make([]bool, len(c.Add))...)
	result = make([]Taint, 0, len(taints)+len(c.Add))
	for i := range taints {
		t := &taints[i]
		at := add.find(t)
		switch {
		case at < 0 && remove.names(t), at >= 0 && added[at]:
			continue
		case at >= 0:
			added[at] = true
			if overwrite && c.Add[at].Value != t.Value {
				t = &c.Add[at]
			}
		}
		result = append(result, t.clone())
	}
	for i := range c.Add {
		if t := &c.Add[i]; !added[i] && add.find(t) == i {
			result = append(result, t.clone())
		}
	}
	return result, true
}

// areMade reports whether the changes are already made, which is the usual case
// for a controller.
func (c Changes) areMade(
	taints []Taint, add *identities, remove *removals, overwrite bool,
) bool {
	inAdd := 0 // taints that Add has too
	for i := range taints {
		t := &taints[i]
		at := add.find(t)
		if at < 0 && remove.names(t) || at >= 0 && overwrite && c.Add[at].Value != t.Value {
			return false
		}
		if at >= 0 {
			inAdd++
		}
	}
	current := identitiesOf(taints)
	for i := range c.Add {
		t := &c.Add[i]
		if add.find(t) != i {
			continue
		}
		if current.find(t) < 0 {
			return false
		}
		inAdd--
	}
	return inAdd == 0
}

// removals finds the entries that name a taint to remove.
type removals struct {
	ids  lookup.First[TaintID, TaintID]
	keys lookup.First[string, string]
	none bool // no taint is to be removed
}

func (c Changes) removals() removals {
	if len(c.Remove)+len(c.RemoveKeys) == 0 {
		return removals{none: true}
	}
	return removals{
		ids:  lookup.FirstOf(c.Remove, func(id *TaintID) TaintID { return *id }),
		keys: lookup.FirstOf(c.RemoveKeys, func(key *string) string { return *key }),
	}
}

func (r *removals) names(t *Taint) bool {
	if r.none {
		return false
	}
	return r.ids.Find(identity(t)) >= 0 || r.keys.Find(t.Key) >= 0
}

// ApplyStrict returns the taints with the changes made as "kubectl taint" makes
// them, with or without --overwrite. It returns an error if
//
//   - the node has a taint of Add and overwrite is false ([ErrExists]),
//   - no taint is left for an entry of Remove or RemoveKeys ([ErrNotFound]),
//   - Remove or RemoveKeys names a taint of Add ([ErrConflict]), or
//   - Add has a taint twice ([ErrDuplicate]).
//
// Otherwise the result is that of [Changes.Apply]. In contrast, kubectl puts added
// taints first, and drops the TimeAdded of a taint that it overwrites with the
// same value.
//
// The error is an [*ErrorList] with the faults of the lists "add", "remove" and
// "removeKeys", whose Value is the printed taint, identity or key. The result is
// then nil. Nothing else is validated.
func (c Changes) ApplyStrict(taints []Taint, overwrite bool) ([]Taint, error) {
	f := faults{list: "add"}
	current := lookup.FirstOf(taints, identity)
	c.eachAdd(&f, func(t *Taint) problem {
		at := current.Find(identity(t))
		switch {
		case at < 0 || overwrite:
			return noProblem
		case taints[at].Value == t.Value:
			return taintPresent
		}
		return taintOfOtherValue
	})
	ids, keys := c.found(taints)
	f.list = "remove"
	for i, id := range c.Remove {
		if !ids[i] {
			f.index = i
			f.report("", id.String(), taintAbsent)
		}
	}
	f.list = "removeKeys"
	for i, key := range c.RemoveKeys {
		if !keys[i] {
			f.index = i
			f.report("", key, taintAbsent)
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	result, _ := c.Apply(taints)
	return result, nil
}

// found reports for each entry of Remove and RemoveKeys whether it names one of
// the taints that no earlier entry names. A taint of Add counts as well, because
// its removal is already a conflict.
func (c Changes) found(taints []Taint) (ids, keys []bool) {
	ids, keys = make([]bool, len(c.Remove)), make([]bool, len(c.RemoveKeys))
	remove := c.removals()
	for _, list := range [...][]Taint{taints, c.Add} {
		for i := range list {
			if at := remove.ids.Find(identity(&list[i])); at >= 0 {
				ids[at] = true
			} else if at := remove.keys.Find(list[i].Key); at >= 0 {
				keys[at] = true
			}
		}
	}
	return ids, keys
}

// eachAdd reports the faults of the taints to add: a conflict or a duplicate, or
// else what check returns. A check may also report faults itself.
func (c Changes) eachAdd(f *faults, check func(t *Taint) problem) {
	add, remove := lookup.FirstOf(c.Add, identity), c.removals()
	for i := range c.Add {
		t := &c.Add[i]
		f.index = i
		p := check(t)
		switch {
		case remove.names(t):
			p = taintRemovedToo
		case add.Find(identity(t)) < i:
			p = taintRepeated
		}
		if p != noProblem {
			f.report("", t.String(), p)
		}
	}
}

// Validate returns nil if [Changes.ApplyStrict] succeeds for some node: all taints,
// identities and keys are valid, none is in its list twice, and Remove and
// RemoveKeys name no taint of Add. Otherwise the error is an [*ErrorList] with
// every fault of the lists "add", "remove" and "removeKeys".
func (c Changes) Validate() error {
	f := faults{list: "add"}
	c.eachAdd(&f, func(t *Taint) problem {
		f.taint(t)
		return noProblem
	})
	remove := c.removals()
	f.list = "remove"
	for i, id := range c.Remove {
		f.index = i
		if p := checkKey(id.Key); p != noProblem {
			f.report("key", id.Key, p)
		}
		if p := checkEffect(id.Effect); p != noProblem {
			f.report("effect", string(id.Effect), p)
		}
		if remove.ids.Find(id) < i {
			f.report("", id.String(), removalRepeated)
		}
	}
	f.list = "removeKeys"
	for i, key := range c.RemoveKeys {
		f.index = i
		if p := checkKey(key); p != noProblem {
			f.report("key", key, p)
		}
		if remove.keys.Find(key) < i {
			f.report("", key, removalRepeated)
		}
	}
	return f.err()
}

// ParseChanges parses the arguments that "kubectl taint" takes after the names
// of nodes, and accepts exactly those:
//
//	key=value:Effect    adds the taint, like key:Effect and key=:Effect
//	key:Effect-         removes the taint with that key and effect
//	key=value:Effect-   does the same, whatever the taint's value
//	key-                removes the taints with that key, whatever their effects
//
// Removals may repeat and conflict. kubectl refuses them only when it applies
// them; see [Changes.Validate]. In contrast, kubectl removes in the order of the
// arguments, so that it never finds the taint of a "key:Effect-" that follows a
// "key-".
//
// The error is an [*ErrorList] with a fault for each faulty spec of the list
// "specs", with its offset. A taint that is added twice is an [ErrDuplicate]. The
// changes are then zero.
func ParseChanges(specs ...string) (Changes, error) {
	var c Changes
	f := faults{list: "specs"}
	seen := lookup.FirstOf(c.Add, identity)
	for i, spec := range specs {
		if fault := c.parse(spec, &seen); fault != nil {
			fault.List, fault.Index, fault.Input = f.list, i, spec
			f.errors = append(f.errors, fault)
		}
	}
	if f.errors != nil {
		return Changes{}, f.err()
	}
	return c, nil
}

// parse adds the change that the spec describes. It keeps the taints of c.Add in
// seen.
func (c *Changes) parse(spec string, seen *lookup.First[Taint, TaintID]) *FieldError {
	name, removes := strings.CutSuffix(spec, "-")
	if removes && !strings.ContainsAny(name, "=:") {
		if p := checkKey(name); p != noProblem {
			return parseFault(spec, 0, "key", name, p)
		}
		c.RemoveKeys = append(c.RemoveKeys, name)
		return nil
	}
	t, fault := parseTaint(name)
	switch {
	case fault != nil:
		return fault
	case removes:
		c.Remove = append(c.Remove, t.ID())
	case seen.Find(t.ID()) >= 0:
		return parseFault(spec, 0, "", spec, taintRepeated)
	default:
		c.Add = seen.Append(t)
	}
	return nil
}

// firsts returns a copy of the first taint of each identity.
func firsts(taints []Taint) []Taint {
	list := make([]Taint, 0, len(taints))
	all := lookup.FirstOf(taints, identity)
	for i := range taints {
		if all.Find(identity(&taints[i])) == i {
			list = append(list, taints[i].clone())
		}
	}
	return list
}
