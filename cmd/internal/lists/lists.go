// SPDX-License-Identifier: Apache-2.0

// Package lists has what the standard library lacks for slices.
package lists

import (
	"strconv"
	"strings"
)

// Each returns what the function makes of each element, such as its text.
func Each[T, R any](list []T, of func(T) R) []R {
	results := make([]R, len(list))
	for i, x := range list {
		results[i] = of(x)
	}
	return results
}

// Grouped groups the elements that have the same key, in the order of their first ones.
func Grouped[T any, K comparable](list []T, key func(T) K) [][]T {
	var groups [][]T
	at := make(map[K]int)
	for _, x := range list {
		k := key(x)
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// CompareBools compares for sorting. False comes before true, as in the alphabet.
func CompareBools(a, b bool) int {
	return strings.Compare(strconv.FormatBool(a), strconv.FormatBool(b))
}
