// SPDX-License-Identifier: Apache-2.0

package taints

import "testing"

// refEdits returns the number of edits between two texts, by the table in which
// each entry is the number between two beginnings.
func refEdits(a, b string) int {
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

// The keys are all of three letters, up to a length at which two edits count.
func TestKeyEditsAgreeWithTheTable(t *testing.T) {
	keys := []string{""}
	for i := 0; len(keys[i]) < 5; i++ {
		keys = append(keys, keys[i]+"a", keys[i]+"b", keys[i]+"c")
	}
	for _, a := range keys {
		for _, b := range keys {
			want := refEdits(a, b)
			if want > min(2, (min(len(a), len(b))-1)/2) {
				want = 0
			}
			if got := keyEdits(a, b); got != want {
				t.Fatalf("%d edits between %q and %q, want %d", got, a, b, want)
			}
		}
	}
}

func TestMeant(t *testing.T) {
	for s, want := range map[string]string{
		"noschedule":  "NoSchedule",
		"NoSchedul":   "NoSchedule",
		"NoExecutes":  "NoExecute",
		"NoExceute":   "NoExecute",
		"prefer":      "PreferNoSchedule",
		"NoS":         "NoSchedule",
		"no":          "",
		"N":           "",
		"":            "",
		"NoSchedules": "NoSchedule",
		"Evict":       "",
	} {
		if got := meant(s, knownEffects); got != want {
			t.Errorf("%q means the effect %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{
		"lt": "Lt", "gT": "Gt", "LT": "Lt", "Ge": "",
		"exi": "Exists", "ex": "", "Exsits": "Exists", "Eqaul": "Equal", "": "",
	} {
		if got := meant(s, knownOperators); got != want {
			t.Errorf("%q means the operator %q, want %q", s, got, want)
		}
	}
}
