package kube

import (
	"errors"

	"github.com/seed-0529bac1/taints"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// FieldErrors returns what a validation of package taints found as Kubernetes' field errors, for an admission webhook or the
// validation of an object. The path is that of the list, or of the taint or toleration where a single one was
// looked at; nil stands for the root.
//
//	errs := kube.FieldErrors(taints.ValidateTolerations(list), field.NewPath("spec", "tolerations"))
//
// Nil gives nil. Every [taints.FieldError] that err is or wraps, by way of a [taints.ValidationError], a [taints.ParseError]
// or any other error, gives one field error, in order: its Index and Field extend the path (neither does where Index is -1
// and Field empty), its kind becomes the type (Required, Invalid, TooLong, NotSupported, Duplicate or Forbidden), and value
// and detail are carried over. As in Kubernetes a value that is too long is left out. Every branch of err without such a
// fault, and a fault of another kind, gives an InternalError that holds it. Field errors otherwise keep only strings.
func FieldErrors(err error, path *field.Path) field.ErrorList {
	if err == nil {
		return nil
	}
	return appendErrors(nil, err, path)
}

// appendErrors appends the field errors of err to the list.
func appendErrors(list field.ErrorList, err error, path *field.Path) field.ErrorList {
	if fault, ok := err.(*taints.FieldError); ok {
		return append(list, fieldError(fault, path))
	}
	var fault *taints.FieldError
	if !errors.As(err, &fault) {
		return append(list, field.InternalError(path, err))
	}
	if branches, ok := err.(interface{ Unwrap() []error }); ok {
		for _, branch := range branches.Unwrap() {
			list = appendErrors(list, branch, path)
		}
		return list
	}
	if inner := errors.Unwrap(err); inner != nil {
		return appendErrors(list, inner, path)
	}
	return append(list, fieldError(fault, path))
}

func fieldError(fault *taints.FieldError, path *field.Path) *field.Error {
	if fault.Index >= 0 {
		path = path.Index(fault.Index)
	}
	if fault.Field != "" {
		path = path.Child(fault.Field)
	}
	kind := errorType(fault)
	if kind == field.ErrorTypeInternal {
		return field.InternalError(path, fault)
	}
	return &field.Error{Type: kind, Field: path.String(), BadValue: badValue(kind, fault.Value), Detail: fault.Detail}
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

// errorType returns the type that stands for the kind of fault, and that of an internal error where none does.
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
}
