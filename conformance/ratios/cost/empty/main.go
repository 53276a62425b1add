// SPDX-License-Identifier: Apache-2.0

// Empty does nothing: what its binary holds comes with every Go program that knows
// its arguments.
package main

import "os"

func main() { os.Exit(len(os.Args) - 1) }
