// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

// Each row does its work in both ways without failing.
func TestRows(t *testing.T) {
	for _, row := range rows() {
		row.Ours()(2)
		row.Other()(2)
		if row.Name == "" || row.Beside == "" || row.Floor < 0.9 {
			t.Errorf("%+v", row)
		}
	}
}
