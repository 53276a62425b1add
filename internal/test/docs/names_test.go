// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// mixed matches a text that is a name of code: letters of both cases, and no
	// spaces. A qualifier and a call's parentheses may surround the name.
	mixed = regexp.MustCompile(`^(?:\w+\.)*(?:[a-z]\w*[A-Z]\w*|[A-Z]\w*[a-z]\w*)(?:\(.*\))?$`)
	word  = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// elsewhere has the names of other projects' code that documents mention.
var elsewhere = []string{
	"ToleratesPod", "validateTaintsField", "ValidateMachineTaints", "NodeFit", "PodToleratesTaints", // adopters
	"BadRequest", // an API server's
}

// Every name in a document is a name in the code, and a method or field of an
// exported type of the library is one of that type. Those in docs/kubernetes.md are
// compared with Kubernetes' source by the tests of conformance, and with the code by
// TestKubernetesCalls.
func TestNames(t *testing.T) {
	const page = "docs/kubernetes.md"
	words, all := sourceWords(t), documents(t)
	kubernetes := Code(Prose(all[page]))
	for _, w := range append(word.FindAllString(strings.Join(kubernetes, " "), -1), elsewhere...) {
		words[w] = true
	}
	delete(all, page)
	for file, text := range all {
		for _, name := range Code(Prose(text)) {
			if !mixed.MatchString(name) {
				continue
			}
			name, _, _ = strings.Cut(name, "(")
			parts := strings.Split(name, ".")
			for _, part := range parts {
				if !words[part] {
					t.Errorf("%s: nothing in the code is named %s, of %s", file, part, name)
				}
			}
			if len(parts) != 2 {
				continue
			}
			_, ours := packages[parts[0]]
			ours = ours || token.IsExported(parts[0]) && isExported(t, parts[0]) && !slices.Contains(kubernetes, name)
			if ours && !isExported(t, name) && !isField(t, parts[0], parts[1]) {
				t.Errorf("%s: there is no %s", file, name)
			}
		}
	}
}

// isField reports whether the type of package taints is a struct with the field.
func isField(t *testing.T, typ, field string) bool {
	_, body, found := strings.Cut(read(t, "docs/api/taints.txt"), "\ntype "+typ+" struct {\n")
	body, _, _ = strings.Cut(body, "\n}")
	return found && slices.Contains(strings.Fields(body), field)
}

// sourceWords returns the words in the repository's programs and manifests.
func sourceWords(t *testing.T) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && entry.Name() == ".git" {
				return filepath.SkipDir
			}
			return err
		}
		isEmbedded := entry.Name() == "states.txt" // a table of kubectl-whynot
		if !isEmbedded && !slices.Contains([]string{".go", ".yaml", ".yml", ".mod", ".js"}, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, w := range word.FindAllString(string(text), -1) {
			words[w] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}
