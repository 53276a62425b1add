// Package view turns the taints and tolerations of k8s.io/api and those of the
// library into each other, and faults into field errors. It decides nothing.
package view

import (
	"errors"
	"time"

	"github.com/seed-0529bac1/taints"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func Taint(t v1.Taint) taints.Taint {
	out := taints.Taint{Key: t.Key, Value: t.Value, Effect: taints.Effect(t.Effect)}
	if t.TimeAdded != nil {
		at := t.TimeAdded.Time
		out.TimeAdded = &at
	}
	return out
}

func Toleration(t v1.Toleration) taints.Toleration {
	return taints.Toleration{Key: t.Key, Operator: taints.Operator(t.Operator), Value: t.Value, Effect: taints.Effect(t.Effect), TolerationSeconds: t.TolerationSeconds}
}

func CoreTaint(t taints.Taint) v1.Taint {
	out := v1.Taint{Key: t.Key, Value: t.Value, Effect: v1.TaintEffect(t.Effect)}
	if t.TimeAdded != nil {
		out.TimeAdded = &metav1.Time{Time: *t.TimeAdded}
	}
	return out
}

func CoreToleration(t taints.Toleration) v1.Toleration {
	return v1.Toleration{Key: t.Key, Operator: v1.TolerationOperator(t.Operator), Value: t.Value, Effect: v1.TaintEffect(t.Effect), TolerationSeconds: t.TolerationSeconds}
}

func Taints(list []v1.Taint) []taints.Taint                    { return Each(list, Taint) }
func Tolerations(list []v1.Toleration) []taints.Toleration     { return Each(list, Toleration) }
func CoreTaints(list []taints.Taint) []v1.Taint                { return Each(list, CoreTaint) }
func CoreTolerations(list []taints.Toleration) []v1.Toleration { return Each(list, CoreToleration) }

// Removals returns what the changes remove as taints. One without an effect stands
// for all taints of its key.
func Removals(c taints.Changes) []v1.Taint {
	list := Each(c.Remove, func(id taints.TaintID) v1.Taint {
		return v1.Taint{Key: id.Key, Effect: v1.TaintEffect(id.Effect)}
	})
	return append(list, Each(c.RemoveKeys, func(key string) v1.Taint { return v1.Taint{Key: key} })...)
}

// Each converts a list; nil stays nil.
func Each[T, U any](list []T, convert func(T) U) []U {
	if list == nil {
		return nil
	}
	out := make([]U, 0, len(list))
	for _, x := range list {
		out = append(out, convert(x))
	}
	return out
}

// Addresses returns the addresses of the elements.
func Addresses[T any](list []T) []*T {
	var out []*T
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// FieldErrors returns the faults that the error holds, as field errors of the
// list under the path.
func FieldErrors(err error, path *field.Path) field.ErrorList {
	list := field.ErrorList{}
	var all taints.ErrorList
	if !errors.As(err, &all) {
		return list
	}
	for _, f := range all {
		at := path
		if f.List != "old" {
			at = at.Index(f.Index)
		}
		if f.Field != "" {
			at = at.Child(f.Field)
		}
		list = append(list, fieldError(at, f))
	}
	return list
}

func fieldError(at *field.Path, f *taints.FieldError) *field.Error {
	kind := map[taints.ErrorKind]field.ErrorType{
		taints.ErrRequired: field.ErrorTypeRequired, taints.ErrInvalid: field.ErrorTypeInvalid, taints.ErrTooLong: field.ErrorTypeTooLong,
		taints.ErrUnsupported: field.ErrorTypeNotSupported, taints.ErrDuplicate: field.ErrorTypeDuplicate, taints.ErrForbidden: field.ErrorTypeForbidden,
	}[f.Kind]
	return &field.Error{Type: kind, Field: at.String(), BadValue: f.Value, Detail: f.Detail}
}

// Now is the time to the second, as Kubernetes stores it.
func Now() time.Time { return time.Now().Truncate(time.Second) }
