// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents returns the paths of all documents of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() &&
			(name == ".git" || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			list = append(list, filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil || len(list) < 10 {
		t.Fatalf("%d documents, %v", len(list), err)
	}
	return list
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every link within the repository leads to a file, and to a heading of it.
func TestLinks(t *testing.T) {
	links := 0
	for _, name := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(prose(read(t, name)), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			target, anchor, _ := strings.Cut(m[1], "#")
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			switch {
			case !exists(file):
				t.Errorf("%s links to %s, which is not there", name, m[1])
			case anchor != "" && !anchors(read(t, file))[anchor]:
				t.Errorf("%s links to %s, and there is no such heading", name, m[1])
			}
		}
	}
	if links < 30 {
		t.Errorf("%d links only", links)
	}
}

// prose returns the document without its blocks of code.
func prose(document string) string {
	var b strings.Builder
	for i, part := range strings.Split("\n"+document, "\n```") {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

var notInAnchors = regexp.MustCompile("[^a-z0-9 _-]")

// anchors returns the names by which a document's headings are linked.
func anchors(document string) map[string]bool {
	names := map[string]bool{}
	for _, line := range lines(prose(document)) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			names[strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")] = true
		}
	}
	return names
}
