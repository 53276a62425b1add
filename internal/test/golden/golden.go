// SPDX-License-Identifier: Apache-2.0

// Package golden compares outputs with files that hold the expected outputs.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// Compare compares the output with testdata/NAME.golden, or writes it there
// with -update.
func Compare(t *testing.T, name, got string) {
	t.Helper()
	CompareFile(t, filepath.Join("testdata", name+".golden"), got)
}

// CompareFile compares the output with a file, or writes it there with -update.
func CompareFile(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
