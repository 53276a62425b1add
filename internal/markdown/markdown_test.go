// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"reflect"
	"testing"
)

func TestTables(t *testing.T) {
	const document = "# One\n\n| a | b |\n|---|:-:|\n| `x`, `y z` and | |\n|2|3 \\| 4|\n\ntext\n\n" +
		"```\n# no heading\n| no | table |\n```\n\n## Two\n| c |\n|---|\n"
	tables, err := Tables(document)
	if err != nil || len(tables) != 2 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	one := tables[0]
	if one.Heading != "One" || len(one.Rows) != 2 ||
		one.Rows[0].Cell("b") != "" || one.Rows[1].Cell("b") != "3 | 4" {
		t.Errorf("%+v", one)
	}
	if got := one.Rows[0].Code("a"); !reflect.DeepEqual(got, []string{"x", "y z"}) {
		t.Errorf("code %q", got)
	}
	if got := WithoutCode(one.Rows[0].Cell("a")); got != ",  and" {
		t.Errorf("without code %q", got)
	}
	if tables[1].Heading != "Two" || len(tables[1].Rows) != 0 {
		t.Errorf("%+v", tables[1])
	}
}
