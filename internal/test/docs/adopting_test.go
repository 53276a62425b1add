// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The example of a row in docs/adopting.md shows each function that the row names.
func TestAdoptingExamples(t *testing.T) {
	examples := ""
	for _, name := range []string{"example_test.go", "tolerationset/example_test.go"} {
		examples += read(t, name)
	}
	rows := 0
	for _, table := range tables(t, "docs/adopting.md", "example") {
		for _, row := range table.Rows {
			body := ""
			if m := link.FindStringSubmatch(row.Cell("example")); m != nil {
				body = read(t, filepath.Join("docs", m[1]))
			}
			for _, example := range row.Code("example") {
				_, after, found := strings.Cut(examples, "func "+example+"(")
				if !found {
					t.Errorf("there is no %s", example)
				}
				code, _, _ := strings.Cut(after, "\n}\n")
				body += code
			}
			for _, name := range row.Code("here") {
				rows++
				_, last, _ := strings.Cut("."+name, ".")
				last = last[strings.LastIndex(last, ".")+1:]
				if !regexp.MustCompile(`\b` + last + `\b`).MatchString(body) {
					t.Errorf("no example shows %s: %s", name, row.Line)
				}
			}
		}
	}
	if rows < 15 {
		t.Errorf("%d functions only", rows)
	}
}
