// SPDX-License-Identifier: Apache-2.0

// Package exits tests how the programs end.
package exits

import (
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cluster/internal/program"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

// Test runs the program with the arguments of each row in testdata/exits.yaml.
func Test(t *testing.T, name string, options func() program.Options) {
	type test struct {
		Args   string
		Code   int
		Stdout string // VERSION stands for the version
		Says   string // a part of the standard error
	}
	for _, test := range rows.Read[test](t, "exits.yaml") {
		var stdout, stderr strings.Builder
		code := program.Run(t.Context(), name, options(), strings.Fields(test.Args), &stdout, &stderr)
		want := strings.ReplaceAll(test.Stdout, "VERSION", program.Version())
		if code != test.Code || stdout.String() != want || !strings.Contains(stderr.String(), test.Says) {
			t.Errorf("%s: code %d, %s%s", test.Args, code, &stdout, &stderr)
		}
	}
}
