// SPDX-License-Identifier: Apache-2.0

// Package sequences lists sequences, for tests that try all short ones.
package sequences

// Each calls f with all sequences of numbers below n of the given length. It
// reuses the slice.
func Each(n, length int, f func(sequence []int)) {
	sequence := make([]int, length)
	for {
		f(sequence)
		i := length - 1
		for ; i >= 0 && sequence[i] == n-1; i-- {
			sequence[i] = 0
		}
		if i < 0 {
			return
		}
		sequence[i]++
	}
}
