// SPDX-License-Identifier: Apache-2.0

package tolerationset_test

import (
	"github.com/seed-0529bac1/taints"
)

var allOptions = []taints.Options{
	{},
	{NoComparison: true},
	{KeyWildcards: true},
	{NoComparison: true, KeyWildcards: true},
}

func toleration(key string, op taints.Operator, value string) taints.Toleration {
	return taints.Toleration{Key: key, Operator: op, Value: value}
}

func exists(key string) taints.Toleration { return toleration(key, taints.OpExists, "") }
