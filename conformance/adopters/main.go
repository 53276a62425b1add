// SPDX-License-Identifier: Apache-2.0

// Adopters compares the speed of the library with that of the projects that
// could use it. Command ratios runs it. Without flags it prints its rows as
// JSON. With -row it measures one side of one row.
package main

import (
	"encoding/json"
	"flag"
	"os"
	"time"

	"github.com/seed-0529bac1/taints/internal/measure"
)

func main() {
	row := flag.Int("row", -1, "measure one side of this `row`")
	ours := flag.Bool("ours", false, "the library's side")
	slice := flag.Duration("slice", 20*time.Millisecond, "how long one measurement takes")
	flag.Parse()
	all := rows()
	var err error
	if *row < 0 || *row >= len(all) {
		err = json.NewEncoder(os.Stdout).Encode(all)
	} else {
		err = measure.New(all[*row].Side(*ours)(), *slice).Answer(os.Stdin, os.Stdout)
	}
	if err != nil {
		panic(err)
	}
}
