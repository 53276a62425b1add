package sample

import (
	"os"
	"testing"
)

func TestClamp(t *testing.T) {
	for n, want := range map[int]int{-5: 0, -1: 0, 0: 0, 3: 3, 10: 10, 11: 10} {
		if got := Clamp(n); got != want {
			t.Errorf("Clamp(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	if n := Count([]int{1, 2, 0, 1}, 1); n != 2 {
		t.Errorf("got %d", n)
	}
}

func TestShadow(t *testing.T) {
	if s := Shadow(2); len(s) != 2 || s[0] != 1 || s[1] != 2 {
		t.Errorf("got %d", s)
	}
}

func TestWritten(t *testing.T) {
	if _, err := os.Stat("zz_mutants.go"); err == nil {
		t.Error("the package is rewritten")
	}
	if !Written(true, true) || Written(true, false) || Written(false, true) {
		t.Error("not what is written")
	}
}

func BenchmarkClamp(b *testing.B) {
	for range b.N {
		Clamp(3)
	}
}

func ExampleClamp() {
	Clamp(3)
	// Output:
}
