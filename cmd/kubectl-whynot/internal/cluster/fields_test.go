// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
)

// The fields that are named are those that strict decoding, as in an API server, refuses.
func TestMistakesAreThoseOfAnAPIServer(t *testing.T) {
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Strict: true})
	cases.Run(t, "testdata/mistakes.txt", func(t *testing.T, lines []string) []string {
		var want []string
		_, _, err := strict.Decode([]byte(lines[0]), nil, nil)
		if refused, ok := runtime.AsStrictDecodingError(err); ok {
			want = lists.Each(refused.Errors(), func(err error) string { return strings.Split(err.Error(), `"`)[1] })
		} else if err != nil {
			t.Fatal(err)
		}
		c := New(Filter{})
		if err := manifest.Read("x", strings.NewReader(lines[0]), c.Decode); err != nil {
			t.Fatal(err)
		}
		c.Finish()
		got := lists.Each(c.Pods[0].Mistakes, func(s string) string { return strings.Fields(s)[0] })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", lines[0], got, want)
		}
		return c.Pods[0].Mistakes
	})
}
