// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"maps"
	"math/big"
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
	resources    *resources          // of the pod as a whole; nil: not there
	containers   []resources         // of containers and init containers
}

// resources are what a container, or a pod, asks for.
type resources struct {
	names            []string // of all requests
	requests, limits amounts
}

// amounts are those of cpu and memory that are above zero.
type amounts map[string]*big.Rat

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
	if v := spec.field("resources"); v.json != nil {
		whole := r.resources(v)
		p.resources = &whole
	}
	for _, field := range []string{"containers", "initContainers"} {
		for _, c := range r.list(spec.field(field)) {
			p.containers = append(p.containers, r.resources(r.object(c).field("resources")))
		}
	}
	if n := len(p.requested()); n > mostElements {
		r.note(v.path, " requests %d resources, more than %d", n, mostElements)
	}
	return p
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

func (r *reader) resources(v value) resources {
	o := r.object(v)
	requests := r.object(o.field("requests"))
	return resources{
		names:    slices.Collect(maps.Keys(requests.members)),
		requests: r.amounts(requests),
		limits:   r.amounts(r.object(o.field("limits"))),
	}
}

func (r *reader) amounts(o object) amounts {
	a := amounts{}
	for _, name := range []string{"cpu", "memory"} {
		if q := r.quantity(o.field(name)); q != nil && q.Sign() > 0 {
			a[name] = q
		}
	}
	return a
}

// requested returns the sorted names of the resources that containers and init
// containers request.
func (p *pod) requested() []string {
	var names []string
	for _, c := range p.containers {
		names = append(names, c.names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
