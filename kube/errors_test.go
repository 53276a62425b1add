package kube_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"
)

func parseError(text string) error {
	_, err := taints.ParseTaint(text)
	return err
}

func fault(index int, name string, kind error) *taints.FieldError {
	return &taints.FieldError{Index: index, Field: name, Value: "v", Err: kind, Detail: "d"}
}

func TestFieldErrors(t *testing.T) {
	path := field.NewPath("spec", "taints")
	other := fault(2, "key", io.EOF)
	wrapped := fmt.Errorf("wrapped: %w", io.EOF)
	for _, test := range []struct {
		name string
		err  error
		path *field.Path
		want field.ErrorList
	}{
		{"nil", nil, path, nil},
		{"required", fault(0, "key", taints.ErrRequired), path, field.ErrorList{field.Required(path.Index(0).Child("key"), "d")}},
		{"invalid", fault(1, "value", taints.ErrInvalid), path, field.ErrorList{field.Invalid(path.Index(1).Child("value"), "v", "d")}},
		{"too long", fault(1, "key", taints.ErrTooLong), path, field.ErrorList{{Type: field.ErrorTypeTooLong, Field: "spec.taints[1].key", BadValue: "<value omitted>", Detail: "d"}}},
		{"not supported", fault(1, "effect", taints.ErrUnsupported), path, field.ErrorList{{Type: field.ErrorTypeNotSupported, Field: "spec.taints[1].effect", BadValue: "v", Detail: "d"}}},
		{"duplicate", fault(3, "", taints.ErrDuplicate), path, field.ErrorList{{Type: field.ErrorTypeDuplicate, Field: "spec.taints[3]", BadValue: "v", Detail: "d"}}},
		{"forbidden", fault(-1, "", taints.ErrForbidden), path, field.ErrorList{field.Forbidden(path, "d")}},
		{"single", fault(-1, "key", taints.ErrInvalid), path, field.ErrorList{field.Invalid(path.Child("key"), "v", "d")}},
		{"root", fault(-1, "key", taints.ErrInvalid), nil, field.ErrorList{field.Invalid(field.NewPath("key"), "v", "d")}},
		{"root element", fault(0, "key", taints.ErrInvalid), nil, field.ErrorList{{Type: field.ErrorTypeInvalid, Field: "[0].key", BadValue: "v", Detail: "d"}}},
		{"another kind", other, path, field.ErrorList{field.InternalError(path.Index(2).Child("key"), other)}},
		{"another error", io.EOF, path, field.ErrorList{field.InternalError(path, io.EOF)}},
		{"another error, wrapped", wrapped, path, field.ErrorList{field.InternalError(path, wrapped)}},
		{"wrapped", fmt.Errorf("wrapped: %w", fault(0, "key", taints.ErrRequired)), path, field.ErrorList{field.Required(path.Index(0).Child("key"), "d")}},
		{"joined", errors.Join(fault(0, "key", taints.ErrRequired), wrapped, fault(1, "key", taints.ErrRequired)), path, field.ErrorList{
			field.Required(path.Index(0).Child("key"), "d"), field.InternalError(path, wrapped), field.Required(path.Index(1).Child("key"), "d"),
		}},
		{"empty", &taints.ValidationError{}, path, field.ErrorList{field.InternalError(path, &taints.ValidationError{})}},
		{"parsed", parseError("a="), path, field.ErrorList{{Type: field.ErrorTypeRequired, Field: "spec.taints.effect", BadValue: "", Detail: "must be NoSchedule, PreferNoSchedule or NoExecute"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := kube.FieldErrors(test.err, test.path); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %#v\nwant %#v", got.ToAggregate(), test.want.ToAggregate())
			}
		})
	}
}

// TestFieldErrorsOfValidation has one field error for each fault, under the path.
func TestFieldErrorsOfValidation(t *testing.T) {
	path := field.NewPath("spec")
	rapid.Check(t, func(t *rapid.T) {
		node, pod := kube.Taints(drawTaints(t)), kube.Tolerations(drawTolerations(t))
		for _, err := range []error{taints.ValidateTaints(node), taints.ValidateTolerations(pod), taints.ValidateTolerationsUpdate(pod, nil)} {
			list := kube.FieldErrors(err, path)
			if err == nil {
				if list != nil {
					t.Fatalf("%v for no error", list)
				}
				continue
			}
			faults := err.(*taints.ValidationError).Fields
			if len(list) != len(faults) {
				t.Fatalf("%d field errors for %v", len(list), err)
			}
			for i, e := range list {
				if e.Type == field.ErrorTypeInternal || !strings.HasPrefix(e.Field, "spec") || e.Detail != faults[i].Detail {
					t.Fatalf("%v for %v", e, faults[i])
				}
			}
		}
	})
}
