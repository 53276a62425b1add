// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
)

// A case is a stream, quoted as in Go. The answer is the kinds and names of its objects, and
// the error.
func TestRead(t *testing.T) {
	cases.Run(t, "testdata/streams.txt", func(t *testing.T, input []string) (got []string) {
		text, err := strconv.Unquote(strings.Join(input, ""))
		if err != nil {
			t.Fatal(input, err)
		}
		err = Read("x", strings.NewReader(text), func(o Object) error {
			var named struct {
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}
			err := o.Decode(&named)
			if err == nil {
				got = append(got, o.Kind+" "+named.Metadata.Name)
			}
			return err
		})
		if err != nil {
			got = append(got, err.Error())
		}
		return got
	})
}
