// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/viewtest"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var taintViews = viewtest.Views[taints.Taint, corev1.Taint]{
	Build: func(t taints.Taint) corev1.Taint {
		out := corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)}
		if t.TimeAdded != nil {
			out.TimeAdded = &metav1.Time{Time: *t.TimeAdded}
		}
		return out
	},
	List: kube.Taints, Copy: kube.CopyTaints, Back: kube.CoreTaints, One: kube.Taint, BackOne: kube.CoreTaint,
}

var tolerationViews = viewtest.Views[taints.Toleration, corev1.Toleration]{
	Build: func(t taints.Toleration) corev1.Toleration {
		return corev1.Toleration{
			Key:               t.Key,
			Operator:          corev1.TolerationOperator(t.Operator),
			Value:             t.Value,
			Effect:            corev1.TaintEffect(t.Effect),
			TolerationSeconds: t.TolerationSeconds,
		}
	},
	List: kube.Tolerations, Copy: kube.CopyTolerations, Back: kube.CoreTolerations, One: kube.Toleration, BackOne: kube.CoreToleration,
}

func TestTaints(t *testing.T)      { taintViews.Check(t, viewtest.Taints) }
func TestTolerations(t *testing.T) { tolerationViews.Check(t, draw.Toleration) }

// TestJSONOfTimes shows how the two types write TimeAdded differently.
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
