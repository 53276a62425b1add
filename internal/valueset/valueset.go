// SPDX-License-Identifier: Apache-2.0

// Package valueset implements the sets of values and keys that tolerations match, and
// the operators that define them.
package valueset

// A Set is the set of values that a toleration matches. The zero Set is empty.
// Sets that are not created by [Of] must have Least <= Most.
type Set struct {
	Kind        Kind
	Text        string // the value of One, and empty for other kinds
	Least, Most int64  // of Integers
}

// A Kind is what a [Set] holds.
type Kind uint8

const (
	// None: no value.
	None Kind = iota
	// One: one value, which may be an integer.
	One
	// Integers: the integers from Least to Most, in canonical form.
	Integers
	// All: every value.
	All
)

// Contains reports whether the set contains the value.
func (s *Set) Contains(value string) bool {
	switch s.Kind {
	case All:
		return true
	case One:
		return s.Text == value
	case Integers:
		n, ok := ParseInteger(value)
		return ok && s.Least <= n && n <= s.Most
	}
	return false
}

// Includes reports whether the set contains all values of u.
func (s *Set) Includes(u *Set) bool {
	switch {
	case s.Kind == All, u.Kind == None:
		return true
	case u.Kind == One:
		return s.Contains(u.Text)
	case u.Kind == Integers && s.Kind == Integers:
		return s.Least <= u.Least && u.Most <= s.Most
	case u.Kind == Integers && u.Least == u.Most && s.Kind == One:
		return u.Contains(s.Text)
	}
	return false
}

// Meets reports whether the sets have a common value.
func (s *Set) Meets(u *Set) bool {
	if s.Kind == Integers && u.Kind == Integers {
		return s.Least <= u.Most && u.Least <= s.Most
	}
	return s.Kind != None && u.Kind != None && (s.Includes(u) || u.Includes(s))
}

// ParseInteger parses a decimal integer in canonical form within int64. Unlike
// strconv.ParseInt it rejects "+1", "-0" and "007", as Kubernetes does, and
// does not allocate if it fails.
func ParseInteger(s string) (n int64, ok bool) {
	if len(s) == 0 || len(s) > 18 || s[0] < '1' || s[0] > '9' {
		return parseRare(s)
	}
	n = int64(s[0] - '0')
	for i := 1; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	return n, true
}

// parseRare is ParseInteger for texts that do not begin like a positive integer of up
// to 18 digits. Most texts do, and need none of its checks. That saves a twentieth of
// BenchmarkMatcherFindUntolerated.
func parseRare(s string) (n int64, ok bool) {
	digits := s
	if len(s) > 0 && s[0] == '-' {
		digits = s[1:]
	}
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' {
		return 0, s == "0"
	}
	var magnitude uint64 // 19 digits stay below 1<<64
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		magnitude = magnitude*10 + uint64(d)
	}
	if len(digits) < len(s) {
		return -int64(magnitude), magnitude <= 1<<63
	}
	return int64(magnitude), magnitude < 1<<63
}
