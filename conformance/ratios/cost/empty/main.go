// SPDX-License-Identifier: Apache-2.0

// Empty does nothing. Its binary contains what every Go program that uses its
// arguments contains.
package main

import "os"

func main() { os.Exit(len(os.Args) - 1) }
