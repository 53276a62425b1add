// SPDX-License-Identifier: Apache-2.0

package nodeindex

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/seed-0529bac1/taints"
)

// heap returns the size of the reachable memory.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what the first one finalized
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The memory of the index is linear in the number of nodes and the lengths of
// the distinct lists, and deletions release memory in proportion.
func TestMemory(t *testing.T) {
	shared := times(39, func(i int) taints.Taint { return hard("shared", strconv.Itoa(i)) })
	for _, c := range []struct {
		name  string
		list  func(i int) []taints.Taint
		nodes int
	}{
		{"no taints", func(int) []taints.Taint { return nil }, 5_000},
		{"each its own value", own, 5_000},
		{"each its own soft taint", func(i int) []taints.Taint { return []taints.Taint{soft("deletion", strconv.Itoa(i))} }, 5_000},
		{"falling numbers", func(i int) []taints.Taint { return own(-i) }, 5_000},
		{"40 taints, the last its own", func(i int) []taints.Taint { return append(slices.Clip(shared), own(i)...) }, 2_000},
		{"prefixes of a long list", func(i int) []taints.Taint {
			return times(i, func(j int) taints.Taint { return hard("key", strconv.Itoa(j)) })
		}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := heap()
			var x Index[int]
			lists, seen := 0, make(map[string]bool)
			for i := range c.nodes {
				list := c.list(i)
				x.Set(i, list)
				if text := string(appendText(nil, list)); !seen[text] {
					seen[text] = true
					lists += len(text) + len(list)*int(unsafe.Sizeof(taints.Taint{}))
				}
			}
			seen = nil
			full := heap() - before
			if most := 5*lists/4 + 900*c.nodes; full > most {
				t.Errorf("%d bytes for %d nodes with %d bytes of lists, want at most %d", full, c.nodes, lists, most)
			}
			for _, part := range []int{10, 100} {
				for x.Len() > c.nodes/part {
					x.Delete(c.nodes - x.Len())
				}
				audit(t, &x)
				if left, most := heap()-before, 3*full/part+10_000; left > most {
					t.Errorf("%d bytes for 1/%d of the nodes, want at most %d of %d", left, part, most, full)
				}
			}
			for i := range c.nodes {
				x.Delete(i)
			}
			checkEmpty(t, &x)
			runtime.KeepAlive(&x)
		})
	}
}

// The index keeps neither the lists of the caller nor their texts. It releases
// its own texts with the groups, even if an anchor or a key outlives the group
// that it was made for.
func TestForgetsTexts(t *testing.T) {
	// watch returns a variable that becomes true when the text is freed.
	watch := func(text string) *atomic.Bool {
		gone := new(atomic.Bool)
		runtime.AddCleanup(unsafe.StringData(text), func(gone *atomic.Bool) { gone.Store(true) }, gone)
		return gone
	}
	check := func(name string, gone *atomic.Bool) {
		t.Helper()
		for range 10 {
			if runtime.GC(); gone.Load() {
				return
			}
			runtime.Gosched()
		}
		t.Errorf("%s is kept", name)
	}
	long := strings.Repeat("x", 1000)
	for _, effect := range []taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, "unknown"} {
		var x Index[int]
		gone := func() *atomic.Bool {
			text := strings.Clone("key" + long + string(effect))
			list := []taints.Taint{{Key: text[:3], Value: text[3 : 3+len(long)], Effect: taints.Effect(text[3+len(long):])}}
			x.Set(1, list)
			x.Set(1, append(list, list...))
			x.Delete(2)
			return watch(text)
		}()
		check("the caller's text with "+string(effect), gone)
		runtime.KeepAlive(&x)
	}

	// The text of a group is freed with its last node, even if other groups share
	// its key, its anchor and its class.
	var x Index[int]
	x.Set(1, []taints.Taint{hard("shared", "v"), soft("other", long)})
	gone := watch(x.positions.Entries[1].group.text)
	x.Set(2, []taints.Taint{hard("shared", "v"), soft("soft", "")})
	x.Set(3, []taints.Taint{hard("shared", "v"), hard("shared", "v")})
	x.Delete(1)
	check("the text of a group", gone)

	// The text of a class is freed too, even if other classes share its anchor.
	gone = watch(x.positions.Entries[2].group.class.text)
	x.Delete(2)
	check("the text of a class", gone)
	if s := audit(t, &x); s.anchors != 1 {
		t.Errorf("the index keeps %+v", s)
	}
}
