// SPDX-License-Identifier: Apache-2.0

// Package cases runs tests from files of cases. A case has lines of input,
// followed by indented lines of output. Blank lines separate cases, and -update
// writes the output.
package cases

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/test/golden"
)

// Run calls output with the input of each case, without comments, and compares
// the result.
func Run(t *testing.T, path string, output func(t *testing.T, input []string) []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []string
	for c := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := slices.DeleteFunc(strings.Split(c, "\n"), func(s string) bool { return strings.HasPrefix(s, "  ") })
		input := slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return strings.HasPrefix(s, "#") })
		for _, line := range output(t, input) {
			lines = append(lines, "  "+strings.ReplaceAll(line, "\n", `\n`))
		}
		cases = append(cases, strings.Join(lines, "\n")+"\n")
	}
	golden.CompareFile(t, path, strings.Join(cases, "\n"))
}
