// SPDX-License-Identifier: Apache-2.0

// Package newoperator has a test that adds operators to the library.
package newoperator

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// additions are all that is needed for two operators that Kubernetes lacks: Ge,
// greater or equal, and Near, which matches the integers within 2 of the value.
var additions = map[string]*strings.Replacer{
	"operator.go": strings.NewReplacer("\t// OpLt tolerates", `	OpGe   Operator = "Ge"
	OpNear Operator = "Near"
	// OpLt tolerates`),
	"internal/valueset/operator.go": strings.NewReplacer("}\n\n// A meaning is", `	{Name: "Ge", Form: Integer, Comparison: true, Kind: Integers, meaning: greaterOrEqual},
	{Name: "Near", Form: Integer, Comparison: true, Kind: Integers, meaning: near},
}

// A meaning is`, ")\n\nfunc (m meaning) of(", `	greaterOrEqual
	near
)

func (m meaning) of(`, "\tcase less:\n", `	case greaterOrEqual:
		if limit, ok := ParseInteger(value); ok {
			return Set{Kind: Integers, Least: limit, Most: math.MaxInt64}
		}
	case near:
		if n, ok := ParseInteger(value); ok {
			return Set{Kind: Integers, Least: max(n, math.MinInt64+2) - 2, Most: min(n, math.MaxInt64-2) + 2}
		}
	case less:
`),
}

// A new operator needs only a row in the table of operators and a constant.
// With these, all forms of the library agree with a brute force.
func TestNewOperator(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the library")
	}
	dir, files := t.TempDir(), map[string]string{}
	for name, additions := range additions {
		path := must(filepath.Abs(filepath.Join("..", "..", name)))
		files[path] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		must(0, os.WriteFile(files[path], []byte(additions.Replace(string(must(os.ReadFile(path))))), 0o644))
	}
	overlay := filepath.Join(dir, "overlay.json")
	must(0, os.WriteFile(overlay, must(json.Marshal(map[string]any{"Replace": files})), 0o644))
	if out, err := exec.Command("go", "run", "-overlay", overlay, "./testdata").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
