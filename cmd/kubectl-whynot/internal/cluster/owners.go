// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A provisioner is a NodePool or NodeClaim of Karpenter, or what Cluster API, kubeadm,
// OpenShift and Gardener have of them.
type provisioner struct {
	metav1.ObjectMeta `json:"metadata"`
	Status            struct {
		NodeName   string                 `json:"nodeName"`
		NodeRef    corev1.ObjectReference `json:"nodeRef"`
		Conditions []metav1.Condition     `json:"conditions"`
	} `json:"status"`
	name string // with the kind
}

var makesNodes = regexp.MustCompile(`^(Node(Pool|Claim)|Machine(Set|Deployment|Pool)?|Kubeadm(Config|ControlPlane)(Template)?|(Init|Join)Configuration)$`).MatchString

// addProvisioner adds what the object says, and reports whether it is of a kind that makes
// nodes.
func (c *Cluster) addProvisioner(m *manifest.Object) bool {
	var o provisioner
	var all any
	if !makesNodes(m.Kind) || m.Decode(&o) != nil || m.Decode(&all) != nil { // another project's kind
		return false
	}
	o.name, o.ManagedFields = m.Kind+" "+o.Name, nil
	c.addTaints(all, o.name)
	node := cmp.Or(o.Status.NodeName, o.Status.NodeRef.Name, o.Labels["node"]) // the label is Gardener's
	if node != "" {
		c.makers[node] = append(c.makers[node], &o)
	}
	return true
}

var isOfDeletion = regexp.MustCompile(`^(Delet|Drain)`).MatchString // as Deleting, which is True, and Drained, which is not yet

// holdup returns what a condition of a Machine or NodeClaim that is deleted says of that.
func (o *provisioner) holdup() string {
	for _, c := range o.Status.Conditions {
		isDone := c.Status == metav1.ConditionTrue && c.Type != "Deleting"
		if isOfDeletion(c.Type) && !isDone && strings.Contains(c.Message, " ") { // of more than the reason
			return say.Shortened(strings.Join(strings.Fields(c.Message), " "))
		}
	}
	return ""
}

// addTaints adds the taints in lists of new nodes' taints, wherever they are in the value.
func (c *Cluster) addTaints(v any, lister string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			c.addTaints(item, lister)
		}
	case map[string]any:
		for name, list := range v {
			items, _ := list.([]any)
			for _, item := range items {
				fields, _ := item.(map[string]any)
				key, _ := fields["key"].(string)
				effect, _ := fields["effect"].(string)
				value, _ := fields["value"].(string)
				switch t := (taints.Taint{Key: key, Value: value, Effect: taints.Effect(effect)}); {
				case name == "startupTaints":
					c.startup[KeyOf(t)] = append(c.startup[KeyOf(t)], lister)
				case name == "taints" && fields["propagation"] != "OnInitialization": // such are for the start, or for good
					c.pools[t.ID()] = append(c.pools[t.ID()], lister)
				}
			}
			c.addTaints(list, lister)
		}
	}
}

// WantsProvisioners reports whether a node does not answer, or pods that are asked for wait, and
// a node is cordoned or has a taint that only what made the node may explain.
func (c *Cluster) WantsProvisioners() bool {
	if slices.ContainsFunc(c.Nodes, func(n Node) bool { return n.IsSilent() }) {
		return true
	}
	isUnclear := func(t taints.Taint) bool { k := purpose.Known(t); return k.State == purpose.None || k.IsGuess }
	waits := func(p *Pod) bool {
		return p.IsPending() && (c.Asked == "" || p.Name == c.Asked || strings.Contains(c.Asked, "/"))
	}
	return slices.ContainsFunc(c.Nodes, func(n Node) bool { return n.IsCordoned || slices.ContainsFunc(n.Own, isUnclear) }) &&
		(slices.ContainsFunc(c.Pods, waits) || slices.ContainsFunc(c.inOrder, func(w *Workload) bool { return w.pod != nil && waits(w.pod) }))
}

// keepers are annotations of pods that ask not to be disrupted.
var keepers = map[string]string{"karpenter.sh/do-not-disrupt": "true", "cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}

// noteOn notes what the pod says of its node, whatever the filter.
func (c *Cluster) noteOn(node string, o *corev1.Pod, p *Pod) {
	for key, value := range keepers {
		if node != "" && o.Annotations[key] == value {
			c.Keepers[node] = append(c.Keepers[node], p.String()+" ("+key+")")
		}
	}
	isUnready := func(s corev1.PodCondition) bool {
		return s.Type == corev1.PodReady && s.Status == corev1.ConditionFalse
	}
	if node != "" && p.Owner.Kind == "DaemonSet" && !p.Deleting && slices.ContainsFunc(o.Status.Conditions, isUnready) {
		c.Unready[node] = append(c.Unready[node], p.String())
	}
}

// StartupOf names what made one of the nodes, as far as is known, and lists the taint among
// those of a start: the NodePool rather than its NodeClaims. Nothing is "".
func (c *Cluster) StartupOf(t taints.Taint, nodes []int) (lister string) {
	return c.listerOf(nodes, c.startup[KeyOf(t)])
}

// listerOf returns the one of the listers that made one of the nodes, as far as is known. A
// NodePool speaks for its own nodes alone.
func (c *Cluster) listerOf(nodes []int, listers []string) (lister string) {
	for _, name := range listers {
		pool, isPool := strings.CutPrefix(name, "NodePool ")
		isOf := func(i int) bool {
			of, isKnown := c.Nodes[i].Labels["karpenter.sh/nodepool"]
			return !isPool || !isKnown || of == pool
		}
		if slices.ContainsFunc(nodes, isOf) && (lister == "" || isPool) {
			lister = name
		}
	}
	return lister
}

// StateOf returns the state of the nodes that the taint says: by its key and value, by a
// condition that it names, or as one of a start.
func (c *Cluster) StateOf(t taints.Taint, nodes []int) purpose.State {
	return purpose.Of(t, purpose.Evidence{Fault: c.Faults[t.ID()], Startup: c.StartupOf(t, nodes)}).State
}

// StatesText describes the nodes, which have the taints of states.
func (c *Cluster) StatesText(list []taints.Taint, nodes []int) string {
	return purpose.Text(lists.Each(list, func(t taints.Taint) purpose.State { return c.StateOf(t, nodes) }))
}

// Evidence returns what the input says of a taint of the nodes that keeps pods of the profile
// off. If all nodes that the pods ask for have it, they ask for such nodes.
func (c *Cluster) Evidence(p *Profile, t taints.Taint, nodes []int, areAll bool) purpose.Evidence {
	isBare := func(i int, key string) bool { return c.bare.Has([2]string{key, c.Nodes[i].Labels[key]}) }
	isPlain := func(i int) bool { return isBare(i, t.Key) || isBare(i, path.Base(t.Key)) }
	isMarked := func(i int) bool {
		n := &c.Nodes[i]
		isOther := func(o taints.Taint) bool { return o.Key == t.Key && o.Value != t.Value } // one is the resource's
		label := func(key string) (value string, has bool) {
			value, has = n.Labels[key]
			return value, has && !isBare(i, key)
		}
		return purpose.Marks(t, label, func(resource string) bool {
			return n.resources[resource] > 0 && !slices.ContainsFunc(n.Taints, isOther)
		})
	}
	isTimed := func(i int) bool { // as a program writes it
		at, has := taints.FindTaint(c.Nodes[i].Own, t.ID())
		return has && t.Effect == taints.NoExecute && c.Nodes[i].Own[at].TimeAdded != nil
	}
	isAlone := func(i int) bool {
		return slices.ContainsFunc(c.Nodes[i].pools, func(m member) bool {
			return c.members[member{m.key, m.value, KeyOf(t)}] < c.members[m]
		})
	}
	isChosen := t.Value != "" && slices.ContainsFunc(p.wanted(), func(r corev1.NodeSelectorRequirement) bool {
		return r.Key == t.Key && slices.Equal(r.Values, []string{t.Value})
	})
	return purpose.Evidence{
		Fault: c.Faults[t.ID()], IsPartly: c.partly.Has(t.ID()), Startup: c.StartupOf(t, nodes), IsListed: c.listerOf(nodes, c.pools[t.ID()]) != "", IsMarked: slices.ContainsFunc(nodes, isMarked),
		IsChosen: isChosen, IsWanted: areAll && p.asksForPool() && !slices.ContainsFunc(nodes, isPlain), IsNamed: c.named.HasAny(t.Key, t.Key+"="+t.Value),
		Writer: c.LaterWriter(nodes), IsLater: !p.Requests(t.Key) && c.RunsOn(p, nodes) || slices.ContainsFunc(nodes, isTimed),
		IsAlone: slices.ContainsFunc(nodes, isAlone),
	}
}

// namesPool matches the keys of labels with which clouds and tools name pools of equal nodes.
var namesPool = regexp.MustCompile(`(?i)(node-?(pool|group)|agentpool|\..*/pool)(-name)?$`).MatchString

// A member is a pool, by a label of its nodes, and a taint of some of them, or none.
type member struct {
	key, value string
	taint      [3]string
}

// countMembers counts the nodes of each pool, and those of them that have a taint.
func (c *Cluster) countMembers() {
	c.members = make(map[member]int)
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(c.labels)), func(key string) bool { return !namesPool(key) })
	for i := range c.Nodes {
		n := &c.Nodes[i]
		for _, key := range keys {
			value, has := n.Labels[key]
			if !has {
				continue
			}
			pool := member{key: key, value: value}
			n.pools = append(n.pools, pool)
			c.members[pool]++
			for _, t := range n.Taints {
				c.members[member{key, value, KeyOf(purpose.WithoutTime(t))}]++
			}
		}
	}
}

// bareLabels returns the labels of nodes that have no taint of their key, as others do: whoever
// tainted these meant some of the nodes with the label, for more than what it says.
func (c *Cluster) bareLabels() sets.Set[[2]string] {
	keys, bare := sets.New[string](), sets.New[[2]string]()
	isOf := func(key string) func(taints.Taint) bool {
		return func(t taints.Taint) bool { return t.Key == key || strings.HasSuffix(t.Key, "/"+key) }
	}
	for _, g := range c.Groups {
		for _, t := range g.Taints {
			keys.Insert(t.Key, path.Base(t.Key))
		}
	}
	for _, n := range c.Nodes {
		for key, value := range n.Labels {
			if keys.Has(key) && !slices.ContainsFunc(n.Taints, isOf(key)) {
				bare.Insert([2]string{key, value})
			}
		}
	}
	return bare
}

// LaterWriter returns the controller that wrote the taints of the nodes more than an hour after
// they were made, if none of them got its taints from its kubelet, a person or at once.
func (c *Cluster) LaterWriter(nodes []int) (writer string) {
	for _, i := range nodes {
		n := &c.Nodes[i]
		if !(purpose.Hold{By: n.Wrote.By}).IsByController() || n.Wrote.At.Sub(n.CreationTimestamp.Time) < time.Hour {
			return ""
		}
		writer = n.Wrote.By
	}
	return writer
}

// namedKeys returns the keys that tolerations of pods on nodes and of templates have, with the
// value if they are for one alone, except those of DaemonSets and of the nodes themselves.
func (c *Cluster) namedKeys() sets.Set[string] {
	keys, seen := sets.New[string](), sets.New[*Profile]()
	add := func(list []taints.Toleration) {
		for _, t := range list {
			switch {
			case t.Key == "" || IsDefault(t):
			case t.Operator == taints.OpEqual || t.Operator == "":
				keys.Insert(t.Key + "=" + t.Value)
			default:
				keys.Insert(t.Key)
			}
		}
	}
	for _, w := range c.inOrder {
		if w.Kind != "DaemonSet" {
			add(w.Tolerations)
		}
	}
	for _, p := range c.All() {
		if p.Profile != nil && p.Node != "" && p.Owner.Kind != "DaemonSet" && !p.IsStatic() && !seen.Has(p.Profile) {
			seen.Insert(p.Profile)
			add(p.Tolerations)
		}
	}
	return keys
}

// findHomes finds the nodes where pods run whose owner has more that wait. They tolerate no
// more than these, so a taint that keeps these off a home came later.
func (c *Cluster) findHomes() {
	for _, p := range c.Pods {
		i, isKnown := c.NodeAt[p.Node]
		isOn := isKnown && len(c.Nodes[i].Taints) > 0 && !p.IsFinished() && !p.Deleting && p.Owner.Kind != "DaemonSet"
		if isOn && c.Waiting[p.OwnerName()] > 0 && !slices.Contains(c.Nodes[i].homeOf, p.Family) {
			c.Nodes[i].homeOf = append(c.Nodes[i].homeOf, p.Family)
		}
	}
}

// RunsOn reports whether pods like those of the profile run on one of the nodes.
func (c *Cluster) RunsOn(p *Profile, nodes []int) bool {
	return slices.ContainsFunc(nodes, func(i int) bool { return slices.Contains(c.Nodes[i].homeOf, p.Family) })
}
