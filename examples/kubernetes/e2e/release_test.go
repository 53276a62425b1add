// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// recorder is a program that records its arguments, as go and buildah.
const recorder = `#!/bin/sh
echo "$(basename "$0")" $GOOS $GOARCH "$@" >>"$RECORD"
case "$*" in
list*) echo v1.99.0 ;;
"env GOARCH") echo "${GOARCH:-amd64}" ;;
*digestfile*) printf 'sha256:%064d' 7 >"$5" ;;
esac
`

// TestRelease releases images with programs that only record what they are to do.
// They are for linux on any host, and the manifests name them by their digests.
func TestRelease(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"go", "buildah"} {
		check(t, os.WriteFile(filepath.Join(bin, name), []byte(recorder), 0o755))
	}
	record := filepath.Join(bin, "record")
	release := exec.Command("../images/release", "registry.test/team", "v9.8.7")
	release.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "RECORD="+record, "GOOS=windows")
	component, err := release.Output()
	check(t, err)

	var built, pushed []string
	did := string(must(os.ReadFile(record))(t))
	if got := strings.Count(did, "program.stamp=v9.8.7\n"); got != 2*len(programs) {
		t.Errorf("%d programs have the version", got)
	}
	for line := range strings.Lines(did) {
		words := strings.Fields(line)
		switch {
		case words[0] == "go" && words[3] == "build":
			built = append(built, strings.Join(words[1:3], "/"))
		case slices.Contains(words, "push"):
			pushed = append(pushed, words[len(words)-1])
		}
	}
	if want := slices.Repeat([]string{"linux/amd64", "linux/arm64"}, len(programs)); !slices.Equal(built, want) {
		t.Errorf("built for %v, want %v", built, want)
	}
	if len(pushed) != len(programs) {
		t.Errorf("pushed %v", pushed)
	}
	folder := must(filepath.EvalSymlinks(t.TempDir()))(t)
	check(t, os.CopyFS(folder, os.DirFS("../manifests")))
	check(t, os.WriteFile(filepath.Join(folder, "images", "kustomization.yaml"), component, 0o600))
	for _, program := range programs {
		objects := must(cluster.Manifest(filepath.Join(folder, program)))(t)
		got := only[*appsv1.Deployment](t, objects).Spec.Template.Spec.Containers[0].Image
		if want := "registry.test/team/taints-" + program + ":v9.8.7@sha256:" + strings.Repeat("0", 63) + "7"; got != want {
			t.Errorf("the image is %s, want %s", got, want)
		}
	}
}
