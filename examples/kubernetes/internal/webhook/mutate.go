// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// A Policy is what pods are given and held against. The zero Policy gives them what
// the admission plugins of Kubernetes give, and allows everything. It must not be
// changed while it is in use, and is safe for concurrent use.
type Policy struct {
	Rules Rules

	// Defaults say for how long pods tolerate nodes that are not ready or
	// unreachable, if they do not say it.
	Defaults taints.DefaultSeconds
}

// A mutation is what a pod will have.
type mutation struct {
	tolerations  []taints.Toleration
	nodeSelector map[string]string
}

// mutate returns what a new pod will have, and a [*refusal] if what it is given
// contradicts what it has. Nothing that it has is taken away: where the pod itself
// says how long it tolerates a taint, that holds. A pod that has all of it is given
// nothing more.
//
// The order is that of the admission plugins of Kubernetes,
// DefaultTolerationSeconds, PodTolerationRestriction and ExtendedResourceToleration,
// but for the defaults of the namespace, which come first. So they can set the
// seconds for not-ready and unreachable; in Kubernetes they get lost if they are
// shorter than those that are there by then.
func (p *Policy) mutate(namespace string, pod *pod) (mutation, *refusal) {
	tolerations := tolerationset.Merge(pod.tolerations, p.Rules.defaultsOf(namespace), taints.Options{})
	tolerations = addStandard(tolerations, p.Defaults, pod.bestEffort, pod.requested)
	nodeSelector := map[string]string{}
	maps.Copy(nodeSelector, pod.nodeSelector)
	for _, d := range p.dedicationsFor(namespace, pod) {
		tolerations = tolerationset.Merge(tolerations, d.tolerations, taints.Options{})
		for _, key := range slices.Sorted(maps.Keys(d.nodeSelector)) {
			have, ok := nodeSelector[key]
			if ok && have != d.nodeSelector[key] {
				return mutation{}, d.refuse(key, pod, "another dedication wants "+label(key, have))
			}
			nodeSelector[key] = d.nodeSelector[key]
		}
	}
	return mutation{tolerations, nodeSelector}, nil
}

// dedicationsFor returns those that apply to the pod, in order; none to one
// that is exempt.
func (p *Policy) dedicationsFor(namespace string, pod *pod) []*dedication {
	if pod.exempt {
		return nil
	}
	return p.Rules.dedicationsFor(namespace, pod.labels)
}

// addStandard adds what admission in Kubernetes gives to every pod of that class
// with those requests.
func addStandard(
	tolerations []taints.Toleration, defaults taints.DefaultSeconds, bestEffort bool, requested []string,
) []taints.Toleration {
	tolerations = taints.AddDefaults(tolerations, defaults)
	if !bestEffort {
		tolerations = taints.AddMemoryPressure(tolerations)
	}
	return taints.AddExtendedResources(tolerations, requested...)
}

// refuse refuses a pod whose node selector has something else under the key, or
// nothing; then the other reason is given.
func (d *dedication) refuse(key string, pod *pod, otherwise string) *refusal {
	if have, ok := pod.nodeSelector[key]; ok {
		otherwise = "its nodeSelector has " + label(key, have)
	}
	return forbid(dedicated, "dedication %s sends the pod to nodes with %s, but %s",
		quote(d.name), label(key, d.nodeSelector[key]), otherwise)
}

// label prints a label as kubectl does.
func label(key, value string) string { return fmt.Sprintf("%s=%s", clip(key, 320), clip(value, 63)) }
