// SPDX-License-Identifier: Apache-2.0

package known_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/lifecycle"
)

// The list has every node key of taint.go, and a rule adds a taint with each key.
func TestNodeKeys(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../taint.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Node") {
			key, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			want = append(want, key)
		}
		return true
	})
	if len(want) == 0 || !slices.Equal(known.NodeKeys[:], want) {
		t.Errorf("NodeKeys is %q, and taint.go has %q", known.NodeKeys, want)
	}
	for _, key := range known.NodeKeys {
		if !slices.ContainsFunc(lifecycle.DefaultConditionRules(), func(r lifecycle.ConditionRule) bool { return r.Taint.Key == key }) {
			t.Errorf("no rule adds a taint with the key %s: enter it in defaultConditionRules (lifecycle/conditions.go)", key)
		}
	}
	if known.IsNodeKey("node.kubernetes.io/out-of-service") {
		t.Error("another key of Kubernetes is one of the list")
	}
}
