// SPDX-License-Identifier: Apache-2.0

package dra_test

import (
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/viewtest"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// added is when the taints of the tests were added to their devices, and now is
// when they are evaluated.
var (
	added = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now   = added.Add(time.Minute)
)

func taint(key string, effect resourceapi.DeviceTaintEffect) resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: key, Value: "v", Effect: effect, TimeAdded: &metav1.Time{Time: added}}
}

// exists returns a toleration of the key, with seconds unless after is nil.
func exists(key string, effect resourceapi.DeviceTaintEffect, after *int64) resourceapi.DeviceToleration {
	return resourceapi.DeviceToleration{Key: key, Operator: "Exists", Effect: effect, TolerationSeconds: after}
}

const (
	none       resourceapi.DeviceTaintEffect = "None" // Kubernetes 1.34 has no name for it
	noSchedule                               = resourceapi.DeviceTaintEffectNoSchedule
	noExecute                                = resourceapi.DeviceTaintEffectNoExecute
)

func TestAllocation(t *testing.T) {
	number := resourceapi.DeviceTaint{Key: "a", Value: "1", Effect: noSchedule}
	for _, tc := range []struct {
		name       string
		taint      resourceapi.DeviceTaint
		toleration resourceapi.DeviceToleration
		want       bool // whether the device can be allocated
	}{
		{"NoSchedule", taint("a", noSchedule), exists("b", "", nil), false},
		{"NoExecute", taint("a", noExecute), exists("b", "", nil), false},
		{"None", taint("a", none), exists("b", "", nil), true},
		{"no effect", taint("a", ""), exists("b", "", nil), true},
		{"PreferNoSchedule", taint("a", "PreferNoSchedule"), exists("b", "", nil), true},
		{"an effect to come", taint("a", "NoExecuteWithPodDisruptionBudget"), exists("b", "", nil), true},
		{"tolerated", taint("a", noSchedule), exists("a", noSchedule, nil), true},
		{"tolerated under every effect", taint("a", noExecute), exists("a", "", nil), true},
		{"tolerated under every key", taint("a", noExecute), exists("", noExecute, nil), true},
		{"another effect", taint("a", noExecute), exists("a", noSchedule, nil), false},
		{"equal", taint("a", noSchedule), resourceapi.DeviceToleration{Key: "a", Operator: "Equal", Value: "v"}, true},
		{"Lt", number, resourceapi.DeviceToleration{Key: "a", Operator: "Lt", Value: "2"}, false},
		{"Gt", number, resourceapi.DeviceToleration{Key: "a", Operator: "Gt", Value: "0"}, false},
		{"NoSuchOperator", taint("a", noSchedule), resourceapi.DeviceToleration{Key: "a", Operator: "NoSuchOperator", Value: "v"}, false},
		{"a wildcard is none", taint("ab", noSchedule), exists("a*", "", nil), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			device := dra.Taints([]resourceapi.DeviceTaint{tc.taint})
			request := dra.Tolerations([]resourceapi.DeviceToleration{tc.toleration})
			if _, found := dra.Options().Compile(request).FindUntolerated(device, taints.HardEffects); found == tc.want {
				t.Errorf("FindUntolerated says %v", found)
			}
		})
	}
}

func TestPolicy(t *testing.T) {
	const at5, at200 = "evicts at 2026-01-02T03:09:05Z, after 300s", "evicts at 2026-01-02T03:07:25Z, after 200s"
	type list = []resourceapi.DeviceToleration
	late := taint("a", noExecute)
	late.TimeAdded = &metav1.Time{Time: added.Add(10 * time.Second)}
	future := []resourceapi.DeviceTaint{taint("a", noExecute)}
	future[0].TimeAdded = &metav1.Time{Time: added.Add(10 * time.Minute)}
	one := []resourceapi.DeviceTaint{taint("a", noExecute)}
	for _, tc := range []struct {
		name        string
		taints      []resourceapi.DeviceTaint
		tolerations list
		want        string
	}{
		{"NoSchedule", []resourceapi.DeviceTaint{taint("a", noSchedule)}, nil, "stays"},
		{"None", []resourceapi.DeviceTaint{taint("a", none)}, nil, "stays"},
		{"not tolerated", one, nil, "evicts now"},
		{"tolerated for a time", one, list{exists("a", noExecute, test.Seconds(300))}, at5},
		{"negative seconds", one, list{exists("a", noExecute, test.Seconds(-5))}, "evicts now"},
		{"the shortest", one, list{exists("a", noExecute, test.Seconds(300)), exists("", noExecute, test.Seconds(200))}, at200},
		{"forever", one, list{exists("a", noExecute, test.Seconds(0)), exists("", noExecute, nil)}, "stays"},
		{"all effects do not count", one, list{exists("a", "", nil)}, "evicts now"},
		{"from a time to come", future, list{exists("a", noExecute, test.Seconds(300))}, "evicts at 2026-01-02T03:19:05Z, after 300s"},
		{"from a time to come, for no time", future, list{exists("a", noExecute, test.Seconds(0))}, "evicts now"},
		{"from the taint's time", append(one, late), list{exists("a", noExecute, test.Seconds(300))}, at5},
		{
			"Lt does not match",
			[]resourceapi.DeviceTaint{{Key: "a", Value: "1", Effect: noExecute}},
			list{{Key: "a", Operator: "Lt", Value: "2", Effect: noExecute}},
			"evicts now",
		},
	} {
		m := dra.Options().Compile(dra.NoExecuteTolerations(tc.tolerations))
		if got := dra.Policy().EvictionOf(m, dra.Taints(tc.taints), now); got.String() != tc.want {
			t.Errorf("%s: EvictionOf = %v, want %s", tc.name, got, tc.want)
		}
	}
}

func TestNoExecuteTolerations(t *testing.T) {
	if got := dra.NoExecuteTolerations(nil); got != nil {
		t.Errorf("nil gives %v", got)
	}
	t.Run("a view", func(t *testing.T) {
		viewtest.SkipCopies[taints.Toleration, resourceapi.DeviceToleration](t)
		all := []resourceapi.DeviceToleration{exists("a", noExecute, nil), exists("b", noExecute, test.Seconds(1))}
		if got := dra.NoExecuteTolerations(all); unsafe.Pointer(&got[0]) != unsafe.Pointer(&all[0]) || len(got) != 2 {
			t.Errorf("%v is no view of %v", got, all)
		}
		if allocs := testing.AllocsPerRun(100, func() { dra.NoExecuteTolerations(all) }); allocs != 0 {
			t.Errorf("a view allocates %v times", allocs)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		list := tolerationViews.BuildAll(rapid.SliceOfN(draw.Toleration, 0, 4).Draw(t, "list"))
		before := slices.Clone(list)
		var want []taints.Toleration
		for _, toleration := range list {
			if toleration.Effect == noExecute {
				want = append(want, dra.Toleration(toleration))
			}
		}
		got := dra.NoExecuteTolerations(list)
		if !slices.EqualFunc(want, got, taints.Toleration.Equal) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if diff := cmp.Diff(before, list); diff != "" {
			t.Fatalf("the list was changed (-before +after):\n%s", diff)
		}
	})
}
