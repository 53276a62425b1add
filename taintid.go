// SPDX-License-Identifier: Apache-2.0

package taints

// A TaintID identifies a taint on its node, which has at most one taint with a
// given key and effect. It can be compared with == and used as a map key. To
// find or remove taints, an empty Effect stands for every effect.
type TaintID struct {
	Key    string `json:"key"`
	Effect Effect `json:"effect,omitempty"`
}

// String returns "key:Effect", or "key" without an effect.
func (id TaintID) String() string { return Taint{Key: id.Key, Effect: id.Effect}.String() }

// names reports whether id identifies the taint, or its key with every effect.
func (id TaintID) names(t *Taint) bool {
	return id.Key == t.Key && (id.Effect == "" || id.Effect == t.Effect)
}

// ParseTaintID parses s as "key:Effect", or as "key" for the key with every
// effect. The error is a [*ParseError], as for [ParseTaint], and the identity is
// then zero.
func ParseTaintID(s string) (TaintID, error) {
	key, effect, found := cut(s, ':')
	if p := checkKey(key); p != noProblem {
		return TaintID{}, parseFault("taint identity", s, 0, "key", key, p)
	}
	if found {
		if p := checkEffect(Effect(effect)); p != noProblem {
			return TaintID{}, parseFault("taint identity", s, len(key)+1, "effect", effect, p)
		}
	}
	return TaintID{key, Effect(effect)}, nil
}

// FindTaint returns the index of the first taint that id identifies, and whether
// there is one (TaintExists in Kubernetes). An id without an effect finds the
// first taint with the key (TaintKeyExists in Kubernetes).
func FindTaint(taints []Taint, id TaintID) (i int, found bool) {
	for i := range taints {
		if id.names(&taints[i]) {
			return i, true
		}
	}
	return -1, false
}
