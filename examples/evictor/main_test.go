// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints/internal/test/golden"
)

func TestReplay(t *testing.T) {
	var out strings.Builder
	newController(&out).replay(events)
	golden.Compare(t, "sample", out.String())
}

// A controller that restarts finds the same deadlines again.
func TestRestart(t *testing.T) {
	before := newController(io.Discard)
	for _, e := range events[:5] {
		before.apply(e)
	}
	after := newController(io.Discard)
	after.nodes, after.pods = before.nodes, before.pods
	for name := range after.pods {
		after.update(name, start.Add(time.Hour))
	}
	want := maps.Collect(before.queue.All())
	if diff := cmp.Diff(want, maps.Collect(after.queue.All())); diff != "" || len(want) != 2 {
		t.Errorf("%v (-before +after):\n%s", want, diff)
	}
}
