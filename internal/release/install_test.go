// SPDX-License-Identifier: Apache-2.0

package release

import (
	"path/filepath"
	"testing"
)

const cmd = root + "/cmd"

// The programs of a release can be installed, and report their version.
func TestInstall(t *testing.T) {
	public, env := publish(t, repository(t))
	from := dir{public.path, env}
	from.run(t, "go", "-C", "cmd", "mod", "edit", "-dropreplace="+root, "-dropreplace="+kube,
		"-require="+root+"@v1.0.0", "-require="+kube+"@v0.1.0")
	from.run(t, "go", "-C", "cmd", "mod", "tidy")
	release(t, public, "cmd/v0.1.0")

	user := dir{t.TempDir(), env}
	bin := t.TempDir()
	user.with("GOBIN="+bin).run(t, "go", "install", cmd+"/kubectl-whynot@v0.1.0")
	whynot := filepath.Join(bin, "kubectl-whynot")
	if got := user.run(t, whynot, "version"); got != "v0.1.0" {
		t.Errorf("the version is %q", got)
	}
	user.write(t, "node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n")
	user.run(t, whynot, "-f", "node.yaml")
}
