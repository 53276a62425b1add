// SPDX-License-Identifier: Apache-2.0

package valueset

// Add adds an operator that compares integers, which may be from and to more than
// the value. The returned function removes all that were added.
func Add(name string, from, to int64) (remove func()) {
	before := operators
	operators = append(operators[:len(operators):len(operators)],
		Operator{Name: name, Form: Integer, Comparison: true, kind: Integers, from: from, to: to})
	return func() { operators = before }
}
