// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"reflect"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-0529bac1/taints"
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
		list = append(list, taints.Must(taints.ParseTaint(s)))
	}
	return list
}

func parseTolerations(specs ...string) []taints.Toleration {
	var list []taints.Toleration
	for _, s := range specs {
		list = append(list, taints.Must(taints.ParseToleration(s)))
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
