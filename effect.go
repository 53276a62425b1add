package taints

import "strings"

// An Effect says what a taint does to a pod that does not tolerate it.
// Kubernetes knows three effects. Any other, the empty one included, is
// carried, printed and compared like these, is refused by validation, and
// keeps no pod off a node.
type Effect string

const (
	// NoSchedule keeps new pods off the node. Pods that run there stay.
	NoSchedule Effect = "NoSchedule"
	// PreferNoSchedule asks the scheduler to use another node if it can.
	PreferNoSchedule Effect = "PreferNoSchedule"
	// NoExecute keeps new pods off the node and evicts those that run there,
	// at once or when their tolerationSeconds are over.
	NoExecute Effect = "NoExecute"
)

// An EffectSet is a set of effects: a bit for each of the three that
// Kubernetes knows, and one for all others together. The zero value is the
// empty set. Sets combine with | and &. Their numbers are not part of the API:
// write them as text.
type EffectSet uint32

// The bits of the effects. Those of effects that Kubernetes may add come last.
const (
	indexOther = iota
	indexNoSchedule
	indexPreferNoSchedule
	indexNoExecute
)

const (
	// Hard holds the effects that keep a new pod off a node: NoSchedule and
	// NoExecute. It is what the kube-scheduler's TaintToleration plugin
	// filters by.
	Hard EffectSet = 1<<indexNoSchedule | 1<<indexNoExecute
	// Soft holds PreferNoSchedule.
	Soft EffectSet = 1 << indexPreferNoSchedule
	// Evicting holds NoExecute, which removes a running pod.
	Evicting EffectSet = 1 << indexNoExecute
	// AllEffects holds every effect, those that Kubernetes does not know
	// included.
	AllEffects EffectSet = 1<<32 - 1
)

// effectNames holds the names of the effects by bit.
var effectNames = [...]string{
	indexOther:            "other",
	indexNoSchedule:       string(NoSchedule),
	indexPreferNoSchedule: string(PreferNoSchedule),
	indexNoExecute:        string(NoExecute),
}

// knownEffects holds the names of the effects that Kubernetes knows.
var knownEffects = effectNames[indexOther+1:]

// Effects returns the set of the effects. An effect that Kubernetes does not
// know, the empty one included, stands for all such effects.
func Effects(effects ...Effect) EffectSet {
	var set EffectSet
	for _, e := range effects {
		set |= effectBit(e)
	}
	return set
}

// Has reports whether the set holds the effect. Effects that Kubernetes does
// not know are in a set together or not at all.
func (s EffectSet) Has(effect Effect) bool { return s&effectBit(effect) != 0 }

// String returns the names of the effects in the set joined by "|", with
// "other" for those that Kubernetes does not know; "all" for [AllEffects] and
// "none" for the empty set. Bits without a meaning are left out.
func (s EffectSet) String() string {
	if s == AllEffects {
		return "all"
	}
	b := make([]byte, 0, 48)
	for n := range effectNames {
		i := (n + 1) % len(effectNames) // the others last
		if s&(1<<i) == 0 {
			continue
		}
		if len(b) > 0 {
			b = append(b, '|')
		}
		b = append(b, effectNames[i]...)
	}
	if len(b) == 0 {
		return "none"
	}
	return string(b)
}

// MarshalText returns what String returns. The error is always nil.
func (s EffectSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what String returns. The names may come in any order and
// repeat. The error is a [*ParseError] with the place of the first name that is
// unknown; the set is then left as it was.
func (s *EffectSet) UnmarshalText(text []byte) error {
	input := string(text)
	switch input {
	case "all":
		*s = AllEffects
		return nil
	case "none":
		*s = 0
		return nil
	}
	var set EffectSet
	for rest, more := input, true; more; {
		var name string
		offset := len(input) - len(rest)
		name, rest, more = strings.Cut(rest, "|")
		bit, ok := namedEffect(name)
		if !ok {
			return parseFault("effect set", input, offset, "effect", name, effectNotNamed)
		}
		set |= bit
	}
	*s = set
	return nil
}

// namedEffect returns the bit of the effect, or of the others, by its name.
func namedEffect(name string) (EffectSet, bool) {
	for i, known := range effectNames {
		if name == known {
			return 1 << i, true
		}
	}
	return 0, false
}

func effectBit(e Effect) EffectSet {
	switch e {
	case NoSchedule:
		return 1 << indexNoSchedule
	case PreferNoSchedule:
		return 1 << indexPreferNoSchedule
	case NoExecute:
		return 1 << indexNoExecute
	}
	return 1 << indexOther
}

func knownEffect(e Effect) bool { return effectBit(e) != 1<<indexOther }
