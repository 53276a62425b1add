// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func parseError(text string) error {
	_, err := taints.ParseTaint(text)
	return err
}

// fault returns a fault of the kind at the index of a list of taints, or of a
// single taint if the index is -1.
func fault(index int, name string, kind taints.ErrorKind) *taints.FieldError {
	f := &taints.FieldError{Field: name, Value: "v", Kind: kind, Detail: "d"}
	if index >= 0 {
		f.List, f.Index = "taints", index
	}
	return f
}

// A quiet error wraps nothing, although it has an Unwrap method.
type quiet struct{}

func (quiet) Error() string { return "quiet" }
func (quiet) Unwrap() error { return nil }

// A number is an error of a numeric type, like those of package syscall.
type number int

func (number) Error() string { return "number" }

// A tree holds errors, which may be nil.
type tree []error

func (tree) Error() string     { return "tree" }
func (t tree) Unwrap() []error { return t }

func internal(path *field.Path, err error) *field.Error {
	return &field.Error{Type: field.ErrorTypeInternal, Field: path.String(), BadValue: err, Detail: err.Error()}
}

func TestFieldErrors(t *testing.T) {
	path := field.NewPath("spec", "taints")
	required := field.Required(path.Index(0).Child("key"), "d")
	other := fault(2, "key", "odd")
	wrapped := fmt.Errorf("wrapped: %w", io.EOF)
	empty := taints.ErrorList{}
	nothing := taints.ErrorList{nil, nil}
	var (
		noField *taints.FieldError
		noList  taints.ErrorList
	)
	noKind := fault(-1, "key", "")
	wrappedNil := fmt.Errorf("wrapped: %w", noField)
	nils := tree{nil, noField, noList, (*fs.PathError)(nil)}
	isNil := func(err error) field.ErrorList {
		e := internal(path, io.EOF)
		e.BadValue, e.Detail = err, "a nil error"
		return field.ErrorList{e}
	}
	for _, test := range []struct {
		name string
		err  error
		path *field.Path
		want field.ErrorList
	}{
		{"nil", nil, path, nil},

		{"required", fault(0, "key", taints.ErrRequired), path, field.ErrorList{required}},
		{
			"invalid", fault(1, "value", taints.ErrInvalid), path,
			field.ErrorList{field.Invalid(path.Index(1).Child("value"), "v", "d")},
		},
		{
			"too long", fault(1, "key", taints.ErrTooLong), path,
			field.ErrorList{{
				Type: field.ErrorTypeTooLong, Field: "spec.taints[1].key",
				BadValue: "<value omitted>", Detail: "d",
			}},
		},
		{
			"not supported", fault(1, "effect", taints.ErrUnsupported), path,
			field.ErrorList{{
				Type: field.ErrorTypeNotSupported, Field: "spec.taints[1].effect",
				BadValue: "v", Detail: "d",
			}},
		},
		{
			"duplicate", fault(3, "", taints.ErrDuplicate), path,
			field.ErrorList{{Type: field.ErrorTypeDuplicate, Field: "spec.taints[3]", BadValue: "v", Detail: "d"}},
		},
		{"forbidden", fault(-1, "", taints.ErrForbidden), path, field.ErrorList{field.Forbidden(path, "d")}},
		{
			"exists", fault(1, "", taints.ErrExists), path,
			field.ErrorList{{Type: field.ErrorTypeDuplicate, Field: "spec.taints[1]", BadValue: "v", Detail: "d"}},
		},
		{
			"not found", fault(0, "", taints.ErrNotFound), path,
			field.ErrorList{{Type: field.ErrorTypeNotFound, Field: "spec.taints[0]", BadValue: "v", Detail: "d"}},
		},
		{"conflict", fault(0, "", taints.ErrConflict), path, field.ErrorList{field.Invalid(path.Index(0), "v", "d")}},
		{"another kind", other, path, field.ErrorList{internal(path.Index(2).Child("key"), other)}},
		{"no kind", noKind, path, field.ErrorList{internal(path.Child("key"), noKind)}},

		{
			"single", fault(-1, "key", taints.ErrInvalid), path,
			field.ErrorList{field.Invalid(path.Child("key"), "v", "d")},
		},
		{
			"root", fault(-1, "key", taints.ErrInvalid), nil,
			field.ErrorList{field.Invalid(field.NewPath("key"), "v", "d")},
		},
		{
			"root element", fault(0, "key", taints.ErrInvalid), nil,
			field.ErrorList{{Type: field.ErrorTypeInvalid, Field: "[0].key", BadValue: "v", Detail: "d"}},
		},
		{
			"parsed", parseError("a="), path,
			field.ErrorList{{
				Type: field.ErrorTypeRequired, Field: "spec.taints.effect",
				BadValue: "", Detail: "must be NoSchedule, PreferNoSchedule or NoExecute",
			}},
		},

		{"another error", io.EOF, path, field.ErrorList{internal(path, io.EOF)}},
		{"another error, a number", number(0), path, field.ErrorList{internal(path, number(0))}},
		{"another error, wrapped", wrapped, path, field.ErrorList{internal(path, wrapped)}},
		{"another error at the root", io.EOF, nil, field.ErrorList{internal(nil, io.EOF)}},
		{"other errors", tree{io.EOF, wrapped}, path, field.ErrorList{internal(path, tree{io.EOF, wrapped})}},
		{"wrapped", fmt.Errorf("wrapped: %w", fault(0, "key", taints.ErrRequired)), path, field.ErrorList{required}},
		{
			"joined",
			errors.Join(fault(0, "key", taints.ErrRequired), wrapped, fault(1, "key", taints.ErrRequired)),
			path,
			field.ErrorList{required, internal(path, wrapped), field.Required(path.Index(1).Child("key"), "d")},
		},
		{"joined twice", errors.Join(wrapped,
			errors.Join(io.EOF, fault(0, "key", taints.ErrRequired)), errors.Join(io.EOF)), path, field.ErrorList{
			internal(path, wrapped), internal(path, io.EOF), required, internal(path, errors.Join(io.EOF)),
		}},
		{"aggregate", utilerrors.NewAggregate([]error{
			fault(0, "key", taints.ErrRequired),
			utilerrors.NewAggregate([]error{io.EOF, fault(0, "key", taints.ErrRequired)}),
		}), path, field.ErrorList{required, internal(path, io.EOF), required}},

		{"no faults", empty, path, nil},
		{"nil faults", nothing, path, field.ErrorList{internal(path, nothing)}},
		{
			"a fault among nil ones",
			taints.ErrorList{nil, fault(0, "key", taints.ErrRequired), nil},
			path,
			field.ErrorList{required},
		},
		{"nil field error", noField, path, isNil(noField)},
		{"nil list", noList, path, nil},
		{"nil pointer of another package", (*fs.PathError)(nil), path, isNil((*fs.PathError)(nil))},
		{"zero field error", &taints.FieldError{}, path, field.ErrorList{internal(path, &taints.FieldError{})}},
		{"nil, wrapped", wrappedNil, path, field.ErrorList{internal(path, wrappedNil)}},
		{"nil branches", nils, path, field.ErrorList{internal(path, nils)}},
		{
			"a fault among nil branches", append(nils, fault(0, "key", taints.ErrRequired)),
			path,
			field.ErrorList{required},
		},
		{
			"a fault before a wrapped nil",
			tree{fault(0, "key", taints.ErrRequired), wrappedNil},
			path,
			field.ErrorList{required, internal(path, wrappedNil)},
		},
		{"wraps nothing", quiet{}, path, field.ErrorList{internal(path, quiet{})}},
		{
			"a fault beside one that wraps nothing",
			tree{quiet{}, fault(0, "key", taints.ErrRequired), empty},
			path,
			field.ErrorList{internal(path, quiet{}), required, internal(path, empty)},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := kube.FieldErrors(test.err, test.path); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %#v\nwant %#v", got, test.want)
			}
		})
	}
}

// The path names the list of a fault, unless the given path already does.
func TestFieldErrorsOfLists(t *testing.T) {
	changes := taints.Changes{
		Add:        []taints.Taint{{Key: "a", Effect: taints.NoSchedule}, {Key: "b", Effect: "x"}},
		Remove:     []taints.TaintID{{Key: "c"}},
		RemoveKeys: []string{"a", "-"},
	}
	path := field.NewPath("changes")
	wantFields(t, kube.FieldErrors(changes.Validate(), path), map[string]field.ErrorType{
		"changes.add[0]":            field.ErrorTypeInvalid,
		"changes.add[1].effect":     field.ErrorTypeNotSupported,
		"changes.remove[0].effect":  field.ErrorTypeRequired,
		"changes.removeKeys[1].key": field.ErrorTypeInvalid,
	})

	changes = taints.Changes{
		Add:        []taints.Taint{{Key: "a", Effect: taints.NoSchedule}},
		RemoveKeys: []string{"c"},
	}
	_, err := changes.ApplyStrict([]taints.Taint{{Key: "a", Value: "v", Effect: taints.NoSchedule}}, false)
	wantFields(t, kube.FieldErrors(err, path), map[string]field.ErrorType{
		"changes.add[0]":        field.ErrorTypeDuplicate,
		"changes.removeKeys[0]": field.ErrorTypeNotFound,
	})

	_, err = taints.ParseChanges("a:NoSchedule", "b:x")
	wantFields(t, kube.FieldErrors(err, field.NewPath("args")), map[string]field.ErrorType{
		"args[1].effect": field.ErrorTypeNotSupported,
	})

	// A missing toleration has no place in the new list.
	old := []taints.Toleration{{Key: "a"}, {Key: "b"}}
	err = taints.ValidateTolerationsUpdate(old, []taints.Toleration{{Key: "a"}, {Key: "-"}})
	wantFields(t, kube.FieldErrors(err, field.NewPath("tolerations")), map[string]field.ErrorType{
		"tolerations":        field.ErrorTypeForbidden,
		"tolerations[1].key": field.ErrorTypeInvalid,
	})

	wantFields(t, kube.FieldErrors(taints.ErrorList(nil), path), map[string]field.ErrorType{})
}

func wantFields(t *testing.T, list field.ErrorList, want map[string]field.ErrorType) {
	t.Helper()
	got := make(map[string]field.ErrorType)
	for _, err := range list {
		got[err.Field] = err.Type
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
