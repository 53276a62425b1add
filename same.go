package taints

import (
	"strconv"
	"strings"
)

// SameTolerations reports whether the lists mean the same: each taint is
// tolerated under both or under neither, and a NoExecute taint for the same
// time, by its first match. It is exact. Order, repeated entries and the
// spelling of operators count only where they make a difference.
//
// A controller asks it before it rejects or rolls out a change of tolerations.
// The time grows with the square of the number of tolerations that have the same
// key, or no key or a wildcard. It allocates.
func SameTolerations(a, b []Toleration) bool { return Options{}.SameTolerations(a, b) }

// SameTolerations is like the function [SameTolerations] under the options.
//
// It compares the answers for taints that stand for all others: where two taints
// are on the same side of everything that the lists say, one of them is asked.
func (o Options) SameTolerations(a, b []Toleration) bool {
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

// sameAnswer reports whether both tolerate the taint, for the same time if that
// counts, or neither does.
func sameAnswer(a, b *Matcher, t *Taint) bool {
	i, j := a.first(t), b.first(t)
	if i < 0 || j < 0 {
		return i == j
	}
	return t.Effect != NoExecute || sameSeconds(a.rules[i].tolerationSeconds(), b.rules[j].tolerationSeconds())
}

// Witnesses are taints that stand for all others as far as the tolerations that
// were added can tell.
type witnesses struct {
	options Options
	keys    map[string]*samples // of the tolerations for one key
	broad   map[string]*samples // of those for more, by what their keys begin with
	longest int                 // the length of the longest text
}

// Samples are values and effects that tolerations tell from others.
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

// addValues adds the first value of the set, and the first behind it: integers
// up to the next of these are alike, and those before all are like a text.
func (s *samples) addValues(set valueSet) {
	switch set.kind {
	case oneText:
		s.values = append(s.values, set.text)
	case integers:
		s.addInteger(set.least)
		s.addInteger(set.most + 1) // the smallest, behind the largest: one more to ask about
	}
}

func (s *samples) addInteger(n int64) { s.values = append(s.values, strconv.FormatInt(n, 10)) }

// every reports whether same holds for every witness.
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

// every reports whether same holds for the taints of the key with the values and
// effects.
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

// outside returns a key that begins with the prefix, with no longer prefix of
// tolerations, and that no toleration names, and whether there is one.
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
