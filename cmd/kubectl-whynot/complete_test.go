// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The script that kubectl runs for completions passes the arguments on.
func TestCompletionScript(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	fake := "#!" + sh + "\nprintf '<%s>' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "kubectl-whynot"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	out, err := exec.Command(sh, "kubectl_complete-whynot", "-o", "").CombinedOutput()
	if string(out) != "<__complete><-o><>" || err != nil {
		t.Errorf("%s, %v", out, err)
	}
}
