// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"testing"

	"github.com/seed-0529bac1/taints/internal/enumtest"
	"github.com/seed-0529bac1/taints/lifecycle"
)

var enums = []enumtest.Enum{
	enumtest.New("ZoneState",
		[]lifecycle.ZoneState{lifecycle.ZoneNormal, lifecycle.ZonePartial, lifecycle.ZoneFull},
		"ZoneNormal", "ZonePartial", "ZoneFull"),
	enumtest.New("QueueChange",
		[]lifecycle.QueueChange{lifecycle.Unchanged, lifecycle.Scheduled, lifecycle.Moved, lifecycle.Canceled},
		"Unchanged", "Scheduled", "Moved", "Canceled"),
}

func TestEnums(t *testing.T) {
	for _, e := range enums {
		e.Check(t)
	}
}
