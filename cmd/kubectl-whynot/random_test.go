// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
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
		input := objectsOf(d.cluster())
		s, _ := readStore(input, nil)
		w, r := s.world(t), mustReport(t, input)
		pending := slices.DeleteFunc(slices.Clone(w.pods), func(p *corev1.Pod) bool { return p.Spec.NodeName != "" || p.DeletionTimestamp != nil })
		seen := 0
		for _, x := range r.Pending {
			if !strings.Contains(x.Pods[0], "/") {
				w.checkPending(t, input, x)
				seen += len(x.Pods)
			}
		}
		if seen != len(pending) {
			t.Errorf("%d of %d pending pods", seen, len(pending))
		}
		for _, m := range regexp.MustCompile(`kubectl (?:-n \S+ )?(uncordon|\w+ \w+)`).FindAllStringSubmatch(mustJSON(r), -1) {
			seenCommands[m[1]]++
		}
		checkFixes(t, input)
		checkFixes(t, input, "preview", "uncordon", "n0")
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, input)
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

// checkPending compares the counts of nodes.
func (w *world) checkPending(t *testing.T, input string, x *diagnosis.Pending) {
	t.Helper()
	feasible, matching := make(map[string]bool), make(map[string]bool)
	for _, p := range w.pods {
		if !slices.Contains(x.Pods, p.Name) {
			continue
		}
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
		got := oneLine(mustRun(t, input, "-f", "-", "-n", x.Namespace, p.Name))
		if counts[""] == 0 && !strings.Contains(got, message) {
			t.Errorf("%s: no %q: %s", p.Name, message, got)
		}
	}
	if x.Feasible != len(feasible) || x.Matching != len(matching) {
		t.Errorf("%s: %d feasible and %d matching nodes, want %v and %v", x.Pods, x.Feasible, x.Matching, feasible, matching)
	}
}

// A drawing draws from the texts of testdata/random.txt.
type drawing struct {
	*rand.Rand
	texts map[string][]string
}

func newDrawing(t *testing.T) *drawing {
	t.Helper()
	file, err := os.ReadFile("testdata/random.txt")
	if err != nil {
		t.Fatal(err)
	}
	d := &drawing{texts: make(map[string][]string)}
	for line := range strings.SplitSeq(string(file), "\n") {
		if name, text, ok := strings.Cut(line, " ="); ok && line[0] != '#' {
			d.texts[name] = append(d.texts[name], strings.TrimSpace(text))
		}
	}
	return d
}

var choice = regexp.MustCompile(`<[^<>]*>`)

// text returns the text with one of its choices each.
func (d *drawing) text(text string) string {
	return choice.ReplaceAllStringFunc(text, func(words string) string {
		var all []string
		for word := range strings.SplitSeq(strings.Trim(words, "<>"), "|") {
			word, times, _ := strings.Cut(word, "*")
			n, _ := strconv.Atoi(times)
			all = append(all, slices.Repeat([]string{word}, max(n, 1))...)
		}
		word := all[d.IntN(len(all))]
		if texts := d.texts[word]; texts != nil {
			return d.text(texts[d.IntN(len(texts))])
		}
		return word
	})
}
