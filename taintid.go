package taints

// A TaintID is a taint's identity on its node, which has at most one taint of a
// key and effect. It is comparable and serves as a map key. Where a TaintID
// asks for taints, an empty Effect stands for the key under every effect.
type TaintID struct {
	Key    string `json:"key"`
	Effect Effect `json:"effect,omitempty"`
}

// String returns "key:Effect", or "key" without an effect.
func (id TaintID) String() string { return Taint{Key: id.Key, Effect: id.Effect}.String() }

// names reports whether the identity is that of the taint, or that of its key
// under every effect.
func (id TaintID) names(t *Taint) bool {
	return id.Key == t.Key && (id.Effect == "" || id.Effect == t.Effect)
}

// ParseTaintID reads the identity of a taint, "key:Effect", or "key" for the
// key under every effect. The error is a [*ParseError], as for [ParseTaint].
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

// FindTaint returns the index of the first taint of the identity, and whether
// there is one. An identity without an effect finds the first taint of the key
// (TaintExists and TaintKeyExists in Kubernetes).
func FindTaint(taints []Taint, id TaintID) (i int, found bool) {
	for i := range taints {
		if id.names(&taints[i]) {
			return i, true
		}
	}
	return -1, false
}
