// SPDX-License-Identifier: Apache-2.0

package api

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files in the folder docs/api")

const root = "../.."

// packages maps files in docs/api to the folders that other projects import.
var packages = map[string]string{
	"taints": ".", "nodeindex": "nodeindex", "explain": "explain", "tolerationset": "tolerationset",
	"lifecycle": "lifecycle", "kube": "kube", "nodestate": "kube/nodestate", "dra": "dra",
}

// The exported declarations are those in docs/api, so that every change is
// noticed. After the first release, no line may be removed.
func TestExported(t *testing.T) {
	for name, dir := range packages {
		now, err := Of(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(root, "docs", "api", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(now), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(before), "\n"), strings.Split(now, "\n")); diff != "" {
			t.Errorf("%s exports something else; put back what is released, "+
				"and write additions down by go test ./internal/api -update (-docs/api/%s.txt +now):\n%s", dir, name, diff)
		}
	}
}
