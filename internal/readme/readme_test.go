// SPDX-License-Identifier: Apache-2.0

package readme

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = "# a\n\n```sh\necho one\n```\n\n1. x\n\n   ```console\n   $ echo two\n   two\n   $ echo bad >&2; false\n   b…d\n   ```\n\n```yaml\na: 1\n```\n"

func TestBlocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	blocks := Blocks(t, file, "sh", "console")
	if len(blocks) != 2 || blocks[0] != (Block{file, 4, "sh", "echo one\n"}) ||
		blocks[1] != (Block{file, 10, "console", "$ echo two\ntwo\n$ echo bad >&2; false\nb…d\n"}) {
		t.Fatalf("%+v", blocks)
	}
	if got := blocks[0].Run(t, t.TempDir()); got != "one\n" {
		t.Errorf("got %q", got)
	}
	blocks[1].Check(t, t.TempDir())
}

func TestCommandsOfADocument(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	const text = "Run `go test -run 'A\\|B' .`, not `kubectl taint` or `x y z`.\n\n```sh\ngo run ./a # says a\n\nkubectl patch \\\n  --local\n```\n" +
		"| `.ci/run` | `Index.Set` |\n\n- in a list:\n\n  ```console\n  $ echo two\n  two\n  ```\n\n```go\ngo run ./b\n```\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []Command{
		{file, 4, "sh", "go run ./a"},
		{file, 6, "sh", "kubectl patch --local"},
		{file, 14, "console", "echo two"},
		{file, 1, "", "go test -run 'A|B' ."},
		{file, 9, "", ".ci/run"},
	}
	if diff := cmp.Diff(want, Commands(t, file)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The output and the text in the document are compared exactly.
func TestCheckNotices(t *testing.T) {
	for _, text := range []string{
		"$ echo two\nthree\n",
		"$ echo two\ntwo…x\n",
		"$ echo two\n",
		"$ true\ntwo\n",
		"$ echo 1\n1\n$ echo 2\n1\n",
	} {
		fake := &failures{TB: t}
		Block{Text: text}.Check(fake, t.TempDir())
		if !fake.failed {
			t.Errorf("%q passes", text)
		}
	}
}

type failures struct {
	testing.TB
	failed bool
}

func (f *failures) Errorf(string, ...any) { f.failed = true }
