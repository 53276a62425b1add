// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"math"
	"strings"
)

// A keySet is the set of keys that a toleration matches: those that begin with
// key if prefix is set, and otherwise only key.
type keySet struct {
	key    string
	prefix bool
}

func (o Options) keys(t *Toleration) keySet {
	if o.KeyWildcards {
		if prefix, ok := strings.CutSuffix(t.Key, "*"); ok {
			return keySet{prefix, true}
		}
	}
	return keySet{t.Key, t.Key == ""}
}

func (s keySet) include(u keySet) bool {
	if s.prefix {
		return strings.HasPrefix(u.key, s.key)
	}
	return !u.prefix && s.key == u.key
}

// A valueSet is the set of values that a toleration matches: all, or one that is
// not an integer, or the integers from least to most, which may be none.
type valueSet struct {
	kind        valueKind
	text        string // of oneText
	least, most int64  // of integers
}

type valueKind uint8

const (
	integers valueKind = iota
	oneText
	allValues
)

func (o Options) values(t *Toleration) valueSet {
	switch t.operator() {
	case OpExists:
		return valueSet{kind: allValues}
	case OpEqual:
		if n, ok := parseInteger(t.Value); ok {
			return valueSet{kind: integers, least: n, most: n}
		}
		return valueSet{kind: oneText, text: t.Value}
	case OpLt, OpGt:
		limit, ok := parseInteger(t.Value)
		switch {
		case !ok || o.NoComparison:
		case t.Operator == OpLt && limit > math.MinInt64:
			return valueSet{kind: integers, least: math.MinInt64, most: limit - 1}
		case t.Operator == OpGt && limit < math.MaxInt64:
			return valueSet{kind: integers, least: limit + 1, most: math.MaxInt64}
		}
	}
	return valueSet{kind: integers, least: 1} // none
}

func (s valueSet) empty() bool { return s.kind == integers && s.least > s.most }

// include reports whether the set has all values of u, which must not be empty.
func (s valueSet) include(u valueSet) bool {
	if s.kind != u.kind {
		return s.kind == allValues
	}
	return s.text == u.text && s.least <= u.least && u.most <= s.most
}

// meet reports whether the sets, which must not be empty, have a common value.
func (s valueSet) meet(u valueSet) bool {
	if s.kind == integers && u.kind == integers {
		return s.least <= u.most && u.least <= s.most
	}
	return s.include(u) || u.include(s)
}
