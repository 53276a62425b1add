package taints

import (
	"cmp"
	"errors"
	"strings"
	"time"
)

// A Taint marks a node: pods that do not tolerate it are kept away, or leave.
// Fields, their order and their JSON are those of k8s.io/api/core/v1.Taint.
// Only TimeAdded has the JSON of [time.Time], which is the same for whole
// seconds in UTC, as Kubernetes writes them.
//
// The zero Taint is invalid, for a key and an effect are required, but every
// function takes it. Compare taints with [Taint.Equal] or [Taint.ID], not with
// ==, which compares TimeAdded by its address.
type Taint struct {
	// Key names the taint, as in "dedicated" or "nvidia.com/gpu". Required.
	Key string `json:"key"`
	// Value is what a toleration's value is compared with. May be empty.
	Value string `json:"value,omitempty"`
	// Effect is what happens to pods that do not tolerate the taint. Required.
	Effect Effect `json:"effect"`
	// TimeAdded is when the taint was put on the node; nil where it is not
	// known. Kubernetes sets it on NoExecute taints and on those that follow a
	// node's conditions. Matching does not use it.
	TimeAdded *time.Time `json:"timeAdded,omitempty"`
}

// ID returns the taint's key and effect, which are what Kubernetes' MatchTaint
// compares.
func (t Taint) ID() TaintID { return TaintID{t.Key, t.Effect} }

// Equal reports whether the taints have the same key, value and effect, and
// times that are both unset or the same instant.
func (t Taint) Equal(u Taint) bool {
	return t.sameButTime(&u) && compareTimes(t.TimeAdded, u.TimeAdded) == 0
}

func (t *Taint) sameButTime(u *Taint) bool {
	return t.Key == u.Key && t.Value == u.Value && t.Effect == u.Effect
}

// Compare returns -1, 0 or 1. It orders taints by key, value and effect, byte
// for byte, and then by time, with an unset one first. It returns 0 exactly for
// taints that are Equal.
func (t Taint) Compare(u Taint) int {
	return cmp.Or(
		strings.Compare(t.Key, u.Key),
		strings.Compare(t.Value, u.Value),
		strings.Compare(string(t.Effect), string(u.Effect)),
		compareTimes(t.TimeAdded, u.TimeAdded),
	)
}

func compareTimes(a, b *time.Time) int {
	switch {
	case a == b:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return a.Compare(*b)
}

// clone returns the taint with a time of its own.
func (t Taint) clone() Taint {
	if t.TimeAdded != nil {
		added := *t.TimeAdded
		t.TimeAdded = &added
	}
	return t
}

// String returns the taint as kubectl prints it: "key=value:Effect",
// "key:Effect" without a value, "key=value:" without an effect, "key" without
// both (Taint.ToString in Kubernetes). [ParseTaint] reads the text of a valid
// taint back. It leaves out TimeAdded.
func (t Taint) String() string {
	var buf [64]byte
	return string(t.AppendTo(buf[:0]))
}

// AppendTo appends the text that String returns to b and returns the extended
// slice.
func (t Taint) AppendTo(b []byte) []byte {
	b = appendKeyValue(b, t.Key, t.Value)
	if t.Value != "" || t.Effect != "" {
		b = append(b, ':')
	}
	return append(b, t.Effect...)
}

// appendKeyValue appends how kubectl prints a key and a value, in taints and
// in tolerations.
func appendKeyValue(b []byte, key, value string) []byte {
	b = append(b, key...)
	if value != "" {
		b = append(b, '=')
		b = append(b, value...)
	}
	return b
}

// ParseTaint reads "key=value:Effect" or "key:Effect". It accepts what "kubectl
// taint" accepts for a taint to add, so the effect is required and the taint is
// valid. The taint keeps parts of s.
//
// The error is a [*ParseError] with the place of the first fault, which wraps a
// [*FieldError]; the taint is then zero.
func ParseTaint(s string) (Taint, error) {
	t, fault := parseTaint(s)
	if fault != nil {
		return Taint{}, fault
	}
	return t, nil
}

func parseTaint(s string) (Taint, *ParseError) {
	head, effect, _ := cut(s, ':')
	key, value, _ := cut(head, '=')
	if p := checkKey(key); p != noProblem {
		return Taint{}, parseFault("taint", s, 0, "key", key, p)
	}
	if p := checkValue(value); p != noProblem {
		return Taint{}, parseFault("taint", s, len(key)+1, "value", value, p)
	}
	if effect == "" {
		return Taint{}, parseFault("taint", s, len(s), "effect", "", effectMissing)
	}
	if p := checkParsedEffect(effect); p != noProblem {
		return Taint{}, parseFault("taint", s, len(head)+1, "effect", effect, p)
	}
	return Taint{Key: key, Value: value, Effect: Effect(effect)}, nil
}

func checkParsedEffect(effect string) problem {
	switch {
	case knownEffect(Effect(effect)):
		return noProblem
	case strings.HasSuffix(effect, "-"):
		return effectToRemove
	}
	return effectUnknown
}

// MustParseTaint is like [ParseTaint] but panics where that returns an error.
// It is for tests and for constants.
func MustParseTaint(s string) Taint {
	t, err := ParseTaint(s)
	if err != nil {
		panic(err)
	}
	return t
}

// ParseTaints reads taints separated by commas, as in
// "dedicated=ml:NoSchedule,spot:PreferNoSchedule": the form of the kubelet's
// --register-with-taints. It accepts what the kubelet accepts, except texts
// that ask for removal, which the kubelet drops. The empty text gives nil.
//
// The error unwraps to a [*ParseError] for each faulty taint, in order, with
// the place of its first fault in the list. Each wraps a [*FieldError] with
// "taints" as its List. A taint whose key and effect an earlier one has is
// [ErrDuplicate]. The list is then nil.
func ParseTaints(list string) ([]Taint, error) {
	if list == "" {
		return nil, nil
	}
	specs := strings.Split(list, ",")
	taints := make([]Taint, 0, len(specs))
	seen := newPlaces(len(specs))
	var errs []error
	offset := 0
	for i, spec := range specs {
		t, fault := parseTaint(spec)
		if fault == nil && seen.first(taints, t.ID()) >= 0 {
			fault = parseFault("taint", spec, 0, "", spec, taintRepeated)
		}
		if fault != nil {
			fault.Input, fault.Offset = list, offset+fault.Offset
			errs = append(errs, fault.inList("taints", i))
		} else {
			seen.add(t.ID(), len(taints))
			taints = append(taints, t)
		}
		offset += len(spec) + len(",")
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return taints, nil
}

// inList returns the error as that of the entry at the index.
func (e *ParseError) inList(list string, index int) error {
	fault := e.Err.(*FieldError)
	fault.List, fault.index = list, someIndex(index)
	return e
}
