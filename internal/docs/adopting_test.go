// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The example of a row in docs/adopting.md shows each function that the row names.
func TestAdoptingExamples(t *testing.T) {
	examples := ""
	for _, name := range []string{"example_test.go", "example_changes_test.go", "tolerationset/example_test.go"} {
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

// docs/adopting.md says how much code a project vendors with kube.
func TestAdoptingCounts(t *testing.T) {
	list := exec.Command("go", "list", "-C", filepath.Join(root, "kube"), "-deps", "-f",
		`{{if not .Standard}}{{range .GoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}`, ".")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines, files := 0, 0
	for line := range strings.Lines(string(out)) {
		pkg, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(pkg, "github.com/seed-0529bac1/taints") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files++
		lines += bytes.Count(text, []byte("\n"))
	}
	lines = (lines + 50) / 100 * 100
	want := strconv.Itoa(lines/1000) + "," + strconv.Itoa(lines)[1:] + " lines of Go in " + strconv.Itoa(files) + " files"
	if text := strings.Join(strings.Fields(read(t, "docs/adopting.md")), " "); !strings.Contains(text, want) {
		t.Errorf("docs/adopting.md does not say %s", want)
	}
}
