// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"errors"
	"reflect"

	"github.com/seed-0529bac1/taints"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// FieldErrors converts an error of package taints to Kubernetes' field errors,
// for an admission webhook or the validation of an object. The path is the path
// of the list, or of the single taint or toleration. A nil path is the root,
// which Kubernetes writes as "<nil>".
//
//	err := taints.ValidateTolerations(kube.Tolerations(pod.Spec.Tolerations))
//	errs := kube.FieldErrors(err, field.NewPath("spec", "tolerations"))
//
// The result is nil if err is nil or an empty [taints.ErrorList]. Otherwise it has
// a field error for each [taints.FieldError] in err's tree, in order, and at least
// one. The tree consists of the errors that Unwrap methods and Kubernetes'
// aggregates return.
//
//   - The path is extended by the fault's Index and Field, if it has them, and
//     before these by its List, unless that is the list of the path: "taints",
//     "tolerations" or "specs". A fault of the list "old" has no place in the
//     validated object, so its path has no index.
//   - The type is that of the fault's kind: Required, Invalid, NotSupported for
//     [taints.ErrUnsupported], Duplicate, Forbidden or NotFound. Any other kind is
//     an InternalError.
//   - BadValue and Detail are the fault's Value and Detail. As in Kubernetes,
//     Required and Forbidden have no value.
//
// A branch of the tree without a fault becomes an InternalError, with the error
// as its BadValue. A branch that is nil, a nil pointer or a nil list is ignored.
func FieldErrors(err error, path *field.Path) field.ErrorList {
	if all, ok := err.(taints.ErrorList); err == nil || ok && len(all) == 0 {
		return nil
	}
	list, found := appendFaults(nil, err, path)
	if !found {
		list = append(list, internalError(path, err))
	}
	return list
}

// appendFaults appends the field errors of err to the list, and reports whether
// it found a fault. If not, the list is unchanged.
func appendFaults(
	list field.ErrorList, err error, path *field.Path,
) (_ field.ErrorList, found bool) {
	if isNil(err) {
		return list, false
	}
	if fault, ok := err.(*taints.FieldError); ok {
		return append(list, fieldError(fault, path)), true
	}
	if inner := errors.Unwrap(err); inner != nil {
		return appendFaults(list, inner, path)
	}
	before := len(list)
	for _, branch := range branches(err) {
		if isNil(branch) {
			continue
		}
		var ok bool
		if list, ok = appendFaults(list, branch, path); !ok {
			list = append(list, internalError(path, branch))
		}
		found = found || ok
	}
	if !found {
		list = list[:before]
	}
	return list, found
}

// branches returns the errors that err wraps.
func branches(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	case interface{ Errors() []error }: // an aggregate of k8s.io/apimachinery
		return e.Errors()
	}
	return nil
}

// isNil reports whether the error is nil, a nil pointer, whose methods may panic,
// or a nil list.
func isNil(err error) bool {
	switch v := reflect.ValueOf(err); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Slice:
		return v.IsNil()
	}
	return false
}

func fieldError(fault *taints.FieldError, path *field.Path) *field.Error {
	path = extend(path, fault)
	kind, ok := errorTypes[fault.Kind]
	if !ok {
		return internalError(path, fault)
	}
	value := fault.Value
	if kind == field.ErrorTypeRequired || kind == field.ErrorTypeForbidden {
		value = ""
	}
	return &field.Error{Type: kind, Field: path.String(), BadValue: value, Detail: fault.Detail}
}

// extend returns the path of the field at fault.
func extend(path *field.Path, fault *taints.FieldError) *field.Path {
	switch fault.List {
	case "", "old":
	case "taints", "tolerations", "specs":
		path = path.Index(fault.Index)
	default:
		path = path.Child(fault.List).Index(fault.Index)
	}
	if fault.Field != "" {
		path = path.Child(fault.Field)
	}
	return path
}

// internalError is like field.InternalError, which does not hold the error in
// older versions of Kubernetes.
func internalError(path *field.Path, err error) *field.Error {
	detail := "a nil error"
	if !isNil(err) {
		detail = err.Error()
	}
	return &field.Error{Type: field.ErrorTypeInternal, Field: path.String(), BadValue: err, Detail: detail}
}

var errorTypes = map[taints.ErrorKind]field.ErrorType{
	taints.ErrRequired:    field.ErrorTypeRequired,
	taints.ErrInvalid:     field.ErrorTypeInvalid,
	taints.ErrUnsupported: field.ErrorTypeNotSupported,
	taints.ErrDuplicate:   field.ErrorTypeDuplicate,
	taints.ErrForbidden:   field.ErrorTypeForbidden,
	taints.ErrNotFound:    field.ErrorTypeNotFound,
}
