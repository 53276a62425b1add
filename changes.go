// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"errors"
	"slices"
	"strings"
)

// Changes are taints to add to a node and to remove from it. The zero Changes do
// nothing. [Diff], [Reconcile], [ReconcileOwned] and [ParseChanges] return
// Changes. Most callers should use [Changes.Apply] to make them.
type Changes struct {
	// Add holds the taints to add, at most one with a given key and effect.
	Add []Taint `json:"add,omitempty"`
	// Remove identifies the taints to remove. An empty Effect stands for every
	// effect.
	Remove []TaintID `json:"remove,omitempty"`
}

// IsZero reports whether c neither adds nor removes a taint.
func (c Changes) IsZero() bool { return len(c.Add) == 0 && len(c.Remove) == 0 }

// String returns the changes as arguments of "kubectl taint", separated by
// spaces: the taints to add, as [Taint.String] returns them, and then those to
// remove, with "-" at the end, as in "dedicated=ml:NoSchedule gpu:NoExecute-
// spot-". [ParseChanges] parses the arguments of valid changes.
func (c Changes) String() string {
	b := make([]byte, 0, 128)
	for _, t := range c.Add {
		b = append(t.AppendTo(b), ' ')
	}
	for _, id := range c.Remove {
		b = append(b, id.String()...)
		b = append(b, "- "...)
	}
	return strings.TrimSuffix(string(b), " ")
}

// Only returns the changes to taints whose effect is in the set. The removal of
// a key with every effect becomes one for each known effect in the set, except
// that [AllEffects] leaves it as it is. It is for controllers that make NoExecute
// changes more slowly than others. The result may share memory with c.
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
		switch {
		case id.Effect == "":
			only.Remove = appendEach(only.Remove, id.Key, in)
		case in.Has(id.Effect):
			only.Remove = append(only.Remove, id)
		}
	}
	return only
}

// appendEach appends the identity of the key with each known effect in the set.
func appendEach(ids []TaintID, key string, in EffectSet) []TaintID {
	for _, name := range knownEffects {
		if effect := Effect(name); in.Has(effect) {
			ids = append(ids, TaintID{key, effect})
		}
	}
	return ids
}

// Apply returns the taints with the changes made, and whether they differ from
// before. Afterwards every taint of Add is present and no other taint that
// Remove identifies, so applying the same changes again changes nothing.
//
// A taint of Add that the node has with the same value keeps its TimeAdded. One
// that the node has with another value replaces that in its place, and one that
// the node lacks is appended. To refresh a taint's TimeAdded, put it in both Add
// and Remove: it is then replaced in its place. All other taints are kept. In
// contrast, AddOrUpdateTaint in Kubernetes also writes another TimeAdded, and
// EnsureNodeTaint in Cluster API keeps another value.
//
// If Add has several taints with one key and effect, the first counts. If the
// node has several of a taint in Add, which no API server accepts, they become
// one.
//
// Apply returns taints itself if nothing changes. Otherwise the result is a new
// list that shares no memory with taints or c, and nil if it is empty. Nothing
// is validated.
func (c Changes) Apply(taints []Taint) (result []Taint, changed bool) {
	add, remove := placesOf(c.Add), removalsOf(c.Remove)
	if c.made(taints, add, remove) {
		return taints, false
	}
	there := make([]bool, len(c.Add))
	list := make([]Taint, 0, len(taints)+len(c.Add))
	for i := range taints {
		t := &taints[i]
		removed := remove.first(t) >= 0
		at := add.first(c.Add, t.ID())
		if at < 0 && removed || at >= 0 && there[at] {
			continue
		}
		if at >= 0 {
			there[at] = true
			if removed || c.Add[at].Value != t.Value {
				t = &c.Add[at]
			}
		}
		list = append(list, t.clone())
	}
	for i := range c.Add {
		if !there[i] && add.first(c.Add, c.Add[i].ID()) == i {
			list = append(list, c.Add[i].clone())
		}
	}
	if slices.EqualFunc(list, taints, Taint.Equal) {
		return taints, false
	}
	return nilIfEmpty(list), true
}

// made reports whether the taints already are as c wants them, as a controller
// finds most of the time. It does not allocate for short lists.
func (c Changes) made(taints []Taint, add places, remove removals) bool {
	named := 0 // taints that Add has too
	for i := range taints {
		t := &taints[i]
		at := add.first(c.Add, t.ID())
		if remove.first(t) >= 0 && (at < 0 || !c.Add[at].Equal(*t)) {
			return false
		}
		if at >= 0 {
			named++
		}
	}
	on := placesOf(taints)
	for i := range c.Add {
		t := &c.Add[i]
		at := on.first(taints, t.ID())
		if at < 0 || taints[at].Value != t.Value || add.first(c.Add, t.ID()) < i {
			return false
		}
	}
	return named == len(c.Add)
}

func nilIfEmpty(taints []Taint) []Taint {
	if len(taints) == 0 {
		return nil
	}
	return taints
}

// ApplyStrict returns the taints with the changes made as "kubectl taint" makes
// them, with or without --overwrite. It returns an error if
//
//   - the node has a taint of Add, with any value, and overwrite is false
//     ([ErrExists]),
//   - the node has no taint that an entry of Remove identifies, or an earlier
//     entry removes it ([ErrNotFound]),
//   - Remove identifies a taint of Add ([ErrConflict]), or
//   - Add has a taint twice ([ErrDuplicate]).
//
// Otherwise the result is that of [Changes.Apply] for the first taint of each
// key and effect, as a list that shares no memory with taints or c. In contrast,
// kubectl puts added taints first, and drops the TimeAdded of a taint that it
// overwrites with the same value.
//
// The error is a [*ValidationError] with a fault for each entry of Add and Remove
// that has one, and the list is then nil. The List of a fault is "add" or
// "remove", and its Value is the printed taint.
// Nothing else is validated.
func (c Changes) ApplyStrict(taints []Taint, overwrite bool) ([]Taint, error) {
	list := firsts(taints)
	f := faults{list: "add"}
	on := placesOf(list)
	c.eachAdd(&f, func(t *Taint) problem {
		at := on.first(list, t.ID())
		switch {
		case at < 0 || overwrite:
			return noProblem
		case list[at].Value == t.Value:
			return taintPresent
		}
		return taintOfOtherValue
	})
	f.list = "remove"
	hits := c.hits(list)
	for i, id := range c.Remove {
		if !hits[i] {
			f.index = someIndex(i)
			f.add("", id.String(), taintAbsent)
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	list, _ = c.Apply(list)
	return nilIfEmpty(list), nil
}

// hits reports for each removal whether it removes a taint that no earlier one
// removes.
func (c Changes) hits(taints []Taint) []bool {
	hits, remove := make([]bool, len(c.Remove)), removalsOf(c.Remove)
	for i := range taints {
		if at := remove.first(&taints[i]); at >= 0 {
			hits[at] = true
		}
	}
	// A removal of a taint to be added is a conflict, which is a fault already.
	for i := range c.Add {
		if at := remove.first(&c.Add[i]); at >= 0 {
			hits[at] = true
		}
	}
	return hits
}

// eachAdd adds the faults of the taints to add: a conflict or a duplicate, or else
// what check returns. A check may also add faults itself.
func (c Changes) eachAdd(f *faults, check func(t *Taint) problem) {
	add, remove := placesOf(c.Add), removalsOf(c.Remove)
	for i := range c.Add {
		t := &c.Add[i]
		f.index = someIndex(i)
		p := check(t)
		switch {
		case remove.first(t) >= 0:
			p = taintRemovedToo
		case add.first(c.Add, t.ID()) < i:
			p = taintRepeated
		}
		if p != noProblem {
			f.add("", t.String(), p)
		}
	}
}

// Validate returns nil if the changes are valid, so that [Changes.ApplyStrict]
// succeeds for some node: all taints and identities are valid, no taint is in
// Add twice ([ErrDuplicate]), Remove identifies no taint of Add
// ([ErrConflict]), and no removal repeats or is part of an earlier one
// ([ErrDuplicate]).
//
// The error is a [*ValidationError] with every fault. The List of a fault is
// "add" or "remove".
func (c Changes) Validate() error {
	f := faults{list: "add"}
	c.eachAdd(&f, func(t *Taint) problem {
		f.taint(t)
		return noProblem
	})
	f.list = "remove"
	remove := removalsOf(c.Remove)
	for i, id := range c.Remove {
		f.index = someIndex(i)
		if p := checkKey(id.Key); p != noProblem {
			f.add("key", id.Key, p)
		}
		if id.Effect != "" && !knownEffect(id.Effect) {
			f.add("effect", string(id.Effect), effectUnknown)
		}
		if remove.first(&Taint{Key: id.Key, Effect: id.Effect}) < i {
			f.add("", id.String(), removalRepeated)
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
// Taints and removals keep their order and share memory with specs. Add never has
// two taints with one key and effect. Removals may repeat and conflict, which
// kubectl does not refuse until it applies them; see [Changes.Validate].
//
// The error unwraps to a [*ParseError] for each faulty spec, in order, with the
// offset of its first fault. Each wraps a [*FieldError] whose List is "specs". A
// taint that is added twice is an [ErrDuplicate]. The changes are then zero.
func ParseChanges(specs ...string) (Changes, error) {
	var c Changes
	var errs []error
	seen := newPlaces(len(specs))
	for i, spec := range specs {
		if fault := c.parse(spec, seen); fault != nil {
			fault.Kind, fault.Input = "change", spec
			errs = append(errs, fault.inList("specs", i))
		}
	}
	if errs != nil {
		return Changes{}, errors.Join(errs...)
	}
	return c, nil
}

// parse adds what the spec asks for. The places are those of c.Add.
func (c *Changes) parse(spec string, seen places) *ParseError {
	name, removes := strings.CutSuffix(spec, "-")
	if removes && !strings.ContainsAny(name, "=:") {
		if p := checkKey(name); p != noProblem {
			return parseFault("change", spec, 0, "key", name, p)
		}
		c.Remove = append(c.Remove, TaintID{Key: name})
		return nil
	}
	t, fault := parseTaint(name)
	switch {
	case fault != nil:
		return fault
	case removes:
		c.Remove = append(c.Remove, t.ID())
	case seen.first(c.Add, t.ID()) >= 0:
		return parseFault("change", spec, 0, "", spec, taintRepeated)
	default:
		seen.add(t.ID(), len(c.Add))
		c.Add = append(c.Add, t)
	}
	return nil
}
