// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
)

// The fields that are named are those that strict decoding, as in an API server, refuses.
func TestMistakesAreThoseOfAnAPIServer(t *testing.T) {
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Strict: true})
	for _, tc := range []struct{ kind, version, spec string }{
		{"Pod", "v1", `{"tolerations":[{"key":"k","operators":"Exists","tolerationsSeconds":3,"Value":"v"}],"toleration":[]}`},
		{"Pod", "v1", `{"tolerations":[{"key":"k"}],"tolerations":[{"key":"k","key":"l","effect":"NoSchedule"}],"effect":"x"}`},
		{"Pod", "v1", `{"containers":[{"name":"c","tolerations":[]}],"affinity":{"tolerations":[]},"nodeSelector":{"tolerations":"x"}}`},
		{"Pod", "v1", `{"tolerations":[{"key":"k","operator":"Exists","value":"","effect":"NoSchedule","tolerationSeconds":3}]}`},
		{"Deployment", "apps/v1", `{"replicas":1,"selector":{},"tolerations":[],"template":{"tolerations":[],"metadata":{"tolerations":[]},"spec":{"Tolerations":[]}}}`},
		{"DaemonSet", "apps/v1", `{"template":{"spec":{"tolerations":[{"seconds":1,"keys":"k"}]}},"updateStrategy":{},"tolerations":[]}`},
		{"Job", "batch/v1", `{"backoffLimit":3,"template":{"spec":{}},"template":{"spec":{"tolerations":[{"tolerationSecond":5}]}}}`},
		{"CronJob", "batch/v1", `{"schedule":"* * * * *","jobTemplate":{"tolerations":[],"spec":{"tolerations":[],"template":{"spec":{"tolerations":[{"operatr":"x"}]}}}}}`},
		{"StatefulSet", "apps/v1", `{"serviceName":"s","template":{"spec":{}},"volumeClaimTemplates":[],"toleration":[]}`},
	} {
		object := `{"apiVersion":"` + tc.version + `","kind":"` + tc.kind + `","metadata":{"name":"x"},"spec":` + tc.spec + `}`
		var want []string
		_, _, err := strict.Decode([]byte(object), nil, nil)
		if refused, ok := runtime.AsStrictDecodingError(err); ok {
			want = lists.Each(refused.Errors(), func(err error) string { return strings.Trim(err.Error()[strings.Index(err.Error(), `"`):], `"`) })
		} else if err != nil {
			t.Fatal(err)
		}
		c := New(Filter{})
		if err := manifest.Read("x", strings.NewReader(object), c.Decode); err != nil {
			t.Fatal(err)
		}
		c.Finish()
		got := lists.Each(c.Pods[0].Mistakes, func(s string) string { path, _, _ := strings.Cut(s, " is "); return path })
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", object, got, want)
		}
	}
}
