// SPDX-License-Identifier: Apache-2.0

package dra_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/dra"
	"github.com/seed-0529bac1/taints/internal/test/draw"
	"github.com/seed-0529bac1/taints/internal/test/viewtest"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var taintViews = viewtest.Views[taints.Taint, resourceapi.DeviceTaint]{
	Build: func(t taints.Taint) resourceapi.DeviceTaint {
		out := resourceapi.DeviceTaint{Key: t.Key, Value: t.Value, Effect: resourceapi.DeviceTaintEffect(t.Effect)}
		if t.TimeAdded != nil {
			out.TimeAdded = &metav1.Time{Time: *t.TimeAdded}
		}
		return out
	},
	List: dra.Taints, Copy: dra.CopyTaints, Back: dra.DeviceTaints, One: dra.Taint, BackOne: dra.DeviceTaint,
}

var tolerationViews = viewtest.Views[taints.Toleration, resourceapi.DeviceToleration]{
	Build: func(t taints.Toleration) resourceapi.DeviceToleration {
		return resourceapi.DeviceToleration{
			Key:               t.Key,
			Operator:          resourceapi.DeviceTolerationOperator(t.Operator),
			Value:             t.Value,
			Effect:            resourceapi.DeviceTaintEffect(t.Effect),
			TolerationSeconds: t.TolerationSeconds,
		}
	},
	List: dra.Tolerations, Copy: dra.CopyTolerations, Back: dra.DeviceTolerations, One: dra.Toleration, BackOne: dra.DeviceToleration,
}

func TestTaints(t *testing.T)      { taintViews.Check(t, viewtest.Taints) }
func TestTolerations(t *testing.T) { tolerationViews.Check(t, draw.Toleration) }
