// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
	"github.com/seed-0529bac1/taints/kube"
)

// TestAdvice runs files of cases. Each has objects and, indented, the advice
// for pod p: "0: …" replaces the toleration with this index, "add …" adds one,
// "repair …" is a taint of a node's state, and "if …" is an alternative. The
// cause, the steps and the notes are as users see them. "kept off …" is about a
// DaemonSet.
func TestAdvice(t *testing.T) {
	for _, file := range []string{"testdata/advice.txt", "testdata/workloads.txt"} {
		cases.Run(t, file, func(t *testing.T, lines []string) []string {
			input := objectsOf(lines)
			r := mustReport(t, input)
			if len(r.Causes) > 1 || len(r.Causes)+len(r.KeptOff) == 0 {
				t.Fatalf("%s: causes %+v", lines, r.Causes)
			}
			for _, c := range slices.Concat(r.Causes, r.KeptOff) {
				checkForms(t, c, input)
			}
			checkFixes(t, input)
			return adviceOf(&r)
		})
	}
}

// TestOutput runs files of cases with objects and the output of the program for them and
// some arguments, without blank lines. In preview.txt, the content of the JSON form follows, and
// kubectl's own code does the same. exit-codes.txt has no standard output.
func TestOutput(t *testing.T) {
	for _, file := range []string{"testdata/output.txt", "testdata/preview.txt", "testdata/preview-output.txt", "testdata/page.txt", "testdata/exit-codes.txt"} {
		cases.Run(t, file, func(t *testing.T, lines []string) []string {
			last := len(lines) - 1
			input, args := objectsOf(lines[:last]), strings.Fields(strings.TrimPrefix(lines[last], "$ kubectl whynot"))
			code, stdout, stderr := runOn(strings.NewReader(input), args...)
			if file == "testdata/exit-codes.txt" {
				return strings.Split(strings.TrimSpace(fmt.Sprintf("exit code %d\n%s", code, stderr)), "\n")
			}
			output := outputOf(code, visible(stdout)+stderr)
			if code == 0 {
				checkFixes(t, input, args...)
			}
			if file != "testdata/preview.txt" {
				return output
			}
			server := newAPIServer(t)
			server.store, _ = readStore(input, nil)
			server.compare(t, args[1:])
			var report map[string]json.RawMessage
			if err := json.Unmarshal([]byte(mustRun(t, input, append(args, "-o", "json")...)), &report); err != nil {
				t.Fatal(err)
			}
			for _, key := range slices.Sorted(maps.Keys(report)) {
				output = append(output, key+" "+mustJSON(report[key]))
			}
			return output
		})
	}
}

// outputOf returns the lines of the output that are not blank, and the exit code of a failure.
func outputOf(code int, output string) []string {
	if code != 0 {
		output += fmt.Sprint("\nexit code ", code)
	}
	return slices.DeleteFunc(strings.Split(output, "\n"), func(s string) bool { return s == "" })
}

// objectsOf parses lines as objectOf does. "3 times LINE" has the numbers from 0 to 2 in
// place of "#".
func objectsOf(lines []string) string {
	var documents []string
	for _, line := range lines {
		times, one, isMany := strings.Cut(line, " times ")
		if !isMany {
			documents = append(documents, objectOf(line))
			continue
		}
		for i := range taints.Must(strconv.Atoi(times)) {
			documents = append(documents, objectOf(strings.ReplaceAll(one, "#", strconv.Itoa(i))))
		}
	}
	if len(documents) < 2 {
		return strings.Join(documents, "")
	}
	return "# YAML\n" + strings.Join(documents, "\n---\n")
}

// objectOf returns the object of a line "node NAME cordoned CONDITION=STATUS LABEL=VALUE
// TAINT@TIME" or "pod/NAME on NODE of KIND/NAME TOLERATION, TOLERATION # MESSAGE". All but
// the first word and the name of a node may be missing. Other lines are objects.
func objectOf(line string) string {
	words := strings.Fields(line)
	switch kind, name, _ := strings.Cut(words[0], "/"); kind {
	case "node":
		return mustJSON(nodeIn(words[1], words[2:]))
	case "pod":
		text, message, _ := strings.Cut(line, " # ")
		return mustJSON(podIn(cmp.Or(name, "p"), strings.Fields(text)[1:], message))
	}
	return line
}

func nodeIn(name string, words []string) (n corev1.Node) {
	n.Kind, n.APIVersion, n.Name, n.Labels = "Node", "v1", name, make(map[string]string)
	for _, word := range words {
		text, at, _ := strings.Cut(word, "@")
		key, value, _ := strings.Cut(word, "=")
		switch {
		case word == "cordoned":
			n.Spec.Unschedulable = true
		case strings.Contains(text, ":"):
			taint := taints.Must(taints.ParseTaint(text))
			if at != "" {
				taint.TimeAdded = new(taints.Must(time.Parse(time.RFC3339, "2026-11-21T"+at+":00Z")))
			}
			n.Spec.Taints = append(n.Spec.Taints, kube.CoreTaints([]taints.Taint{taint})...)
		case value == "True" || value == "False" || value == "Unknown":
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeConditionType(key), Status: corev1.ConditionStatus(value)})
		default:
			n.Labels[key] = value
		}
	}
	return n
}

func podIn(name string, words []string, message string) (p corev1.Pod) {
	p.Kind, p.APIVersion, p.Name, p.Status.Phase = "Pod", "v1", name, corev1.PodPending
	for len(words) > 1 && (words[0] == "on" || words[0] == "of") {
		if kind, owner, _ := strings.Cut(words[1], "/"); words[0] == "of" {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: owner, Controller: new(true)}}
		} else {
			p.Spec.NodeName, p.Status.Phase = words[1], corev1.PodRunning
		}
		words = words[2:]
	}
	for text := range strings.SplitSeq(strings.Join(words, " "), ", ") {
		if text != "" {
			p.Spec.Tolerations = append(p.Spec.Tolerations, kube.CoreTolerations([]taints.Toleration{tol(text)})...)
		}
	}
	if message != "" {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: message}}
	}
	return p
}

func adviceOf(r *diagnosis.Report) []string {
	var lines []string
	for _, c := range r.KeptOff {
		lines = append(lines, "kept off "+strings.Join(c.Owners, ", ")+" "+c.Text)
		lines = append(lines, fixesOf(c)...)
	}
	if len(r.Pending) == 0 {
		return lines
	}
	x, c := r.Pending[0], r.Causes[0]
	if x.Change != nil {
		lines = append(entryTexts(x.Tolerations, x.Change.Entries), stateTexts(x.Change.NodeTaints)...)
		lines = append(lines, fmt.Sprintf("opens %d", x.Change.Opens))
	}
	for _, a := range x.Alternatives {
		words := slices.Concat([]string{"if"}, lists.Each(a.Taints, say.Taint), stateTexts(a.NodeTaints), entryTexts(x.Tolerations, a.Corrections))
		lines = append(lines, strings.Join(words, " "))
	}
	return append(append(lines, "cause "+c.Text), fixesOf(c)...)
}

// fixesOf returns the steps and the notes of the cause.
func fixesOf(c *diagnosis.Cause) (lines []string) {
	for _, s := range c.Fix {
		if s.Effect != "" {
			s.Text += "; " + s.Effect
		}
		if s.For != "" {
			s.Text += " (for " + s.For + ")"
		}
		lines = append(lines, strings.TrimSpace("fix "+string(s.Relation))+" "+strings.TrimSuffix(s.Text+": "+s.Command, ": "))
	}
	for _, n := range c.Notes {
		lines = append(lines, "note "+n)
	}
	return lines
}

// entryTexts returns entries as text, with the indexes that they replace.
func entryTexts(tolerations []taints.Toleration, list []remedy.Entry) []string {
	return lists.Each(list, func(e remedy.Entry) string {
		if e.Replaces != nil {
			return fmt.Sprintf("%d: %s", slices.IndexFunc(tolerations, e.Replaces.Equal), e.Toleration)
		}
		return "add " + e.Toleration.String()
	})
}

func stateTexts(list []taints.Taint) []string {
	return lists.Each(list, func(t taints.Taint) string { return "repair " + t.String() })
}

// checkForms checks that page one, the details and the page use the same words,
// and that YAML has the same content as JSON, which the cause is from.
func checkForms(t *testing.T, c *diagnosis.Cause, input string) {
	t.Helper()
	inYAML, err := yaml.YAMLToJSON([]byte(mustRun(t, input, "-o", "yaml")))
	var asJSON any
	if err == nil {
		err = json.Unmarshal([]byte(mustRun(t, input, "-o", "json")), &asJSON)
	}
	if err != nil || string(inYAML) != mustJSON(asJSON) {
		t.Errorf("YAML differs from JSON, %v: %s", err, inYAML)
	}
	for form, text := range map[string]string{
		"page one": mustRun(t, input), "the details": mustRun(t, input, "-o", "wide"), "the page": visible(mustRun(t, input, "-o", "html")),
	} {
		words := []string{c.Text}
		for _, s := range fix.Once(c.Fix) {
			line, _ := said("step", s)
			words = append(words, line, s.Command)
		}
		for _, w := range words {
			if form == "the details" {
				w = strings.Replace(w, "-o wide lists", "are listed below", 1)
			}
			if !strings.Contains(oneLine(text), oneLine(w)) {
				t.Errorf("%s lacks %q: %s", form, w, text)
			}
		}
	}
}
