// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/markdown"
	"github.com/seed-0529bac1/taints/internal/readme"
)

const root = "../.."

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func tablesOf(t *testing.T, name string) []markdown.Table {
	t.Helper()
	tables, err := markdown.Tables(read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// firstBlock returns the first block of Go code of the document.
func firstBlock(t *testing.T, name string) string {
	t.Helper()
	list := readme.Blocks(t, filepath.Join(root, name), "go")
	if len(list) == 0 {
		t.Fatalf("%s has no block of Go code", name)
	}
	return list[0].Text
}

func lines(text string) []string { return strings.Split(text, "\n") }
