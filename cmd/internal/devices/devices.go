// SPDX-License-Identifier: Apache-2.0

// Package devices evaluates the objects of Kubernetes' Dynamic Resource Allocation: which
// devices have which taints, and on which nodes the devices of a class are.
package devices

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/dra"
)

// Objects are those of a cluster.
type Objects struct {
	slices  []*resourceapi.ResourceSlice
	claims  map[types.NamespacedName]*resourceapi.ResourceClaim
	rules   []*resourceapi.DeviceTaintRule
	classes []*resourceapi.DeviceClass

	isUnread bool                    // there are rules of other versions
	from138  bool                    // Kubernetes is known to be 1.38 or newer
	taints   map[Name][]taints.Taint // after Finish
}

// Reads reports whether objects of the kind and API version are those of the version that
// is evaluated, with the same fields. It keeps in mind that there are others.
func (o *Objects) Reads(kind, apiVersion string) bool {
	isRule := kind == "DeviceTaintRule"
	switch apiVersion {
	case "resource.k8s.io/v1", "resource.k8s.io/v1beta2":
		return true
	case "resource.k8s.io/v1alpha3":
		return isRule
	}
	o.isUnread = o.isUnread || isRule
	return false
}

// AddVersion adds the version of the API server, or of a kubelet, which is never newer.
func (o *Objects) AddVersion(text string) {
	v, err := version.ParseGeneric(text)
	o.from138 = o.from138 || err == nil && v.AtLeast(version.MajorMinor(1, 38))
}

// Decode adds an object of the kind, if it is one of these.
func (o *Objects) Decode(kind string, decode func(any) error) error {
	switch kind {
	case "ResourceSlice":
		o.slices = append(o.slices, new(resourceapi.ResourceSlice))
		return decode(o.slices[len(o.slices)-1])
	case "DeviceTaintRule":
		o.rules = append(o.rules, new(resourceapi.DeviceTaintRule))
		return decode(o.rules[len(o.rules)-1])
	case "DeviceClass":
		o.classes = append(o.classes, new(resourceapi.DeviceClass))
		return decode(o.classes[len(o.classes)-1])
	case "ResourceClaim":
		c := new(resourceapi.ResourceClaim)
		if err := decode(c); err != nil {
			return err
		}
		if o.claims == nil {
			o.claims = make(map[types.NamespacedName]*resourceapi.ResourceClaim)
		}
		o.claims[types.NamespacedName{Namespace: cmp.Or(c.Namespace, metav1.NamespaceDefault), Name: c.Name}] = c
	}
	return nil
}

// A Name is the name of a device in a driver's pool.
type Name struct{ Driver, Pool, Device string }

// String returns the name, as in gpu.example.com/worker-1/gpu-0.
func (n Name) String() string { return n.Driver + "/" + n.Pool + "/" + n.Device }

// Finish removes outdated slices, and finds the taints of all devices: their own, and
// those of rules.
func (o *Objects) Finish() {
	newest := make(map[Name]int64) // generations of pools
	for _, s := range o.slices {
		pool := Name{s.Spec.Driver, s.Spec.Pool.Name, ""}
		newest[pool] = max(newest[pool], s.Spec.Pool.Generation)
	}
	o.slices = slices.DeleteFunc(o.slices, func(s *resourceapi.ResourceSlice) bool {
		return s.Spec.Pool.Generation < newest[Name{s.Spec.Driver, s.Spec.Pool.Name, ""}]
	})
	o.taints = make(map[Name][]taints.Taint)
	for _, s := range o.slices {
		for _, d := range s.Spec.Devices {
			name, list := Name{s.Spec.Driver, s.Spec.Pool.Name, d.Name}, slices.Clone(d.Taints)
			for _, r := range o.rules {
				is := r.Spec.DeviceSelector
				if is != nil && name == (Name{ptr.Deref(is.Driver, name.Driver), ptr.Deref(is.Pool, name.Pool), ptr.Deref(is.Device, name.Device)}) {
					list = append(list, r.Spec.Taint)
				}
			}
			o.taints[name] = dra.Taints(list)
		}
	}
}

// Names returns the names of the pod's claims. A claim that is not made yet has none.
func Names(p *corev1.Pod) (names []string) {
	for _, r := range p.Spec.ResourceClaims {
		isMade := func(s corev1.PodResourceClaimStatus) bool { return s.Name == r.Name }
		if i := slices.IndexFunc(p.Status.ResourceClaimStatuses, isMade); i >= 0 {
			r.ResourceClaimName = p.Status.ResourceClaimStatuses[i].ResourceClaimName
		}
		names = append(names, ptr.Deref(r.ResourceClaimName, ""))
	}
	if s := p.Status.ExtendedResourceClaimStatus; s != nil {
		names = append(names, s.ResourceClaimName)
	}
	return names
}

// A Use is what a pod has to do with devices.
type Use struct {
	Tainted     []Device // that it uses, with NoExecute taints
	Notes       []string // say which devices it does not get
	Unevaluated []string // rules

	from138 bool
}

// A Device is one with its NoExecute taints, and the tolerations that count for evictions.
type Device struct {
	Name
	Taints      []taints.Taint
	Tolerations []taints.Toleration

	others []taints.Toleration // that count by the other of the rules
}

// The rules of Kubernetes for a toleration of any effect.
const (
	until137 = ", by the rule up to Kubernetes 1.37; from 1.38 on, a toleration without an effect counts for NoExecute"
	from138  = ", by the rule from Kubernetes 1.38 on, where a toleration without an effect counts for NoExecute"
)

// First returns the first eviction by one of the devices, if there is one before the
// deadline. Zero means none. If another rule of another version of Kubernetes makes a
// difference, it names the one that it follows, and returns the device and the taint for
// which they differ.
func (u Use) First(now, deadline time.Time) (d Device, e taints.Eviction, rule string) {
	d, e = u.first(now, deadline, func(d Device) []taints.Toleration { return d.Tolerations })
	other, f := u.first(now, deadline, func(d Device) []taints.Toleration { return d.others })
	switch isNew := u.from138; {
	case e.Outcome == f.Outcome && e.At.Equal(f.At):
		return d, e, ""
	case e.Outcome == taints.Stays: // under the new rule alone
		i, ok := dra.Options().Compile(other.Tolerations).Match(other.Taints[f.Taint])
		return other, taints.Eviction{Taint: f.Taint, Toleration: i, Tolerated: ok}, from138
	case isNew:
		return d, e, from138
	}
	return d, e, until137
}

func (u Use) first(now, deadline time.Time, count func(Device) []taints.Toleration) (first Device, e taints.Eviction) {
	for _, d := range u.Tainted {
		next := dra.Policy().EvictionOf(dra.Options().Compile(count(d)), d.Taints, now)
		isBefore := deadline.IsZero() || next.At.Before(deadline)
		if next.Outcome != taints.Stays && isBefore && (e.Outcome == taints.Stays || next.At.Before(e.At)) {
			first, e = d, next
		}
	}
	return first, e
}

// Of returns what the pod has to do with devices by its claims.
func (o *Objects) Of(p types.NamespacedName, claims []string) (u Use) {
	u.from138 = o.from138
	isPod := func(r resourceapi.ResourceClaimConsumerReference) bool {
		return r.Resource == "pods" && r.Name == p.Name
	}
	for _, name := range claims {
		c := o.claims[types.NamespacedName{Namespace: p.Namespace, Name: name}]
		switch {
		case c == nil || len(o.taints) == 0:
			u.Unevaluated = append(u.Unevaluated, "device taints")
			continue
		case c.Status.Allocation == nil:
			u.Notes = append(u.Notes, o.keptOff(c)...)
		case slices.ContainsFunc(c.Status.ReservedFor, isPod):
			u.Tainted = append(u.Tainted, o.allocated(c.Status.Allocation)...)
		}
		switch {
		case o.isUnread:
			u.Unevaluated = append(u.Unevaluated, "DeviceTaintRules of another version")
		case len(o.rules) == 0:
			u.Unevaluated = append(u.Unevaluated, "DeviceTaintRules, which the input lacks")
		}
	}
	return u
}

// allocated returns the devices of the allocation that have NoExecute taints.
func (o *Objects) allocated(a *resourceapi.AllocationResult) (tainted []Device) {
	for _, r := range a.Devices.Results {
		d := Device{Name{r.Driver, r.Pool, r.Device}, nil, dra.NoExecuteTolerations(r.Tolerations), dra.Tolerations(r.Tolerations)}
		if o.from138 {
			d.Tolerations, d.others = d.others, d.Tolerations
		}
		d.Taints = slices.DeleteFunc(slices.Clone(o.taints[d.Name]), func(t taints.Taint) bool { return t.Effect != taints.NoExecute })
		if len(d.Taints) > 0 {
			tainted = append(tainted, d)
		}
	}
	return tainted
}

// keptOff says for each request of the claim how many of the devices it does not get, as
// it does not tolerate their taints. The selectors of requests are not evaluated.
func (o *Objects) keptOff(c *resourceapi.ResourceClaim) (texts []string) {
	for _, r := range c.Spec.Devices.Requests {
		list := ptr.Deref(r.Exactly, resourceapi.ExactDeviceRequest{}).Tolerations
		for _, alternative := range r.FirstAvailable {
			list = append(list, alternative.Tolerations...)
		}
		m, count, hit := dra.Options().Compile(dra.Tolerations(list)), 0, make(map[string]bool)
		for _, of := range o.taints {
			if i, found := m.FindUntolerated(of, taints.HardEffects); found {
				count++
				hit[of[i].String()] = true
			}
		}
		if count > 0 {
			texts = append(texts, fmt.Sprintf("%d of %s%s untolerated taints (%s), so that request %s of ResourceClaim %s does not get %s", count,
				say.Count(len(o.taints), "device"), say.For(count, " has", " have"), say.Joined(say.FirstOf(slices.Sorted(maps.Keys(hit)), 3)), r.Name, c.Name, say.For(count, "it", "them")))
		}
	}
	return texts
}

// driver matches a driver in the expression of a class. No other part is evaluated.
var driver = regexp.MustCompile(`device\.driver\s*==\s*['"]([^'"]+)['"]`)

// ExtendedOn counts the devices that the node has through classes, by extended resource.
// Those with a hard taint do not count: extended resources tolerate none.
func (o *Objects) ExtendedOn(n *corev1.Node) map[string]int64 {
	counts := make(map[string]int64)
	for _, c := range o.classes {
		for _, s := range o.slices {
			isOther := func(is resourceapi.DeviceSelector) bool {
				found := driver.FindStringSubmatch(ptr.Deref(is.CEL, resourceapi.CELDeviceSelector{}).Expression)
				return found != nil && found[1] != s.Spec.Driver
			}
			if c.Spec.ExtendedResourceName == nil || !isOn(s, n) || slices.ContainsFunc(c.Spec.Selectors, isOther) {
				continue
			}
			for _, d := range s.Spec.Devices {
				list := o.taints[Name{s.Spec.Driver, s.Spec.Pool.Name, d.Name}]
				if _, isTainted := (&taints.Matcher{}).FindUntolerated(list, taints.HardEffects); !isTainted {
					counts[*c.Spec.ExtendedResourceName]++
				}
			}
		}
	}
	return counts
}

// isOn reports whether the node has the devices of the slice.
func isOn(s *resourceapi.ResourceSlice, n *corev1.Node) bool {
	if s.Spec.NodeSelector == nil {
		return ptr.Deref(s.Spec.AllNodes, false) || ptr.Deref(s.Spec.NodeName, "") == n.Name
	}
	selector, err := nodeaffinity.NewNodeSelector(s.Spec.NodeSelector)
	return err == nil && selector.Match(n)
}
