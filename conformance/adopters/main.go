// SPDX-License-Identifier: Apache-2.0

// Adopters compares the speed of the library with that of the projects that
// could use it. Command ratios runs it.
package main

import "github.com/seed-0529bac1/taints/internal/test/measure"

func main() { measure.Main(rows()) }
