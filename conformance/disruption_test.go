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
	"k8s.io/client-go/informers"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler"
	"pgregory.net/rapid"
)

// newDisruptable returns a node-lifecycle controller with an empty cluster.
func newDisruptable(t *testing.T) *nodelifecycle.Controller {
	client := newMemoryCluster()
	factory := informers.NewSharedInformerFactory(client, 0)
	return newNodeLifecycleController(t, client, factory, lifecycle.DefaultDisruptionPolicy())
}

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
	p := lifecycle.DefaultDisruptionPolicy()
	controller := newDisruptable(t)
	all := readyConditions(lifecycle.Zone{Ready: most, NotReady: most})
	names := map[lifecycle.ZoneState]nodelifecycle.ZoneState{
		lifecycle.ZoneNormal:  "Normal",
		lifecycle.ZonePartial: "PartialDisruption",
		lifecycle.ZoneFull:    "FullDisruption",
	}
	for notReady := range most + 1 {
		for ready := range most + 1 {
			z := lifecycle.Zone{Ready: ready, NotReady: notReady}
			_, want := controller.ComputeZoneState(all[most-notReady : most+ready])
			if got := p.State(z); names[got] != want {
				t.Fatalf("%+v: State = %v, Kubernetes %v", z, got, want)
			}
			rate := controller.HealthyQPSFunc(ready + notReady)
			if want == names[lifecycle.ZonePartial] {
				rate = controller.ReducedQPSFunc(ready + notReady)
			}
			if got := p.RateOf(p.State(z), ready+notReady); float32(got) != rate {
				t.Fatalf("%+v: RateOf = %v, Kubernetes %v", z, got, rate)
			}
			if got := p.Rates(nil, []lifecycle.Zone{z, {Ready: 1}})[0]; float32(got) != rate {
				t.Fatalf("%+v: rate %v, Kubernetes %v", z, got, rate)
			}
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
	controller := newDisruptable(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := lifecycle.DisruptionPolicy{
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

		reset(controller, p)
		conditions := make(map[string][]*corev1.NodeCondition)
		tainters := *linked.Field[map[string]*scheduler.RateLimitedTimedQueue](controller, "zoneNoExecuteTainter")
		for i, z := range zones {
			name := fmt.Sprint(i)
			conditions[name] = readyConditions(z)
			limiter := flowcontrol.NewTokenBucketRateLimiter(float32(p.Rate), scheduler.EvictionRateLimiterBurst)
			tainters[name] = scheduler.NewRateLimitedTimedQueue(limiter)
		}
		linked.HandleDisruption(controller, t.Context(), conditions, nil)
		var want []float32
		for i := range zones {
			want = append(want, rateOf(*linked.Field[flowcontrol.RateLimiter](tainters[fmt.Sprint(i)], "limiter")))
		}
		got := p.Rates(nil, zones)
		if !slices.EqualFunc(got, want, func(ours float64, theirs float32) bool { return float32(ours) == theirs }) {
			rt.Fatalf("%+v, %+v: Rates = %v, Kubernetes %v", p, zones, got, want)
		}
		if lifecycle.FullyDisrupted(zones) && slices.Max(want) > 0 {
			rt.Fatalf("%+v: FullyDisrupted, Kubernetes has the rates %v", zones, want)
		}
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
