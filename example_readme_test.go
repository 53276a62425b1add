package taints_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
)

// The taste of the library in README.md.
func Example_readme() {
	node := []taints.Taint{
		taints.MustParseTaint("nvidia.com/gpu=present:NoSchedule"),
		taints.MustParseTaint("maintenance:NoExecute"),
	}
	pod := []taints.Toleration{ // or decoded from a pod's JSON
		{Key: "nvidia.com/gpu", Operator: taints.OpExists, Effect: taints.NoSchedule},
		taints.MustParseToleration("maintenance:NoExecute op=Exists for 600s"),
	}
	fmt.Println(taints.Filter(node, pod).Schedulable())

	m := taints.Compile(pod) // once for a pod, then for every node
	fmt.Println(m.Filter(node).Avoid())

	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	e := taints.EvictionOf(node, pod, now)
	fmt.Println(e.Outcome, e.At.Sub(now))

	fmt.Println(taints.Explain(node, pod[1:]))

	// Output:
	// true
	// false
	// EvictsAt 10m0s
	// nvidia.com/gpu=present:NoSchedule is not tolerated (nothing comes close)
	// maintenance:NoExecute is tolerated by maintenance:NoExecute op=Exists for 600s
}

// README.md shows the example above to the letter.
func TestReadmeShowsTheExample(t *testing.T) {
	source := readFile(t, "example_readme_test.go")
	readme := readFile(t, "README.md")
	_, code, _ := strings.Cut(readme, "```go\n")
	code, _, _ = strings.Cut(code, "```\n")
	_, body, _ := strings.Cut(source, "func Example_readme() {\n")
	body, _, _ = strings.Cut(body, "}\n\n//")
	if got := strings.ReplaceAll("\n"+body, "\n\t", "\n"); got != "\n"+code {
		t.Errorf("README.md shows:\n%s\nthe example is:%s", code, got)
	}
}

// The tables of measurements in README.md are those of docs/BENCHMARKS.md.
func TestReadmeShowsTheBenchmarks(t *testing.T) {
	readme := readFile(t, "README.md")
	benchmarks := readFile(t, "docs/BENCHMARKS.md")
	_, section, _ := strings.Cut(readme, "## How fast\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := 0
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		if !strings.Contains(benchmarks, line) {
			t.Errorf("docs/BENCHMARKS.md does not have %s", line)
		}
	}
	if rows < 6 {
		t.Errorf("%d rows", rows)
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
