// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/lifecycle"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler"
	"pgregory.net/rapid"
)

// readyConditions returns the Ready conditions of the zone's nodes. A condition
// that is nil, False or Unknown is that of a node that is not ready.
func readyConditions(z lifecycle.Zone) []*corev1.NodeCondition {
	conditions := make([]*corev1.NodeCondition, z.NotReady, z.NotReady+z.Ready)
	for i := range conditions {
		switch i % 3 {
		case 1:
			conditions[i] = &corev1.NodeCondition{Status: corev1.ConditionFalse}
		case 2:
			conditions[i] = &corev1.NodeCondition{Status: corev1.ConditionUnknown}
		}
	}
	for range z.Ready {
		conditions = append(conditions, &corev1.NodeCondition{Status: corev1.ConditionTrue})
	}
	return conditions
}

// TestComputeZoneState tries 0 to 300 nodes of each kind in a zone.
func TestComputeZoneState(t *testing.T) {
	const most = 300
	policy := lifecycle.DefaultDisruptionPolicy()
	controller := newNodeController(t, policy).controller
	all := readyConditions(lifecycle.Zone{Ready: most, NotReady: most})
	names := map[lifecycle.ZoneState]nodelifecycle.ZoneState{
		lifecycle.ZoneNormal:  "Normal",
		lifecycle.ZonePartial: "PartialDisruption",
		lifecycle.ZoneFull:    "FullDisruption",
	}
	for notReady := range most + 1 {
		for ready := range most + 1 {
			zone := lifecycle.Zone{Ready: ready, NotReady: notReady}
			_, want := controller.ComputeZoneState(all[most-notReady : most+ready])
			rate := controller.HealthyQPSFunc(ready + notReady)
			same(t, "Rate", float32(policy.Rate), rate)
			if want == names[lifecycle.ZonePartial] {
				rate = controller.ReducedQPSFunc(ready + notReady)
			}
			what := fmt.Sprintf("%+v: ", zone)
			same(t, what+"State", names[policy.State(zone)], want)
			zones := []lifecycle.Zone{zone, {Ready: 1}}
			same(t, what+"AppendRates", float32(policy.AppendRates(nil, zones)[0]), rate)
		}
	}
}

// reset sets the controller's numbers to those of another policy and clears its
// zones. A new controller for each case would leave goroutines behind, because
// they end only if the controller's loops have run.
func reset(c *nodelifecycle.Controller, p lifecycle.DisruptionPolicy) {
	*linked.Field[float32](c, "evictionLimiterQPS") = float32(p.Rate)
	*linked.Field[float32](c, "secondaryEvictionLimiterQPS") = float32(p.SecondaryRate)
	*linked.Field[int32](c, "largeClusterThreshold") = int32(p.LargeZone)
	*linked.Field[float32](c, "unhealthyZoneThreshold") = float32(p.Threshold)
	clear(*linked.Field[map[string]*scheduler.RateLimitedTimedQueue](c, "zoneNoExecuteTainter"))
	clear(*linked.Field[map[string]nodelifecycle.ZoneState](c, "zoneStates"))
}

// TestHandleDisruption compares all zones' rates under random policies.
func TestHandleDisruption(t *testing.T) {
	controller := newNodeController(t, lifecycle.DefaultDisruptionPolicy()).controller
	rapid.Check(t, func(rt *rapid.T) {
		policy := lifecycle.DisruptionPolicy{
			Threshold:     drawThreshold(rt),
			Rate:          rapid.SampledFrom([]float64{0.1, 1, 0.5}).Draw(rt, "rate"),
			SecondaryRate: rapid.SampledFrom([]float64{0.01, 0.25}).Draw(rt, "secondaryRate"),
			LargeZone:     rapid.IntRange(0, 60).Draw(rt, "largeZone"),
		}
		zones := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lifecycle.Zone {
			z := lifecycle.Zone{
				Ready:    rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 40)).Draw(t, "ready"),
				NotReady: rapid.IntRange(0, 40).Draw(t, "notReady"),
			}
			if z.Ready+z.NotReady == 0 {
				z.NotReady = 1
			}
			return z
		}), 1, 4).Draw(rt, "zones")

		reset(controller, policy)
		conditions := make(map[string][]*corev1.NodeCondition)
		tainters := *linked.Field[map[string]*scheduler.RateLimitedTimedQueue](controller, "zoneNoExecuteTainter")
		for i, z := range zones {
			name := fmt.Sprint(i)
			conditions[name] = readyConditions(z)
			limiter := flowcontrol.NewTokenBucketRateLimiter(float32(policy.Rate), scheduler.EvictionRateLimiterBurst)
			tainters[name] = scheduler.NewRateLimitedTimedQueue(limiter)
		}
		linked.HandleDisruption(controller, t.Context(), conditions, nil)
		var want []float32
		for i := range zones {
			want = append(want, rateOf(*linked.Field[flowcontrol.RateLimiter](tainters[fmt.Sprint(i)], "limiter")))
		}
		var got []float32
		for _, rate := range policy.AppendRates(nil, zones) {
			got = append(got, float32(rate))
		}
		same(rt, "AppendRates", got, want)
		same(rt, "FullyDisrupted but not stopped", lifecycle.FullyDisrupted(zones) && slices.Max(want) > 0, false)
	})
}

// drawThreshold returns a number from 0 to 1. Half of the time it is a fraction
// with a small denominator, as in zones.
func drawThreshold(t *rapid.T) float64 {
	if rapid.Bool().Draw(t, "share") {
		whole := rapid.IntRange(1, 80).Draw(t, "whole")
		return float64(rapid.IntRange(0, whole).Draw(t, "part")) / float64(whole)
	}
	return rapid.Float64Range(0, 1).Draw(t, "threshold")
}

// rateOf returns the limiter's rate. It returns 0 for the limiter that
// Kubernetes uses to let nothing through, whose QPS method returns 1.
func rateOf(limiter flowcontrol.RateLimiter) float32 {
	if reflect.TypeOf(limiter) == reflect.TypeOf(flowcontrol.NewFakeNeverRateLimiter()) {
		return 0
	}
	return limiter.QPS()
}
