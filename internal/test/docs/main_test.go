// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A project that gets the module gets none of the other modules, which the documents
// are about.
func TestMain(m *testing.M) {
	if _, err := os.Stat(filepath.Join(root, "kube", "go.mod")); err != nil {
		fmt.Println("skipped: this is not the whole repository")
		return
	}
	os.Exit(m.Run())
}
