// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/reference"
)

// A fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func seconds(s int64) *int64 { return &s }

func parseTaints(specs ...string) []taints.Taint {
	var list []taints.Taint
	for _, s := range specs {
		list = append(list, taints.MustParseTaint(s))
	}
	return list
}

func parseTolerations(specs ...string) []taints.Toleration {
	var list []taints.Toleration
	for _, s := range specs {
		list = append(list, taints.MustParseToleration(s))
	}
	return list
}

func texts[T fmt.Stringer](list []T) []string {
	var all []string
	for _, v := range list {
		all = append(all, v.String())
	}
	return all
}

// faultsIn returns the faults of an ErrorList, or none for nil.
func faultsIn(err error) []*taints.FieldError {
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

func refValidUpdate(o taints.Options, old, new []taints.Toleration) bool {
	for _, t := range old {
		kept := slices.ContainsFunc(new, func(u taints.Toleration) bool {
			return u.Key == t.Key && u.Operator == t.Operator && u.Value == t.Value && u.Effect == t.Effect
		})
		if !kept {
			return false
		}
		if t.Operator == taints.OpLt || t.Operator == taints.OpGt {
			o.NoComparison = false
		}
	}
	return !slices.ContainsFunc(new, func(t taints.Toleration) bool { return !reference.ValidToleration(o, t) })
}
