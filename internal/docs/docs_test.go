// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/markdown"
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

// blocks returns the blocks of code of the language.
func blocks(document, language string) []string {
	var list []string
	for _, part := range strings.Split(document, "\n```"+language+"\n")[1:] {
		code, _, _ := strings.Cut(part, "\n```")
		list = append(list, code+"\n")
	}
	return list
}

func lines(text string) []string { return strings.Split(text, "\n") }
