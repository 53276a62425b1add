package kube

import (
	"errors"

	"github.com/seed-0529bac1/taints"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// FieldErrors returns an error of package taints as Kubernetes' field errors, for
// an admission webhook or the validation of an object. The path is that of the
// list, or of the single taint or toleration; nil stands for the root.
//
//	err := taints.ValidateTolerations(kube.Tolerations(pod.Spec.Tolerations))
//	errs := kube.FieldErrors(err, field.NewPath("spec", "tolerations"))
//
// Nil gives nil, and any other error at least one field error. Each
// [taints.FieldError] in the tree of err gives one, in order. The tree goes on
// where a method Unwrap leads, and through Kubernetes' aggregates.
//
//   - The fault's index and Field extend the path, where it has them. So does the
//     List of [taints.Changes], which have two: "add" or "remove".
//   - The fault's kind becomes the type: Required, Invalid, TooLong, NotSupported,
//     Duplicate and Forbidden for the kinds of these names, Duplicate for
//     [taints.ErrExists], NotFound for [taints.ErrNotFound], and Invalid for
//     [taints.ErrConflict]. Any other kind becomes an InternalError.
//   - Value and Detail are carried over. As in Kubernetes, a value that is too
//     long is left out.
//
// A branch of the tree without such a fault gives an InternalError, and one that
// is nil nothing. An InternalError has the error itself as its BadValue.
func FieldErrors(err error, path *field.Path) field.ErrorList {
	if err == nil {
		return nil
	}
	list, found := appendFaults(nil, err, path)
	if !found {
		list = append(list, internalError(path, err))
	}
	return list
}

// appendFaults appends the field errors of err to the list, and reports whether
// it found a fault. If not, the list is as it was.
func appendFaults(list field.ErrorList, err error, path *field.Path) (_ field.ErrorList, found bool) {
	if fault, ok := err.(*taints.FieldError); ok {
		if fault == nil {
			return list, false
		}
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

// branches returns the errors that err holds.
func branches(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	case interface{ Errors() []error }: // an aggregate of k8s.io/apimachinery
		return e.Errors()
	}
	return nil
}

// isNil reports whether the error is nil, or a nil pointer of package taints.
func isNil(err error) bool {
	switch e := err.(type) {
	case nil:
		return true
	case *taints.FieldError:
		return e == nil
	case *taints.ValidationError:
		return e == nil
	case *taints.ParseError:
		return e == nil
	}
	return false
}

func fieldError(fault *taints.FieldError, path *field.Path) *field.Error {
	path = extend(path, fault)
	kind := errorType(fault)
	if kind == field.ErrorTypeInternal {
		return internalError(path, fault)
	}
	return &field.Error{Type: kind, Field: path.String(), BadValue: badValue(kind, fault.Value), Detail: fault.Detail}
}

// extend returns the path of the field at fault.
func extend(path *field.Path, fault *taints.FieldError) *field.Path {
	if fault.List == "add" || fault.List == "remove" {
		path = path.Child(fault.List)
	}
	if i, ok := fault.Index(); ok {
		path = path.Index(i)
	}
	if fault.Field != "" {
		path = path.Child(fault.Field)
	}
	return path
}

// internalError is field.InternalError, which in older versions of Kubernetes
// does not hold the error.
func internalError(path *field.Path, err error) *field.Error {
	return &field.Error{Type: field.ErrorTypeInternal, Field: path.String(), BadValue: err, Detail: err.Error()}
}

// badValue returns the value as a field error of the type holds it.
func badValue(kind field.ErrorType, value string) any {
	switch kind {
	case field.ErrorTypeRequired, field.ErrorTypeForbidden:
		return ""
	case field.ErrorTypeTooLong:
		return "<value omitted>"
	}
	return value
}

// errorType returns the type that stands for the kind of fault, and that of an
// internal error where none does.
func errorType(fault *taints.FieldError) field.ErrorType {
	for _, kind := range errorTypes {
		if errors.Is(fault, kind.err) {
			return kind.errorType
		}
	}
	return field.ErrorTypeInternal
}

var errorTypes = [...]struct {
	err       error
	errorType field.ErrorType
}{
	{taints.ErrRequired, field.ErrorTypeRequired},
	{taints.ErrInvalid, field.ErrorTypeInvalid},
	{taints.ErrTooLong, field.ErrorTypeTooLong},
	{taints.ErrUnsupported, field.ErrorTypeNotSupported},
	{taints.ErrDuplicate, field.ErrorTypeDuplicate},
	{taints.ErrForbidden, field.ErrorTypeForbidden},
	{taints.ErrExists, field.ErrorTypeDuplicate},
	{taints.ErrNotFound, field.ErrorTypeNotFound},
	{taints.ErrConflict, field.ErrorTypeInvalid},
}
