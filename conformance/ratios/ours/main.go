// SPDX-License-Identifier: Apache-2.0

// Ours does the library's side of the work, without Kubernetes' code in its memory.
// Command ratios runs it.
package main

import (
	"github.com/seed-0529bac1/taints/conformance/internal/work"
	"github.com/seed-0529bac1/taints/internal/test/measure"
)

func main() { measure.Main(work.Rows(nil)) }
