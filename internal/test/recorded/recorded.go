// SPDX-License-Identifier: Apache-2.0

// Package recorded reads the recorded answers of live clusters.
package recorded

import (
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"
)

//go:embed testdata
var answers embed.FS

// Each decodes a file of answers of each cluster that has it, and runs the test
// with what it holds.
func Each[T any](t *testing.T, name string, test func(t *testing.T, answers T)) {
	t.Helper()
	clusters, err := answers.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, cluster := range clusters {
		data, err := answers.ReadFile("testdata/" + cluster.Name() + "/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var v T
		if err == nil {
			err = json.Unmarshal(data, &v)
		}
		if err != nil {
			t.Fatalf("%s of %s: %v", name, cluster.Name(), err)
		}
		found = true
		t.Run(cluster.Name(), func(t *testing.T) { test(t, v) })
	}
	if !found {
		t.Fatalf("no cluster has %s", name)
	}
}
