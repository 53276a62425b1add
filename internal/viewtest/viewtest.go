// Package viewtest holds what the tests of every module with zero-copy views
// check: equal layouts, and views that share memory and allocate nothing.
package viewtest

import (
	"encoding/json"
	"reflect"
	"testing"
	"unsafe"
)

// SameLayout fails the test unless the struct types have the same fields, by
// name, kind, place, size and JSON name.
func SameLayout(t *testing.T, ours, theirs reflect.Type) {
	t.Helper()
	if ours.Size() != theirs.Size() || ours.Align() != theirs.Align() || ours.NumField() != theirs.NumField() {
		t.Fatalf("%v has size %d, alignment %d and %d fields, %v has %d, %d and %d",
			ours, ours.Size(), ours.Align(), ours.NumField(), theirs, theirs.Size(), theirs.Align(), theirs.NumField())
	}
	for i := range ours.NumField() {
		a, b := ours.Field(i), theirs.Field(i)
		if a.Name != b.Name || a.Offset != b.Offset || a.Type.Kind() != b.Type.Kind() || a.Type.Size() != b.Type.Size() {
			t.Errorf("%v: %s %v at %d, %v: %s %v at %d", ours, a.Name, a.Type, a.Offset, theirs, b.Name, b.Type, b.Offset)
		}
		if a.Tag.Get("json") != b.Tag.Get("json") {
			t.Errorf("%v.%s is %q in JSON, %q in %v", ours, a.Name, a.Tag.Get("json"), b.Tag.Get("json"), theirs)
		}
	}
}

// List checks what every view of a list holds to: nil, empty, length, capacity,
// order and memory.
func List[From, To any](t *testing.T, view func([]From) []To) {
	t.Helper()
	if view(nil) != nil {
		t.Error("the view of nil is not nil")
	}
	for _, empty := range [][]From{{}, make([]From, 0, 3), make([]From, 3)[3:], make([]From, 3)[1:1:1]} {
		if v := view(empty); v == nil || len(v) != 0 || cap(v) != 0 {
			t.Errorf("the view of an empty list is %v, len %d, cap %d", v, len(v), cap(v))
		}
	}
	backing := make([]From, 8)
	list := backing[2:5]
	v := view(list)
	if len(v) != 3 || cap(v) != 3 {
		t.Errorf("len %d, cap %d, want 3 and 3", len(v), cap(v))
	}
	if unsafe.Pointer(&v[0]) != unsafe.Pointer(&list[0]) || unsafe.Pointer(&v[2]) != unsafe.Pointer(&list[2]) {
		t.Error("the view has memory of its own")
	}
	if allocs := testing.AllocsPerRun(100, func() { v = view(list) }); allocs != 0 {
		t.Errorf("a view allocates %v times", allocs)
	}
	more := append(v, v[0])
	if unsafe.Pointer(&more[0]) == unsafe.Pointer(&list[0]) {
		t.Error("an append to the view is one to the list")
	}
}

// Pointer checks what every view of a single element holds to.
func Pointer[From, To any](t *testing.T, view func(*From) *To) {
	t.Helper()
	if view(nil) != nil {
		t.Error("the view of nil is not nil")
	}
	one := new(From)
	v := view(one)
	if unsafe.Pointer(v) != unsafe.Pointer(one) {
		t.Error("the view has memory of its own")
	}
	if allocs := testing.AllocsPerRun(100, func() { v = view(one) }); allocs != 0 {
		t.Errorf("a view allocates %v times", allocs)
	}
}

// A T is a [testing.T], or one of a property test.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// SameJSON fails the test unless the values have the same JSON.
func SameJSON(t T, a, b any) {
	t.Helper()
	if x, y := Encode(t, a), Encode(t, b); x != y {
		t.Fatalf("%T is %s, %T is %s", a, x, b, y)
	}
}

// Encode returns the JSON of the value.
func Encode(t T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(b)
}

// Decode reads the JSON into what v points to.
func Decode(t T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v", err)
	}
}
