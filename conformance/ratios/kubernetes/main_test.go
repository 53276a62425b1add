// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
)

// TestRows does the work of each row both ways, and expects no failure.
func TestRows(t *testing.T) {
	for _, row := range work.Rows(others) {
		row.Ours()(2)
		row.Other()(2)
		if row.Name == "" || row.Beside == "" || row.Floor < 0.5 {
			t.Errorf("%+v", row)
		}
	}
}
