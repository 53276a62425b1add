// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/remedy"
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
// some arguments, without blank lines.
func TestOutput(t *testing.T) {
	for _, file := range []string{"testdata/output.txt", "testdata/preview-output.txt"} {
		cases.Run(t, file, func(t *testing.T, lines []string) []string {
			args, _ := strings.CutPrefix(lines[len(lines)-1], "$ kubectl whynot")
			input := objectsOf(lines[:len(lines)-1])
			code, stdout, stderr := runOn(strings.NewReader(input), strings.Fields(args)...)
			output := strings.Split(stdout+stderr, "\n")
			if code != 0 {
				output = append(output, fmt.Sprint("exit code ", code))
			} else {
				checkFixes(t, input, strings.Fields(args)...)
			}
			return slices.DeleteFunc(output, func(s string) bool { return s == "" })
		})
	}
}

// objectsOf parses lines of the form "node NAME LABEL… TAINT…" or "pod
// TOLERATION, …" and objects in YAML. "3 times LINE" has the numbers from 0 to 2
// in place of "#".
func objectsOf(lines []string) string {
	var documents []string
	for _, line := range lines {
		count, one, isMany := strings.Cut(line, " times ")
		if !isMany {
			documents = append(documents, objectOf(line))
			continue
		}
		n, _ := strconv.Atoi(count)
		for i := range n {
			documents = append(documents, objectOf(strings.ReplaceAll(one, "#", strconv.Itoa(i))))
		}
	}
	if len(documents) < 2 {
		return strings.Join(documents, "")
	}
	return "# YAML\n" + strings.Join(documents, "\n---\n")
}

func objectOf(line string) string {
	kind, rest, _ := strings.Cut(line, " ")
	metadata, spec := map[string]any{"name": "p"}, make(map[string]any)
	switch kind {
	case "node":
		kind = "Node"
		words, labels, list := strings.Fields(rest), make(map[string]string), []taints.Taint{}
		for _, word := range words[1:] {
			if strings.Contains(word, ":") {
				list = append(list, taints.Must(taints.ParseTaint(word)))
			} else {
				key, value, _ := strings.Cut(word, "=")
				labels[key] = value
			}
		}
		metadata["name"], metadata["labels"], spec["taints"] = words[0], labels, list
		_, spec["unschedulable"] = taints.FindTaint(list, cluster.Cordon.ID())
	case "pod":
		kind = "Pod"
		var list []taints.Toleration
		for s := range strings.SplitSeq(rest, ", ") {
			if s != "" {
				list = append(list, tol(s))
			}
		}
		spec["tolerations"] = list
	default:
		return line
	}
	return mustJSON(map[string]any{"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec})
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
		words := slices.Concat([]string{"if"}, say.TaintTexts(a.Taints), stateTexts(a.NodeTaints), entryTexts(x.Tolerations, a.Corrections))
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
	tags := regexp.MustCompile(`<[^>]+>`)
	page := html.UnescapeString(tags.ReplaceAllString(mustRun(t, input, "-o", "html"), " "))
	for form, text := range map[string]string{
		"page one": mustRun(t, input), "the details": mustRun(t, input, "-o", "wide"), "the page": page,
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
