// SPDX-License-Identifier: Apache-2.0

package api

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The library imports a handful of small standard packages, and none of the
// large ones, directly or indirectly.
func TestImports(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err) // for example in WebAssembly, where no command can be run
	}
	out, err := exec.Command("go", "list", "-deps", root, root+"/explain", root+"/lifecycle", root+"/nodeindex", root+"/tolerationset").Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("no go command here")
	}
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, heavy := range []string{
		"fmt", "reflect", "regexp", "encoding/json", "log", "log/slog", "net", "context", "os",
	} {
		if slices.Contains(deps, heavy) {
			t.Errorf("the library depends on %s", heavy)
		}
	}
	for _, dep := range deps {
		if strings.Contains(dep, ".") && !strings.HasPrefix(dep, "github.com/seed-0529bac1/taints") {
			t.Errorf("the library depends on %s, outside the standard library", dep)
		}
	}
}
