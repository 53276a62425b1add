// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
)

// A case has an object. It creates no pods for a reason, or its status says whether all pods
// run, and whether they have the template of now.
func TestObject(t *testing.T) {
	cases.Run(t, "testdata/objects.txt", func(t *testing.T, lines []string) []string {
		var o Object
		kind, text, _ := strings.Cut(lines[0], " ")
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(lines, err)
		}
		return []string{strings.TrimSpace(fmt.Sprint("ready ", o.IsReady(kind), ", updated ", o.IsUpdated(), " ", o.CreatesNone(kind)))}
	})
}
