package kube_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/viewtest"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// TestLayout says in words what the package proves when it compiles.
func TestLayout(t *testing.T) {
	viewtest.SameLayout(t, reflect.TypeFor[taints.Taint](), reflect.TypeFor[corev1.Taint]())
	viewtest.SameLayout(t, reflect.TypeFor[taints.Toleration](), reflect.TypeFor[corev1.Toleration]())
	wrapper := reflect.TypeFor[metav1.Time]()
	if wrapper.NumField() != 1 || wrapper.Field(0).Type != reflect.TypeFor[time.Time]() ||
		wrapper.Size() != reflect.TypeFor[time.Time]().Size() {
		t.Errorf("%v is more than a time.Time", wrapper)
	}
}

func TestViews(t *testing.T) {
	t.Run("Taints", func(t *testing.T) { viewtest.List(t, kube.Taints) })
	t.Run("CoreTaints", func(t *testing.T) { viewtest.List(t, kube.CoreTaints) })
	t.Run("Tolerations", func(t *testing.T) { viewtest.List(t, kube.Tolerations) })
	t.Run("CoreTolerations", func(t *testing.T) { viewtest.List(t, kube.CoreTolerations) })
}

func TestPointers(t *testing.T) {
	t.Run("Taint", func(t *testing.T) { viewtest.Pointer(t, kube.Taint) })
	t.Run("CoreTaint", func(t *testing.T) { viewtest.Pointer(t, kube.CoreTaint) })
	t.Run("Toleration", func(t *testing.T) { viewtest.Pointer(t, kube.Toleration) })
	t.Run("CoreToleration", func(t *testing.T) { viewtest.Pointer(t, kube.CoreToleration) })
}

// An append to a view of a part of a list does not write behind that part.
func TestAppendLeavesTheOriginal(t *testing.T) {
	backing := []corev1.Toleration{{Key: "a"}, {Key: "b"}}
	_ = append(kube.Tolerations(backing[:1]), taints.Toleration{Key: "c"})
	if backing[1].Key != "b" {
		t.Errorf("append wrote %q behind the end", backing[1].Key)
	}
}

func TestWritesAreShared(t *testing.T) {
	at := time.Unix(1, 0)
	node := []corev1.Taint{{Key: "a", TimeAdded: &metav1.Time{Time: time.Unix(2, 0)}}}
	view := kube.Taints(node)
	view[0].Key = "b"
	*view[0].TimeAdded = at
	if node[0].Key != "b" || !node[0].TimeAdded.Time.Equal(at) {
		t.Errorf("the list is %v", node)
	}
	node[0].TimeAdded = nil
	if view[0].TimeAdded != nil {
		t.Errorf("the view is %v", view)
	}
	view[0].TimeAdded = &at
	if !node[0].TimeAdded.Time.Equal(at) {
		t.Errorf("the list is %v", node)
	}
}

var (
	texts = rapid.OneOf(rapid.SampledFrom([]string{"", "a", "example.com/gpu", "é\n\"", "\xff", strings.Repeat("x", 300)}), rapid.String())
	times = rapid.SampledFrom([]*time.Time{
		nil, ptr(time.Unix(0, 0).UTC()), ptr(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		ptr(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)),
	})
	seconds = rapid.SampledFrom([]*int64{
		nil, ptr(int64(0)), ptr(int64(300)), ptr(int64(-1)), ptr(int64(math.MaxInt64)),
		ptr(int64(math.MinInt64)),
	})
)

func ptr[T any](v T) *T { return &v }

func drawTaints(t *rapid.T) []corev1.Taint {
	list := make([]corev1.Taint, rapid.IntRange(0, 4).Draw(t, "taints"))
	for i := range list {
		list[i] = corev1.Taint{
			Key:    texts.Draw(t, "key"),
			Value:  texts.Draw(t, "value"),
			Effect: corev1.TaintEffect(texts.Draw(t, "effect")),
		}
		if at := times.Draw(t, "time"); at != nil {
			list[i].TimeAdded = &metav1.Time{Time: *at}
		}
	}
	return list
}

func drawTolerations(t *rapid.T) []corev1.Toleration {
	list := make([]corev1.Toleration, rapid.IntRange(0, 4).Draw(t, "tolerations"))
	for i := range list {
		list[i] = corev1.Toleration{
			Key: texts.Draw(t, "key"), Operator: corev1.TolerationOperator(texts.Draw(t, "operator")), Value: texts.Draw(t, "value"),
			Effect: corev1.TaintEffect(texts.Draw(t, "effect")), TolerationSeconds: seconds.Draw(t, "seconds"),
		}
	}
	return list
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node, pod := drawTaints(t), drawTolerations(t)
		if diff := cmp.Diff(node, kube.CoreTaints(kube.Taints(node))); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(pod, kube.CoreTolerations(kube.Tolerations(pod))); diff != "" {
			t.Fatal(diff)
		}
		for i, view := range kube.Taints(node) {
			if *kube.Taint(&node[i]) != view || *kube.CoreTaint(&view) != node[i] {
				t.Fatalf("the single views of %v differ from %v", node[i], view)
			}
			want := taints.Taint{Key: node[i].Key, Value: node[i].Value, Effect: taints.Effect(node[i].Effect)}
			if node[i].TimeAdded != nil {
				want.TimeAdded = &node[i].TimeAdded.Time
			}
			if !view.Equal(want) {
				t.Fatalf("%v views as %v", node[i], view)
			}
		}
		for i, view := range kube.Tolerations(pod) {
			if *kube.Toleration(&pod[i]) != view || *kube.CoreToleration(&view) != pod[i] {
				t.Fatalf("the single views of %v differ from %v", pod[i], view)
			}
			want := taints.Toleration{
				Key: pod[i].Key, Operator: taints.Operator(pod[i].Operator), Value: pod[i].Value,
				Effect: taints.Effect(pod[i].Effect), TolerationSeconds: pod[i].TolerationSeconds,
			}
			if view != want {
				t.Fatalf("%v views as %v", pod[i], view)
			}
		}
	})
}

func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node, pod := drawTaints(t), drawTolerations(t)
		viewtest.SameJSON(t, node, kube.Taints(node))
		viewtest.SameJSON(t, pod, kube.Tolerations(pod))
		var theirNode []corev1.Taint
		var ourNode []taints.Taint
		viewtest.Decode(t, viewtest.Encode(t, node), &theirNode)
		viewtest.Decode(t, viewtest.Encode(t, node), &ourNode)
		viewtest.SameJSON(t, theirNode, kube.CoreTaints(ourNode))
		var theirPod []corev1.Toleration
		var ourPod []taints.Toleration
		viewtest.Decode(t, viewtest.Encode(t, pod), &theirPod)
		viewtest.Decode(t, viewtest.Encode(t, pod), &ourPod)
		viewtest.SameJSON(t, theirPod, ourPod)
	})
}

// TestJSONOfTimes shows where the two types write TimeAdded differently.
func TestJSONOfTimes(t *testing.T) {
	east := time.FixedZone("east", 3600)
	for _, test := range []struct {
		at            time.Time
		core, library string
	}{
		{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), `"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05Z"`},
		{time.Date(2026, 1, 2, 3, 4, 5, 60, time.UTC), `"2026-01-02T03:04:05Z"`, `"2026-01-02T03:04:05.00000006Z"`},
		{time.Date(2026, 1, 2, 4, 4, 5, 0, east), `"2026-01-02T03:04:05Z"`, `"2026-01-02T04:04:05+01:00"`},
		{time.Time{}, `null`, `"0001-01-01T00:00:00Z"`},
	} {
		list := []corev1.Taint{{TimeAdded: &metav1.Time{Time: test.at}}}
		wantJSON(t, list, test.core)
		wantJSON(t, kube.Taints(list), test.library)
	}
}

func wantJSON(t *testing.T, list any, timeAdded string) {
	t.Helper()
	got := viewtest.Encode(t, list)
	if want := `[{"key":"","effect":"","timeAdded":` + timeAdded + `}]`; got != want {
		t.Errorf("%T is %s, want %s", list, got, want)
	}
}
