// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// A list of pods arrives stripped, and another answer as it is.
func TestLists(t *testing.T) {
	large := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "1", Labels: map[string]string{"a": "b"}},
		Spec:       corev1.PodSpec{Tolerations: slices.Repeat(tolerations("a:NoExecute op=Exists"), 20_000)},
	}
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"}, Items: []corev1.Pod{large, {}, large}}
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	wire, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion), list)
	if err != nil {
		t.Fatal(err)
	}
	answer := func(url, contentType string, body []byte) ([]byte, error) {
		transport := adapted(&Lease{}, func(*http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {contentType}},
				Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
			}, nil
		})
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://10.0.0.1"+url, http.NoBody)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		response, err := transport.RoundTrip(request.WithContext(ctx))
		if err != nil {
			return nil, err
		}
		got, err := io.ReadAll(response.Body)
		if response.ContentLength != int64(len(got)) {
			t.Errorf("%d bytes, and the header says %d", len(got), response.ContentLength)
		}
		return got, err
	}
	small, err := answer("/api/v1/pods?limit=500", runtime.ContentTypeProtobuf, wire)
	got := &corev1.PodList{}
	if _, _, errDecode := scheme.Codecs.UniversalDeserializer().Decode(small, nil, got); err != nil || errDecode != nil {
		t.Fatal(err, errDecode)
	}
	for i := range list.Items {
		_, _ = strip(&list.Items[i])
	}
	if got.TypeMeta = (metav1.TypeMeta{}); !equality.Semantic.DeepEqual(got, list) || len(small) > 1000 {
		t.Errorf("%d bytes: got\n%v, want\n%v", len(small), got, list)
	}
	for _, other := range []string{"/api/v1/pods?watch=true", "/api/v1/nodes", "/api/v1/namespaces/default/pods/web"} {
		if same, err := answer(other, runtime.ContentTypeProtobuf, wire); err != nil || !bytes.Equal(same, wire) {
			t.Errorf("%s: %d bytes become %d, %v", other, len(wire), len(same), err)
		}
	}
	if same, err := answer("/api/v1/pods", runtime.ContentTypeJSON, wire); err != nil || !bytes.Equal(same, wire) {
		t.Errorf("JSON: %d bytes become %d, %v", len(wire), len(same), err)
	}
	end := len(wire) - 4 // contentEncoding and contentType are empty
	for _, n := range []int{0, 3, 5, 20, 40, 100, end / 2, end - 1} {
		if got, err := answer("/api/v1/pods", runtime.ContentTypeProtobuf, wire[:n]); err == nil {
			t.Errorf("the first %d bytes are accepted as %d", n, len(got))
		}
	}
	for name, body := range map[string]string{"a number": "k8s\x00\x12\x02\x10\x01", "no pod": "k8s\x00\x12\x03\x12\x01x", "no size": "k8s\x00\x12"} {
		if got, err := answer("/api/v1/pods", runtime.ContentTypeProtobuf, []byte(body)); err == nil {
			t.Errorf("%s is accepted as %q", name, got)
		}
	}
}
