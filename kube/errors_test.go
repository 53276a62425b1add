// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/words"
	"github.com/seed-0529bac1/taints/kube"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// fieldErr returns an error of the kind at the index of the list, or of a single value
// if the list has no name.
func fieldErr(list string, index int, name string, kind taints.ErrorKind) *taints.FieldError {
	return &taints.FieldError{List: list, Index: index, Field: name, Value: "v", Kind: kind, Detail: "d"}
}

// A quiet error wraps nothing, although it has an Unwrap method.
type quiet struct{}

func (quiet) Error() string { return "quiet" }
func (quiet) Unwrap() error { return nil }

// A tree holds errors, which may be nil.
type tree []error

func (tree) Error() string     { return "tree" }
func (t tree) Unwrap() []error { return t }

func internal(path *field.Path, err error) *field.Error {
	return &field.Error{Type: field.ErrorTypeInternal, Field: path.String(), BadValue: err, Detail: err.Error()}
}

// one returns a list with an error whose detail is "d".
func one(kind field.ErrorType, path string, value any) field.ErrorList {
	return field.ErrorList{{Type: kind, Field: path, BadValue: value, Detail: "d"}}
}

func TestFieldErrors(t *testing.T) {
	const (
		invalid   = field.ErrorTypeInvalid
		duplicate = field.ErrorTypeDuplicate
	)
	var (
		noField *taints.FieldError
		noList  taints.ErrorList
	)
	_, unparsed := taints.ParseTaint("a=")
	path := field.NewPath("spec", "taints")
	forbidden := field.ErrorList{{Type: field.ErrorTypeForbidden, Field: "spec.taints", BadValue: "", Detail: `"v": d`}}
	key, required := fieldErr("taints", 0, "key", taints.ErrRequired), field.Required(path.Index(0).Child("key"), "d")
	other, noKind := fieldErr("taints", 2, "key", "odd"), fieldErr("", 0, "key", "")
	wrapped, wrappedNil := fmt.Errorf("wrapped: %w", io.EOF), fmt.Errorf("wrapped: %w", noField)
	empty, nothing := taints.ErrorList{}, taints.ErrorList{nil, nil}
	nils := tree{nil, noField, noList}
	isNil := func(err error) field.ErrorList {
		return field.ErrorList{{Type: field.ErrorTypeInternal, Field: "spec.taints", BadValue: err, Detail: "a nil error"}}
	}
	for _, test := range []struct {
		name string
		err  error
		path *field.Path
		want field.ErrorList
	}{
		{"nil", nil, path, nil},

		{"required", key, path, field.ErrorList{required}},
		{
			"forbidden, without a value", &taints.FieldError{Kind: taints.ErrForbidden, Detail: "d"}, path,
			field.ErrorList{{Type: field.ErrorTypeForbidden, Field: "spec.taints", BadValue: "", Detail: "d"}},
		},
		{"invalid", fieldErr("taints", 1, "value", taints.ErrInvalid), path, one(invalid, "spec.taints[1].value", "v")},
		{
			"not supported", fieldErr("taints", 1, "effect", taints.ErrNotSupported), path,
			one(field.ErrorTypeNotSupported, "spec.taints[1].effect", "v"),
		},
		{"duplicate", fieldErr("taints", 3, "", taints.ErrDuplicate), path, one(duplicate, "spec.taints[3]", "v")},
		{"forbidden", fieldErr("", 0, "", taints.ErrForbidden), path, forbidden},
		{"not found", fieldErr("taints", 0, "", taints.ErrNotFound), path, one(field.ErrorTypeNotFound, "spec.taints[0]", "v")},
		{"another kind", other, path, field.ErrorList{internal(path.Index(2).Child("key"), other)}},
		{"no kind", noKind, path, field.ErrorList{internal(path.Child("key"), noKind)}},

		{"single", fieldErr("", 0, "key", taints.ErrInvalid), path, one(invalid, "spec.taints.key", "v")},
		{"root", fieldErr("", 0, "key", taints.ErrInvalid), nil, one(invalid, "key", "v")},
		{"root element", fieldErr("taints", 0, "key", taints.ErrInvalid), nil, one(invalid, "[0].key", "v")},
		{"of tolerations", fieldErr("tolerations", 1, "key", taints.ErrInvalid), path, one(invalid, "spec.taints[1].key", "v")},
		{"of arguments", fieldErr("specs", 1, "key", taints.ErrInvalid), path, one(invalid, "spec.taints[1].key", "v")},
		{"of changes", fieldErr("removeKeys", 1, "key", taints.ErrInvalid), path, one(invalid, "spec.taints.removeKeys[1].key", "v")},
		// A missing toleration has no place in the new list.
		{"missing", fieldErr("old", 1, "", taints.ErrForbidden), path, forbidden},
		{
			"parsed", unparsed, path,
			field.ErrorList{field.Required(path.Child("effect"), "must be "+words.Join(known.Effects(), " or "))},
		},

		{"another error", io.EOF, path, field.ErrorList{internal(path, io.EOF)}},
		{"another error, wrapped", wrapped, path, field.ErrorList{internal(path, wrapped)}},
		{"another error at the root", io.EOF, nil, field.ErrorList{internal(nil, io.EOF)}},
		{"other errors", tree{io.EOF, wrapped}, path, field.ErrorList{internal(path, tree{io.EOF, wrapped})}},
		{"wrapped", fmt.Errorf("wrapped: %w", key), path, field.ErrorList{required}},
		{
			"joined", errors.Join(key, wrapped, fieldErr("taints", 1, "key", taints.ErrRequired)), path,
			field.ErrorList{required, internal(path, wrapped), field.Required(path.Index(1).Child("key"), "d")},
		},
		{"joined twice", errors.Join(wrapped, errors.Join(io.EOF, key), errors.Join(io.EOF)), path, field.ErrorList{
			internal(path, wrapped), internal(path, io.EOF), required, internal(path, errors.Join(io.EOF)),
		}},
		{
			"aggregate", utilerrors.NewAggregate([]error{key, utilerrors.NewAggregate([]error{io.EOF, key})}), path,
			field.ErrorList{required, internal(path, io.EOF), required},
		},

		{"no errors", empty, path, nil},
		{"nil errors", nothing, path, field.ErrorList{internal(path, nothing)}},
		{"an error among nil ones", taints.ErrorList{nil, key, nil}, path, field.ErrorList{required}},
		{"nil field error", noField, path, isNil(noField)},
		{"nil list", noList, path, nil},
		{"zero field error", &taints.FieldError{}, path, field.ErrorList{internal(path, &taints.FieldError{})}},
		{"nil, wrapped", wrappedNil, path, field.ErrorList{internal(path, wrappedNil)}},
		{"nil branches", nils, path, field.ErrorList{internal(path, nils)}},
		{"an error among nil branches", append(nils, key), path, field.ErrorList{required}},
		{"an error before a wrapped nil", tree{key, wrappedNil}, path, field.ErrorList{required, internal(path, wrappedNil)}},
		{"wraps nothing", quiet{}, path, field.ErrorList{internal(path, quiet{})}},
		{
			"an error beside one that wraps nothing",
			tree{quiet{}, key, empty},
			path,
			field.ErrorList{internal(path, quiet{}), required, internal(path, empty)},
		},
	} {
		if got := kube.FieldErrors(test.err, test.path); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %#v\nwant %#v", test.name, got, test.want)
		}
	}
}
