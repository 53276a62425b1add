// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/playground/internal/play"
)

// wasmPackage is the program that runs in the browser.
const wasmPackage = "github.com/seed-0529bac1/taints/cmd/playground/wasm"

// policy is the content security policy of the page. It allows only its own files.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"

//go:embed page
var page embed.FS

// A file is one of the files of the page.
type file struct {
	name    string
	content []byte
}

// buildFiles builds the WebAssembly and returns all files of the page.
func buildFiles(ctx context.Context) ([]file, error) {
	wasm, err := buildWasm(ctx)
	if err != nil {
		return nil, err
	}
	support, err := wasmSupport(ctx)
	if err != nil {
		return nil, err
	}
	return assemble(wasm, support)
}

// assemble returns the files of the page, including the WebAssembly and the Go
// toolchain's script that runs it.
func assemble(wasm, support []byte) ([]file, error) {
	files := []file{{"taints.wasm", wasm}, {"wasm_exec.js", support}}
	for _, name := range []string{"app.js", "style.css", "icon.svg"} {
		content, err := page.ReadFile("page/" + name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, content})
	}
	t, err := template.ParseFS(page, "page/index.html")
	if err != nil {
		return nil, err
	}
	var index bytes.Buffer
	err = t.Execute(&index, map[string]any{
		"Policy": policy, "Samples": samples, "Adders": play.Adders, "Selections": play.Selections,
	})
	return append(files, file{"index.html", index.Bytes()}), err
}

// buildWasm builds the program that runs in the browser.
func buildWasm(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "taints.wasm")
	// Without inlining, the program is larger but compresses better.
	ldflags := "-ldflags=-s -w"
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		ldflags += " -X main.version=" + info.Main.Version // a build in the module cache does not know it
	}
	args := []string{"build", "-trimpath", ldflags, "-gcflags=all=-l", "-o", out, wasmPackage}
	if _, err := toolchain(ctx, args...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// wasmSupport returns the toolchain's script that runs the WebAssembly.
func wasmSupport(ctx context.Context) ([]byte, error) {
	root, err := toolchain(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
}

// toolchain runs the go command for WebAssembly and returns its output.
func toolchain(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = sourceDir()
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", errors.New("interrupted")
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("cannot find the go command, which builds the WebAssembly: %w", err)
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// sourceDir returns the folder of this program's source, so that the program can
// run in any folder. It returns the empty string, which means the current
// folder, if the source folder is not known.
func sourceDir() string {
	_, source, _, _ := runtime.Caller(0)
	dir := filepath.Dir(source)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() || !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// writeFiles writes the files to the folder.
func writeFiles(dir string, files []file) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
