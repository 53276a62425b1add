// SPDX-License-Identifier: Apache-2.0

// Package cluster holds the nodes and pods of the input, and finds those that match.
package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/devices"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/workload"
	"github.com/seed-0529bac1/taints/kube"
)

// A Cluster is the part of the nodes and pods in the input that matters.
type Cluster struct {
	Nodes     []Node   // sorted by name after Finish
	Groups    []*Group // of the nodes, after Finish
	Pods      []*Pod
	Only      Filter
	Namespace string // of objects without one
	Asked     string // the name of the requested pod, in any namespace
	NodeAt    map[string]int
	PodNamed  map[PodName]*Pod
	Others    map[string]int // objects that are neither nodes, pods nor workloads, by kind

	Workloads   map[string]*Workload // of the input, by Pod.OwnerName
	Running     map[string]int       // pods on nodes by Pod.OwnerName, after Finish
	Waiting     map[string]int       // pending pods by Pod.OwnerName, after Finish
	Unevaluated sets.Set[string]     // rules of objects in the input

	AddedIn map[string][]taints.Toleration // those that admission adds to pods, by namespace

	// What the objects that make nodes, and pods, say of nodes and of their taints.
	pools   map[taints.TaintID][]string // taints of all nodes of a pool, and what lists them
	startup map[[3]string][]string      // taints of a start, and what lists them
	Faults  map[taints.TaintID]string   // taints that name a condition of a node that has them, and the condition
	partly  sets.Set[taints.TaintID]    // those that name one of a node where all is well; after Finish, of those alone that Faults had
	makers  map[string][]*provisioner   // Machines and NodeClaims, by the name of their node
	Keepers map[string][]string         // nodes, and pods there that ask not to be disrupted, with the annotation
	Unready map[string][]string         // nodes, and pods of DaemonSets there that are not ready

	OnPod   func(PodName, *corev1.Pod) // also gets each pod, with all of its fields if it is asked for or none is; nil: nobody does
	Readers Readers                    // of more kinds of objects

	objects  devices.Objects
	labels   map[string]sets.Set[string] // values by key, after Finish
	named    sets.Set[string]            // what namedKeys returns, after Finish
	bare     sets.Set[[2]string]         // what bareLabels returns, after Finish
	members  map[member]int              // nodes, after Finish
	profiles map[string]*Profile
	owners   map[Owner]*Owner
	pod      corev1.Pod // the decoded one, to use its memory again
	inOrder  []*Workload
	leftOut  map[PodName]*Pod // by the filter, without a profile
}

// A Filter selects pods.
type Filter struct {
	Namespace string          // empty: all
	Labels    labels.Selector // nil: all
}

// String returns the filter as command-line flags.
func (f Filter) String() string {
	var words []string
	if f.Namespace != "" {
		words = append(words, "-n "+f.Namespace)
	}
	if f.Labels != nil && !f.Labels.Empty() {
		words = append(words, "-l "+f.Labels.String())
	}
	return strings.Join(words, " ")
}

func (f Filter) matches(namespace string, set map[string]string) bool {
	return (f.Namespace == "" || f.Namespace == namespace) && (f.Labels == nil || f.Labels.Matches(labels.Set(set)))
}

// New returns an empty cluster for the pods that match the filter.
func New(only Filter) *Cluster {
	return &Cluster{
		Only: only, Namespace: cmp.Or(only.Namespace, metav1.NamespaceDefault),
		NodeAt: make(map[string]int), leftOut: make(map[PodName]*Pod), PodNamed: make(map[PodName]*Pod), Others: make(map[string]int),
		profiles: make(map[string]*Profile), owners: make(map[Owner]*Owner), Unevaluated: sets.New[string](),
		Workloads: make(map[string]*Workload), Running: make(map[string]int), Waiting: make(map[string]int), AddedIn: make(map[string][]taints.Toleration),
		pools: make(map[taints.TaintID][]string), startup: make(map[[3]string][]string), Faults: make(map[taints.TaintID]string), partly: sets.New[taints.TaintID](), makers: make(map[string][]*provisioner), Keepers: make(map[string][]string), Unready: make(map[string][]string),
	}
}

// NotEvaluated names the rules that no report evaluates, those of objects in the input, and
// more.
func (c *Cluster) NotEvaluated(more ...string) []string {
	return slices.Concat([]string{
		"resources", "pod affinity and anti-affinity", "topology spread constraints", "host ports", "volumes",
		"resource claims", "preferred node affinity", "priorities", "disruption budgets",
	}, sets.List(c.Unevaluated), more)
}

// AddVersion adds the version of the API server, or of a kubelet, which is never newer.
func (c *Cluster) AddVersion(text string) { c.objects.AddVersion(text) }

// shared returns the one owner that equal ones share.
func (c *Cluster) shared(o Owner) *Owner {
	if c.owners[o] == nil {
		c.owners[o] = new(o)
	}
	return c.owners[o]
}

// Finish sorts and groups the nodes, and adds the pods that workloads would create.
func (c *Cluster) Finish() {
	slices.SortFunc(c.Nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	for i := range c.Nodes {
		c.NodeAt[c.Nodes[i].Name] = i
	}
	for name, list := range c.makers {
		if i, ok := c.NodeAt[name]; ok {
			c.Nodes[i].setMachines(list)
		}
	}
	c.partly = c.partly.Intersection(sets.KeySet(c.Faults))
	maps.DeleteFunc(c.Faults, func(id taints.TaintID, _ string) bool { return c.partly.Has(id) })
	c.stopEvictions()
	c.group()
	c.finishWorkloads()
	c.finishDevices()
	c.countMembers()
	c.findHomes()
	c.named, c.bare = c.namedKeys(), c.bareLabels()
}

// finishDevices finds the devices of pods. Nodes get resources that no device plugin brings.
func (c *Cluster) finishDevices() {
	c.objects.Finish()
	for _, p := range c.Pods {
		if len(p.Claims) > 0 {
			p.Devices = c.objects.Of(p.PodName, p.Claims)
			c.Unevaluated.Insert(p.Devices.Unevaluated...)
		}
	}
	for _, n := range c.Nodes {
		for name, count := range c.objects.ExtendedOn(n.Node) {
			n.resources[name] = cmp.Or(n.resources[name], count)
		}
	}
}

// Find returns the pod with the name, or all pods of the workload with it, as in
// deployment/web. A name without a namespace means the default namespace or, if that has no
// such pod, the only pod with this name.
func (c *Cluster) Find(name string) (pods []*Pod, err error) {
	full := PodName{Namespace: cmp.Or(c.Only.Namespace, c.Namespace), Name: name}
	var found, named []PodName // by the name of the pod, or of its workload
	for _, p := range c.Pods {
		kind, owner := p.Owner.Template()
		isOf := strings.EqualFold(kind+"/"+owner, name) || strings.EqualFold(p.Owner.Kind+"/"+p.Owner.Name, name)
		switch {
		case p.Namespace == full.Namespace && isOf:
			pods = append(pods, p)
		case p.Name == name:
			found = append(found, p.PodName)
		case p.Template && p.Owner.Name == name:
			named = append(named, p.PodName)
		}
	}
	if len(found) == 0 {
		found = named
	}
	_, isNode := c.NodeAt[name]
	switch {
	case len(pods) > 0:
		return pods, nil
	case c.PodNamed[full] != nil:
		return []*Pod{c.PodNamed[full]}, nil
	case len(found) == 1:
		return []*Pod{c.PodNamed[found[0]]}, nil
	case len(found) > 1:
		return nil, names.Several(name, found)
	case isNode:
		return nil, fmt.Errorf(names.IsNode, name, name)
	}
	return nil, names.NotFound(full, c.Only.Namespace, c.Only.Labels, c.Names())
}

// Names returns the names of all pods, and of workloads as in deployment/web.
func (c *Cluster) Names() (list []PodName) {
	add := func(namespace, kind, name string) {
		list = append(list, PodName{Namespace: namespace, Name: strings.ToLower(kind) + "/" + name})
	}
	for _, p := range c.All() {
		kind, name := p.Owner.Template()
		add(p.Namespace, kind, name)
		add(p.Namespace, p.Owner.Kind, p.Owner.Name)
		list = append(list, p.PodName)
	}
	for _, w := range c.inOrder {
		add(w.Namespace, w.Kind, w.Name)
	}
	return list
}

// Decode adds the object of the manifest. It only counts objects of other kinds.
func (c *Cluster) Decode(m manifest.Object) error {
	version := apiVersions[m.Kind]
	switch {
	case m.Kind == "":
		return errors.New("kind is missing; " + manifest.Expected)
	case version != "" && m.APIVersion != "" && m.APIVersion != version && !c.objects.Reads(m.Kind, m.APIVersion):
		c.Others[m.Kind+" (its apiVersion is "+m.APIVersion+", not "+version+")"]++
		return nil
	}
	switch m.Kind {
	case "Status":
		var status metav1.Status
		m.Decode(&status)
		return errors.New(status.Message)
	case "Table":
		return errors.New("this is a Table, which does not have the objects; use 'kubectl get -o json'")
	case "Node":
		return decodeAs(m, new(corev1.Node), c.AddNode)
	case "Pod":
		skipped := skipLarge
		if c.OnPod != nil && c.Asked == "" {
			skipped = nil
		}
		c.pod = corev1.Pod{}
		return decodeAs(m, &c.pod, func(o *corev1.Pod) error {
			var wrong []string
			isNew := isManifest(&o.ObjectMeta) && o.Status.Phase == ""
			if isNew || o.Spec.NodeName == "" || o.Name == c.Asked { // what is large matters too
				*o = corev1.Pod{}
				if err := m.Decode(o); err != nil {
					return err
				}
			}
			if isNew {
				wrong = m.Mistakes("spec", new(corev1.Pod))
			}
			return c.addPod(o, wrong)
		}, skipped)
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "DeploymentConfig", "Job", "CronJob":
		path := "spec.template.spec"
		if m.Kind == "CronJob" {
			path = "spec.jobTemplate." + path
		}
		return decodeAs(m, new(workload.Object), func(o *workload.Object) error {
			return c.addWorkload(m.Kind, o, m.Mistakes(path, new(workload.Object)))
		})
	case "ResourceSlice", "ResourceClaim", "DeviceTaintRule", "DeviceClass":
		return c.objects.Decode(m.Kind, func(o any) error { return m.Decode(o) })
	}
	if read := c.Readers[m.Kind]; read != nil {
		return read(m)
	}
	if c.addProvisioner(&m) {
		return nil
	}
	kind := m.Kind
	if text := m.Suspect(); text != "" {
		kind += " (" + text + ")"
	}
	c.Others[kind]++
	c.addRules(&m)
	return nil
}

// apiVersions maps the kinds of objects that are evaluated to their API versions.
var apiVersions = map[string]string{
	"Node": "v1", "Pod": "v1", "Status": "v1", "Table": "meta.k8s.io/v1",
	"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "ReplicaSet": "apps/v1",
	"ResourceSlice": "resource.k8s.io/v1", "ResourceClaim": "resource.k8s.io/v1", "DeviceTaintRule": "resource.k8s.io/v1", "DeviceClass": "resource.k8s.io/v1",
	"ReplicationController": "v1", "DeploymentConfig": "apps.openshift.io/v1", "Job": "batch/v1", "CronJob": "batch/v1", "PodDisruptionBudget": "policy/v1",
}

const runtimeClasses = "RuntimeClass scheduling"

// addRules notes the rules of an object of another kind.
func (c *Cluster) addRules(m *manifest.Object) {
	var o struct {
		metav1.ObjectMeta `json:"metadata"`
		Scheduling        any `json:"scheduling"`
	}
	switch m.Kind {
	case "ResourceQuota":
		c.Unevaluated.Insert("quotas")
	case "RuntimeClass":
		if m.Decode(&o) == nil && o.Scheduling != nil {
			c.Unevaluated.Insert(runtimeClasses)
		}
	case "Namespace":
		const prefix = "scheduler.alpha.kubernetes.io/"
		m.Decode(&o)
		var added []corev1.Toleration
		if json.Unmarshal([]byte(o.Annotations[prefix+"defaultTolerations"]), &added) == nil {
			c.AddedIn[o.Name] = kube.Tolerations(added)
		}
		if o.Annotations[prefix+"defaultTolerations"]+o.Annotations[prefix+"tolerationsWhitelist"] != "" {
			c.Unevaluated.Insert("tolerations that namespaces default or allow")
		}
		if o.Annotations[prefix+"node-selector"]+o.Annotations["openshift.io/node-selector"] != "" {
			c.Unevaluated.Insert("node selectors of namespaces")
		}
	}
}

// Readers read objects of a kind.
type Readers map[string]func(manifest.Object) error

// Reader returns what reads objects without the list of who wrote them.
func Reader[T any](add func(*T) error) func(manifest.Object) error {
	return func(m manifest.Object) error { return decodeAs(m, new(T), add, skipLarge) }
}

// decodeAs decodes and adds the object. Errors have its name.
func decodeAs[T any](m manifest.Object, o *T, add func(*T) error, options ...json.Options) error {
	err := m.Decode(o, options...)
	if err == nil {
		err = add(o)
	}
	if err == nil {
		return nil
	}
	var named struct{ Metadata PodName }
	m.Decode(&named, json.MatchCaseInsensitiveNames(true))
	name := strings.TrimPrefix(named.Metadata.String(), "/")
	return fmt.Errorf("%s: %w", strings.TrimSpace(m.Kind+" "+name), err)
}

// skipLarge skips the large fields that a pod with a node does not need: much faster.
var skipLarge = json.WithUnmarshalers(json.JoinUnmarshalers(
	manifest.Skip[[]corev1.Container](), manifest.Skip[[]corev1.Volume](), manifest.Skip[[]corev1.ContainerStatus](),
	manifest.Skip[[]metav1.ManagedFieldsEntry](), manifest.Times,
))

// All returns the pods, also those that the filter leaves out. These have no profile.
func (c *Cluster) All() []*Pod { return slices.AppendSeq(slices.Clone(c.Pods), maps.Values(c.leftOut)) }

// DaemonSets returns the pods that the DaemonSets of the input would make, also those of
// device plugins that the filter leaves out.
func (c *Cluster) DaemonSets() (pods []*Pod) {
	for _, w := range c.inOrder {
		if w.Kind == "DaemonSet" && w.pod != nil {
			pods = append(pods, w.pod)
		}
	}
	return pods
}

// finishWorkloads follows the owners of the pods, counts those that run, and adds the
// pods that the workloads would create: those of which the input has no pods, unless
// their status says that the pods run, and those that cannot create pods.
func (c *Cluster) finishWorkloads() {
	for _, p := range c.All() {
		c.holdFor(p)
		if *p.Owner != (Owner{}) {
			p.Owner = c.shared(c.resolve(p.Namespace, *p.Owner, maxLevels))
		}
		switch {
		case p.IsPending():
			c.Waiting[p.OwnerName()]++
		case p.Node != "" && !p.IsFinished() && !p.Deleting:
			c.Running[p.OwnerName()]++
		}
	}
	parent := func(w *Workload) *Workload { return c.workload(w.Namespace, w.controller) }
	for _, w := range c.inOrder {
		if above := parent(w); above != nil && above.pod != nil {
			above.failure = cmp.Or(above.failure, w.failure)
		}
	}
	for _, w := range c.inOrder {
		above := parent(w)
		if w.Exists = w.Exists || w.isMade; w.pod == nil || w.pod.LeftOut {
			continue
		}
		if w.Kind == "DaemonSet" && !w.isMade {
			c.PodNamed[w.pod.PodName] = w.pod
		}
		switch {
		case above != nil && above.pod != nil:
		case w.failure != "" || !w.isMade && !w.isReady:
			w.pod.Owner, w.pod.Failure = c.shared(c.resolve(w.Namespace, *w.pod.Owner, maxLevels)), w.failure
			c.PodNamed[w.pod.PodName] = w.pod
			c.Waiting[w.pod.OwnerName()]++
			c.Pods = append(c.Pods, w.pod)
		case !w.isMade && w.wantsNone:
			c.Others[w.Kind+" (wants no pods)"]++
		case !w.isMade:
			c.Others[w.Kind+" (its pods are ready)"]++
		}
	}
}
