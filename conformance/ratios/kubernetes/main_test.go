// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
)

// Both sides of each row run, except of the queues, which take long.
func TestRows(t *testing.T) {
	measure.Test(t, slices.DeleteFunc(work.Rows(sides), func(r measure.Row) bool {
		return strings.HasPrefix(r.Name, "a million pending evictions")
	}))
}
