// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/enum"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// A fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// mustBeEffect is the detail of errors about effects.
var mustBeEffect = "must be " + enum.Join(taints.KnownEffects, " or ")

// mustBeOperator returns the detail of errors about operators.
func mustBeOperator(comparison bool) string {
	return "must be " + enum.Join(valueset.Names(comparison), " or ") + ", or empty for Equal"
}

func seconds(s int64) *int64 { return &s }

func parseTaints(texts ...string) []taints.Taint {
	return reference.Parsed(taints.ParseTaint, texts...)
}

func parseTolerations(texts ...string) []taints.Toleration {
	return reference.Parsed(taints.ParseToleration, texts...)
}

// isZero reports whether nothing of v is set.
func isZero[T any](v T) bool { return reflect.ValueOf(v).IsZero() }

// errorsIn returns the errors of an ErrorList, or none for nil.
func errorsIn(err error) []*taints.FieldError {
	if err == nil {
		return nil
	}
	return err.(taints.ErrorList)
}

// difference returns the differences of the answers. It calls cmp, which is
// slow, only if there are any.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}
