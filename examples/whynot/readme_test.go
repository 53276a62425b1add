// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func readmeBlocks(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, part := range strings.Split(string(readme), "```") {
		if i%2 == 1 {
			blocks = append(blocks, part)
		}
	}
	return blocks
}

// TestReadmeOutput checks that the sample's output has what the README shows of it.
func TestReadmeOutput(t *testing.T) {
	_, page, _ := runOn(nil)
	_, details, _ := runOn(nil, "batch-strict-7587c576b8-9l4v6")
	shown := 0
	for _, block := range readmeBlocks(t) {
		if text, ok := strings.CutPrefix(block, "\n"); ok {
			if shown++; !strings.Contains(page, text) && !strings.Contains(details, text) {
				t.Errorf("the README shows something else than\n%s\n%s: %s", page, details, text)
			}
		}
	}
	if shown != 2 {
		t.Errorf("%d outputs in the README", shown)
	}
}

// TestReadmeCommands runs the commands of the README: as the plugin those that
// begin with kubectl whynot, which it builds.
func TestReadmeCommands(t *testing.T) {
	blocks := readmeBlocks(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"nodes.json", "pods.json"} {
		if err := os.WriteFile(name, sample, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for _, block := range blocks {
		script, ok := strings.CutPrefix(block, "sh\n")
		if !ok {
			continue
		}
		for line := range strings.Lines(script) {
			command, _, _ := strings.Cut(strings.TrimSpace(line), " #")
			command, _, _ = strings.Cut(command, " > ")
			name, args, ok := strings.Cut(command, "./examples/whynot")
			plugin, isPlugin := strings.CutPrefix(command, "kubectl whynot")
			switch {
			case isPlugin:
				name, args = "kubectl-whynot", plugin
			case strings.HasPrefix(command, "go build"):
				buildPlugin(t, root, command)
				ran++
				continue
			case !ok:
				continue
			}
			fakeKubectl(t, "0", string(sample), string(sample))
			if strings.HasPrefix(name, "kubectl get") {
				code, stdout, stderr := runOn(strings.NewReader(string(sample)), strings.Fields(args)...)
				if code != 0 || stdout == "" {
					t.Errorf("%s: exit code %d, %s", command, code, stderr)
				}
			} else if code, stdout, stderr := runPlugin(t,
				filepath.Base(strings.TrimSpace(name)), strings.Fields(args)...); code != 0 || stdout == "" {
				t.Errorf("%s: exit code %d, %s", command, code, stderr)
			}
			ran++
		}
	}
	if ran != 9 {
		t.Errorf("%d commands in the README", ran)
	}
}

// buildPlugin runs the command that builds the plugin into a folder of the user's.
func buildPlugin(t *testing.T, root, command string) {
	t.Helper()
	home := t.TempDir()
	caches := exec.Command("go", "env", "-json", "GOCACHE", "GOPATH", "GOMODCACHE")
	text, err := caches.Output()
	if err != nil {
		t.Skip(err)
	}
	var env map[string]string
	if err := json.Unmarshal(text, &env); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("sh", "-c", command)
	build.Dir, build.Env = root, append(os.Environ(), "HOME="+home)
	for name, value := range env {
		build.Env = append(build.Env, name+"="+value)
	}
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, output)
	}
	if _, err := os.Stat(filepath.Join(home, ".local/bin/kubectl-whynot")); err != nil {
		t.Error(err)
	}
}
