// SPDX-License-Identifier: Apache-2.0

package lifecycle_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints/lifecycle"
)

func TestDisruptionPolicy(t *testing.T) {
	p := lifecycle.DefaultDisruptionPolicy()
	for _, tc := range []struct {
		zone  lifecycle.Zone
		state lifecycle.ZoneState
		rate  float64 // beside a healthy zone
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
		if got := p.Rates(nil, zones); !slices.Equal(got, []float64{tc.rate, 0.1}) {
			t.Errorf("%+v: rates %v, want %v", tc.zone, got, tc.rate)
		}
	}
	t.Run("every zone is cut off", func(t *testing.T) {
		if !lifecycle.FullyDisrupted([]lifecycle.Zone{{NotReady: 3}, {}, {NotReady: 100}}) ||
			!lifecycle.FullyDisrupted(nil) ||
			lifecycle.FullyDisrupted([]lifecycle.Zone{{NotReady: 3}, {Ready: 1}}) {
			t.Error("FullyDisrupted is wrong")
		}
		got := p.Rates([]float64{7}, []lifecycle.Zone{{NotReady: 3}, {}, {NotReady: 100}})
		if !slices.Equal(got, []float64{7, 0, 0, 0}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("one zone is cut off", func(t *testing.T) {
		got := p.Rates(nil, []lifecycle.Zone{{NotReady: 3}, {Ready: 1, NotReady: 2}})
		if !slices.Equal(got, []float64{0.1, 0.1}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("no zones", func(t *testing.T) {
		if got := p.Rates(nil, nil); got != nil {
			t.Errorf("got %v", got)
		}
	})
	t.Run("the zero policy taints nothing", func(t *testing.T) {
		got := (lifecycle.DisruptionPolicy{}).Rates(nil, []lifecycle.Zone{
			{Ready: 1, NotReady: 3}, {Ready: 5}, {NotReady: 5},
		})
		if !slices.Equal(got, []float64{0, 0, 0}) {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a negative size makes every zone large", func(t *testing.T) {
		p := lifecycle.DisruptionPolicy{Threshold: 0.5, Rate: 1, SecondaryRate: 0.5, LargeZone: -1}
		if got := p.Rates(nil, []lifecycle.Zone{{Ready: 1, NotReady: 3}}); !slices.Equal(got, []float64{0.5}) {
			t.Errorf("got %v", got)
		}
	})
}

// Shares are compared in float32: 0.55 as a float64 is less than 11 of 20, and
// 0.6 more than 3 of 5, while in float32 both are equal to it.
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
		{math.NaN(), lifecycle.Zone{Ready: 1, NotReady: 1000}, lifecycle.ZoneNormal},
		{math.Inf(1), lifecycle.Zone{Ready: 1, NotReady: 1000}, lifecycle.ZoneNormal},
	} {
		if got := (lifecycle.DisruptionPolicy{Threshold: tc.threshold}).State(tc.zone); got != tc.want {
			t.Errorf("%v, %+v: %v, want %v", tc.threshold, tc.zone, got, tc.want)
		}
	}
}

func TestRateOf(t *testing.T) {
	p := lifecycle.DisruptionPolicy{Threshold: 0.5, Rate: 2, SecondaryRate: 0.5, LargeZone: 50}
	for _, tc := range []struct {
		state lifecycle.ZoneState
		nodes int
		want  float64
	}{
		{lifecycle.ZoneNormal, 0, 2},
		{lifecycle.ZoneNormal, 51, 2},
		{lifecycle.ZoneFull, 51, 2},
		{lifecycle.ZonePartial, 51, 0.5},
		{lifecycle.ZonePartial, 50, 0},
		{lifecycle.ZonePartial, 0, 0},
		{lifecycle.ZonePartial, -1, 0},
		{lifecycle.ZoneState(9), 51, 2},
	} {
		if got := p.RateOf(tc.state, tc.nodes); got != tc.want {
			t.Errorf("%v, %d: %v, want %v", tc.state, tc.nodes, got, tc.want)
		}
	}
	for _, large := range []int{0, -5} {
		p := lifecycle.DisruptionPolicy{SecondaryRate: 1, LargeZone: large}
		for nodes, want := range map[int]float64{-9: 0, -1: 0, 0: 0, 1: 1} {
			if got := p.RateOf(lifecycle.ZonePartial, nodes); got != want {
				t.Errorf("LargeZone %d, %d nodes: %v, want %v", large, nodes, got, want)
			}
		}
	}
}

// Rates are those of the zones one by one, and 0 in a cluster that is cut off.
func TestRatesAreThoseOfTheZones(t *testing.T) {
	number := rapid.OneOf(rapid.IntRange(-2, 100), rapid.SampledFrom([]int{math.MinInt, math.MaxInt, math.MaxInt - 1}))
	zone := rapid.Custom(func(t *rapid.T) lifecycle.Zone {
		return lifecycle.Zone{Ready: number.Draw(t, "ready"), NotReady: number.Draw(t, "notReady")}
	})
	rapid.Check(t, func(t *rapid.T) {
		p := lifecycle.DisruptionPolicy{
			Threshold:     rapid.Float64Range(0, 1).Draw(t, "threshold"),
			Rate:          3,
			SecondaryRate: 1,
			LargeZone:     number.Draw(t, "large"),
		}
		zones := rapid.SliceOfN(zone, 0, 5).Draw(t, "zones")
		got := p.Rates([]float64{-1}, zones)
		ready := slices.ContainsFunc(zones, func(z lifecycle.Zone) bool { return z.Ready > 0 })
		if len(got) != len(zones)+1 || got[0] != -1 || lifecycle.FullyDisrupted(zones) == ready {
			t.Fatalf("got %v, fully disrupted %v", got, !ready)
		}
		for i, z := range zones {
			nodes := max(z.Ready, 0) + max(z.NotReady, 0)
			if nodes < 0 {
				nodes = math.MaxInt
			}
			want := p.RateOf(p.State(z), nodes)
			if !ready {
				want = 0
			}
			if got[i+1] != want {
				t.Fatalf("%+v: %v, want %v", z, got[i+1], want)
			}
		}
	})
}
