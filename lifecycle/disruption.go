// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"math"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// A Zone holds the numbers of nodes of a failure zone. Negative numbers mean zero.
type Zone struct {
	Ready    int `json:"ready"`
	NotReady int `json:"notReady"`
}

// counts returns the numbers of nodes. Their sum does not overflow.
func (z Zone) counts() (ready, notReady uint) {
	return uint(max(z.Ready, 0)), uint(max(z.NotReady, 0))
}

// size returns the total number of nodes, limited to the largest int.
func (z Zone) size() int {
	ready, notReady := z.counts()
	return int(min(ready+notReady, math.MaxInt))
}

// A ZoneState describes how many of a zone's nodes are not ready.
type ZoneState uint8

const (
	// ZoneNormal: few nodes are not ready, or the zone is empty.
	ZoneNormal ZoneState = iota
	// ZonePartial: many nodes are not ready.
	ZonePartial
	// ZoneFull: no node is ready.
	ZoneFull
)

var zoneStateNames = []string{"ZoneNormal", "ZonePartial", "ZoneFull"}

// String returns the name of the constant, and "ZoneState(n)" for other numbers.
func (s ZoneState) String() string { return enum.String(s, "ZoneState", zoneStateNames) }

// MarshalText returns what String returns. The error is always nil.
func (s ZoneState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// A DisruptionPolicy limits how many nodes may be tainted with NoExecute each second,
// so that few pods are evicted if many nodes seem to fail at once. Most callers should
// use [DefaultDisruptionPolicy]. Under the zero policy every rate is 0.
type DisruptionPolicy struct {
	// Threshold is the share of nodes that are not ready, from 0 to 1, at which a
	// zone is ZonePartial (--unhealthy-zone-threshold).
	Threshold float64 `json:"threshold"`
	// Rate is the number of a zone's nodes that may be tainted each second
	// (--node-eviction-rate).
	Rate float64 `json:"rate"`
	// SecondaryRate is the rate for a zone that is ZonePartial and larger than LargeZone
	// (--secondary-node-eviction-rate).
	SecondaryRate float64 `json:"secondaryRate"`
	// LargeZone is the largest number of nodes for which the rate of a zone that
	// is ZonePartial is 0 (--large-cluster-size-threshold).
	LargeZone int `json:"largeZone"`
}

// DefaultDisruptionPolicy returns the defaults of the kube-controller-manager: a
// threshold of 0.55, a node every 10 seconds, and a node every 100 seconds in a
// zone that is ZonePartial and larger than 50 nodes.
func DefaultDisruptionPolicy() DisruptionPolicy {
	return DisruptionPolicy{Threshold: 0.55, Rate: 0.1, SecondaryRate: 0.01, LargeZone: 50}
}

// State returns the state of the zone: ZoneFull if there are nodes and none is ready,
// ZonePartial if more than two are not ready and their share is at least the
// threshold, and ZoneNormal otherwise. Shares are compared in float32, as by
// Kubernetes' ComputeZoneState.
func (p DisruptionPolicy) State(z Zone) ZoneState {
	ready, notReady := z.counts()
	switch {
	case ready == 0 && notReady > 0:
		return ZoneFull
	case notReady > 2 && float32(notReady)/float32(ready+notReady) >= float32(p.Threshold):
		return ZonePartial
	}
	return ZoneNormal
}

// AppendRates appends the rate for each of a cluster's zones to dst and returns the
// extended slice: SecondaryRate or 0 for ZonePartial, and Rate for the other states.
// All rates are 0 if the cluster is [FullyDisrupted].
func (p DisruptionPolicy) AppendRates(dst []float64, zones []Zone) []float64 {
	disrupted := FullyDisrupted(zones)
	for _, z := range zones {
		rate := 0.0
		switch {
		case disrupted:
		case p.State(z) != ZonePartial:
			rate = p.Rate
		case z.size() > p.LargeZone:
			rate = p.SecondaryRate
		}
		dst = append(dst, rate)
	}
	return dst
}

// FullyDisrupted reports whether no node of any zone is ready. Then the nodes probably
// did not fail. Kubernetes adds no NoExecute taints, and removes
// [taints.NodeNotReady] and [taints.NodeUnreachable] with NoExecute from all nodes.
func FullyDisrupted(zones []Zone) bool {
	for _, z := range zones {
		if z.Ready > 0 {
			return false
		}
	}
	return true
}
