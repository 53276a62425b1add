// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"strconv"
	"strings"
)

// SameTolerations reports whether the lists are equivalent: both or neither
// tolerate a taint, and a NoExecute taint for the same time, by the first match.
// It is exact. Order, repeated entries and an empty operator instead of Equal
// matter only if they make a difference. It is for controllers that reject or roll
// out a change of tolerations.
//
// The time it takes grows with the square of the number of tolerations with the
// same key, without a key, or with a wildcard. It allocates.
func SameTolerations(a, b []Toleration) bool { return Options{}.SameTolerations(a, b) }

// SameTolerations is like the function [SameTolerations] under the options.
func (o Options) SameTolerations(a, b []Toleration) bool {
	// Compare the answers for taints that represent all others: of taints that
	// no toleration of the lists can tell apart, one is enough.
	var w witnesses
	w.options = o
	for _, list := range [...][]Toleration{a, b} {
		for i := range list {
			w.add(&list[i])
		}
	}
	ma, mb := o.Compile(a), o.Compile(b)
	return w.every(func(t *Taint) bool { return sameAnswer(ma, mb, t) })
}

// sameAnswer reports whether both or neither tolerate the taint, and for the same
// time if that counts.
func sameAnswer(a, b *Matcher, t *Taint) bool {
	i, j := a.first(t), b.first(t)
	if i < 0 || j < 0 {
		return i == j
	}
	return t.Effect != NoExecute || sameSeconds(a.rules[i].tolerationSeconds(), b.rules[j].tolerationSeconds())
}

// Witnesses are taints that represent all others, as far as the added tolerations
// can tell taints apart.
type witnesses struct {
	options Options
	keys    map[string]*samples // of the tolerations with one key
	broad   map[string]*samples // of the others, by the prefix of their keys
	longest int                 // the length of the longest text
}

// Samples are values and effects that tolerations tell apart from others.
type samples struct {
	values  []string
	effects []Effect
}

func (w *witnesses) add(t *Toleration) {
	if w.keys == nil {
		w.keys, w.broad = make(map[string]*samples), map[string]*samples{"": {}}
	}
	w.longest = max(w.longest, len(t.Key), len(t.Value), len(t.Effect))
	of, keys := w.keys, w.options.keys(t)
	if keys.prefix {
		of = w.broad
	}
	s := of[keys.key]
	if s == nil {
		s = new(samples)
		of[keys.key] = s
	}
	if t.Effect != "" {
		s.effects = append(s.effects, t.Effect)
	}
	s.addValues(w.options.values(t))
}

// addValues adds the first value of the set, and the first one after it: no
// toleration tells integers between two such values apart, nor those before all
// from a text.
func (s *samples) addValues(set valueSet) {
	switch set.kind {
	case oneText:
		s.values = append(s.values, set.text)
	case integers:
		s.addInteger(set.least)
		s.addInteger(set.most + 1) // overflows after the largest, to a harmless sample
	}
}

func (s *samples) addInteger(n int64) { s.values = append(s.values, strconv.FormatInt(n, 10)) }

// every reports whether same returns true for every witness.
func (w *witnesses) every(same func(*Taint) bool) bool {
	fresh := strings.Repeat("x", w.longest+1) // no toleration has it
	all := samples{[]string{fresh}, []Effect{NoExecute, Effect(fresh)}}
	for _, s := range w.broad {
		all.values = append(all.values, s.values...)
		all.effects = append(all.effects, s.effects...)
	}
	for prefix := range w.broad {
		if key, ok := w.outside(prefix, fresh); ok && !all.every(key, same) {
			return false
		}
		if !all.every(prefix, same) {
			return false
		}
	}
	for key, s := range w.keys {
		values := samples{append(s.values, all.values...), append(s.effects, all.effects...)}
		if !values.every(key, same) {
			return false
		}
	}
	return true
}

// every reports whether same returns true for every taint with the key, a value
// and an effect of the samples.
func (s *samples) every(key string, same func(*Taint) bool) bool {
	for _, effect := range s.effects {
		for _, value := range s.values {
			if !same(&Taint{Key: key, Value: value, Effect: effect}) {
				return false
			}
		}
	}
	return true
}

// outside returns a key that begins with the prefix, but with no longer prefix of
// a toleration, and that no toleration has. It returns false if there is none.
func (w *witnesses) outside(prefix, fresh string) (key string, ok bool) {
	var taken [256]bool
	for longer := range w.broad {
		if rest, ok := strings.CutPrefix(longer, prefix); ok && rest != "" {
			taken[rest[0]] = true
		}
	}
	for c := range taken {
		if !taken[c] {
			return prefix + string([]byte{byte(c)}) + fresh, true
		}
	}
	for c := range taken {
		next := prefix + string([]byte{byte(c)})
		if w.broad[next] != nil {
			continue
		}
		if key, ok := w.outside(next, fresh); ok {
			return key, true
		}
	}
	return "", false
}
