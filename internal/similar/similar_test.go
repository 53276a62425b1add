// SPDX-License-Identifier: Apache-2.0

package similar_test

import (
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/similar"
)

// edits returns the number of edits between two texts. It uses a table with the
// number of edits between all beginnings of the texts.
func edits(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			replace := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			d[i][j] = min(replace, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// The words are some long words, and all words of the letters a, b and c up to
// a length at which two edits count.
func TestEditsAgreeWithTheTable(t *testing.T) {
	words := []string{
		"dedicated", "dedicate", "xdedicatedx", "dexicxted", "dexxxated", "dedica", "eddicatde", "eddicatdex", "xedixcated",
		"",
	}
	for i := len(words) - 1; len(words[i]) < 5; i++ {
		words = append(words, words[i]+"a", words[i]+"b", words[i]+"c")
	}
	for _, a := range words {
		for _, b := range words {
			want := edits(a, b)
			if want > min(2, (min(len(a), len(b))-1)/2) {
				want = 0
			}
			if got := similar.Edits(a, b); got != want {
				t.Fatalf("%d edits between %q and %q, want %d", got, a, b, want)
			}
		}
	}
}

// Comparing long words that differ everywhere takes no more time than reading
// them a few times.
func TestLongWords(t *testing.T) {
	const n = 200_000
	zeros, ones := strings.Repeat("0", n), strings.Repeat("1", n)
	for _, c := range []struct {
		a, b string
		want int
	}{
		{zeros, ones, 0},
		{zeros + "x", ones, 0},
		{strings.Repeat("01", n/2), strings.Repeat("10", n/2), 2}, // one at each end
		{strings.Repeat("01", n/2), strings.Repeat("10", n/2) + "0", 2},
		{strings.Repeat("0011", n/4), strings.Repeat("1100", n/4), 0},
		{zeros + "x" + ones, zeros + ones, 1},
		{zeros + "xy" + ones, zeros + "yx" + ones, 1},
	} {
		if got := similar.Edits(c.a, c.b); got != c.want {
			t.Errorf("%d edits between %.8s... and %.8s..., want %d", got, c.a, c.b, c.want)
		}
	}
}

func TestMeant(t *testing.T) {
	effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	operators := []string{"Exists", "Equal", "Lt", "Gt"}
	for _, tc := range []struct {
		text  string
		words []string
		want  string
	}{
		{"noschedule", effects, "NoSchedule"},
		{"NoSchedul", effects, "NoSchedule"},
		{"NoSchedules", effects, "NoSchedule"},
		{"NoExceute", effects, "NoExecute"},
		{"prefer", effects, "PreferNoSchedule"},
		{"NoS", effects, "NoSchedule"},
		{"no", effects, ""},
		{"", effects, ""},
		{"Evict", effects, ""},
		{"lt", operators, "Lt"},
		{"Ge", operators, ""},
		{"exi", operators, "Exists"},
		{"ex", operators, ""},
		{"Exsits", operators, "Exists"},
		{"Eqaul", operators, "Equal"},
	} {
		if got := similar.Meant(tc.text, tc.words); got != tc.want {
			t.Errorf("%q means %q, want %q", tc.text, got, tc.want)
		}
	}
}
