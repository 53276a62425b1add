package main

import (
	"errors"
	"strings"
)

// A selector chooses nodes by their labels; all its requirements must hold.
type selector []requirement

// A requirement is key=value or key!=value.
type requirement struct {
	key, value string
	differs    bool
}

// set reads a selector; the empty one is as if none were given.
func (s *selector) set(text string) error {
	*s = nil
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for _, part := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		value = strings.TrimPrefix(value, "=")
		key, differs := strings.CutSuffix(key, "!")
		r := requirement{strings.TrimSpace(key), strings.TrimSpace(value), differs}
		if !ok || r.key == "" || strings.ContainsAny(r.key+r.value, " !=()") {
			return errors.New("want key=value, key==value or key!=value, with commas between")
		}
		*s = append(*s, r)
	}
	return nil
}

// matches reports whether all requirements hold; a label that is not there differs from every value.
func (s selector) matches(labels map[string]string) bool {
	for _, r := range s {
		value, ok := labels[r.key]
		if (ok && value == r.value) == r.differs {
			return false
		}
	}
	return true
}
