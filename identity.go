// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strings"

	"github.com/seed-0529bac1/taints/internal/lookup"
)

// A TaintID identifies one taint of a node, which has at most one taint with a
// given key and effect. It can be compared with == and used as a map key, in JSON
// too.
type TaintID struct {
	Key    string `json:"key"`
	Effect Effect `json:"effect"`
}

// String returns "key:Effect", with the colon even if the effect is empty.
func (id TaintID) String() string { return id.Key + ":" + string(id.Effect) }

// MarshalText returns what String returns. The error is always nil.
func (id TaintID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText parses the text that MarshalText returns. Like the JSON of a
// [Taint], it is not validated: the key ends at the first colon, and any text may
// follow. Use [ParseTaintID] for what people write. The error for a text without
// a colon is a [*FieldError], and id is then unchanged.
func (id *TaintID) UnmarshalText(text []byte) error {
	s := string(text)
	key, effect, found := strings.Cut(s, ":")
	if !found {
		return parseFault(s, len(s), "effect", "", effectMissing)
	}
	*id = TaintID{key, Effect(effect)}
	return nil
}

// IDs returns the identity of each taint, in order. It returns nil for an empty
// list.
func IDs(taints []Taint) []TaintID {
	if len(taints) == 0 {
		return nil
	}
	ids := make([]TaintID, len(taints))
	for i := range taints {
		ids[i] = taints[i].ID()
	}
	return ids
}

// FindTaint returns the index of the first taint with the identity, and whether
// there is one (TaintExists in Kubernetes).
func FindTaint(taints []Taint, id TaintID) (i int, found bool) {
	for i := range taints {
		if t := &taints[i]; t.Key == id.Key && t.Effect == id.Effect {
			return i, true
		}
	}
	return -1, false
}

// identity returns the taint's identity, as [Taint.ID] does, for package lookup.
func identity(t *Taint) TaintID { return TaintID{t.Key, t.Effect} }

// identities find the first taint of a list that has an identity.
type identities struct {
	list  []Taint
	long  bool
	index lookup.First[Taint, TaintID] // of a long list
}

func identitiesOf(list []Taint) (x identities) {
	x.list, x.long = list, len(list) > lookup.Short
	if x.long {
		x.index = lookup.FirstOf(list, identity)
	}
	return x
}

// find returns the index of the first taint with the identity of t, or -1. It goes
// through a short list itself, which calls no function for each taint.
func (x *identities) find(t *Taint) int {
	if x.long {
		return x.index.Find(identity(t))
	}
	i, _ := FindTaint(x.list, identity(t))
	return i
}
