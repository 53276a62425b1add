// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-0529bac1/taints/lifecycle"
)

func TestDisruptionPolicy(t *testing.T) {
	p := lifecycle.DefaultDisruptionPolicy()
	for _, tc := range []struct {
		zone  lifecycle.Zone
		state lifecycle.ZoneState
		rate  float64 // next to a healthy zone
	}{
		{lifecycle.Zone{}, lifecycle.ZoneNormal, 0.1},
		{lifecycle.Zone{Ready: 1}, lifecycle.ZoneNormal, 0.1},
		{lifecycle.Zone{NotReady: 1}, lifecycle.ZoneFull, 0.1},
		{lifecycle.Zone{NotReady: 500}, lifecycle.ZoneFull, 0.1},
		{lifecycle.Zone{Ready: 1, NotReady: 2}, lifecycle.ZoneNormal, 0.1},
		{lifecycle.Zone{Ready: 1, NotReady: 3}, lifecycle.ZonePartial, 0},
		{lifecycle.Zone{Ready: 9, NotReady: 11}, lifecycle.ZonePartial, 0},
		{lifecycle.Zone{Ready: 46, NotReady: 54}, lifecycle.ZoneNormal, 0.1},
		{lifecycle.Zone{Ready: 45, NotReady: 55}, lifecycle.ZonePartial, 0.01},
		{lifecycle.Zone{Ready: 20, NotReady: 30}, lifecycle.ZonePartial, 0},
		{lifecycle.Zone{Ready: 20, NotReady: 31}, lifecycle.ZonePartial, 0.01},
		{lifecycle.Zone{Ready: -5, NotReady: 3}, lifecycle.ZoneFull, 0.1},
		{lifecycle.Zone{Ready: 3, NotReady: -3}, lifecycle.ZoneNormal, 0.1},
		{lifecycle.Zone{Ready: 1, NotReady: math.MaxInt}, lifecycle.ZonePartial, 0.01},
		{lifecycle.Zone{Ready: math.MaxInt, NotReady: math.MaxInt}, lifecycle.ZoneNormal, 0.1},
	} {
		if got := p.State(tc.zone); got != tc.state {
			t.Errorf("%+v: %v, want %v", tc.zone, got, tc.state)
		}
		zones := []lifecycle.Zone{tc.zone, {Ready: 1}}
		if got := p.AppendRates(nil, zones); !slices.Equal(got, []float64{tc.rate, 0.1}) {
			t.Errorf("%+v: rates %v, want %v", tc.zone, got, tc.rate)
		}
	}
	for _, tc := range []struct {
		name   string
		policy lifecycle.DisruptionPolicy
		zones  []lifecycle.Zone
		want   []float64 // after the first element
	}{
		{"every zone is cut off", p, []lifecycle.Zone{{NotReady: 3}, {}, {NotReady: 100}}, []float64{0, 0, 0}},
		{"one zone is cut off", p, []lifecycle.Zone{{NotReady: 3}, {Ready: 1, NotReady: 2}}, []float64{0.1, 0.1}},
		{"a negative number is none", p, []lifecycle.Zone{{Ready: -1, NotReady: 3}}, []float64{0}},
		{"no zones", p, nil, nil},
		{
			"a zone of more nodes than an int holds",
			lifecycle.DisruptionPolicy{SecondaryRate: 0.5, LargeZone: math.MaxInt - 1},
			[]lifecycle.Zone{{Ready: 1, NotReady: math.MaxInt}},
			[]float64{0.5},
		},
		{
			"the zero policy taints nothing",
			lifecycle.DisruptionPolicy{},
			[]lifecycle.Zone{{Ready: 1, NotReady: 3}, {Ready: 5}, {NotReady: 5}},
			[]float64{0, 0, 0},
		},
		{
			"a negative size makes every zone large",
			lifecycle.DisruptionPolicy{Threshold: 0.5, Rate: 1, SecondaryRate: 0.5, LargeZone: -1},
			[]lifecycle.Zone{{Ready: 1, NotReady: 3}},
			[]float64{0.5},
		},
	} {
		if got := tc.policy.AppendRates([]float64{7}, tc.zones); !slices.Equal(got, append([]float64{7}, tc.want...)) {
			t.Errorf("%s: got %v", tc.name, got)
		}
	}
	if !lifecycle.FullyDisrupted(nil) {
		t.Error("a cluster without zones has a ready node")
	}
}

// Thresholds and shares are compared in float32: 0.55 equals 11 of 20, and a
// number slightly greater than 0.6 equals 3 of 5.
func TestThresholdInFloat32(t *testing.T) {
	for _, tc := range []struct {
		threshold float64
		zone      lifecycle.Zone
		want      lifecycle.ZoneState
	}{
		{0.55, lifecycle.Zone{Ready: 9, NotReady: 11}, lifecycle.ZonePartial},
		{0.6 + 1e-12, lifecycle.Zone{Ready: 2, NotReady: 3}, lifecycle.ZonePartial},
		{0.6 + 1e-6, lifecycle.Zone{Ready: 2, NotReady: 3}, lifecycle.ZoneNormal},
		{float64(float32(0.7)), lifecycle.Zone{Ready: 3, NotReady: 7}, lifecycle.ZonePartial},
		{0.7, lifecycle.Zone{Ready: 3, NotReady: 7}, lifecycle.ZonePartial},
		{0, lifecycle.Zone{Ready: 1000, NotReady: 3}, lifecycle.ZonePartial},
		{0, lifecycle.Zone{Ready: 1000, NotReady: 2}, lifecycle.ZoneNormal},
		{0, lifecycle.Zone{Ready: 1000, NotReady: 1}, lifecycle.ZoneNormal},
		{0, lifecycle.Zone{Ready: 1000}, lifecycle.ZoneNormal},
		{math.Inf(1), lifecycle.Zone{Ready: 1, NotReady: 1000}, lifecycle.ZoneNormal},
	} {
		if got := (lifecycle.DisruptionPolicy{Threshold: tc.threshold}).State(tc.zone); got != tc.want {
			t.Errorf("%v, %+v: %v, want %v", tc.threshold, tc.zone, got, tc.want)
		}
	}
}

func TestZoneStateText(t *testing.T) {
	checkText[lifecycle.ZoneState](t, "ZoneNormal", "ZonePartial", "ZoneFull", "ZoneState(3)")
}

func TestDisruptionJSON(t *testing.T) {
	checkJSON(t, lifecycle.Zone{Ready: 1, NotReady: 2}, `{"ready":1,"notReady":2}`)
	checkJSON(t, lifecycle.DefaultDisruptionPolicy(), `{"threshold":0.55,"rate":0.1,"secondaryRate":0.01,"largeZone":50}`)
}
