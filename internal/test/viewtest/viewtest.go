// SPDX-License-Identifier: Apache-2.0

// Package viewtest has the checks for every module with zero-copy views: equal
// layouts and JSON, and views that share memory and allocate nothing.
package viewtest

import (
	"encoding/json"
	"reflect"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/draw"
)

// Taints draws taints, valid or not. Kubernetes has no JSON for the zero time.
var Taints = draw.Taint.Filter(func(t taints.Taint) bool { return t.TimeAdded == nil || !t.TimeAdded.IsZero() })

// Views are the views of a type of the library, L, as a type of Kubernetes, K,
// and back.
type Views[L, K any] struct {
	// Build returns the same value in its own memory, built field by field.
	Build   func(L) K
	List    func([]K) []L
	Copy    func([]K) []L // List if the layouts differed
	Back    func([]L) []K
	One     func(K) L
	BackOne func(L) K
}

// Check checks all of the views, with lists of the values that draw returns. If L has
// more fields than K, the views are copies, and share no memory.
func (v Views[L, K]) Check(t *testing.T, draw *rapid.Generator[L]) {
	t.Run("layout", func(t *testing.T) {
		SkipCopies[L, K](t)
		sameLayout(t, reflect.TypeFor[L](), reflect.TypeFor[K]())
	})
	t.Run("list", func(t *testing.T) { checkList(t, v.List) })
	t.Run("list back", func(t *testing.T) { checkList(t, v.Back) })
	t.Run("copy", func(t *testing.T) {
		if got := v.Copy(nil); got != nil {
			t.Errorf("the copy of nil is %v", got)
		}
		if got := v.Copy([]K{}); got == nil || len(got) != 0 {
			t.Errorf("the copy of an empty list is %#v", got)
		}
		rapid.Check(t, func(t *rapid.T) {
			want := rapid.SliceOfN(draw, 1, 4).Draw(t, "list")
			theirs := v.BuildAll(want)
			got := v.Copy(theirs)
			if !reflect.DeepEqual(got, want) || cap(got) != len(want) || unsafe.Pointer(&got[0]) == unsafe.Pointer(&theirs[0]) {
				t.Fatalf("%v is copied as %v", theirs, got)
			}
		})
	})
	t.Run("round trip", func(t *testing.T) { rapid.Check(t, v.RoundTrip(draw)) })
}

// RoundTrip returns the property that lists of the values view as each other, also
// in JSON.
func (v Views[L, K]) RoundTrip(draw *rapid.Generator[L]) func(t *rapid.T) {
	return func(t *rapid.T) {
		want := rapid.SliceOfN(draw, 0, 4).Draw(t, "list")
		theirs := v.BuildAll(want)
		ours := v.List(theirs)
		v.checkRoundTrip(t, want, theirs, ours)
		v.checkJSON(t, theirs, ours)
	}
}

// BuildAll builds each element of the list.
func (v Views[L, K]) BuildAll(list []L) []K {
	out := make([]K, len(list))
	for i := range list {
		out[i] = v.Build(list[i])
	}
	return out
}

func (v Views[L, K]) checkRoundTrip(t *rapid.T, want []L, theirs []K, ours []L) {
	if len(theirs) != len(ours) {
		t.Fatalf("%v views as %v", theirs, ours)
	}
	back := v.Back(ours)
	for i := range theirs {
		if !same(back[i], theirs[i]) || !same(v.One(theirs[i]), ours[i]) || !same(v.BackOne(ours[i]), theirs[i]) {
			t.Fatalf("%v is %v in a list, and %v by itself", theirs[i], ours[i], v.One(theirs[i]))
		}
		if !reflect.DeepEqual(ours[i], want[i]) {
			t.Fatalf("%v views as %v", theirs[i], ours[i])
		}
	}
}

// same reports whether the values hold the same texts and pointers, in the same memory.
func same[T any](a, b T) bool { return memory(&a) == memory(&b) }

func memory[T any](v *T) string {
	return string(unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)))
}

func (v Views[L, K]) checkJSON(t *rapid.T, theirs []K, ours []L) {
	text := Encode(t, theirs)
	if got := Encode(t, ours); got != text {
		t.Fatalf("%T is %s, %T is %s", ours, got, theirs, text)
	}
	var read []K
	var readOurs []L
	decode(t, text, &read)
	decode(t, text, &readOurs)
	if got, want := Encode(t, v.Back(readOurs)), Encode(t, read); got != want {
		t.Fatalf("%s is read as %s by one type and %s by the other", text, got, want)
	}
}

// sameLayout fails the test unless the struct types have the same fields, by
// name, kind, offset, size and JSON name.
func sameLayout(t *testing.T, ours, theirs reflect.Type) {
	t.Helper()
	type shape struct {
		size          uintptr
		align, fields int
	}
	a := shape{ours.Size(), ours.Align(), ours.NumField()}
	b := shape{theirs.Size(), theirs.Align(), theirs.NumField()}
	if a != b {
		t.Fatalf("%v has %+v, %v has %+v", ours, a, theirs, b)
	}
	for i := range ours.NumField() {
		a, b := ours.Field(i), theirs.Field(i)
		sameType := a.Type.Kind() == b.Type.Kind() && a.Type.Size() == b.Type.Size()
		if a.Name != b.Name || a.Offset != b.Offset || !sameType {
			t.Errorf("%v: %s %v at %d, %v: %s %v at %d",
				ours, a.Name, a.Type, a.Offset, theirs, b.Name, b.Type, b.Offset)
		}
		if x, y := a.Tag.Get("json"), b.Tag.Get("json"); x != y {
			t.Errorf("%v.%s is %q in JSON, %q in %v", ours, a.Name, x, y, theirs)
		}
	}
}

// SkipCopies skips the rest of the test if the types have different sizes.
func SkipCopies[A, B any](t *testing.T) {
	t.Helper()
	var a A
	var b B
	if unsafe.Sizeof(a) != unsafe.Sizeof(b) {
		t.Skipf("a %T has other fields than a %T: views are copies", a, b)
	}
}

// checkList checks the properties of every view of a list: nil, empty, length,
// capacity, order and memory.
func checkList[From, To any](t *testing.T, view func([]From) []To) {
	t.Helper()
	if view(nil) != nil {
		t.Error("the view of nil is not nil")
	}
	three := make([]From, 3)
	for _, empty := range [][]From{{}, three[:0], three[3:], three[1:1:1]} {
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
	SkipCopies[From, To](t)
	for i := range v {
		if unsafe.Pointer(&v[i]) != unsafe.Pointer(&list[i]) {
			t.Errorf("element %d of the view has memory of its own", i)
		}
	}
	if allocs := testing.AllocsPerRun(100, func() { v = view(list) }); allocs != 0 {
		t.Errorf("a view allocates %v times", allocs)
	}
	more := append(v, v[0])
	if unsafe.Pointer(&more[0]) == unsafe.Pointer(&list[0]) {
		t.Error("an append to the view is one to the list")
	}
}

// Encode returns the JSON of the value.
func Encode(t test.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(b)
}

// decode reads the JSON into what v points to.
func decode(t test.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v", err)
	}
}
