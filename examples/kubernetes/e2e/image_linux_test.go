// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// builder takes the place of docker. It prints what would be in the image, and
// the version of the program.
const builder = `#!/bin/sh
for context; do :; done
ls -A "$context"
exec env -i "$context"/* --version
`

// TestImages runs images/build. Each image has one binary and nothing else, for linux
// on any host, and its version is the tag of the image.
func TestImages(t *testing.T) {
	skipShort(t)
	docker := filepath.Join(t.TempDir(), "docker")
	check(t, os.WriteFile(docker, []byte(builder), 0o755))
	for program, version := range map[string]string{
		"evictor":   "evictor v1.2.3\n",
		"webhook":   "webhook v1.2.3\n",
		"scheduler": "Kubernetes v1.",
	} {
		build := exec.Command("../images/build", program, "registry.example.com/taints-"+program+":v1.2.3")
		build.Env = append(os.Environ(), "BUILDER="+docker, "GOOS=darwin")
		got := string(must(build.Output())(t))
		if !strings.HasPrefix(got, program+"\n"+version) {
			t.Errorf("the image of the %s holds, with the version: %s", program, got)
		}
	}
}
