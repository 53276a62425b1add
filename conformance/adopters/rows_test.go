// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/seed-0529bac1/taints/internal/test/measure"
)

// Both sides of each row run.
func TestRows(t *testing.T) { measure.Test(t, rows()) }
