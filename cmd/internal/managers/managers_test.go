// SPDX-License-Identifier: Apache-2.0

package managers

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
)

// A line has the name of a node and the path of a field.
func TestLastWrite(t *testing.T) {
	fieldsOf := make(map[string][]metav1.ManagedFieldsEntry)
	for _, path := range []string{"testdata/nodes.json", "testdata/made-up.json"} {
		var nodes metav1.PartialObjectMetadataList
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &nodes)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes.Items {
			fieldsOf[n.Name] = n.ManagedFields
		}
	}
	cases.Run(t, "testdata/writes.txt", func(_ *testing.T, lines []string) []string {
		return lists.Each(lines, func(line string) string {
			words := strings.Fields(line)
			w := LastWrite(fieldsOf[words[0]], words[1:]...)
			if w == (Write{}) {
				return "nobody"
			}
			return w.By + " at " + w.At.UTC().Format(time.RFC3339)
		})
	})
}
