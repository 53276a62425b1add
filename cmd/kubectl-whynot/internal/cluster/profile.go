// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/internal/timer"
	"github.com/seed-0529bac1/taints/kube"
)

// A Profile determines where a pod can run. Pods with equal profiles share one.
type Profile struct {
	Selector    map[string]string
	Required    *corev1.NodeSelector // required node affinity; nil: none
	Invalid     error                // of the required node affinity
	affinity    nodeaffinity.RequiredNodeAffinity
	Tolerations []taints.Toleration
	Matcher     *taints.Matcher
	resources   map[string]int64 // extended resources that it requests
	isBound     bool             // the spec names the node
	Family      *Profile         // the same, without resources and the names of nodes in the affinity, or without nodeName
}

// profileOf returns the profile of the pod's spec. It keeps the nodes that an
// affinity names, as the DaemonSet controller does, only if withNames is set.
// Otherwise there would be a profile for each pod.
func (c *Cluster) profileOf(s *corev1.PodSpec, withNames bool) *Profile {
	required := requiredAffinity(s)
	if !withNames {
		return c.profile(s.NodeSelector, withoutNames(required), s.Tolerations, nil)
	}
	return c.profile(s.NodeSelector, required, s.Tolerations, requested(s))
}

func requiredAffinity(s *corev1.PodSpec) *corev1.NodeSelector {
	affinity := ptr.Deref(s.Affinity, corev1.Affinity{}).NodeAffinity
	return ptr.Deref(affinity, corev1.NodeAffinity{}).RequiredDuringSchedulingIgnoredDuringExecution
}

// requested returns the extended resources. A limit of them is also the request.
func requested(s *corev1.PodSpec) map[string]int64 {
	pod := &corev1.Pod{Spec: *s}
	list := resource.PodRequests(pod, resource.PodResourcesOptions{})
	maps.Copy(list, resource.PodLimits(pod, resource.PodResourcesOptions{}))
	requests := extended(list)
	maps.DeleteFunc(requests, func(_ string, n int64) bool { return n == 0 })
	return requests
}

// Requests reports whether the pods request the extended resource.
func (p *Profile) Requests(resource string) bool { return p.resources[resource] > 0 }

// asksForPool reports whether node selector or affinity ask for some nodes by more than their
// platform, place or name in the affinity, which says nothing of a pool.
func (p *Profile) asksForPool() bool {
	isOfPool := func(key string) bool {
		isKubernetes := strings.HasSuffix(path.Dir(key), "kubernetes.io") || path.Dir(key) == "karpenter.sh"
		return !isKubernetes || !slices.Contains([]string{"os", "arch", "zone", "region", "hostname", "instance-type", "capacity-type"}, path.Base(key))
	}
	keys := slices.Collect(maps.Keys(p.Selector))
	for _, term := range ptr.Deref(p.Family.Required, corev1.NodeSelector{}).NodeSelectorTerms {
		for _, r := range term.MatchExpressions {
			if r.Operator == corev1.NodeSelectorOpIn || r.Operator == corev1.NodeSelectorOpExists {
				keys = append(keys, r.Key)
			}
		}
	}
	return p.isBound || slices.ContainsFunc(keys, isOfPool)
}

func extended(list corev1.ResourceList) map[string]int64 {
	m := make(map[string]int64)
	for name, quantity := range list {
		if kube.IsExtendedResource(name) {
			m[string(name)] = quantity.Value()
		}
	}
	return m
}

// profile returns the profile that equal pods share.
func (c *Cluster) profile(
	selector map[string]string, required *corev1.NodeSelector, list []corev1.Toleration, resources map[string]int64,
) *Profile {
	affinity := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}}
	o := corev1.Pod{Spec: corev1.PodSpec{NodeSelector: selector, Affinity: affinity, Tolerations: list}}
	spec, _ := o.Spec.Marshal() // never fails for a spec
	if len(resources) > 0 {
		spec = fmt.Append(append(spec, 0), resources)
	}
	if p, ok := c.profiles[string(spec)]; ok {
		return p
	}
	p := &Profile{
		Selector: selector, Required: required, affinity: nodeaffinity.GetRequiredNodeAffinity(&o),
		Tolerations: kube.Tolerations(list), resources: resources,
	}
	if required != nil {
		_, p.Invalid = nodeaffinity.NewNodeSelector(required)
	}
	c.profiles[string(spec)] = p
	if family := withoutNames(required); family != required || len(resources) > 0 {
		p.Family = c.profile(selector, family, list, nil)
		p.Matcher = p.Family.Matcher
	} else {
		p.Family, p.Matcher = p, taints.Compile(p.Tolerations)
	}
	return p
}

// EvictionOf returns when the pods leave for the taints that Kubernetes sees then.
func (p *Profile) EvictionOf(list []taints.Taint, at time.Time) taints.Eviction {
	return timer.EvictionOf(p.Matcher, p.Tolerations, list, at)
}

// boundProfile returns the profile of pods whose spec names their node: they go there
// without the scheduler, so that NoSchedule does not matter.
func (c *Cluster) boundProfile(s *corev1.PodSpec) *Profile {
	is := []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{s.NodeName}}}
	p := *c.profile(s.NodeSelector, &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: is}}}, s.Tolerations, nil)
	p.Matcher = taints.Compile(p.Tolerations, []taints.Toleration{{Operator: taints.OpExists, Effect: taints.NoSchedule}})
	p.Family, p.isBound = c.profileOf(s, true), true
	return &p
}

// admitted returns the tolerations of a new pod. Every pod gets those of two taints.
func admitted(list []corev1.Toleration) []corev1.Toleration {
	return kube.CoreTolerations(taints.AddDefaultTolerations(kube.Tolerations(list), taints.DefaultTolerationSeconds{}))
}

// IsDefault reports whether every pod gets the toleration by default, for seconds that the
// cluster chooses. It does not show what an author wants.
func IsDefault(t taints.Toleration) bool {
	isKey := t.Key == taints.NodeNotReady || t.Key == taints.NodeUnreachable
	return isKey && t.Operator == taints.OpExists && t.Effect == taints.NoExecute && t.TolerationSeconds != nil
}

// WithTolerations returns the profile with these tolerations.
func (c *Cluster) WithTolerations(p *Profile, list []taints.Toleration) *Profile {
	return c.profile(p.Selector, p.Required, kube.CoreTolerations(list), p.resources)
}

// Union returns the profile for all nodes that the profiles name. These differ
// only in the names, as those of a DaemonSet's pods do.
func (c *Cluster) Union(list []*Profile) *Profile {
	p := list[0]
	if len(list) == 1 {
		return p
	}
	terms := slices.Concat(lists.Each(list, func(p *Profile) []corev1.NodeSelectorTerm { return p.Required.NodeSelectorTerms })...)
	return c.profile(p.Selector, &corev1.NodeSelector{NodeSelectorTerms: terms}, kube.CoreTolerations(p.Tolerations), p.resources)
}

// NamesNodes reports whether the affinity names nodes, as in a DaemonSet's pods.
func (p *Profile) NamesNodes() bool {
	_, pinned := namedNodes(p.Required)
	return pinned
}

// namedNodes returns the nodes that the terms name, and whether that is all that each term
// does, as the DaemonSet controller writes them.
func namedNodes(required *corev1.NodeSelector) (names []string, all bool) {
	terms := ptr.Deref(required, corev1.NodeSelector{}).NodeSelectorTerms
	for _, term := range terms {
		i := slices.IndexFunc(term.MatchFields, func(r corev1.NodeSelectorRequirement) bool {
			return r.Key == metav1.ObjectNameField && r.Operator == corev1.NodeSelectorOpIn
		})
		if i < 0 || len(term.MatchExpressions) > 0 {
			return nil, false
		}
		names = append(names, term.MatchFields[i].Values...)
	}
	return names, len(terms) > 0
}

// withoutNames returns nil in place of an affinity that only names nodes.
func withoutNames(required *corev1.NodeSelector) *corev1.NodeSelector {
	if _, pinned := namedNodes(required); pinned {
		return nil
	}
	return required
}

// Requirements names the node selector and the required node affinity.
func (p *Profile) Requirements() string {
	var list []string
	if len(p.Selector) > 0 {
		list = append(list, "node selector "+SelectorText(p.Selector))
	}
	if p.Required != nil {
		list = append(list, "required node affinity "+AffinityText(p.Required))
	}
	return say.Joined(list)
}

// SelectorText returns the selector in the form of kubectl.
func SelectorText(selector map[string]string) string {
	return strings.Join(lists.Each(slices.Sorted(maps.Keys(selector)), func(key string) string { return labelText(key, selector[key]) }), ",")
}

// labelText returns the label as in kubectl, in quotes if there are spaces.
func labelText(key, value string) string {
	if strings.ContainsFunc(key+value, unicode.IsSpace) {
		return strconv.Quote(key) + "=" + strconv.Quote(value)
	}
	return key + "=" + value
}

// AffinityText returns the terms as kubectl selectors. It shortens long ones.
func AffinityText(required *corev1.NodeSelector) string {
	terms := lists.Each(ptr.Deref(required, corev1.NodeSelector{}).NodeSelectorTerms, func(term corev1.NodeSelectorTerm) string {
		return strings.Join(lists.Each(slices.Concat(term.MatchFields, term.MatchExpressions), requirementText), ",")
	})
	return say.Shortened(strings.Join(terms, " or "))
}

// requirementText returns the requirement in the form of kubectl.
func requirementText(r corev1.NodeSelectorRequirement) string {
	operator := selection.Operator(strings.ToLower(string(r.Operator)))
	if r.Operator == corev1.NodeSelectorOpDoesNotExist {
		operator = selection.DoesNotExist
	}
	if parsed, err := labels.NewRequirement(r.Key, operator, r.Values); err == nil {
		return parsed.String()
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Key, r.Operator, strings.Join(r.Values, ",")))
}

// A Share is the part of a group of nodes that matches a profile.
type Share struct {
	Group *Group
	Nodes []int // not empty, sorted by name
}

// Choose returns the shares that match the profile, in the order of the groups.
func (c *Cluster) Choose(p *Profile) []Share {
	matching := make(map[*Group][]int)
	for _, i := range c.Candidates(p) {
		if n := &c.Nodes[i]; n.Matches(p) {
			matching[n.Group] = append(matching[n.Group], i)
		}
	}
	var shares []Share
	for _, g := range c.Groups {
		if nodes := matching[g]; len(nodes) > 0 {
			shares = append(shares, Share{g, nodes})
		}
	}
	return shares
}

// Matches reports whether the node matches node selector and required node affinity.
func (n *Node) Matches(p *Profile) bool {
	ok, err := p.affinity.Match(n.Node)
	return ok && err == nil
}

// Candidates returns the nodes that the affinity names, or else all nodes.
func (c *Cluster) Candidates(p *Profile) (nodes []int) {
	names, pinned := namedNodes(p.Required)
	for _, name := range names {
		if i, ok := c.NodeAt[name]; ok {
			nodes = append(nodes, i)
		}
	}
	for i := 0; i < len(c.Nodes) && !pinned; i++ {
		nodes = append(nodes, i)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// wanted returns the labels that the profile requires: those of its node
// selector and those of an affinity that has only one term.
func (p *Profile) wanted() []corev1.NodeSelectorRequirement {
	list := lists.Each(slices.Sorted(maps.Keys(p.Selector)), func(key string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{p.Selector[key]}}
	})
	if p.Required != nil && len(p.Required.NodeSelectorTerms) == 1 {
		for _, r := range p.Required.NodeSelectorTerms[0].MatchExpressions {
			if r.Operator == corev1.NodeSelectorOpIn || r.Operator == corev1.NodeSelectorOpExists {
				list = append(list, r)
			}
		}
	}
	return list
}

// Missing returns required labels that no node has, and those that may be meant.
func (c *Cluster) Missing(p *Profile) (absent, meant []string) {
	for _, r := range p.wanted() {
		if c.labels[r.Key].HasAny(r.Values...) || len(r.Values) == 0 && len(c.labels[r.Key]) > 0 {
			continue
		}
		text := requirementText(r)
		if len(r.Values) == 1 {
			text = labelText(r.Key, r.Values[0])
		}
		absent = append(absent, text)
		for _, key := range slices.Sorted(maps.Keys(c.labels)) {
			switch {
			case !names.IsSameWord(key, r.Key):
				continue
			case len(r.Values) == 0:
				meant = append(meant, key)
			}
			for _, value := range sets.List(c.labels[key]) {
				if slices.ContainsFunc(r.Values, func(want string) bool { return names.IsSameWord(want, value) }) {
					meant = append(meant, labelText(key, value))
				}
			}
		}
	}
	return absent, meant
}

// IsRejected reports whether the group has a taint that the pods do not tolerate.
func (p *Profile) IsRejected(g *Group) bool {
	_, found := p.Matcher.FindUntolerated(g.Taints, taints.HardEffects)
	return found
}

// WithResources returns the parts of the shares whose nodes have the extended
// resources that the profile requests, and says so. A node has what is allocatable
// there or, where no node says what is, a taint of the resource's name. A resource
// that no node has enough of does not matter, and lacks says so.
func (c *Cluster) WithResources(p *Profile, shares []Share) (list []Share, text string, lacks []string) {
	var names []string
	lacking := make(map[int]bool) // the nodes that lack one of the names
	for _, resource := range slices.Sorted(maps.Keys(p.resources)) {
		wanted, most, name := p.resources[resource], int64(-1), resource
		for _, n := range c.Nodes {
			if amount, ok := n.resources[resource]; ok {
				most = max(most, amount)
			}
		}
		if wanted > 1 {
			name = fmt.Sprintf("%d %s", wanted, resource)
		}
		has := func(n Node) bool { return n.resources[resource] >= wanted }
		switch {
		case most < 0:
			name = "a taint " + resource
			has = func(n Node) bool { return HasKey(n.Taints, resource) }
			if !slices.ContainsFunc(c.Nodes, has) {
				continue
			}
		case most < wanted:
			lacks = append(lacks, fmt.Sprintf("no node has %s; the most is %d", name, most))
			continue
		}
		names = append(names, name)
		for i, n := range c.Nodes {
			if !has(n) {
				lacking[i] = true
			}
		}
	}
	if len(names) == 0 {
		return nil, "", lacks
	}
	total := 0
	for _, s := range shares {
		nodes := slices.DeleteFunc(slices.Clone(s.Nodes), func(i int) bool { return lacking[i] })
		if len(nodes) > 0 {
			list, total = append(list, Share{s.Group, nodes}), total+len(nodes)
		}
	}
	text = "only " + say.CountOf(total, "node has", "nodes have") + " " + say.Joined(names)
	if all := len(c.Nodes) - len(lacking); total < all {
		text = fmt.Sprintf("only %d of the %d nodes that have %s", total, all, say.Joined(names)) +
			say.For(total, " matches", " match") + " the pod's node selector and affinity"
	}
	return list, text, lacks
}

// Lacks returns a requested resource that one of the nodes that match has none of, or "".
func (c *Cluster) Lacks(p *Profile, nodes []int) string {
	for _, resource := range slices.Sorted(maps.Keys(p.resources)) {
		if slices.ContainsFunc(nodes, func(i int) bool { return c.Nodes[i].resources[resource] == 0 && c.Nodes[i].Matches(p) }) {
			return resource
		}
	}
	return ""
}
