// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
)

// Random dumps are evaluated a second time, as Kubernetes' scheduler does, by plain loops
// over their objects. No command does harm, and each does what it promises.
func TestRandomDumps(t *testing.T) {
	d, seenCommands := newDrawing(t), make(map[string]int)
	for _, k := range keyRows(t) {
		d.texts["KNOWN-KEY"] = append(d.texts["KNOWN-KEY"], fmt.Sprintf("key: %q, value: %q", k.Key, k.Value))
	}
	for seed := range uint64(200) {
		d.Rand = rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t, objectsOf(d.cluster()))
		r := mustReport(t, w.input)
		seen := 0
		for _, x := range r.Pending {
			if !strings.Contains(x.Pods[0], "/") {
				w.checkPending(t, x)
				seen += len(x.Pods)
			}
		}
		if seen != w.pending {
			t.Errorf("%d of %d pending pods", seen, w.pending)
		}
		for _, m := range regexp.MustCompile(`kubectl (?:-n \S+ )?(uncordon|\w+ \w+)`).FindAllStringSubmatch(mustJSON(r), -1) {
			seenCommands[m[1]]++
		}
		checkFixes(t, w.input)
		checkFixes(t, w.input, "preview", "uncordon", "n0")
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, w.input)
		}
	}
	for _, command := range []string{"uncordon", "patch deployment", "patch pod", "delete node", "taint nodes", "describe node"} {
		if seenCommands[command] < 5 {
			t.Errorf("%s: %d times of %v", command, seenCommands[command], seenCommands)
		}
	}
}

// cluster draws nodes, and workloads with their pods.
func (d *drawing) cluster() (objects []string) {
	nodes := 1 + d.IntN(6)
	for i := range nodes {
		maker := d.text("<MAKER>")
		objects = append(objects, strings.ReplaceAll(d.text("<MEMBER>"), "#", fmt.Sprint(i)))
		if maker != "" {
			objects = append(objects, strings.ReplaceAll(maker, "#", fmt.Sprint(i)))
		}
	}
	for i := range 1 + d.IntN(5) {
		kind, tolerations := d.text("<KIND>"), d.text("<TOLERATIONS>")
		changed := tolerations
		if d.IntN(3) == 0 {
			changed = d.text("<TOLERATIONS>")
		}
		drawn := strings.NewReplacer("NAME", fmt.Sprint("w", i), "SELECTS", d.text("<SELECTOR-OF-POD>"), "TOLERATES", tolerations, "CHANGED", changed)
		if object := d.text("<" + kind + "-OBJECT>"); object != "" {
			objects = append(objects, drawn.Replace(object))
		}
		for k := range 1 + d.IntN(4) {
			place := strings.NewReplacer("#", fmt.Sprint(k), "WHERE", fmt.Sprint("n", d.IntN(nodes)))
			objects = append(objects, place.Replace(drawn.Replace(d.text("<"+kind+"-POD>"))))
		}
	}
	return objects
}

// A world is the nodes and the pods of an input.
type world struct {
	input   string
	nodes   []*corev1.Node
	pods    map[string]*corev1.Pod // by full name
	pending int
}

func newWorld(t *testing.T, input string) *world {
	w := &world{input: input, pods: make(map[string]*corev1.Pod)}
	s, _ := readStore(input, nil)
	for _, o := range s {
		p := new(corev1.Pod)
		switch o.GetKind() {
		case "Node":
			w.nodes = append(w.nodes, new(nodeOf(t, o)))
		case "Pod":
			if err := json.Unmarshal([]byte(mustJSON(o)), p); err != nil {
				t.Fatal(err)
			}
			if w.pods["default/"+p.Name] = p; p.Spec.NodeName == "" && p.DeletionTimestamp == nil {
				w.pending++
			}
		}
	}
	return w
}

// tolerates returns the first toleration of the taint, as Kubernetes finds it.
func tolerates(list []corev1.Toleration, t corev1.Taint) *corev1.Toleration {
	for i, o := range list {
		isEffect, isKey := o.Effect == "" || o.Effect == t.Effect, o.Key == "" || o.Key == t.Key
		if isEffect && isKey && (o.Operator == "Exists" || o.Value == t.Value && o.Key != "") {
			return &list[i]
		}
	}
	return nil
}

// reasonFor returns why Kubernetes' scheduler does not choose the node, or "".
func reasonFor(p *corev1.Pod, n *corev1.Node) string {
	cordon := corev1.Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}
	matches, _ := nodeaffinity.GetRequiredNodeAffinity(p).Match(n)
	isTolerated := func(t corev1.Taint) bool {
		return t.Effect == "PreferNoSchedule" || tolerates(p.Spec.Tolerations, t) != nil
	}
	if a := p.Spec.Affinity; a != nil {
		names := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values
		if !slices.Contains(names, n.Name) {
			return "node(s) didn't satisfy plugin(s) [NodeAffinity]"
		}
	}
	switch {
	case n.Spec.Unschedulable && !isTolerated(cordon):
		return "node(s) were unschedulable"
	case slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return !isTolerated(t) }):
		return "node(s) had untolerated taint(s)"
	case !matches:
		return "node(s) didn't match Pod's node affinity/selector"
	}
	return ""
}

// checkPending compares the counts of nodes.
func (w *world) checkPending(t *testing.T, x *diagnosis.Pending) {
	t.Helper()
	feasible, matching := make(map[string]bool), make(map[string]bool)
	for _, name := range x.Pods {
		p := w.pods[x.Namespace+"/"+name]
		counts := make(map[string]int)
		for _, n := range w.nodes {
			why := reasonFor(p, n)
			if counts[why]++; why == "" {
				feasible[n.Name] = true
			}
			if ok, _ := nodeaffinity.GetRequiredNodeAffinity(p).Match(n); ok {
				matching[n.Name] = true
			}
		}
		var words []string
		for why, n := range counts {
			if why != "" {
				words = append(words, fmt.Sprint(n, " ", why))
			}
		}
		slices.Sort(words)
		message := fmt.Sprintf("0/%d nodes are available: %s.", len(w.nodes), strings.Join(words, ", "))
		got := oneLine(mustRun(t, w.input, "-f", "-", "-n", x.Namespace, name))
		if counts[""] == 0 && !strings.Contains(got, message) {
			t.Errorf("%s: no %q: %s", name, message, got)
		}
	}
	if x.Feasible != len(feasible) || x.Matching != len(matching) {
		t.Errorf("%s: %d feasible and %d matching nodes, want %v and %v", x.Pods, x.Feasible, x.Matching, feasible, matching)
	}
}
