// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/readme"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every link within the repository leads to an existing file and heading.
func TestLinks(t *testing.T) {
	links := 0
	for _, name := range readme.Documents(t, root) {
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
