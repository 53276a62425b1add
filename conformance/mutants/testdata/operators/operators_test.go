package operators

import (
	"fmt"
	"testing"
	"time"
)

// TestShow prints what each function does.
func TestShow(t *testing.T) {
	show := func(name string, f func() []any) {
		defer func() {
			if p := recover(); p != nil {
				fmt.Println(name, "panics:", p)
			}
		}()
		fmt.Println(append([]any{name}, f()...)...)
	}
	list := func(x ...any) []any { return x }
	show("less", func() []any { return list(less(1, 2), less(2, 2), less(3, 2)) })
	show("lessText", func() []any { return list(lessText("a", "b"), lessText("b", "b"), lessText("c", "b")) })
	show("same", func() []any { return list(same(1, 2), same(2, 2), same(3, 2)) })
	show("sameAny", func() []any { return list(sameAny(1, "x"), sameAny(1, 1)) })
	show("empty", func() []any { return list(empty(nil), empty([]int{1}), empty([]int{1, 2})) })
	show("lessOf", func() []any { return list(lessOf(1, 2), lessOf(2.5, 2.5), lessOf(3, 2)) })
	show("plus", func() []any { return list(plus(5, 2), plus(0.5, 0.25)) })
	show("sameOf", func() []any { return list(sameOf("a", "b"), sameOf(2, 2)) })
	show("arithmetic", func() []any { return list(arithmetic(7, 2), arithmetic(-7, 3)) })
	show("bits", func() []any { return list(bits(0b1100, 0b1011)) })
	show("shifts", func() []any { return list(shifts(3)) })
	show("negative", func() []any { return list(negative(3)) })
	show("float", func() []any { return list(float(3)) })
	show("join", func() []any { return list(join("a", "b")) })
	show("extremes", func() []any { return list(extremes(4, 5)) })
	show("day", func() []any { return list(day(24*time.Hour), day(24*time.Hour+1), day(1)) })
	show("both", func() []any { return list(both(true, true), both(true, false), both(false, true), both(false, false)) })
	show("either", func() []any {
		return list(either(true, true, true), either(false, true, false), either(false, true, true), either(false, false, false))
	})
	show("chain", func() []any {
		return list(chain(true, true, true), chain(false, true, true), chain(true, false, true), chain(true, true, false))
	})
	show("truth", func() []any { yes, no := truth(); return list(yes, no) })
	show("isSet", func() []any { return list(isSet(nil), isSet(map[string]bool{"set": true})) })
	show("conditions", func() []any {
		return list(conditions(5), conditions(4), conditions(3), conditions(1), conditions(0), conditions(-1), conditions(-2))
	})
	show("kinds", func() []any { return list(kinds(0), kinds(small), kinds(large), kinds(3)) })
	show("words", func() []any { return list(words(""), words("one"), words("two"), words("three")) })
	show("trim", func() []any { return list(trim("prefix")) })
	show("typed", func() []any { return list(typed("text"), typed(1), typed(nil)) })
	show("loops", func() []any { a, b := loops(3); c, d := loops(9); return list(a, b, c, d) })
	show("search", func() []any {
		i, seen := search([][]int{{1, 9, 5}, {-1, 2}, {5}}, 5)
		none, all := search([][]int{{-1}, {2}}, 5)
		return list(i, seen, none, all)
	})
	show("forever", func() []any { return list(forever([]int{1, 0, 1}), forever([]int{1})) })
	show("first", func() []any {
		s, ok := first([]string{"", "x"})
		none, found := first([]string{""})
		return list(s, ok, none, found)
	})
	numbers := []int{1, 2, 3, 4, 5}
	show("bounds", func() []any { return list(bounds(numbers, 1, 3)) })
	show("rest", func() []any { return list(rest(numbers, 1)) })
	show("head", func() []any { return list(head(numbers)) })
	show("statements", func() []any { m := map[string]int{"b": 2}; return list(statements(m), m) })
	show("copies", func() []any { x := []int{1, 2}; c, s := copies(x); return list(c, s, x) })
	show("appends", func() []any { x := []int{1, 2}; return list(appends(x), x) })
	show("cloned", func() []any { return list(cloned(pair{n: 2})) })
	show("fields", func() []any {
		p, q := fields("n", 3)
		return list(p.name, p.n, p.next == q, q != nil && q.name == "n!")
	})
	show("pointers", func() []any { p, err := pointers(&pair{}); return list(p != nil, err) })
	show("pointers to nothing", func() []any { p, err := pointers(nil); return list(p != nil, err) })
	show("room", func() []any { return list(len(room(2))) })
	show("inner", func() []any { return list(inner(4)) })
}
