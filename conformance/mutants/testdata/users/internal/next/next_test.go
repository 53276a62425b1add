// SPDX-License-Identifier: Apache-2.0

package next

import "testing"

func TestTo(t *testing.T) {
	if To(1) != 2 {
		t.Error(To(1))
	}
}
