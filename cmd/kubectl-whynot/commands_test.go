// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/internal/purpose"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/why"
	"github.com/seed-0529bac1/taints/kube"
)

// A store is the objects of an input.
type store []*unstructured.Unstructured

// readStore returns the objects of the input, and the arguments to read them again. It
// returns none if the input is a mistake.
func readStore(stdin string, args []string) (s store, rest []string) {
	var errs error
	add := func(o manifest.Object) error {
		var raw json.RawMessage
		object := make(map[string]any)
		if err := o.Decode(&raw); err != nil {
			return err
		}
		err := utiljson.Unmarshal(raw, &object)
		u := &unstructured.Unstructured{Object: object}
		u.SetKind(o.Kind)
		if o.APIVersion != "" {
			u.SetAPIVersion(o.APIVersion)
		}
		if _, found, _ := unstructured.NestedMap(object, specOf(u)...); !found { // every object of an API server has one
			_ = unstructured.SetNestedMap(object, make(map[string]any), specOf(u)...)
		}
		if field, _, _ := unstructured.NestedFieldNoCopy(object, append(specOf(u), "tolerations")...); mustJSON(field) == "[]" {
			unstructured.RemoveNestedField(object, append(specOf(u), "tolerations")...) // as an API server does
		}
		s = append(s, u)
		return err
	}
	isFile := false
	for i := 0; i < len(args); i++ {
		if args[i] != "-f" {
			rest = append(rest, args[i])
		} else if i++; args[i] != "-" {
			isFile = true
			if err := manifest.ReadPath(args[i], slices.Contains(args, "-R"), 0, add); err != nil {
				errs = err
			}
		}
	}
	if !isFile {
		errs = manifest.Read("input", strings.NewReader(stdin), add)
	}
	if errs != nil {
		return nil, nil
	}
	return s, append(rest, "-f", "-")
}

func (s store) String() string {
	return list(lists.Each(s, func(o *unstructured.Unstructured) string { return mustJSON(o.Object) })...)
}

func (s store) clone() store { return lists.Each(s, (*unstructured.Unstructured).DeepCopy) }

// object returns the object, or nil.
func (s store) object(kind, namespace, name string) *unstructured.Unstructured {
	i := slices.IndexFunc(s, func(o *unstructured.Unstructured) bool {
		isThere := o.GetNamespace() == "" || namespace == "" || o.GetNamespace() == namespace
		return isThere && strings.EqualFold(o.GetKind(), kind) && o.GetName() == name
	})
	if i < 0 {
		return nil
	}
	return s[i]
}

// specOf returns the path of the spec with tolerations, of a pod or a template.
func specOf(o *unstructured.Unstructured) []string {
	switch o.GetKind() {
	case "Pod", "Node":
		return []string{"spec"}
	case "CronJob":
		return []string{"spec", "jobTemplate", "spec", "template", "spec"}
	}
	return []string{"spec", "template", "spec"}
}

func tolerationsOf(o *unstructured.Unstructured) (list []taints.Toleration) {
	field, _, _ := unstructured.NestedFieldNoCopy(o.Object, append(specOf(o), "tolerations")...)
	_ = json.Unmarshal([]byte(mustJSON(field)), &list) // of what is no toleration, nothing
	return list
}

func setTolerations(o *unstructured.Unstructured, list []taints.Toleration) {
	var field []any
	_ = utiljson.Unmarshal([]byte(mustJSON(list)), &field)
	if _ = unstructured.SetNestedField(o.Object, field, append(specOf(o), "tolerations")...); len(list) == 0 {
		unstructured.RemoveNestedField(o.Object, append(specOf(o), "tolerations")...)
	}
}

func nodeOf(t *testing.T, o *unstructured.Unstructured) (n corev1.Node) {
	t.Helper()
	if err := json.Unmarshal([]byte(mustJSON(o.Object)), &n); err != nil {
		t.Fatal(err)
	}
	n.APIVersion = "v1"
	return n
}

// writeNode writes the taints and the cordon.
func writeNode(o *unstructured.Unstructured, n *corev1.Node) {
	var field []any
	_ = utiljson.Unmarshal([]byte(mustJSON(n.Spec.Taints)), &field)
	_ = unstructured.SetNestedField(o.Object, field, "spec", "taints")
	_ = unstructured.SetNestedField(o.Object, n.Spec.Unschedulable, "spec", "unschedulable")
}

// withoutFlags returns the namespace of a command, and what follows the flags.
func withoutFlags(words []string) (namespace string, args []string) {
	namespace, args = "default", words[1:]
	for strings.HasPrefix(args[0], "-") {
		switch _, _, hasValue := strings.Cut(args[0], "="); {
		case hasValue:
			args = args[1:]
			continue
		case args[0] == "-n":
			namespace = args[1]
		}
		args = args[2:]
	}
	return namespace, args
}

// shellWords splits a command as a shell does.
func shellWords(t *testing.T, command string) []string {
	t.Helper()
	if !strings.ContainsAny(command, `'"\$`) { // much faster
		return strings.Fields(command)
	}
	if splitCommands[command] == nil {
		out, err := exec.Command("sh", "-c", `printf '%s\000' `+command).Output()
		if err != nil {
			t.Skipf("there is no shell: %v", err)
		}
		splitCommands[command] = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	return splitCommands[command]
}

var splitCommands = make(map[string][]string)

// patched returns the tolerations of the object, which are the list, after the JSON patch. The
// patch fails, or it loses none of them except those that it names.
func patched(t *testing.T, text string, o *unstructured.Unstructured, list []taints.Toleration) []taints.Toleration {
	t.Helper()
	patch, err := jsonpatch.DecodePatch([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	after := o.DeepCopy()
	setTolerations(after, list)
	out, err := patch.Apply([]byte(mustJSON(after.Object)))
	if err != nil {
		return nil
	}
	if err := json.Unmarshal(out, &after.Object); err != nil {
		t.Fatal(err)
	}
	got := tolerationsOf(after)
	for _, lost := range list {
		isNamed := func(o jsonpatch.Operation) bool {
			var named taints.Toleration
			raw := o["value"]
			return o.Kind() == "test" && raw != nil && json.Unmarshal(*raw, &named) == nil && named.Equal(lost)
		}
		if !slices.ContainsFunc(got, lost.Equal) && !slices.ContainsFunc(patch, isNamed) {
			t.Errorf("%s: the toleration %s of %v is lost", text, lost, list)
		}
	}
	if taints.ValidateTolerations(got) != nil && taints.ValidateTolerations(list) == nil {
		t.Errorf("%s: %v is invalid", text, got)
	}
	return got
}

// checkPreviewSafe checks that those who have a node that is uncordoned are named, and that
// --disable-eviction is there only if it was asked for, with its price.
func checkPreviewSafe(t *testing.T, s store, args []string) {
	t.Helper()
	var r preview.Report
	code, stdout, _ := runOn(strings.NewReader(s.String()), append(args, "-o", "json")...)
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != 0 {
		t.Fatalf("%s: exit code %d, %v", args, code, err)
	}
	if isAsked := slices.Contains(args, "--disable-eviction"); strings.Contains(r.Command, "--disable-eviction") != (isAsked && r.Command != "") {
		t.Errorf("%s: %s", args, r.Command)
	}
	for _, name := range r.Changed {
		why, isNamed := s.heldBy(t, name), strings.Contains(strings.Join(r.Notes, " "), name)
		if args[1] == "uncordon" && why != "" && !isNamed {
			t.Errorf("%s: no note that %s: %s", args, name, why)
		}
	}
	says := strings.Contains(stdout, "in spite of ") || strings.Contains(stdout, "shuts the virtual machine down")
	if strings.Contains(stdout, "--disable-eviction") && r.Leave+r.Stay > 0 && !says {
		t.Errorf("%s: no price of --disable-eviction: %s", args, stdout)
	}
}

// checkSafe checks that no command of the report does harm, whatever the words before it
// say: it ends no cordon of what is sick or in use, tolerates no state of a node and
// nothing that nobody knows, deletes no node where more than nodes failed or etcd may run,
// and deletes no pod past its budget.
func checkSafe(t *testing.T, s store, r *diagnosis.Report) {
	t.Helper()
	for _, x := range slices.Concat(r.Pending, r.DaemonSets, []*diagnosis.Pending{{Fix: r.WaysOut}}) {
		for _, step := range x.Fix {
			for command := range strings.SplitSeq(step.Command, " || ") {
				if why := s.harmOf(t, x, command); why != "" {
					t.Errorf("%s: %s: %s", step.Text, command, why)
				}
			}
		}
	}
}

// harmOf returns the harm that the command does, or "".
func (s store) harmOf(t *testing.T, x *diagnosis.Pending, command string) string {
	t.Helper()
	if command == "" {
		return ""
	}
	_, args := withoutFlags(shellWords(t, command))
	switch isOfNode := len(args) > 1 && args[1] == "node"; {
	case args[0] == "uncordon":
		for _, name := range args[1:] {
			if why := s.heldBy(t, name); why != "" {
				return name + ": " + why
			}
		}
	case args[0] == "delete" && isOfNode:
		for _, name := range args[2:] {
			if why := s.keptBy(t, name); why != "" {
				return name + ": " + why
			}
		}
	case args[0] == "patch":
		return s.toleratedBy(t, x, args[len(args)-1])
	case !slices.Contains([]string{"taint", "delete", "describe", "get", "rollout"}, args[0]):
		return "an unknown command"
	}
	return ""
}

var (
	isHeld    = regexp.MustCompile(`(?i)(cordon|quarantin|maint|drain|reboot|repair|fenc|remediat|evacuat|decommission|upgrad)`)
	isState   = regexp.MustCompile(`(?i)(state|status|phase|health|reason)`)
	isOfTaint = regexp.MustCompile(`(?i)(quarantin|fenc|evacuat|decommission|broken|unhealthy|degraded|out-of-service)`)
	isDenied  = regexp.MustCompile(`(?i)^(false|done|no|none|upgrade-done|)$`)
)

// heldBy returns what speaks against the uncordon of a node, or "".
func (s store) heldBy(t *testing.T, name string) string {
	o := s.object("Node", "", name)
	if o == nil {
		return "no such node"
	}
	n := nodeOf(t, o)
	for _, c := range n.Status.Conditions {
		if isGood := strings.HasSuffix(string(c.Type), "Ready") || c.Type == "EtcdIsVoter"; isGood != (c.Status == corev1.ConditionTrue) {
			return "its condition " + string(c.Type) + " is " + string(c.Status)
		}
	}
	for _, set := range []map[string]string{n.Annotations, n.Labels} {
		for key, value := range set {
			if (isHeld.MatchString(key) || isState.MatchString(key) && isHeld.MatchString(value)) && !isDenied.MatchString(value) {
				return key + "=" + value
			}
		}
	}
	for _, t := range n.Spec.Taints {
		if isOfTaint.MatchString(t.Key + "=" + t.Value) {
			return "its taint " + t.ToString()
		}
	}
	for _, e := range n.ManagedFields {
		if e.FieldsV1 != nil && strings.Contains(string(e.FieldsV1.GetRawBytes()), `"f:unschedulable"`) && !strings.HasPrefix(e.Manager, "kubectl") {
			return e.Manager + " cordoned it"
		}
	}
	for _, o := range s {
		nodeName, _, _ := unstructured.NestedString(o.Object, "status", "nodeName")
		ref, _, _ := unstructured.NestedString(o.Object, "status", "nodeRef", "name")
		if o.GetDeletionTimestamp() != nil && (nodeName == name || ref == name || o.GetName() == name && o.GetKind() == "Node") {
			return o.GetKind() + " " + o.GetName() + " is being deleted"
		}
	}
	return ""
}

// keptBy returns what speaks against the deletion of a node, or "".
func (s store) keptBy(t *testing.T, name string) string {
	o := s.object("Node", "", name)
	if o == nil {
		return "no such node"
	}
	for _, role := range []string{"control-plane", "master", "etcd"} {
		if _, is := o.GetLabels()["node-role.kubernetes.io/"+role]; is {
			return "etcd may have a member there"
		}
	}
	zone := o.GetLabels()[corev1.LabelTopologyZone]
	nodes, silent := make(map[string]int), make(map[string]int)
	for _, n := range s.world(t).nodes {
		ready, _ := conditionsOf(n, n)
		for _, area := range []string{"the cluster", "zone " + n.Labels[corev1.LabelTopologyZone]} {
			if nodes[area]++; ready == corev1.ConditionUnknown {
				silent[area]++
			}
		}
	}
	for area, least := range map[string]int{"the cluster": 1, "zone " + zone: 2} {
		if nodes[area] >= least && nodes[area] == silent[area] && area != "zone " {
			return "no node of " + area + " answers"
		}
	}
	return ""
}

// toleratedBy returns a taint that the patch tolerates and that marks no pool, or "".
func (s store) toleratedBy(t *testing.T, x *diagnosis.Pending, patch string) string {
	t.Helper()
	var operations []struct{ Value json.RawMessage }
	if err := json.Unmarshal([]byte(patch), &operations); err != nil {
		t.Fatal(err)
	}
	var added []taints.Toleration
	for _, o := range operations {
		var one taints.Toleration
		var list []taints.Toleration
		if json.Unmarshal(o.Value, &list) != nil && json.Unmarshal(o.Value, &one) == nil {
			list = append(list, one)
		}
		added = append(added, list...)
	}
	for _, n := range s.world(t).nodes {
		for _, taint := range kube.Taints(n.Spec.Taints) {
			_, was := taints.Match(taint, x.Tolerations)
			_, is := taints.Match(taint, added)
			if is && !was && !s.marksPool(t, x, taint, n) {
				return "it tolerates " + taint.String()
			}
		}
	}
	return ""
}

// marksPool reports whether something says that the taint is for pods that tolerate it, and
// nothing that it is for a state.
func (s store) marksPool(t *testing.T, x *diagnosis.Pending, taint taints.Taint, n *corev1.Node) bool {
	t.Helper()
	part := taint.Key[strings.LastIndex(taint.Key, "/")+1:]
	isChosen := purpose.Known(taint).IsGuess && taint.Value != "" && x.NodeSelector[taint.Key] == taint.Value
	isState := purpose.StateOf(taint) != purpose.None && !isChosen || slices.ContainsFunc(keyRows(t), func(k keyRow) bool {
		return !k.isPool && k.Key == taint.Key && k.Value == taint.Value && k.Key != "app" // whose words do not say their state
	}) || slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		word := strings.ReplaceAll(part, "-", "")
		return c.Status == corev1.ConditionTrue && c.Type != corev1.NodeReady && strings.EqualFold(word, string(c.Type))
	})
	for _, o := range s {
		startup, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "startupTaints")
		of, hasPool := n.Labels["karpenter.sh/nodepool"]
		isOther := o.GetKind() == "NodePool" && hasPool && of != o.GetName()
		isState = isState || !isOther && strings.Contains(mustJSON(startup), `"`+taint.Key+`"`) && (taint.Value == "" || strings.Contains(mustJSON(startup), `"`+taint.Value+`"`))
	}
	value, hasKey := n.Labels[taint.Key]
	_, isResource := n.Status.Allocatable[corev1.ResourceName(taint.Key)]
	isLabel := hasKey && (taint.Value == "" || value == taint.Value) || taint.Value != "" && n.Labels[part] == taint.Value
	isMistake := slices.ContainsFunc(x.Rejections, func(r why.Rejection) bool { return r.Taint.ID() == taint.ID() && r.Hint != "none" && r.Hint != "" })
	isNamed := slices.ContainsFunc(s, func(o *unstructured.Unstructured) bool {
		listed, _, _ := unstructured.NestedSlice(o.Object, append(specOf(o), "taints")...)
		isListed := o.GetKind() != "Node" && strings.Contains(mustJSON(listed), `"`+taint.Key+`"`)
		return isListed || slices.ContainsFunc(tolerationsOf(o), func(tol taints.Toleration) bool { return tol.Key == taint.Key })
	})
	isWanted := strings.Contains(x.NodeAffinity, " ") && !strings.Contains(x.NodeAffinity, "metadata.name")
	for key := range x.NodeSelector {
		isWanted = isWanted || key != "kubernetes.io/os" && !strings.HasPrefix(key, "topology.kubernetes.io/")
	}
	return !isState && (!isChosen || isNamed) && (isLabel || isResource || isMistake || isNamed || isWanted || purpose.Of(taint, purpose.Evidence{}).IsPool)
}
