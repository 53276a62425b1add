// SPDX-License-Identifier: Apache-2.0

package draw

// This file goes through the fields of a struct by reflection, for tests of what every
// field must count in.

import (
	"fmt"
	"iter"
	"reflect"
	"time"
)

// Secret begins every text that [Pairs] and [Overwrite] set.
const Secret = "secret"

// Pairs yields, for the name of each field of the struct T, two values that differ
// in that field alone. All fields are set, each value has its own memory, and no
// text is one that Kubernetes knows.
func Pairs[T any]() iter.Seq2[string, [2]T] {
	return func(yield func(string, [2]T) bool) {
		t := reflect.TypeFor[T]()
		for i := range t.NumField() {
			if t.Field(i).Name == "_" {
				continue
			}
			var pair [2]T
			for n := range pair {
				v := reflect.ValueOf(&pair[n]).Elem()
				set(v, 1)
				set(v.Field(i), 1+n)
			}
			if !yield(t.Field(i).Name, pair) {
				return
			}
		}
	}
}

// With returns v with the field of the other value.
func With[T any](v T, field string, other T) T {
	reflect.ValueOf(&v).Elem().FieldByName(field).Set(reflect.ValueOf(other).FieldByName(field))
	return v
}

// Get returns the value of the field.
func Get[T any](v T, field string) any { return reflect.ValueOf(v).FieldByName(field).Interface() }

// IsZero reports whether the field is not set.
func IsZero[T any](v T, field string) bool { return reflect.ValueOf(v).FieldByName(field).IsZero() }

// Overwrite writes to all that the fields of the values point to.
func Overwrite[T any](values ...T) {
	for i := range values {
		overwrite(reflect.ValueOf(values[i]), 3)
	}
}

func overwrite(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			set(v.Elem(), n)
		}
	case reflect.Slice:
		for i := range v.Len() {
			set(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			overwrite(v.Field(i), n)
		}
	}
}

// set gives v the value with the number.
func set(v reflect.Value, n int) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(int64(n), 0).UTC()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint(Secret, n))
	case reflect.Bool:
		v.SetBool(n%2 == 1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		set(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		set(v.Index(0), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "_" {
				set(v.Field(i), n)
			}
		}
	default:
		panic(fmt.Sprintf("package draw cannot set a %v: teach it", v.Type()))
	}
}
