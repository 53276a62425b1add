// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
)

// The code at the beginning of README.md.
func Example_readme() {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

	node, err := taints.ParseTaints("nvidia.com/gpu=present:NoSchedule,maintenance:NoExecute")
	if err != nil {
		panic(err)
	}
	pod := []taints.Toleration{ // or decoded from a pod's JSON
		{Key: "nvidia.com/gpu", Operator: taints.OpExists},
		taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s"),
	}
	m := taints.Compile(pod) // once for a pod, then for every node
	fmt.Println(m.Filter(node).Schedulable())
	fmt.Println(m.EvictionOf(node, now).Wait(now))
	fmt.Println(explain.Node(taints.Compile(pod[1:]), node))

	// Output:
	// true
	// 10m0s true
	// nvidia.com/gpu=present:NoSchedule is not tolerated
	// maintenance:NoExecute is tolerated by maintenance:NoExecute op=Exists for 600s
}

// README.md shows the example to the letter, with its output.
func TestReadmeShowsTheExample(t *testing.T) {
	source, readme := readFile(t, "example_readme_test.go"), readFile(t, "README.md")
	_, code, _ := strings.Cut(readme, "```go\n")
	code, _, _ = strings.Cut(code, "```\n")
	_, body, _ := strings.Cut(source, "time.UTC)\n\n")
	body, _, _ = strings.Cut(body, "}\n\n//")
	if got := strings.ReplaceAll("\n"+body, "\n\t", "\n"); got != "\n"+code {
		t.Errorf("README.md shows:\n%s\nthe example is:%s", code, got)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
