// Package operators has a function for each way in which mutants change a program.
package operators

import (
	"slices"
	"strings"
	"time"
)

type number interface{ ~int | ~float64 }

type kind uint8

const (
	small kind = iota + 1
	large
)

const limit = 1<<3 + 1

// Nothing of these is called or read.
const _ = limit + 1

var _ = limit + 2

func _(a, b int) bool { return a < b }

type pair struct {
	name string
	n    int
	next *pair
}

func (p pair) clone() pair { p.n++; return p }

var table = [...]string{small: "small", large: "large"}

func less(a, b int) bool               { return a < b }
func lessText(a, b string) bool        { return a <= b }
func same(a, b int) bool               { return a == b }
func sameAny(a, b any) bool            { return a == b }
func empty(list []int) bool            { return len(list) == 0 }
func lessOf[T number](a, b T) bool     { return a >= b }
func plus[T number](a, b T) T          { return a + b }
func sameOf[T comparable](a, b T) bool { return a != b }

func arithmetic(a, b int) int  { return a*b - a/b + a%b }
func bits(a, b uint8) uint8    { return a&b | a ^ b&^1 }
func shifts(a uint8) uint8     { return 1<<a ^ a>>1 }
func negative(a int) int       { return -a }
func float(a float64) float64  { return a / 2 }
func join(a, b string) string  { return a + b }
func extremes(a, b int) int    { return 10*min(a, b) + max(b, a, 3) }
func day(d time.Duration) bool { return d > 24*time.Hour }

func both(a, b bool) bool          { return a && b }
func either(a, b, c bool) bool     { return a || b && !c }
func chain(a, b, c bool) bool      { return a && b && c }
func truth() (yes, no bool)        { return true, false }
func isSet(m map[string]bool) bool { return m["set"] }

func conditions(a int) string {
	if a > 3 {
		return "more"
	}
	if a != 0 && !(a < 0) {
		return "some"
	}
	switch {
	case a == -1:
		return "minus"
	case a < -1, a > 100:
		return "less"
	}
	return "none"
}

func kinds(k kind) string {
	switch k {
	case small:
		return table[small]
	case large:
		return "not " + table[small]
	}
	return "?"
}

func words(s string) int {
	switch s {
	case "one":
		return 1
	case "two":
		return 2
	}
	return len(s)
}

func trim(s string) string { return strings.TrimPrefix(s, "pre") }

func typed(x any) string {
	switch x := x.(type) {
	case string:
		return x
	case int:
		return "int"
	}
	return "other"
}

func loops(n int) (sum, rounds int) {
	for i := 0; i < n; i++ {
		if i == 2 {
			continue
		}
		if i == 4 {
			break
		}
		sum += i
		rounds++
	}
	return sum, rounds
}

func search(lists [][]int, x int) (i, seen int) {
next:
	for i, list := range lists {
		for _, y := range list {
			seen++
			switch {
			case y > x:
				continue next
			case y < 0:
				continue
			case y == x:
				return i, seen
			}
		}
	}
	return -1, seen
}

func forever(list []int) int {
	for i := 0; ; i++ {
		if i > 9 {
			panic("no end")
		}
		if i >= len(list) || list[i] == 0 {
			return i
		}
	}
}

func first(list []string) (s string, ok bool) {
	for _, s = range list {
		if s != "" {
			ok = true
			return
		}
	}
	return lookUp(list)
}

func lookUp(list []string) (string, bool) { return "nothing in " + strings.Join(list, ","), false }

func bounds(s []int, i, j int) []int { return s[i:j] }
func rest(s []int, i int) []int      { return s[i+1:] }
func head(s []int) []int             { return s[:2] }

func statements(m map[string]int) (n int) {
	defer func() { n += 100 }()
	m["a"] = 1
	delete(m, "b")
	clear(m)
	m["c"] = 3
	n = len(m)
	n |= 8
	n--
	return n
}

func copies(list []int) ([]int, string) {
	clone := slices.Clone(list)
	clone[0] = 7
	return clone, strings.Clone("x")
}

func appends(list []int) []int { return append(list[:1:1], 5) }

func cloned(p pair) int { return p.clone().n }

func fields(name string, n int) (pair, *pair) {
	p := pair{name: name, n: n}
	q := pair{name, n, &p}
	p = q
	text := name + "!"
	p.name = text
	return p, q.next
}

func pointers(p *pair) (*pair, error) {
	if p == nil {
		panic("nil")
	}
	return p, nil
}

func room(n int) []int { return make([]int, 0, 4+n) }

func inner(n int) int {
	double := func(x int) int { return 2 * x }
	return double(n)
}
