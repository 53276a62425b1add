package lifecycle_test

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/lifecycle"
)

type enumeration interface {
	~uint8
	fmt.Stringer
	encoding.TextMarshaler
}

// checkNames tests the text forms of an enumeration.
func checkNames[E enumeration](t *testing.T, kind string, values []E, names []string, read func(string) (E, error)) {
	t.Helper()
	for i, v := range values {
		text, err := json.Marshal(v)
		if v.String() != names[i] || string(text) != `"`+names[i]+`"` || err != nil || int(v) != i {
			t.Errorf("%d is %v, in JSON %s, %v, want %s", v, v, text, err, names[i])
		}
		if got, err := read(names[i]); got != v || err != nil {
			t.Errorf("%s reads as %v, %v", names[i], got, err)
		}
	}
	unknown := E(len(values))
	want := fmt.Sprintf("%s(%d)", kind, len(values))
	if text, err := unknown.MarshalText(); unknown.String() != want || string(text) != want || err != nil {
		t.Errorf("got %v, %s, %v, want %s", unknown, text, err, want)
	}
	for _, text := range []string{"", want, strings.ToLower(names[0]), names[0] + " "} {
		got, err := read(text)
		var parse *taints.ParseError
		var field *taints.FieldError
		switch {
		case !errors.As(err, &parse) || !errors.As(err, &field) || !errors.Is(err, taints.ErrUnsupported):
			t.Errorf("%q: %v", text, err)
		case parse.Kind != kind || parse.Input != text || parse.Offset != 0 ||
			field.Value != text || field.Detail != "must be one of "+strings.Join(names, ", "):
			t.Errorf("%q: %+v, %+v", text, parse, field)
		case got != values[2]:
			t.Errorf("%q: left %v", text, got)
		}
	}
}

// FuzzUnmarshalText reads names of enumerations.
func FuzzUnmarshalText(f *testing.F) {
	for _, s := range []string{"", "Unchanged", "Moved", "ZoneFull", "zoneFull", "QueueChange(1)", "1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fuzzName(t, text, lifecycle.Canceled, new(lifecycle.QueueChange))
		fuzzName(t, text, lifecycle.ZoneFull, new(lifecycle.ZoneState))
	})
}

// fuzzName reads the text, and checks that it is a name up to that of last or is
// refused.
func fuzzName[E enumeration, P interface {
	*E
	encoding.TextUnmarshaler
}](t *testing.T, text string, last E, read P) {
	known := false
	for v := range last + 1 {
		known = known || v.String() == text
	}
	err := read.UnmarshalText([]byte(text))
	var parse *taints.ParseError
	if known != (err == nil) || known && (*read).String() != text ||
		!known && (!errors.As(err, &parse) || parse.Input != text || *read != 0) {
		t.Fatalf("%q is read as %v, %v", text, *read, err)
	}
}
