// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/playground/internal/play"
)

//go:embed page
var page embed.FS

var indexPage = template.Must(template.ParseFS(page, "page/index.html"))

// build writes the files of the page to the folder.
func build(ctx context.Context, dir string) error {
	if err := writePage(dir); err != nil {
		return err
	}
	ldflags := "-ldflags=-s -w"
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		ldflags += " -X main.version=" + info.Main.Version // a build in the module cache does not know it
	}
	out, err := filepath.Abs(filepath.Join(dir, "taints.wasm"))
	if err != nil {
		return err
	}
	// Without inlining, the program is larger but compresses better.
	if _, err := toolchain(ctx, "build", "-trimpath", ldflags, "-gcflags=all=-l", "-o", out,
		"github.com/seed-0529bac1/taints/cmd/playground/wasm"); err != nil {
		return err
	}
	goroot, err := toolchain(ctx, "env", "GOROOT")
	if err != nil {
		return err
	}
	support, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "wasm_exec.js"), support, 0o644)
}

// writePage writes the files that need no toolchain to the folder.
func writePage(dir string) error {
	var index bytes.Buffer
	err := cmp.Or(os.MkdirAll(dir, 0o755), indexPage.Execute(&index, map[string]any{
		"Samples": samples, "Adders": play.Adders, "Selections": play.Selections,
	}))
	files := map[string][]byte{"index.html": index.Bytes()}
	for _, name := range []string{"app.js", "style.css", "icon.svg"} {
		files[name] = taints.Must(page.ReadFile("page/" + name))
	}
	for name, content := range files {
		err = cmp.Or(err, os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	return err
}

// toolchain runs the go command for WebAssembly and returns its output.
func toolchain(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = sourceDir()
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", errors.New("interrupted")
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("cannot find the go command, which builds the WebAssembly: %w", err)
	case err != nil:
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// sourceDir returns the folder of this program's source, so that the program can
// run in any folder. It returns the empty string, which means the current
// folder, if the source folder is not known.
func sourceDir() string {
	_, source, _, _ := runtime.Caller(0)
	if _, err := os.Stat(source); err != nil || !filepath.IsAbs(source) {
		return ""
	}
	return filepath.Dir(source)
}

// A sample is a question and a form that shows the answer.
type sample struct {
	ID, Question, Note string
	Fields             map[string]string
}

// samples are in the order of the page.
var samples = func() (list []sample) {
	if err := yaml.Unmarshal(taints.Must(page.ReadFile("page/samples.yaml")), &list); err != nil {
		panic(err)
	}
	return list
}()

// Link returns the fragment of the link that opens the sample.
func (s sample) Link() string {
	values := url.Values{"observed": {"2026-11-21T12:00"}, "sample": {s.ID}}
	for name, value := range s.Fields {
		values.Set(name, value)
	}
	return "#" + values.Encode()
}
