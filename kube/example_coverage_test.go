// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"

	"github.com/seed-0529bac1/taints/internal/exampletest"
)

func TestEverythingExportedHasAnExample(t *testing.T) {
	exampletest.Check(t)
}
