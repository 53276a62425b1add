// SPDX-License-Identifier: Apache-2.0

package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A dir is a folder to run commands in, and the variables that their
// environment has in addition to that of this process.
type dir struct {
	path string
	env  []string
}

// run runs a command and returns what it prints. The test ends if it fails.
func (d dir) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := d.try(name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// try runs a command and returns its output. If the command fails, the output
// includes its standard error.
func (d dir) try(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = d.path, append(os.Environ(), d.env...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return string(out) + complaints.String(), err
	}
	return strings.TrimSpace(string(out)), nil
}

// repository returns the root of the repository. It skips the test if there is
// no checkout, no git or no module proxy.
func repository(t *testing.T) dir {
	t.Helper()
	if testing.Short() {
		t.Skip("takes minutes")
	}
	root, err := dir{path: "."}.try("git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Skipf("no git checkout: %v", err)
	}
	repo := dir{path: filepath.FromSlash(root)}
	if out, err := repo.in("kube").try("go", "list", "-m", "-versions", "k8s.io/api"); err != nil {
		t.Skipf("no module proxy: %s", out)
	}
	return repo
}

// in returns the folder in d.
func (d dir) in(name string) dir { return dir{filepath.Join(d.path, name), d.env} }

// with returns the folder with variables added to its environment.
func (d dir) with(env ...string) dir {
	return dir{d.path, append(d.env[:len(d.env):len(d.env)], env...)}
}

// write writes the file.
func (d dir) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(d.path, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// read returns the content of the file.
func (d dir) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.path, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// require returns the version of a module that the go.mod of the folder leads to.
func (d dir) require(t *testing.T, path string) string {
	t.Helper()
	return d.run(t, "go", "list", "-m", "-f", "{{.Version}}", path)
}
