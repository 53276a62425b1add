// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/seed-0529bac1/taints"
)

// Pods arrive stripped to what the controller reads, and other answers as they are.
func TestStripping(t *testing.T) {
	small := metav1.ObjectMeta{Name: "web", UID: "1", ResourceVersion: "7", Generation: 3}
	meta := small
	meta.Labels, meta.Annotations = map[string]string{"a": "b"}, map[string]string{"a": "b"}
	meta.ManagedFields, meta.OwnerReferences = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}, []metav1.OwnerReference{{Name: "web"}}
	scheduled := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(begin)}
	large := corev1.Pod{
		ObjectMeta: meta,
		Spec: corev1.PodSpec{
			NodeName: "n", Containers: []corev1.Container{{Name: "main"}},
			Tolerations: slices.Repeat(tolerations("a:NoExecute op=Exists", "a:NoSchedule op=Exists", "a:PreferNoSchedule"), 20_000),
		},
		Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Message: strings.Repeat("a", 1000)}, scheduled}},
	}
	want := corev1.Pod{
		ObjectMeta: small,
		Spec:       corev1.PodSpec{NodeName: "n", Tolerations: large.Spec.Tolerations[:1]},
		Status:     corev1.PodStatus{ObservedGeneration: int64(large.Size()), Conditions: []corev1.PodCondition{scheduled}},
	}
	node := corev1.Node{ObjectMeta: meta, Status: corev1.NodeStatus{Phase: corev1.NodeRunning}}
	if _, _ = strip(&node); !equality.Semantic.DeepEqual(node, corev1.Node{ObjectMeta: small}) {
		t.Errorf("the node becomes %v", node)
	}
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"}, Items: []corev1.Pod{large, {}, large}}
	const protobuf, all, web = runtime.ContentTypeProtobuf, "/api/v1/pods", "/api/v1/namespaces/default/pods/web"
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), protobuf)
	encoded := func(obj runtime.Object) []byte {
		return taints.Must(runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion), obj))
	}
	code := http.StatusOK
	ask := func(method, url, contentType string, body []byte) ([]byte, error) {
		transport := adapted(&Lease{}, func(*http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: code, Header: http.Header{"Content-Type": {contentType}},
				Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
			}, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		request, _ := http.NewRequestWithContext(ctx, method, "https://10.0.0.1"+url, http.NoBody)
		response, err := transport.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		got, err := io.ReadAll(response.Body)
		if response.ContentLength != int64(len(got)) {
			t.Errorf("%d bytes, and the header says %d", len(got), response.ContentLength)
		}
		return got, err
	}
	wire, one := encoded(list), encoded(&large)
	for i := range list.Items { // in place: an informer strips twice
		if got, err := strip(&list.Items[i]); err != nil || got != any(&list.Items[i]) || i != 1 && !equality.Semantic.DeepEqual(list.Items[i], want) {
			t.Errorf("pod %d becomes %v, %v", i, got, err)
		}
	}
	for _, tc := range []struct {
		method, url string
		wire        []byte
		want        runtime.Object
	}{
		{http.MethodGet, all + "?limit=500", wire, list},
		{http.MethodGet, all + "?fieldSelector=spec.nodeName%3Dn", wire, list},
		{http.MethodGet, web, one, &list.Items[0]},
		{http.MethodPatch, web + "/status", one, &list.Items[0]},
	} {
		small, err := ask(tc.method, tc.url, protobuf, tc.wire)
		got, _, errDecode := scheme.Codecs.UniversalDeserializer().Decode(small, nil, nil)
		if err != nil || errDecode != nil {
			t.Fatal(err, errDecode)
		}
		got.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		if !equality.Semantic.DeepEqual(got, tc.want) || len(small) > 1000 {
			t.Errorf("%s %s: %d bytes: got\n%v, want\n%v", tc.method, tc.url, len(small), got, tc.want)
		}
	}
	for _, tc := range [][3]string{
		{http.MethodGet, all + "?watch=true", protobuf + ";stream=watch"},
		{http.MethodGet, all, runtime.ContentTypeJSON},
		{http.MethodGet, "/api/v1/nodes", protobuf},
		{http.MethodPost, web + "/eviction", protobuf},
		{http.MethodDelete, web, protobuf},
	} {
		if same, err := ask(tc[0], tc[1], tc[2], wire); err != nil || !bytes.Equal(same, wire) {
			t.Errorf("%s: %d bytes become %d, %v", tc, len(wire), len(same), err)
		}
	}
	large.Spec.Tolerations = large.Spec.Tolerations[:1]
	one = encoded(&large)
	for n := range len(one) - 4 { // contentEncoding and contentType are empty
		if got, err := ask(http.MethodGet, web, protobuf, one[:n]); err == nil && !bytes.Equal(got, one[:n]) {
			t.Errorf("the first %d bytes are accepted as %d", n, len(got))
		}
	}
	for name, body := range map[string]string{
		"a float": "k8s\x00\x12\x05\x3d\x03xxx", "no pod": "k8s\x00\x12\x03\x12\x01x", "no size": "k8s\x00\x12",
		"too long": "k8s\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "negative": "k8s\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"no toleration": "k8s\x00\x12\x08\x12\x06\x12\x04\xb2\x01\x01x",
	} {
		if got, err := ask(http.MethodGet, all, protobuf, []byte(body)); err == nil {
			t.Errorf("%s is accepted as %q", name, got)
		}
	}
	code = http.StatusNotFound
	if same, err := ask(http.MethodGet, all, protobuf, wire); err != nil || !bytes.Equal(same, wire) {
		t.Errorf("an error of %d bytes becomes %d, %v", len(wire), len(same), err)
	}
	if kept, err := (message{1: nothing}).read(strings.NewReader("\x0a\x01x\x12\x01x"), 6); err != nil || len(kept) > 0 {
		t.Errorf("kept %q, %v", kept, err)
	}
}
