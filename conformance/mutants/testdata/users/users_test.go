// SPDX-License-Identifier: Apache-2.0

package users

import "testing"

func TestHalf(t *testing.T) {
	if Half(6) != 3 {
		t.Error(Half(6))
	}
}
