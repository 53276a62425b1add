// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// A pod is the part of a Pod that is looked at.
type pod struct {
	name         string // or the prefix that the name will have
	labels       map[string]string
	nodeSelector map[string]string   // nil: not there
	tolerations  []taints.Toleration // nil: not there
	ofDaemonSet  bool                // as it says itself
	exempt       bool                // from allow-lists and dedications
	requested    []string            // sorted names of the resources that containers and init containers request
	// bestEffort is its QoS class (ComputePodQOS in Kubernetes 1.36): no request or
	// limit of cpu or memory is above zero. Those of the pod as a whole, where it has
	// any, take the place of those of its containers, even if they are empty.
	// Admission in Kubernetes believes a class that the pod's creator wrote into its
	// status (GetPodQOS), which is replaced only later; this program does not.
	bestEffort bool
}

// podShape is what pod reads.
var podShape = shape{
	"apiVersion": nil,
	"kind":       nil,
	"metadata": {
		"name": nil, "generateName": nil, "labels": nil,
		"ownerReferences": {"apiVersion": nil, "kind": nil, "controller": nil},
	},
	"spec": {
		"nodeSelector": nil, "tolerations": nil, "resources": resourcesShape,
		"containers": {"resources": resourcesShape}, "initContainers": {"resources": resourcesShape},
	},
}

var resourcesShape = shape{"requests": nil, "limits": {"cpu": nil, "memory": nil}}

// pod reads a Pod as an API server sends it, which is with its defaults. Fields that
// it does not know are ignored.
func (r *reader) pod(v value) *pod {
	metadata, spec := r.podParts(v)
	p := &pod{
		name:         r.text(metadata.field("name")),
		labels:       r.texts(metadata.field("labels")),
		nodeSelector: r.texts(spec.field("nodeSelector")),
		tolerations:  r.tolerations(spec.field("tolerations")),
	}
	for _, owner := range r.list(metadata.field("ownerReferences")) {
		p.ofDaemonSet = p.ofDaemonSet || r.isDaemonSet(r.object(owner))
	}
	if p.name == "" {
		p.name = r.text(metadata.field("generateName"))
	}
	r.resources(spec, p)
	if n := len(p.requested); n > mostElements {
		r.note(v.path, " requests %d resources, more than %d", n, mostElements)
	}
	return p
}

// resources reads what the pod and its containers request.
func (r *reader) resources(spec object, p *pod) {
	requested := map[string]bool{}
	p.bestEffort = true
	for _, field := range []string{"containers", "initContainers"} {
		for _, c := range r.list(spec.field(field)) {
			o := r.object(r.object(c).field("resources"))
			p.bestEffort = r.isBestEffort(o) && p.bestEffort
			for name := range r.object(o.field("requests")).members {
				requested[name] = true
			}
		}
	}
	p.requested = slices.Sorted(maps.Keys(requested))
	if whole := spec.field("resources"); whole.json != nil {
		p.bestEffort = r.isBestEffort(r.object(whole))
	}
}

// isBestEffort reports whether there is nothing that the kubelet has to see to.
func (r *reader) isBestEffort(resources object) bool {
	best := true
	for _, field := range []string{"requests", "limits"} {
		amounts := r.object(resources.field(field))
		for _, name := range []string{"cpu", "memory"} {
			best = !r.isPositive(amounts.field(name)) && best
		}
	}
	return best
}

// isPositive reports whether a quantity, such as "500m", "1.5Gi" or "2e3", or a plain
// number, is above zero. The API server has read it, so that it is in order.
func (r *reader) isPositive(v value) bool {
	var text string
	switch q := v.json.(type) {
	case string:
		text = q
	case json.Number:
		text = q.String()
	default:
		r.unexpected(v, "a quantity")
	}
	digits, _, _ := strings.Cut(strings.ToLower(text), "e") // the exponent, or a suffix
	return !strings.HasPrefix(text, "-") && strings.ContainsAny(digits, "123456789")
}

// isDaemonSet reports whether the owner is a DaemonSet, and controls what it owns.
func (r *reader) isDaemonSet(owner object) bool {
	return r.truth(owner.field("controller")) && r.text(owner.field("kind")) == "DaemonSet" &&
		strings.HasPrefix(r.text(owner.field("apiVersion")), "apps/")
}

// podParts returns the parts of a Pod, and notes if it is something else.
func (r *reader) podParts(v value) (metadata, spec object) {
	top := r.object(v)
	if version, kind := r.text(top.field("apiVersion")), r.text(top.field("kind")); version != "v1" || kind != "Pod" {
		r.note(v.path, " is not a Pod of v1: its kind is %s, its apiVersion %s", quote(kind), quote(version))
	}
	metadata, spec = r.object(top.field("metadata")), r.object(top.field("spec"))
	if spec.members == nil {
		r.note(spec.path, " is missing")
	}
	return metadata, spec
}

// tolerations reads a list of tolerations, nil if it is missing.
func (r *reader) tolerations(v value) []taints.Toleration {
	if v.json == nil {
		return nil
	}
	list := []taints.Toleration{}
	for _, element := range r.list(v) {
		o := r.object(element)
		list = append(list, taints.Toleration{
			Key:               r.text(o.field("key")),
			Operator:          taints.Operator(r.text(o.field("operator"))),
			Value:             r.text(o.field("value")),
			Effect:            taints.Effect(r.text(o.field("effect"))),
			TolerationSeconds: r.integer(o.field("tolerationSeconds")),
		})
	}
	return list
}
