// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// Times have the value and the error that their own method gives.
func TestTimes(t *testing.T) {
	for _, text := range []string{
		`"2026-11-21T01:24:00Z"`, `"2026-11-21T01:24:00.5+02:00"`, `"2026-11-21T01:24:00\u005a"`, "null", `""`, `"yesterday"`, "3", "true", "{}", "[]",
	} {
		var got, want struct {
			At metav1.Time `json:"at"`
		}
		o := Object{json: jsontext.Value(`{"at":` + text + "}")}
		err, wantErr := o.Decode(&got, json.WithUnmarshalers(Times)), o.Decode(&want)
		if fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
			t.Errorf("%s: %v, %v, want %v, %v", text, got, err, want, wantErr)
		}
	}
}
