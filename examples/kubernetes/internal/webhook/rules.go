// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/labels"
)

// Rules are what the rules file says. The zero Rules give nothing away and
// forbid nothing.
type Rules struct {
	cluster     namespaceRules
	namespaces  map[string]namespaceRules
	dedications []dedication
	// exemptDaemonSets leaves the pods that the DaemonSet controller makes alone:
	// who may create DaemonSets decides about them.
	exemptDaemonSets bool
}

// A namespaceRules is about the pods of one namespace, or of all that say nothing else.
type namespaceRules struct {
	defaults []taints.Toleration // given to every pod; nil: those of the cluster
	allowed  []taints.Toleration // what pods may tolerate; nil: as the cluster says, and anything where that is nil too
}

// A dedication sends some pods to nodes of their own.
type dedication struct {
	name         string
	namespaces   []string          // of the pods; empty: all
	matchLabels  map[string]string // of the pods; empty: any
	tolerations  []taints.Toleration
	nodeSelector map[string]string
}

// Len returns for how many namespaces the rules say something, and how many
// dedications there are.
func (r *Rules) Len() (namespaces, dedications int) { return len(r.namespaces), len(r.dedications) }

// defaultsOf returns what every pod of the namespace is given.
func (r *Rules) defaultsOf(namespace string) []taints.Toleration {
	if own := r.namespaces[namespace].defaults; own != nil {
		return own
	}
	return r.cluster.defaults
}

// allowedIn returns what the pods of the namespace may tolerate; nil means anything.
func (r *Rules) allowedIn(namespace string) []taints.Toleration {
	if own := r.namespaces[namespace].allowed; own != nil {
		return own
	}
	return r.cluster.allowed
}

// dedicationsFor returns those that apply to a pod, in order.
func (r *Rules) dedicationsFor(namespace string, podLabels map[string]string) []*dedication {
	var list []*dedication
	for i := range r.dedications {
		d := &r.dedications[i]
		if (len(d.namespaces) == 0 || slices.Contains(d.namespaces, namespace)) && labels.HasAll(podLabels, d.matchLabels) {
			list = append(list, d)
		}
	}
	return list
}

// A rulesError is all that is wrong with a rules file.
type rulesError []string

// Error returns the problem, or the problems with one on each line.
func (e rulesError) Error() string {
	if len(e) == 1 {
		return e[0]
	}
	return fmt.Sprintf("%d problems:\n  %s", len(e), strings.Join(e, "\n  "))
}

// ParseRules reads a rules file, which is JSON, and refuses one that cannot mean
// what it says: the README of the program admission has the form and the conditions.
// The error has all problems, or the first where the text is not JSON; the rules are
// zero then. Nothing of the text is retained.
func ParseRules(text []byte) (Rules, error) {
	decoded, err := decodeJSON(bytes.NewReader(text), nil, math.MaxInt)
	if err != nil {
		return Rules{}, err
	}
	var r reader
	read := r.rules(value{json: decoded})
	if len(r.problems) == 0 {
		read.check(&r)
	}
	if len(r.problems) > 0 {
		return Rules{}, rulesError(r.problems)
	}
	return *read, nil
}

func (r *reader) rules(v value) *Rules {
	top := r.object(v)
	if v.json == nil {
		r.note("", "the JSON is null, not an object")
	}
	r.only(top, "cluster", "namespaces", "dedications", "exemptDaemonSets")
	read := &Rules{
		cluster:          r.namespaceRules(top.field("cluster")),
		namespaces:       map[string]namespaceRules{},
		exemptDaemonSets: r.truth(top.field("exemptDaemonSets")),
	}
	namespaces := r.object(top.field("namespaces"))
	for _, name := range slices.Sorted(maps.Keys(namespaces.members)) {
		r.namespace(namespaces.entry(name).path, name)
		read.namespaces[name] = r.namespaceRules(namespaces.entry(name))
	}
	for _, v := range r.list(top.field("dedications")) {
		read.dedications = append(read.dedications, r.dedication(v))
	}
	return read
}

func (r *reader) namespaceRules(v value) namespaceRules {
	o := r.object(v)
	r.only(o, "defaultTolerations", "allowedTolerations")
	return namespaceRules{
		defaults: r.validTolerations(o.field("defaultTolerations")),
		allowed:  r.validTolerations(o.field("allowedTolerations")),
	}
}

func (r *reader) dedication(v value) dedication {
	o := r.object(v)
	r.only(o, "name", "namespaces", "podSelector", "tolerations", "nodeSelector")
	selector := r.object(o.field("podSelector"))
	r.only(selector, "matchLabels")
	d := dedication{
		name:         r.text(o.field("name")),
		matchLabels:  r.labels(selector.field("matchLabels")),
		tolerations:  r.validTolerations(o.field("tolerations")),
		nodeSelector: r.labels(o.field("nodeSelector")),
	}
	for _, v := range r.list(o.field("namespaces")) {
		namespace := r.text(v)
		r.namespace(v.path, namespace)
		d.namespaces = append(d.namespaces, namespace)
	}
	if d.name == "" {
		r.note(v.path, ".name is missing; refusals and the log name the dedication by it")
	}
	if len(d.namespaces) == 0 && len(d.matchLabels) == 0 {
		r.note(v.path, " is for no pods: it needs namespaces, podSelector.matchLabels, or both")
	}
	if len(d.tolerations) == 0 {
		r.note(v.path, ".tolerations are missing: nothing would let the pods onto the nodes")
	}
	if len(d.nodeSelector) == 0 {
		r.note(v.path, ".nodeSelector is missing: nothing would keep the pods from going elsewhere")
	}
	return d
}

// validTolerations reads a list of tolerations that an API server would accept; nil
// if it is missing.
func (r *reader) validTolerations(v value) []taints.Toleration {
	for _, element := range r.list(v) {
		r.only(r.object(element), "key", "operator", "value", "effect", "tolerationSeconds")
	}
	list := r.tolerations(v)
	r.faults(v.path, taints.ValidateTolerations(list))
	return list
}

// labels reads labels that an API server would accept, for which the conditions are
// those of a taint's key and value.
func (r *reader) labels(v value) map[string]string {
	labels := r.texts(v)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		path := r.object(v).entry(key).path
		if key == "" {
			r.note(path, " has no key")
			continue
		}
		r.faults(path, taints.Taint{Key: key, Value: labels[key], Effect: taints.NoSchedule}.Validate())
	}
	return labels
}

// faults notes what a validation of package taints found.
func (r *reader) faults(path string, err error) {
	if err == nil {
		return
	}
	for _, fault := range err.(*taints.ErrorList).Errors {
		if fault.List == "" { // of a single taint
			r.note(path, ".%v", fault)
			continue
		}
		at := *fault
		at.List = path
		r.note("", "%v", &at)
	}
}

// namespace notes a name that is none of a namespace.
func (r *reader) namespace(path, name string) {
	if !IsDNSLabel(name) {
		r.note(path, ": %s is not the name of a namespace: up to 63 lower case letters, digits and '-'", quote(name))
	}
}

// IsDNSLabel reports whether s is a label of RFC 1123, as the name of a namespace or
// service is: 1 to 63 lower case letters, digits and '-', the last not at the ends.
func IsDNSLabel(s string) bool {
	return s != "" && len(s) <= 63 && s[0] != '-' && s[len(s)-1] != '-' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// check notes where the rules, each of them valid, contradict each other.
func (r *Rules) check(to *reader) {
	names := map[string]int{}
	for i := range r.dedications {
		d := &r.dedications[i]
		path := fmt.Sprintf("dedications[%d]", i)
		if first, ok := names[d.name]; ok {
			to.note(path, ".name: dedications[%d] is %s too", first, quote(d.name))
		} else {
			names[d.name] = i
		}
		for j := range r.dedications {
			r.checkPair(to, i, j)
		}
		r.checkDedication(to, path+".tolerations", d)
	}
	r.checkDefaults(to)
}

// checkPair notes that no pod of the dedication i can ever be admitted, because
// each is one of j as well, which wants other nodes.
func (r *Rules) checkPair(to *reader, i, j int) {
	d, other := &r.dedications[i], &r.dedications[j]
	if i == j || !d.within(other) || j > i && other.within(d) { // of two for the same pods, the later one is at fault
		return
	}
	for _, key := range slices.Sorted(maps.Keys(d.nodeSelector)) {
		if want, ok := other.nodeSelector[key]; ok && want != d.nodeSelector[key] {
			to.note("", "dedications[%d].nodeSelector wants %s=%s, but every pod of it is one of dedications[%d] too, which wants %s=%s",
				i, key, d.nodeSelector[key], j, key, want)
		}
	}
}

// within reports whether every pod that d applies to is one that other applies to.
func (d *dedication) within(other *dedication) bool {
	if !labels.HasAll(d.matchLabels, other.matchLabels) {
		return false
	}
	if len(other.namespaces) == 0 {
		return true
	}
	outside := func(namespace string) bool { return !slices.Contains(other.namespaces, namespace) }
	return len(d.namespaces) > 0 && !slices.ContainsFunc(d.namespaces, outside)
}

// checkDedication notes where pods would be refused for what the dedication gives them.
func (r *Rules) checkDedication(to *reader, path string, d *dedication) {
	if len(d.namespaces) > 0 {
		for _, namespace := range d.namespaces {
			r.checkAllowed(to, path, d.tolerations, namespace)
		}
		return
	}
	r.checkAllowed(to, path, d.tolerations, "")
	for _, namespace := range slices.Sorted(maps.Keys(r.namespaces)) {
		if r.namespaces[namespace].allowed != nil {
			r.checkAllowed(to, path, d.tolerations, namespace)
		}
	}
}

// checkDefaults notes where pods would be refused for the defaults that they are given.
func (r *Rules) checkDefaults(to *reader) {
	r.checkAllowed(to, "cluster.defaultTolerations", r.cluster.defaults, "")
	for _, namespace := range slices.Sorted(maps.Keys(r.namespaces)) {
		path := "cluster.defaultTolerations"
		switch own := r.namespaces[namespace]; {
		case own.defaults != nil:
			path = fmt.Sprintf("namespaces[%q].defaultTolerations", namespace)
		case own.allowed == nil:
			continue // has nothing of its own
		}
		r.checkAllowed(to, path, r.defaultsOf(namespace), namespace)
	}
}

// checkAllowed notes the first of the tolerations that is not allowed in the
// namespace; one without a name has no rules of its own. What admission gives to
// every pod is allowed everywhere.
func (r *Rules) checkAllowed(to *reader, path string, list []taints.Toleration, namespace string) {
	allowed := r.allowedIn(namespace)
	if allowed == nil {
		return
	}
	by := "cluster"
	if r.namespaces[namespace].allowed != nil {
		by = fmt.Sprintf("namespaces[%q]", namespace)
	}
	defaults := taints.AddDefaults(nil, taints.DefaultSeconds{})
	if refused := uncovered(list, slices.Concat(allowed, defaults)); len(refused) > 0 {
		i := refused[0]
		to.note("", "%s[%d]: %v would be refused by %s.allowedTolerations", path, i, list[i], by)
	}
}
