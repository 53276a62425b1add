// Package sample has changes that its tests notice, and others.
package sample

// Most is the most that Clamp returns.
const Most = 10

// Clamp returns n, at least 0 and at most Most.
func Clamp(n int) int {
	if n < 0 {
		return 0
	}
	if n > Most {
		return Most
	}
	return n
}

// Count returns how often the list has x.
func Count(list []int, x int) (n int) {
	i := 0
	for i < len(list) {
		if list[i] == x {
			n++
		}
		i++
	}
	return n
}

// Forgotten is not tested.
func Forgotten(x int) int { return -x }

type list []int

// Shadow has a variable with the name of a type.
func Shadow(n int) []int {
	list := list{1}
	return append(list, n)
}

// Written is tested where the package is as it is written.
func Written(a, b bool) bool { return a && b }
