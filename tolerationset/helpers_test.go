// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

var allOptions = []taints.Options{
	{},
	{NoComparison: true},
	{KeyWildcards: true},
	{NoComparison: true, KeyWildcards: true},
}

func seconds(s int64) *int64 { return &s }

func toleration(key string, op taints.Operator, value string) taints.Toleration {
	return taints.Toleration{Key: key, Operator: op, Value: value}
}

func exists(key string) taints.Toleration { return toleration(key, taints.OpExists, "") }

// parse parses a toleration from each spec. Keys may be wildcards.
func parse(t testing.TB, specs ...string) []taints.Toleration {
	t.Helper()
	var list []taints.Toleration
	for _, spec := range specs {
		toleration, err := taints.Options{KeyWildcards: true}.ParseToleration(spec)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, toleration)
	}
	return list
}
