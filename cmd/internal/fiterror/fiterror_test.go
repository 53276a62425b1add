// SPDX-License-Identifier: Apache-2.0

package fiterror

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
)

// A case is a message, and how many nodes of a cluster taints and affinity keep off. The
// words put the reasons that are not evaluated first. The message fits a cluster if the
// nodes that are kept off are as many there.
func TestParse(t *testing.T) {
	cases.Run(t, "testdata/messages.txt", func(t *testing.T, input []string) []string {
		last := len(input) - 1
		var nodes, kept int
		if _, err := fmt.Sscanf(input[last], "%d of %d nodes", &kept, &nodes); err != nil {
			t.Fatal(input, err)
		}
		m := Parse(strings.Join(input[:last], " "))
		return []string{
			fmt.Sprintf("words %q", m.Words("")),
			fmt.Sprintf("beside %q", m.Beside(func(resource string) bool { return resource == "gpu" })),
			fmt.Sprint("fits ", m.Fits(nodes, kept)),
		}
	})
}
