// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// imageUser is the user of the images and of the manifests.
const imageUser = 65532

// TestImages builds the images with images/build, without a network. It checks that
// each has one static binary and nothing else, and runs the binary without any
// other files, as a user who may write nothing.
func TestImages(t *testing.T) {
	skipShort(t)
	if _, err := exec.LookPath("buildah"); err != nil {
		t.Skip("needs buildah, in Debian's package of that name")
	}
	stamp := map[string]string{
		"evictor":   "evictor v1.2.3",
		"webhook":   "webhook v1.2.3",
		"scheduler": "Kubernetes " + must(cluster.Kubernetes())(t),
	}
	for _, program := range programs {
		t.Run(program, func(t *testing.T) {
			var image struct {
				Config struct {
					User            string
					Entrypoint, Cmd []string
					Labels          map[string]string
				}
			}
			root := t.TempDir()
			files := unpack(t, buildImage(t, program), root, &image)
			if got := image.Config; got.User != "65532:65532" ||
				!slices.Equal(got.Entrypoint, []string{"/" + program}) || len(got.Cmd) > 0 ||
				got.Labels["org.opencontainers.image.version"] != "v1.2.3" {
				t.Errorf("the image's configuration is %+v", got)
			}
			if info, err := os.Lstat(filepath.Join(root, program)); files != program+"\n" || err != nil || info.Mode() != 0o755 {
				t.Fatalf("the image holds %s: %v, %v", files, info, err)
			}
			if got := runAlone(t, root, program, "--version"); got != stamp[program] {
				t.Errorf("its version is %q, want %q", got, stamp[program])
			}
			if got := runAlone(t, root, program, "--help"); !strings.Contains(got, "kubeconfig") {
				t.Errorf("its help is %q", got)
			}
		})
	}
}

// buildImage builds the image of a program with buildah, which needs no daemon, and
// returns the folder of the image.
func buildImage(t *testing.T, program string) string {
	t.Helper()
	store := t.TempDir()
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+w", store).Run() })
	buildah := []string{
		"buildah", "--root", filepath.Join(store, "root"), "--runroot",
		filepath.Join(store, "run"), "--storage-driver", "vfs",
	}
	name := "registry.example.com/taints-" + program + ":v1.2.3"
	build := exec.Command("../images/build", program, name)
	build.Env = append(os.Environ(), "BUILDER="+strings.Join(buildah, " "), "BUILDAH_ISOLATION=chroot", "GOOS=darwin") // for linux on any host
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("images/build: %v\n%s", err, output)
	}
	folder := filepath.Join(store, "image")
	push := exec.Command(buildah[0], append(buildah[1:], "push", name, "dir:"+folder)...)
	if output, err := push.CombinedOutput(); err != nil {
		t.Fatalf("buildah push: %v\n%s", err, output)
	}
	return folder
}

// unpack unpacks all layers of an image in a folder, decodes its configuration, and
// returns the names of its files. The folder has a file for each digest.
func unpack(t *testing.T, folder, root string, config any) (files string) {
	t.Helper()
	file := func(name string) string { return filepath.Join(folder, strings.TrimPrefix(name, "sha256:")) }
	decode := func(name string, into any) { check(t, json.Unmarshal(must(os.ReadFile(file(name)))(t), into)) }
	var manifest struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}
	decode("manifest.json", &manifest)
	decode(manifest.Config.Digest, config)
	for _, layer := range manifest.Layers {
		files += string(must(exec.Command("tar", "-xpzvf", file(layer.Digest), "-C", root).Output())(t))
	}
	return files
}

// runAlone runs the program without any other files, as the user of the image, and
// returns its output. Only root can do that; other users run the program where it is.
func runAlone(t *testing.T, root, program string, args ...string) string {
	t.Helper()
	command := exec.Command(filepath.Join(root, program), args...)
	command.Env = []string{}
	if os.Getuid() == 0 {
		command.Path, command.Dir = "/"+program, "/"
		command.SysProcAttr = &syscall.SysProcAttr{
			Chroot:     root,
			Credential: &syscall.Credential{Uid: imageUser, Gid: imageUser},
		}
	}
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, args, err, output)
	}
	return strings.TrimSpace(string(output))
}
