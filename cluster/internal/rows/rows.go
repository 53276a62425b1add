// SPDX-License-Identifier: Apache-2.0

// Package rows reads tables of tests from YAML files.
package rows

import (
	"os"
	"testing"

	"sigs.k8s.io/yaml"
)

// Read returns the rows of the table in a file in the folder testdata. Every field of a
// row must be a field of T.
func Read[T any](t testing.TB, file string) (rows []T) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err == nil {
		err = yaml.UnmarshalStrict(text, &rows)
	}
	if err != nil || len(rows) == 0 {
		t.Fatalf("%s: %d rows, %v", file, len(rows), err)
	}
	return rows
}
