// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/test/docs"
)

// notGo has the first lines of the blocks of code in comments that are not Go.
var notGo = []string{
	"Exists           any value", "key=value:Effect    adds the taint, like key:Effect and key=:Effect",
	"key[=value][:Effect][ op=OPERATOR][ for SECONDSs]", "maxScore - maxScore*count/largest",
	"Ready False              NodeNotReady             NoSchedule and NoExecute",
	"kube    taints           k8s.io/api            Kubernetes", "dra     taints           k8s.io/api            Kubernetes",
}

// imports are the packages that code in comments and documents uses.
var imports = map[string]string{
	"taints": "", "nodeindex": "/nodeindex", "explain": "/explain", "tolerationset": "/tolerationset",
	"lifecycle": "/lifecycle", "kube": "/kube", "nodestate": "/kube/nodestate", "dra": "/dra",
	"fmt": "fmt", "slices": "slices", "time": "time", "unsafe": "unsafe", "errors": "errors", "context": "context",
	"corev1": "k8s.io/api/core/v1", "v1": "k8s.io/api/core/v1", "metav1": "k8s.io/apimachinery/pkg/apis/meta/v1",
	"field": "k8s.io/apimachinery/pkg/util/validation/field",
}

// Go compiles every block of code in a doc comment of the library, and every block
// of Go in a document, in which the variables of the reader are not declared. It
// finds calls that do not exist, and arguments that are missing.
func TestCodeOfCommentsAndDocuments(t *testing.T) {
	blocks := map[string]string{}
	for _, folder := range []string{".", "nodeindex", "explain", "tolerationset", "lifecycle", "kube", "kube/nodestate", "dra"} {
		maps.Copy(blocks, codeOfComments(t, folder))
	}
	for _, document := range []string{"README.md", "docs/adopting.md", "docs/kubernetes.md"} {
		for i, b := range docs.Blocks(t, filepath.Join("..", document), "go") {
			blocks[fmt.Sprintf("block %d of %s", i+1, document)] = b.Text
		}
	}
	scratch, overlay := t.TempDir(), map[string]string{}
	names := slices.Sorted(maps.Keys(blocks))
	for i, name := range names {
		source, ok := sourceOf(blocks[name])
		if !ok {
			t.Errorf("%s is not Go; enter its first line in notGo if it is not meant to be:\n%s", name, blocks[name])
			continue
		}
		folder := fmt.Sprintf("snippet%03d", i)
		written := filepath.Join(scratch, folder+".go")
		if err := os.WriteFile(written, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		virtual, err := filepath.Abs(filepath.Join("snippets", folder, "x.go"))
		if err != nil {
			t.Fatal(err)
		}
		overlay[virtual] = written
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err == nil {
		err = os.WriteFile(filepath.Join(scratch, "overlay.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "build", "-gcflags=-e", "-overlay", filepath.Join(scratch, "overlay.json"), "./snippets/...")
	output, _ := command.CombinedOutput()
	for line := range strings.Lines(string(output)) {
		m := compileError.FindStringSubmatch(line)
		switch {
		case m == nil:
			if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "\t") {
				t.Error(line)
			}
		case !expected.MatchString(m[2]):
			var i int
			fmt.Sscanf(m[1], "%d", &i)
			t.Errorf("%s: %s\n%s", names[i], m[2], blocks[names[i]])
		}
	}
}

var (
	compileError = regexp.MustCompile(`snippet(\d+)\.go:\d+:\d+: (.*)`)
	// The reader's variables, functions and types, and what his function returns.
	expected = regexp.MustCompile(`^undefined: \w+$|^declared and not used: |^too many return values$| is not used$`)
)

// sourceOf returns a file with the block, as declarations or as statements.
func sourceOf(block string) (source string, ok bool) {
	block = strings.ReplaceAll(block, "...\n", "\n")
	block = strings.ReplaceAll(block, "... //", "//")
	for _, form := range []string{"%s", "func _() {\n%s\n}\n"} {
		body := fmt.Sprintf(form, block)
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+body, 0)
		if err != nil {
			continue
		}
		header := "package p\n"
		for name := range usedNames(file) {
			if path, ok := imports[name]; ok {
				if path == "" || strings.HasPrefix(path, "/") {
					path = "github.com/seed-0529bac1/taints" + path
				}
				header += fmt.Sprintf("import %s %q\n", name, path)
			}
		}
		return header + body, true
	}
	return "", false
}

// usedNames returns the names before a dot in the file.
func usedNames(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
	return names
}

// codeOfComments returns the blocks of code in the folder's doc comments that are
// meant to be Go.
func codeOfComments(t *testing.T, folder string) map[string]string {
	blocks := map[string]string{}
	files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			var p comment.Parser
			for _, b := range p.Parse(group.Text()).Content {
				code, ok := b.(*comment.Code)
				if ok && !slices.Contains(notGo, strings.TrimSpace(strings.SplitN(code.Text, "\n", 2)[0])) {
					blocks[fmt.Sprintf("code %d in %s", len(blocks)+1, name)] = code.Text
				}
			}
		}
	}
	return blocks
}
