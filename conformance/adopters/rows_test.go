// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

// TestRows does the work of each row both ways, and expects no failure.
func TestRows(t *testing.T) {
	for _, row := range rows() {
		row.Ours()(2)
		row.Other()(2)
		if row.Name == "" || row.Beside == "" || row.Floor <= 0 {
			t.Errorf("%+v", row)
		}
	}
}
