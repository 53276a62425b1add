// SPDX-License-Identifier: Apache-2.0

// Package enumtest checks the names of enumerations.
package enumtest

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// An Enum is an enumeration.
type Enum interface {
	// Check checks the names of all values, known or not.
	Check(t *testing.T)
	// CheckText reads the text, and checks that it is a name or is rejected.
	CheckText(t *testing.T, text string)
}

type number interface {
	~uint8
	fmt.Stringer
	encoding.TextMarshaler
}

type enum[E number, P interface {
	*E
	encoding.TextUnmarshaler
}] struct {
	kind   string
	values []E
	names  []string
}

// New returns the enumeration of the kind with the values, which start at zero,
// and their names.
func New[E number, P interface {
	*E
	encoding.TextUnmarshaler
}](kind string, values []E, names ...string) Enum {
	return enum[E, P]{kind, values, names}
}

func (e enum[E, P]) Check(t *testing.T) {
	for i, v := range e.values {
		if int(v) != i {
			t.Errorf("%v is %d, want %d", v, v, i)
		}
		e.checkName(t, v, e.names[i])
	}
	for _, n := range []int{len(e.values), 200} {
		e.checkName(t, E(n), e.kind+"("+strconv.Itoa(n)+")")
	}
	others := []string{"", "0", e.names[0] + " ", strings.ToLower(e.names[0]), e.kind + "(200)"}
	for _, text := range append(others, e.names...) {
		e.CheckText(t, text)
	}
}

func (e enum[E, P]) checkName(t *testing.T, v E, want string) {
	t.Helper()
	text, err := v.MarshalText()
	if v.String() != want || string(text) != want || err != nil {
		t.Errorf("%d: String %q, MarshalText %q, %v, want %q", v, v, text, err, want)
	}
	if text, err := json.Marshal(v); string(text) != strconv.Quote(want) || err != nil {
		t.Errorf("%d is %s, %v in JSON, want %q", v, text, err, want)
	}
}

func (e enum[E, P]) CheckText(t *testing.T, text string) {
	t.Helper()
	const before = 77 // not a value
	v := E(before)
	err := P(&v).UnmarshalText([]byte(text))
	if i := slices.Index(e.names, text); i >= 0 {
		if err != nil || v != e.values[i] {
			t.Fatalf("%q is read as %v, %v", text, v, err)
		}
		return
	}
	if v != before {
		t.Fatalf("%q is read as %v, want it left alone", text, v)
	}
	var field *taints.FieldError
	if !errors.As(err, &field) || field.Value != text || field.Kind != taints.ErrUnsupported ||
		field.Input != text || field.Offset != 0 || field.Detail != "must be one of "+strings.Join(e.names, ", ") {
		t.Fatalf("%q is read with the fault %+v", text, field)
	}
}
