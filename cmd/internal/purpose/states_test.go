// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
)

// The README has the table of taints.
func TestReadmeTaints(t *testing.T) {
	text, err := os.ReadFile("../../kubectl-whynot/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "| Taints | Nodes are | Set by | Removed by | Normally within |\n|---|---|---|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	var rows []string
	for _, k := range All {
		within := ""
		switch {
		case k.Within%time.Hour == 0 && k.Within > 0:
			within = fmt.Sprint(int(k.Within.Hours()), "h")
		case k.Within > 0:
			within = fmt.Sprint(int(k.Within.Minutes()), "m")
		}
		keys := lists.Each(k.Keys, func(key string) string { return "`" + key + "`" })
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |", strings.Join(keys, ", "), k.State, k.SetBy, k.RemovedBy, within))
	}
	if diff := cmp.Diff(strings.Join(rows, "\n"), table); diff != "" {
		t.Errorf("(-table +README):\n%s", diff)
	}
}

// The most specific key wins, whatever the order of the entries.
func TestKnownInAnyOrder(t *testing.T) {
	found := func() []*Entry {
		return lists.Each(All, func(e *Entry) *Entry {
			key, value, _ := strings.Cut(strings.ReplaceAll(e.Keys[0], "*", "x"), "=")
			return Known(taints.Taint{Key: key, Value: value})
		})
	}
	want := found()
	t.Cleanup(func() { entries, patterns = index(All) })
	for seed := range uint64(9) {
		list := slices.Clone(All)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if entries, patterns = index(list); !slices.Equal(want, found()) {
			t.Errorf("order %d: other entries", seed)
		}
	}
}

// Every entry is complete.
func TestEntries(t *testing.T) {
	for _, e := range All {
		isRight := e.Setter() != "" && e.Remover() != "" && (e.Within > 0) == (e.Look != "")
		if !isRight || e.State == None || e.IsRepeated && e.State != Starting {
			t.Errorf("%+v", e)
		}
	}
}

// Each line of words.txt is about pools or a state, and no word is there twice.
func TestWords(t *testing.T) {
	lines := map[string]string{}
	for line := range strings.Lines(wordList) {
		name, texts, _ := strings.Cut(line, ": ")
		for text := range strings.FieldsSeq(texts) {
			text = strings.Trim(text, "=:")
			if other, isTwice := lines[text]; isTwice {
				t.Errorf("%s: %s and %s", text, other, name)
			}
			lines[text] = name
		}
	}
	for text, w := range words {
		if w.State != None && !slices.ContainsFunc(All, func(e *Entry) bool { return e.State == w.State }) {
			t.Errorf("%s: no state: %q", text, w.State)
		}
	}
}
