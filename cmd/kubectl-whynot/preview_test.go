// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/cases"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/internal/test/golden"
)

// previewOf runs a preview of the arguments after "kubectl" on the dump.
func previewOf(args ...string) (code int, stdout, stderr string) {
	return runOn(strings.NewReader(""), append([]string{"preview", "-f", "testdata/preview.yaml"}, args...)...)
}

func TestPreview(t *testing.T) {
	const (
		evict   = "taint nodes worker-1 worker-2 maintenance:NoExecute"
		replace = "taint nodes gpu-1 gpu-2 worker-3 dedicated=infra:NoSchedule spot- --overwrite"
	)
	for file, args := range map[string]string{
		"preview-evict.text":    evict,
		"preview-evict.yaml":    evict + " -o yaml",
		"preview-evict.wide":    evict + " -o wide",
		"preview-evict.html":    evict + " -o html",
		"preview-replace.text":  replace,
		"preview-all.text":      "taint nodes --all worker-1 node.kubernetes.io/unreachable:NoExecute",
		"preview-remove.text":   "taint nodes -l pool=gpu spot-",
		"preview-cordon.text":   "cordon worker-1 node/worker-2 old-1",
		"preview-uncordon.text": "uncordon --selector pool=old",
		"preview-nothing.text":  "cordon -l pool=none",
		"preview-drain.text":    "drain worker-1 old-1 --ignore-daemonsets --force",
		"preview-drain.wide":    "drain worker-1 old-1 --ignore-daemonsets --force -o wide",
		"preview-drain.yaml":    "drain worker-1 old-1 --ignore-daemonsets --force -o yaml",
		"preview-drain.html":    "drain worker-1 old-1 --ignore-daemonsets --force -o html",
	} {
		t.Run(file, func(t *testing.T) {
			code, stdout, stderr := previewOf(strings.Fields(args)...)
			want, wantCode := "", 0
			if strings.HasPrefix(args, replace) {
				want, wantCode = "error: node worker-3: taint \"spot\" not found\n", 1
			}
			if code != wantCode || stderr != want {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
			golden.Compare(t, file, bodyOf(stdout))
			checkFixes(t, "", append([]string{"preview", "-f", "testdata/preview.yaml"}, strings.Fields(args)...)...)
			for line := range strings.SplitSeq(stdout, "\n") {
				if strings.HasPrefix(line, "    kubectl ") {
					checkPreviewed(t, line)
				}
			}
		})
	}
}

// checkPreviewed checks that the preview understands the command as a shell does.
// The one that undoes another is refused, as nothing has changed.
func checkPreviewed(t *testing.T, command string) {
	t.Helper()
	code, _, stderr := previewOf(shellWords(t, command)[1:]...)
	isRefused := strings.Contains(stderr, " not found") || strings.Contains(stderr, "--overwrite is false")
	if code != 0 && !isRefused {
		t.Errorf("%s: exit code %d, stderr %q", command, code, stderr)
	}
}

// The completions of -o are those that the command accepts.
func TestPreviewCompletion(t *testing.T) {
	for command, accepted := range map[string][]string{"": outputs, "preview": outputs, "preview taint": outputs, "preview cordon": outputs, "preview drain": outputs} {
		args := append(append([]string{"__complete"}, strings.Fields(command)...), "-o", "")
		if _, got, _ := runOn(nil, args...); got != strings.Join(accepted, "\n")+"\n:4\n" {
			t.Errorf("%s: %s", command, got)
		}
	}
}

// The page has the nodes before and after the change, and the pods that leave for the
// same reason, those without another node first. -o wide has each pod.
func TestPreviewPage(t *testing.T) {
	const pod = `{kind: Pod, metadata: {name: NAME#, ownerReferences: [{kind: ReplicaSet, name: NAME#, controller: true}]}, spec: {nodeName: b, SPEC}}`
	pods := func(name, spec string) string { return strings.NewReplacer("NAME", name, "SPEC", spec).Replace(pod) }
	const tolerates = "tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: SECONDS}]"
	input := objectsOf([]string{
		"node a pool=x", "node b pool=y x:NoSchedule k:NoExecute", "node c old=v:NoExecute",
		"60 times " + pods("free", strings.Replace(tolerates, "SECONDS", "60", 1)), "2 times " + pods("stuck", "nodeSelector: {pool: 'y'}, "+strings.Replace(tolerates, "SECONDS", "60", 1)),
		"{kind: Pod, metadata: {name: anyway}, spec: {nodeName: b}}", "{kind: Pod, metadata: {name: stays}, spec: {nodeName: c, tolerations: [{operator: Exists}]}}",
	})
	args := []string{"preview", "-f", "-", "taint", "nodes", "b", "c", "new:NoExecute", "old=w:NoExecute", "--overwrite", "-o"}
	page := mustRun(t, input, append(args, "html")...)
	const nodes = `Nodes | Before | After | Pods
1 node b | k:NoExecute x:NoSchedule | k:NoExecute ins new:NoExecute ins old=w:NoExecute x:NoSchedule | 63 pods: 0 stay, 62 leave, 1 leave anyway
1 node c | del old=v:NoExecute | ins new:NoExecute ins old=w:NoExecute | 1 pod: 1 stay, 0 leave`
	if got := tableOf(page, "nodes-caption"); got != nodes {
		t.Errorf("got\n%s\nwant\n%s", got, nodes)
	}
	text := oneLine(html.UnescapeString(regexp.MustCompile(`<[^>]+>`).ReplaceAllString(page, " ")))
	for _, want := range []string{
		"Pods that leave Pods Time of eviction now in 60s in 10s Taint and toleration ReplicaSet default/free0: 1 pod; none is left on a node; may go to a Now: untolerated taint new:NoExecute (no toleration has this key) ",
		"12 more groups of pods: see -o wide.",
		"Pods that leave anyway Pods Time of eviction now in 60s in 10s Taint and toleration Pod default/anyway: 1 pod; nothing makes it again Now: untolerated taint k:NoExecute",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	wide := mustRun(t, input, append(args, "wide")...)
	if n := len(regexp.MustCompile(`(?m)^      default/\w+ on node b, at .*\(now`).FindAllString(wide, -1)); n != 63 || strings.Contains(wide, "-o ") {
		t.Errorf("%d pods: %s", n, wide)
	}
	undone := mustRun(t, list(objectOf("node n")), "preview", "-f", "-", "taint", "nodes", "n", "node.kubernetes.io/unschedulable:NoSchedule", "-o", "html")
	if got := tableOf(undone, "nodes-caption"); !strings.HasSuffix(got, "\n1 node n | no taints | the same: Kubernetes undoes the change within seconds | 0 pods") {
		t.Errorf("undone: %s", got)
	}
}

// A preview reads the nodes and all pods of the cluster, and its commands are for
// the same one.
func TestPreviewCluster(t *testing.T) {
	const pod = `{"kind":"Pod","metadata":{"name":"p","namespace":"other"},"spec":{"nodeName":"n1"}}`
	url, requests := apiServer(t, map[string][]string{
		"/api/v1/nodes": {objectOf("node n1"), objectOf("node n2 k=v:NoSchedule")}, "/api/v1/pods": {pod},
	}, "")
	t.Setenv("HOME", t.TempDir())
	stdin := strings.NewReader("not read")
	code, stdout, stderr := runOn(stdin, "preview", "-s", url, "-n", "default", "taint", "nodes", "n1", "x=y:NoExecute")
	for _, want := range []string{
		"1 node would change. Of their pods, 1 would leave, 0 would leave anyway and 0 would stay.\n2 nodes and 1 pod from the cluster, ",
		"\nTo do this:\n    kubectl --server " + url + " taint nodes n1 x=y:NoExecute\nTo undo it:\n    kubectl --server " + url + " taint nodes n1 x:NoExecute-\n",
		"    Pod other/p: 1 pod; nothing makes it again\n",
	} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, stderr %q, lacks %q: %s", code, stderr, want, stdout)
		}
	}
	if got := strings.Join(*requests, ","); got != "/api/v1/nodes ,/apis/apps/v1/daemonsets ,/api/v1/pods " || stdin.Len() != len("not read") {
		t.Errorf("requests %s; %d bytes of standard input are left", got, stdin.Len())
	}
	for args, want := range map[string]string{
		"taint":          "nodes\n:4\n",
		"taint nodes n1": "n2\n:4\n",
		"cordon":         "n1\nn2\n:4\n",
		"uncordon n2":    "n1\n:4\n",
		"drain n2":       "n1\n:4\n",
	} {
		_, got, _ := runOn(nil, append(append([]string{"__complete", "preview", "-s", url}, strings.Fields(args)...), "")...)
		if got != want {
			t.Errorf("%s: completes %q, want %q", args, got, want)
		}
	}
	if _, got, _ := runOn(nil, "__complete", "preview", ""); !strings.HasPrefix(got, "cordon\t") || !strings.Contains(got, "\ntaint\t") {
		t.Errorf("preview completes %q", got)
	}
}

// TestPreviewCases runs a file of cases with objects and a preview of them: the text,
// and what JSON says, which YAML says too.
func TestPreviewCases(t *testing.T) {
	cases.Run(t, "testdata/preview.txt", func(t *testing.T, lines []string) []string {
		args, _ := strings.CutPrefix(lines[len(lines)-1], "$ kubectl whynot ")
		input := objectsOf(lists.Each(lines[:len(lines)-1], previewed))
		text, _, _ := strings.Cut(mustRun(t, input, strings.Fields(args)...), "\nNot evaluated: ")
		checkFixes(t, input, strings.Fields(args)...)
		output := append(strings.Split(text, "\n"), "json")
		stdout := mustRun(t, input, strings.Fields(args+" -o json")...)
		document, err := yaml.JSONToYAML([]byte(stdout))
		if asYAML := mustRun(t, input, strings.Fields(args+" -o yaml")...); err != nil || asYAML != string(document) {
			t.Errorf("%v; YAML %s differs from JSON %s", err, asYAML, document)
		}
		var report map[string]any
		if err := json.Unmarshal([]byte(stdout), &report); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"command", "input", "nodes", "now", "notEvaluated", "notes", "pods", "undo", "version"} {
			delete(report, key)
		}
		for _, key := range slices.Sorted(maps.Keys(report)) {
			list, isList := report[key].([]any)
			if !isList || len(list) == 0 {
				continue
			}
			for _, x := range list {
				if group, ok := x.(map[string]any); ok && key != "undoneByKubernetes" {
					delete(group, "because")
				}
				output = append(output, key+" "+mustJSON(x))
			}
		}
		return slices.DeleteFunc(output, func(s string) bool { return s == "" })
	})
}

// previewed returns the object of a line "node NAME cordoned CONDITION=STATUS TAINT@TIME…"
// or "pod NAME on NODE of KIND/NAME TOLERATION, … # MESSAGE", where all but the name
// may be missing. Other lines are as in objectsOf.
func previewed(line string) string {
	if count, one, isMany := strings.Cut(line, " times "); isMany {
		return count + " times " + previewed(one)
	}
	line, message, _ := strings.Cut(line, " # ")
	words := strings.Fields(line)
	metadata, spec, status := map[string]any{"name": words[min(1, len(words)-1)]}, make(map[string]any), make(map[string]any)
	var conditions, list []any
	switch words[0] {
	case "node":
		for _, word := range words[2:] {
			text, at, _ := strings.Cut(word, "@")
			kind, value, isCondition := strings.Cut(word, "=")
			switch {
			case word == "cordoned":
				spec["unschedulable"] = true
			case strings.Contains(text, ":"):
				taint := taints.Must(taints.ParseTaint(text))
				if at != "" {
					taint.TimeAdded = new(taints.Must(time.Parse(time.RFC3339, "2026-11-21T"+at+":00Z")))
				}
				list = append(list, taint)
			case isCondition:
				conditions = append(conditions, map[string]string{"type": kind, "status": value})
			}
		}
		spec["taints"] = list
	case "pod":
		status["phase"] = "Pending"
		for len(words) > 3 && (words[2] == "on" || words[2] == "of") {
			if words[2] == "on" {
				spec["nodeName"], status["phase"] = words[3], "Running"
			} else {
				kind, name, _ := strings.Cut(words[3], "/")
				metadata["ownerReferences"] = []any{map[string]any{"kind": kind, "name": name, "controller": true}}
			}
			words = slices.Delete(words, 2, 4)
		}
		for text := range strings.SplitSeq(strings.Join(words[2:], " "), ", ") {
			if text != "" {
				list = append(list, tol(text))
			}
		}
		spec["tolerations"] = list
		if message != "" {
			conditions = append(conditions, map[string]string{"type": "PodScheduled", "status": "False", "message": message})
		}
	default:
		return line
	}
	status["conditions"] = conditions
	kind := map[string]string{"node": "Node", "pod": "Pod"}[words[0]]
	return mustJSON(map[string]any{"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec, "status": status})
}
