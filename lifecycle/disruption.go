package lifecycle

import (
	"math"

	"github.com/seed-0529bac1/taints/internal/enum"
)

// A Zone counts the nodes that fail together: those that are ready and those
// that are not. A negative count is zero.
type Zone struct {
	Ready    int `json:"ready"`
	NotReady int `json:"notReady"`
}

// counts returns the numbers of nodes. Two of them add up without overflow.
func (z Zone) counts() (ready, notReady uint) {
	return uint(max(z.Ready, 0)), uint(max(z.NotReady, 0))
}

// size returns the number of nodes, or the largest int.
func (z Zone) size() int {
	ready, notReady := z.counts()
	return int(min(ready+notReady, math.MaxInt))
}

// A ZoneState says how much of a zone is not ready.
type ZoneState uint8

const (
	// ZoneNormal: few nodes are not ready, or the zone has none.
	ZoneNormal ZoneState = iota
	// ZonePartial: many nodes are not ready. Part of the zone may be cut off.
	ZonePartial
	// ZoneFull: no node is ready. The zone may be cut off.
	ZoneFull
)

var zoneStateNames = []string{"ZoneNormal", "ZonePartial", "ZoneFull"}

// String returns the name of the constant, and "ZoneState(n)" for other numbers.
func (s ZoneState) String() string { return enum.Name("ZoneState", int(s), zoneStateNames) }

// MarshalText returns what String returns. The error is always nil.
func (s ZoneState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a constant. The error is a
// [*taints.ParseError].
func (s *ZoneState) UnmarshalText(text []byte) error {
	return unmarshalName(s, "ZoneState", zoneStateNames, text)
}

// A DisruptionPolicy says how fast nodes that are not ready may be tainted with
// NoExecute, and so how fast their pods are evicted, when many nodes fail at
// once: it is then likely that the cluster does not see its nodes. Most callers
// should use [DefaultDisruptionPolicy]. The zero policy taints nothing.
type DisruptionPolicy struct {
	// Threshold is the share of nodes that are not ready, from 0 to 1, that
	// makes a zone ZonePartial (--unhealthy-zone-threshold).
	Threshold float64
	// Rate is how many nodes of a zone may be tainted each second
	// (--node-eviction-rate).
	Rate float64
	// SecondaryRate is the rate of a zone that is ZonePartial and has more than
	// LargeZone nodes (--secondary-node-eviction-rate).
	SecondaryRate float64
	// LargeZone is the number of nodes up to which the rate of a zone that is
	// ZonePartial is 0 (--large-cluster-size-threshold). A negative one is 0.
	LargeZone int
}

// DefaultDisruptionPolicy returns the defaults of the kube-controller-manager: a
// threshold of 0.55, a node every 10 seconds, and a node every 100 seconds in a
// zone that is ZonePartial and has more than 50 nodes.
func DefaultDisruptionPolicy() DisruptionPolicy {
	return DisruptionPolicy{Threshold: 0.55, Rate: 0.1, SecondaryRate: 0.01, LargeZone: 50}
}

// State returns the state of the zone (ComputeZoneState in Kubernetes'
// node-lifecycle controller): ZoneFull if it has nodes and none is ready;
// ZonePartial if more than two are not ready and their share is the threshold
// or more; otherwise ZoneNormal. Shares are compared in float32, as in
// Kubernetes.
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

// RateOf returns how many nodes may be tainted each second in a zone of the
// state with so many nodes, while the cluster is not [FullyDisrupted]. It is
// Rate if the state is ZoneNormal or ZoneFull, and SecondaryRate or 0 if it is
// ZonePartial. An unknown state counts as ZoneNormal.
func (p DisruptionPolicy) RateOf(state ZoneState, nodes int) float64 {
	switch {
	case state != ZonePartial:
		return p.Rate
	case nodes > max(p.LargeZone, 0):
		return p.SecondaryRate
	}
	return 0
}

// Rates appends to dst the rate of each of a cluster's zones and returns the
// extended slice. It is that of [DisruptionPolicy.RateOf], or 0 for every zone
// if the cluster is [FullyDisrupted].
func (p DisruptionPolicy) Rates(dst []float64, zones []Zone) []float64 {
	disrupted := FullyDisrupted(zones)
	for _, z := range zones {
		rate := 0.0
		if !disrupted {
			rate = p.RateOf(p.State(z), z.size())
		}
		dst = append(dst, rate)
	}
	return dst
}

// FullyDisrupted reports whether no zone has a node that is ready: whatever
// failed, it was not the nodes. Kubernetes then taints no node with NoExecute
// and takes the NoExecute taints of not-ready and unreachable off all nodes.
func FullyDisrupted(zones []Zone) bool {
	for _, z := range zones {
		if z.Ready > 0 {
			return false
		}
	}
	return true
}
