// SPDX-License-Identifier: Apache-2.0

// Command record starts a control plane, asks it, and writes its answers to the files
// that internal/test/recorded holds the library against. Random questions depend on
// the seed alone. It takes about two minutes when Kubernetes is built.
//
//	go run -C cluster ./record -seed 7 ../internal/test/recorded/testdata/kubernetes-1.37.2
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/cluster/internal/record"
)

func main() {
	seed := flag.Int("seed", 1, "draw the questions from this `number`")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "record: want one argument, the folder for the answers, relative to cluster")
		os.Exit(2)
	}
	s := controlplane.NewSession("record")
	defer s.End()
	record.Record(controlplane.Start(s, record.Options), *seed, 1, flag.Arg(0))
}
