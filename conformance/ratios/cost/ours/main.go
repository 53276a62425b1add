// SPDX-License-Identifier: Apache-2.0

// Ours calls one function of the library.
package main

import (
	"os"

	"github.com/seed-0529bac1/taints"
)

func main() {
	list := []taints.Taint{{Key: os.Args[0], Effect: taints.NoSchedule}}
	if _, found := taints.FindUntolerated(list, nil, taints.HardEffects); found {
		os.Exit(1)
	}
}
