package dra_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/internal/viewtest"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// TestLayout says in words what the package proves when it compiles.
func TestLayout(t *testing.T) {
	viewtest.SameLayout(t, reflect.TypeFor[taints.Taint](), reflect.TypeFor[resourceapi.DeviceTaint]())
	viewtest.SameLayout(t, reflect.TypeFor[taints.Toleration](), reflect.TypeFor[resourceapi.DeviceToleration]())
}

func TestViews(t *testing.T) {
	t.Run("Taints", func(t *testing.T) { viewtest.List(t, dra.Taints) })
	t.Run("DeviceTaints", func(t *testing.T) { viewtest.List(t, dra.DeviceTaints) })
	t.Run("Tolerations", func(t *testing.T) { viewtest.List(t, dra.Tolerations) })
	t.Run("DeviceTolerations", func(t *testing.T) { viewtest.List(t, dra.DeviceTolerations) })
}

func TestPointers(t *testing.T) {
	t.Run("Taint", func(t *testing.T) { viewtest.Pointer(t, dra.Taint) })
	t.Run("DeviceTaint", func(t *testing.T) { viewtest.Pointer(t, dra.DeviceTaint) })
	t.Run("Toleration", func(t *testing.T) { viewtest.Pointer(t, dra.Toleration) })
	t.Run("DeviceToleration", func(t *testing.T) { viewtest.Pointer(t, dra.DeviceToleration) })
}

func TestWritesAreShared(t *testing.T) {
	at := time.Unix(1, 0)
	device := []resourceapi.DeviceTaint{{Key: "a", TimeAdded: &metav1.Time{Time: time.Unix(2, 0)}}}
	view := dra.Taints(device)
	view[0].Key = "b"
	*view[0].TimeAdded = at
	if device[0].Key != "b" || !device[0].TimeAdded.Time.Equal(at) {
		t.Errorf("the list is %v", device)
	}
	view[0].TimeAdded = nil
	if device[0].TimeAdded != nil {
		t.Errorf("the list is %v", device)
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
	effects = rapid.OneOf(rapid.SampledFrom([]string{"", "None", "NoSchedule", "NoExecute"}), texts)
)

func ptr[T any](v T) *T { return &v }

func drawTaints(t *rapid.T) []resourceapi.DeviceTaint {
	list := make([]resourceapi.DeviceTaint, rapid.IntRange(0, 4).Draw(t, "taints"))
	for i := range list {
		list[i] = resourceapi.DeviceTaint{
			Key: texts.Draw(t, "key"), Value: texts.Draw(t, "value"), Effect: resourceapi.DeviceTaintEffect(effects.Draw(t, "effect")),
		}
		if at := times.Draw(t, "time"); at != nil {
			list[i].TimeAdded = &metav1.Time{Time: *at}
		}
	}
	return list
}

func drawTolerations(t *rapid.T) []resourceapi.DeviceToleration {
	list := make([]resourceapi.DeviceToleration, rapid.IntRange(0, 4).Draw(t, "tolerations"))
	for i := range list {
		list[i] = resourceapi.DeviceToleration{
			Key: texts.Draw(t, "key"), Operator: resourceapi.DeviceTolerationOperator(texts.Draw(t, "operator")), Value: texts.Draw(t, "value"),
			Effect: resourceapi.DeviceTaintEffect(effects.Draw(t, "effect")), TolerationSeconds: seconds.Draw(t, "seconds"),
		}
	}
	return list
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		device, request := drawTaints(t), drawTolerations(t)
		if diff := cmp.Diff(device, dra.DeviceTaints(dra.Taints(device))); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(request, dra.DeviceTolerations(dra.Tolerations(request))); diff != "" {
			t.Fatal(diff)
		}
		for i, view := range dra.Taints(device) {
			if *dra.Taint(&device[i]) != view || *dra.DeviceTaint(&view) != device[i] {
				t.Fatalf("the single views of %v differ from %v", device[i], view)
			}
			want := taints.Taint{Key: device[i].Key, Value: device[i].Value, Effect: taints.Effect(device[i].Effect)}
			if device[i].TimeAdded != nil {
				want.TimeAdded = &device[i].TimeAdded.Time
			}
			if !view.Equal(want) {
				t.Fatalf("%v views as %v", device[i], view)
			}
		}
		for i, view := range dra.Tolerations(request) {
			if *dra.Toleration(&request[i]) != view || *dra.DeviceToleration(&view) != request[i] {
				t.Fatalf("the single views of %v differ from %v", request[i], view)
			}
			want := taints.Toleration{
				Key: request[i].Key, Operator: taints.Operator(request[i].Operator), Value: request[i].Value,
				Effect: taints.Effect(request[i].Effect), TolerationSeconds: request[i].TolerationSeconds,
			}
			if view != want {
				t.Fatalf("%v views as %v", request[i], view)
			}
		}
	})
}

func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		device, request := drawTaints(t), drawTolerations(t)
		viewtest.SameJSON(t, device, dra.Taints(device))
		viewtest.SameJSON(t, request, dra.Tolerations(request))
		var theirs []resourceapi.DeviceTaint
		var ours []taints.Taint
		viewtest.Decode(t, viewtest.Encode(t, device), &theirs)
		viewtest.Decode(t, viewtest.Encode(t, device), &ours)
		viewtest.SameJSON(t, theirs, dra.DeviceTaints(ours))
	})
}
