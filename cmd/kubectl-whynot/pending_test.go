// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"
)

// Lists that could have as many elements as there are nodes, for each pod, are
// limited, and the elements that are left out are counted.
func TestLimits(t *testing.T) {
	items := []string{podJSON("p", "", "", tol("k=none")), podJSON("q", "", "")}
	for i := range 70 {
		items = append(items, nodeJSON(fmt.Sprintf("n%02d", i), "", fmt.Sprintf("k=%02d:NoSchedule", i)))
	}
	for _, x := range mustReport(t, list(items...)).Pending {
		if len(x.Rejections) != 50 || x.RejectionsTotal != 70 ||
			len(x.Alternatives) != 50 || x.AlternativesTotal != 70 {
			t.Errorf("%s: %d rejections of %d, %d alternatives of %d", x.Pods,
				len(x.Rejections), x.RejectionsTotal, len(x.Alternatives), x.AlternativesTotal)
		}
	}
	got := mustRun(t, list(items...), "-o", "wide")
	if !strings.Contains(got, "\n    60 more untolerated taints\n") || !strings.Contains(got, "\n    60 more groups of nodes\n") {
		t.Errorf("got %s", got)
	}
}

// The name of an object cannot add lines to the output.
func TestNamesWithLineFeeds(t *testing.T) {
	const name = `p\n\nAll pods are fine.`
	input := list(nodeJSON("n", "", "k:NoExecute"),
		`{"kind":"Pod","metadata":{"name":"`+name+`"},"spec":{"nodeName":"n"}}`,
		`{"kind":"Pod","metadata":{"name":"`+name+`2"}}`)
	for _, args := range [][]string{nil, {"-o", "wide"}} {
		if text := mustRun(t, input, args...); strings.Contains(text, "\nAll pods are fine.") {
			t.Errorf("%q: %s", args, text)
		}
	}
}
