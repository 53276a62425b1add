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

// A controller that restarts finds the same deadlines again, also if the node was
// unreachable before it was not ready.
func TestRestart(t *testing.T) {
	twice := []event{
		{node: "node-1", pod: "web", list: usual},
		{after: 1 * time.Minute, node: "node-1", ready: "Unknown"},
		{after: 3 * time.Minute, node: "node-1", ready: "False"},
	}
	for _, tc := range []struct {
		events []event
		want   map[string]time.Time
	}{
		{events[:5], map[string]time.Time{"batch": start.Add(3*time.Minute + 30*time.Second), "web": start.Add(6 * time.Minute)}},
		{twice, map[string]time.Time{"web": start.Add(8 * time.Minute)}},
	} {
		before := newController(io.Discard)
		for _, e := range tc.events {
			before.apply(e)
		}
		after := newController(io.Discard)
		after.nodes, after.pods = before.nodes, before.pods
		for name := range after.pods {
			after.update(name, start.Add(4*time.Minute))
		}
		for when, c := range map[string]*controller{"before": before, "after": after} {
			if diff := cmp.Diff(tc.want, maps.Collect(c.queue.All())); diff != "" {
				t.Errorf("%s the restart (-want +got):\n%s", when, diff)
			}
		}
	}
}
