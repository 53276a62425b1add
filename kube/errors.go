// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"errors"
	"strconv"

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
// The result is nil if err is nil or an empty [taints.ErrorList]. Otherwise it holds
// a field error for each [taints.FieldError] in err's tree, in order, and at least
// one. The tree consists of the errors that Unwrap methods and Kubernetes'
// aggregates return.
//
//   - Index and Field extend the path. So does List, in front of them, if it is not
//     what the path names: "taints", "tolerations" or "specs". An error of the list
//     "old" is not about the validated object, so its path is without an index.
//   - The type follows from the Kind: Required, Invalid, NotSupported, Duplicate,
//     Forbidden or NotFound. Any other kind is an InternalError.
//   - BadValue and Detail are Value and Detail. As in Kubernetes, Required and
//     Forbidden are without a value; a forbidden value begins the Detail.
//
// A branch of the tree without a FieldError becomes an InternalError, with the
// error as its BadValue. A branch that is nil, or a nil pointer or list of package
// taints, is ignored. As with [errors.Is], a nil pointer of another type may panic.
func FieldErrors(err error, path *field.Path) field.ErrorList {
	if all, ok := err.(taints.ErrorList); err == nil || ok && len(all) == 0 {
		return nil
	}
	list, found := appendErrors(nil, err, path)
	if !found {
		list = append(list, internalError(path, err))
	}
	return list
}

// appendErrors appends the field errors of err to the list, and reports whether
// it found one. If not, the list is unchanged.
func appendErrors(
	list field.ErrorList, err error, path *field.Path,
) (_ field.ErrorList, found bool) {
	if isNil(err) {
		return list, false
	}
	if e, ok := err.(*taints.FieldError); ok {
		return append(list, fieldError(e, path)), true
	}
	if inner := errors.Unwrap(err); inner != nil {
		return appendErrors(list, inner, path)
	}
	before := len(list)
	for _, branch := range branches(err) {
		if isNil(branch) {
			continue
		}
		var ok bool
		if list, ok = appendErrors(list, branch, path); !ok {
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

// isNil reports whether the error is nil, or a nil pointer or list of package
// taints.
func isNil(err error) bool {
	switch e := err.(type) {
	case nil:
		return true
	case *taints.FieldError:
		return e == nil
	case taints.ErrorList:
		return e == nil
	}
	return false
}

func fieldError(e *taints.FieldError, path *field.Path) *field.Error {
	path = extend(path, e)
	kind, ok := errorTypes[e.Kind]
	if !ok {
		return internalError(path, e)
	}
	value, detail := e.Value, e.Detail
	switch {
	case kind == field.ErrorTypeRequired:
		value = ""
	case kind == field.ErrorTypeForbidden && value != "":
		value, detail = "", strconv.Quote(value)+": "+detail
	}
	return &field.Error{Type: kind, Field: path.String(), BadValue: value, Detail: detail}
}

// extend returns the path of the field at e.
func extend(path *field.Path, e *taints.FieldError) *field.Path {
	switch e.List {
	case "", "old":
	case "taints", "tolerations", "specs":
		path = path.Index(e.Index)
	default:
		path = path.Child(e.List).Index(e.Index)
	}
	if e.Field != "" {
		path = path.Child(e.Field)
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
	taints.ErrRequired:     field.ErrorTypeRequired,
	taints.ErrInvalid:      field.ErrorTypeInvalid,
	taints.ErrNotSupported: field.ErrorTypeNotSupported,
	taints.ErrDuplicate:    field.ErrorTypeDuplicate,
	taints.ErrForbidden:    field.ErrorTypeForbidden,
	taints.ErrNotFound:     field.ErrorTypeNotFound,
}
