// SPDX-License-Identifier: Apache-2.0

package valueset

// Add adds an operator that compares integers. The returned function removes all
// that were added.
func Add(name string, integers func(n int64) (least, most int64)) (remove func()) {
	before := operators
	operators = append(operators[:len(operators):len(operators)],
		Operator{Name: name, Form: Integer, Comparison: true, kind: Integers, integers: integers})
	return func() { operators = before }
}

// Kinds returns the kinds of sets of the operators, by name.
func Kinds() map[string]Kind {
	kinds := map[string]Kind{}
	for _, o := range operators {
		kinds[o.Name] = o.kind
	}
	return kinds
}
