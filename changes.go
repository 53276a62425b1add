package taints

import (
	"errors"
	"slices"
	"strings"
)

// Changes are what is to be done to a node's taints. The zero Changes do
// nothing. [ParseChanges] reads them; [Diff], [Reconcile] and [ReconcileOwned]
// compute them. Most callers should use [Changes.Apply] to make them.
type Changes struct {
	// Add holds the taints to put on the node, at most one of a key and effect.
	Add []Taint `json:"add,omitempty"`
	// Remove names the taints to take off; an empty Effect stands for the key
	// under every effect.
	Remove []TaintID `json:"remove,omitempty"`
}

// IsZero reports whether there is nothing to add and nothing to remove.
func (c Changes) IsZero() bool { return len(c.Add) == 0 && len(c.Remove) == 0 }

// String returns the changes as arguments of "kubectl taint", separated by
// spaces: taints to add as [Taint.String] prints them, and then those to remove
// with "-" at the end, as in "dedicated=ml:NoSchedule gpu:NoExecute- spot-".
// [ParseChanges] reads the fields of the text of valid changes back. It leaves
// out TimeAdded.
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

// Only returns the changes to taints with an effect of the set. A removal of a
// key under every effect becomes one for each known effect of the set; it stays
// as it is for [AllEffects]. A controller that makes NoSchedule and NoExecute
// changes at different speeds asks for one set and then for the other.
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

// appendEach appends the identities of the key with each known effect of the set.
func appendEach(ids []TaintID, key string, in EffectSet) []TaintID {
	for _, name := range knownEffects {
		if effect := Effect(name); in.Has(effect) {
			ids = append(ids, TaintID{key, effect})
		}
	}
	return ids
}

// Apply returns the taints with the changes made, and whether that made a
// difference. It makes sure that what is to be removed is gone and that what is
// to be added is there, so making the same changes again makes none.
//
// A taint of Add that is on the node under the same value keeps its TimeAdded.
// Under another value it is replaced in its place, and if it is not there it is
// appended. A taint that Remove names too is written anew, in its place, with the
// TimeAdded of Add: that is how a time is refreshed. All other taints stay as
// they are.
//
// Of several taints of one key and effect in Add the first counts. Of several
// on the node, which no API server accepts, those that Add names become one.
//
// Apply returns taints itself if they stay as they are. Otherwise the result is
// a new list that shares nothing with taints or c, and is nil if it is empty.
// Nothing is validated.
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

// made reports whether the taints are as the changes want them, which a
// controller finds most of the time. It allocates nothing for short lists.
func (c Changes) made(taints []Taint, add places, remove removals) bool {
	named := 0 // taints that Add names
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
// them, with or without its --overwrite:
//
//   - Without overwrite a taint of Add must not be on the node, under whatever
//     value: [ErrExists].
//   - What Remove names must be there, and not be taken off by an earlier
//     entry: [ErrNotFound].
//   - A taint of Add must not be named by Remove, [ErrConflict], nor be in Add
//     twice, [ErrDuplicate].
//
// The result is that of [Changes.Apply], after all but the first taint of a key
// and effect are dropped. It shares nothing with taints or c. (kubectl puts
// what is added first, and a taint that it writes again as it was loses its
// TimeAdded.)
//
// The error is a [*ValidationError] with every fault, and the list is then nil.
// Each fault has "add" or "remove" as its List and the printed taint as its
// Value. Nothing else is validated.
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

// hits reports for each removal whether it takes a taint off that no earlier
// one takes off.
func (c Changes) hits(taints []Taint) []bool {
	hits, remove := make([]bool, len(c.Remove)), removalsOf(c.Remove)
	for i := range taints {
		if at := remove.first(&taints[i]); at >= 0 {
			hits[at] = true
		}
	}
	// A removal may take off a taint to be added too, which is a conflict and
	// no reason for a second fault.
	for i := range c.Add {
		if at := remove.first(&c.Add[i]); at >= 0 {
			hits[at] = true
		}
	}
	return hits
}

// eachAdd adds the faults of the taints to add: those of the changes alone, and
// where there are none those that check finds.
func (c Changes) eachAdd(f *faults, check func(t *Taint) problem) {
	add, remove := placesOf(c.Add), removalsOf(c.Remove)
	for i := range c.Add {
		t := &c.Add[i]
		f.index = someIndex(i)
		var p problem
		switch {
		case remove.first(t) >= 0:
			p = taintRemovedToo
		case add.first(c.Add, t.ID()) < i:
			p = taintRepeated
		default:
			p = check(t)
		}
		if p != noProblem {
			f.add("", t.String(), p)
		}
	}
}

// Validate returns nil if the changes are valid and [Changes.ApplyStrict] can
// make them on some node: taints and identities are valid, no taint is in Add
// twice ([ErrDuplicate]) or named by Remove too ([ErrConflict]), and no removal
// is named by an earlier one ([ErrDuplicate]).
//
// The error is a [*ValidationError] with every fault, with "add" or "remove" as
// its List.
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

// ParseChanges reads the arguments that "kubectl taint" takes after the names
// of the nodes, and accepts exactly those:
//
//	key=value:Effect    adds the taint, like key:Effect and key=:Effect
//	key:Effect-         removes the taint of that key and effect
//	key=value:Effect-   does the same, whatever the value on the node is
//	key-                removes the taints of that key, whatever their effects
//
// Taints and removals keep their order and parts of specs. Add never holds two
// taints of one key and effect. Removals may repeat and contradict, as kubectl
// refuses only when it applies them: see [Changes.Validate].
//
// The error unwraps to a [*ParseError] for each faulty spec, in order, with the
// place of its first fault. Each wraps a [*FieldError] with "specs" as its List.
// A taint that is added twice is [ErrDuplicate]. The changes are then zero.
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
