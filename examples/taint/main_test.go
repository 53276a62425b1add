// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/golden"
)

// runOn runs the program with the arguments, which are separated by spaces.
func runOn(stdin io.Reader, args string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	code = run(strings.Fields(args), stdin, &out, &errOut)
	return code, out.String(), errOut.String()
}

// nodeJSON returns a Node with the taints, on one line.
func nodeJSON(name string, specs ...string) string {
	var list []taints.Taint
	for _, s := range specs {
		list = append(list, taints.MustParseTaint(s))
	}
	b, err := json.Marshal(map[string]any{
		"apiVersion": "v1",
		"kind":       "Node",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"taints": list},
	})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// taintsOf returns the taints of the nodes in the output, by name.
func taintsOf(t *testing.T, output string) map[string]string {
	t.Helper()
	type object struct {
		Metadata struct{ Name string }
		Spec     struct{ Taints []taints.Taint }
		Items    []struct {
			Metadata struct{ Name string }
			Spec     struct{ Taints []taints.Taint }
		}
	}
	var o object
	if err := json.Unmarshal([]byte(output), &o); err != nil {
		t.Fatalf("%v in %q", err, output)
	}
	m := map[string]string{}
	if o.Metadata.Name != "" {
		m[o.Metadata.Name] = taints.Reconcile(nil, nil, o.Spec.Taints).String()
	}
	for _, item := range o.Items {
		m[item.Metadata.Name] = taints.Reconcile(nil, nil, item.Spec.Taints).String()
	}
	return m
}

// The sample, from the arguments to both outputs.
func TestGolden(t *testing.T) {
	for name, args := range map[string]string{
		"usage":     "",
		"tainted":   "gpu-2 dedicated=ml:NoSchedule dedicated=ml:NoExecute",
		"untainted": "nodes gpu-1 spot-",
		"modified":  "node gpu-1 dedicated=ml:NoSchedule spot:NoExecute-",
		"overwrite": "node gpu-1 cp-1 spot=4h:NoExecute --overwrite",
		"last":      "no cp-1 node-role.kubernetes.io/control-plane:NoSchedule-",
		"all":       "--all spot-",
		"labels":    "-l pool=gpu maintenance:NoExecute",
		"specs":     "gpu-1 dedicated=ml:noschedule spot=2h- a:NoSchedule a=x:NoSchedule",
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := runOn(nil, args)
			golden.Compare(t, name, "exit code "+string('0'+rune(code))+"\n"+stderr+stdout)
		})
	}
}

// TestReadme runs the commands in the README and compares what they say.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, block := range strings.Split(string(readme), "$ go run ./examples/taint ")[1:] {
		line, says, _ := strings.Cut(block, "\n")
		says, _, _ = strings.Cut(says, "```")
		args, _, _ := strings.Cut(line, ">")
		_, _, stderr := runOn(nil, args)
		if diff := cmp.Diff(says, stderr); diff != "" {
			t.Errorf("%s (-README +got):\n%s", args, diff)
		}
		ran++
	}
	if ran < 4 {
		t.Errorf("%d commands in the README", ran)
	}
}

func TestTaint(t *testing.T) {
	const node = "a=1:NoSchedule b:NoExecute"
	for _, tc := range []struct {
		args       string
		code       int
		want, says string // no want: no output
	}{
		{"n c:NoSchedule", 0, node + " c:NoSchedule", "node/n tainted\n"},
		{"node n c:NoSchedule", 0, node + " c:NoSchedule", "node/n tainted\n"},
		{"NODES n c:NoSchedule", 0, node + " c:NoSchedule", "node/n tainted\n"},
		{"--all c:NoSchedule", 0, node + " c:NoSchedule", "node/n tainted\n"},
		{"nodes --all c:NoSchedule", 0, node + " c:NoSchedule", "node/n tainted\n"},
		{"n n c:NoSchedule", 0, node + " c:NoSchedule", "node/n tainted\n"},
		{"n a-", 0, "b:NoExecute", "node/n untainted\n"},
		{"n a:NoSchedule- b=x:NoExecute-", 0, "", "node/n untainted\n"},
		{"n c:NoSchedule a-", 0, "b:NoExecute c:NoSchedule", "node/n modified\n"},
		{"n a=2:NoSchedule --overwrite", 0, "a=2:NoSchedule b:NoExecute", "node/n modified\n"},
		{"--overwrite=true n b:NoExecute", 0, node, "node/n modified\n"},
		{
			"n a=2:NoSchedule", 1, "-",
			"taint: standard input: node/n: already has a taint(s) with same effect(s) and --overwrite is false: it has a=1:NoSchedule\n",
		},
		{
			"n a=1:NoSchedule c-", 1, "-",
			"taint: standard input: node/n: already has a taint(s) with same effect(s) and --overwrite is false: it has a=1:NoSchedule\n" +
				"taint: standard input: node/n: \"c\" is not found: the node has no such taint, or an earlier removal takes it\n",
		},
		{"n m c:NoSchedule", 1, node + " c:NoSchedule", "node/n tainted\ntaint: standard input: node/m: not found\n"},
		{"N c:NoSchedule", 1, "-", "taint: standard input: node/N: not found\n"},
		{"-l pool=x c:NoSchedule", 0, node, "taint: no node has these labels, so nothing changed\n"},

		{
			"n", 2, "-",
			"taint: no change; want key=value:Effect, key:Effect, key:Effect- or key- after the names of the nodes\n",
		},
		{"c:NoSchedule", 2, "-", "taint: no node; name nodes before the changes, or choose them with --all or -l\n"},
		{
			"node c:NoSchedule", 2, "-",
			"taint: no node; name nodes before the changes, or choose them with --all or -l\n",
		},
		{
			"c:NoSchedule n", 2, "-",
			"taint: \"n\" follows a change and is not one; name the nodes first, then the changes\n",
		},
		{"n --all c:NoSchedule", 2, "-", "taint: more than one of names, --all and -l; choose the nodes in one way\n"},
		{
			"--all -l a=b c:NoSchedule", 2, "-",
			"taint: more than one of names, --all and -l; choose the nodes in one way\n",
		},
		{"n -l a=b c:NoSchedule", 2, "-", "taint: more than one of names, --all and -l; choose the nodes in one way\n"},
		{
			"n c=v d:x", 2, "-",
			"taint: change \"c=v\": effect: required: must be NoSchedule, PreferNoSchedule or NoExecute\n" +
				"taint: change \"d:x\": effect: \"x\" is not supported: must be NoSchedule, PreferNoSchedule or NoExecute\n",
		},
		{"n -", 2, "-", "taint: change \"-\": key: required: a taint needs a key\n"},
		{
			"n c:NoSchedule c=v:NoSchedule", 2, "-",
			"taint: change \"c=v:NoSchedule\": \"c=v:NoSchedule\" is a duplicate: a node has at most one taint of a key and effect\n",
		},
		{
			"n c:NoSchedule c- d-", 2, "-",
			"taint: \"c:NoSchedule\" is in conflict: a removal names it too; " +
				"to replace what is there, add with --overwrite and do not remove\n",
		},
	} {
		t.Run(tc.args, func(t *testing.T) {
			code, stdout, stderr := runOn(strings.NewReader(nodeJSON("n", strings.Fields(node)...)), tc.args)
			if code != tc.code || stderr != tc.says {
				t.Errorf("exit code %d, stderr\n%swant %d\n%s", code, stderr, tc.code, tc.says)
			}
			if tc.want == "-" {
				if stdout != "" {
					t.Errorf("got %q", stdout)
				}
				return
			}
			if got := taintsOf(t, stdout)["n"]; got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Every node is on its own: what cannot be done to one is done to the others.
func TestSeveralNodes(t *testing.T) {
	input := `{"kind":"List","items":[` + nodeJSON("x", "a:NoSchedule") +
		`,{"kind":"Pod","metadata":{"name":"x"}},` + nodeJSON("y") + "," + nodeJSON("z", "a:NoExecute") + `]}`
	code, stdout, stderr := runOn(strings.NewReader(input), "z x y a-")
	if want := map[string]string{"x": "", "y": "", "z": ""}; code != 1 || !cmp.Equal(taintsOf(t, stdout), want) {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	want := "node/x untainted\nnode/z untainted\n" +
		"taint: standard input: node/y: \"a\" is not found: the node has no such taint, or an earlier removal takes it\n"
	if diff := cmp.Diff(want, stderr); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLabels(t *testing.T) {
	input := `{"kind":"NodeList","apiVersion":"v1","items":[
		{"metadata":{"name":"x","labels":{"pool":"gpu","zone":"a"}}},
		{"metadata":{"name":"y","labels":{"pool":"gpu","empty":""}}},
		{"metadata":{"name":"z"}}]}`
	for labels, want := range map[string]string{
		"pool=gpu": "x y", "pool==gpu": "x y", "pool!=gpu": "z", "pool=gpu,zone=a": "x", "pool=gpu,zone!=a": "y",
		"pool": "x y", "!pool": "z", "pool in (gpu,cpu),zone": "x", "zone notin (b)": "x y z",
		"empty=": "y", "empty!=": "x z", "pool=other": "", " pool = gpu , zone != a ": "y",
	} {
		var out, errOut bytes.Buffer
		run([]string{"--selector", labels, "t:NoSchedule"}, strings.NewReader(input), &out, &errOut)
		var got []string
		for _, line := range strings.Split(errOut.String(), "\n") {
			if name, ok := strings.CutSuffix(line, " tainted"); ok {
				got = append(got, strings.TrimPrefix(name, "node/"))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q chooses %v, want %q", labels, got, want)
		}
	}
	for _, labels := range []string{"=x", "!=x", "a=b,", "pool in (a=b)", "a=b=c", "a!b"} {
		var out, errOut bytes.Buffer
		code := run([]string{"-l", labels, "t:NoSchedule"}, strings.NewReader(input), &out, &errOut)
		if code != 2 || !strings.Contains(errOut.String(), "want a=b") {
			t.Errorf("%q: exit code %d, %s", labels, code, errOut.String())
		}
	}
	code, _, stderr := runOn(strings.NewReader(input), "-l= x t:NoSchedule")
	if code != 0 || stderr != "node/x tainted\n" {
		t.Errorf("an empty selector: exit code %d, %s", code, stderr)
	}
}

func TestFlags(t *testing.T) {
	if code, stdout, stderr := runOn(nil, "-h"); code != 0 || stdout != "" || !strings.HasPrefix(stderr, "Usage:") {
		t.Errorf("-h: exit code %d, %q, %q", code, stdout, stderr)
	}
	code, stdout, stderr := runOn(nil, "n k:NoSchedule --nope")
	if code != 2 || stdout != "" || !strings.Contains(stderr, "-nope") {
		t.Errorf("--nope: exit code %d, %q, %q", code, stdout, stderr)
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "node.json")
	if err := os.WriteFile(path, []byte("\uFEFF"+nodeJSON("n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := runOn(strings.NewReader("not read"),
		"-f "+path+" n k:NoSchedule"); code != 0 || taintsOf(t, stdout)["n"] != "k:NoSchedule" {
		t.Errorf("exit code %d, %q", code, stdout)
	}
	if code, stdout, _ := runOn(strings.NewReader(nodeJSON("n")),
		"-f - n k:NoSchedule"); code != 0 || taintsOf(t, stdout)["n"] != "k:NoSchedule" {
		t.Errorf("standard input: exit code %d, %q", code, stdout)
	}
	if code, stdout, stderr := runOn(nil, "-f "+path+".not n k:NoSchedule"); code != 1 ||
		stdout != "" || !strings.Contains(stderr, "no such file") {
		t.Errorf("no file: exit code %d, %q, %q", code, stdout, stderr)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if code, _, stderr := runOn(null, "gpu-1 k:NoSchedule"); code != 0 || !strings.Contains(stderr, "built-in sample") {
		t.Errorf("a device: exit code %d, %q", code, stderr)
	}
}

// A writer that fails.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteFails(t *testing.T) {
	var errOut bytes.Buffer
	code := run([]string{"n", "k:NoSchedule"}, strings.NewReader(nodeJSON("n")), full{}, &errOut)
	if code != 1 || !strings.HasSuffix(errOut.String(), "no space left\n") {
		t.Errorf("exit code %d, %s", code, errOut.String())
	}
}

// Nothing from the input reaches the terminal as it is.
func TestTerminal(t *testing.T) {
	code, _, stderr := runOn(strings.NewReader(nodeJSON("\x1b[31mred")), "--all k:NoSchedule")
	if code != 0 || stderr != "node/\uFFFD[31mred tainted\n" {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

func TestSecondFile(t *testing.T) {
	code, stdout, stderr := runOn(nil, "-f a.json --filename b.json n c:NoSchedule")
	const want = "invalid value \"b.json\" for flag -filename: one file at a time, because the output is one document\n"
	if code != 2 || stdout != "" || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit code %d, stdout %q, stderr %s", code, stdout, stderr)
	}
}

// A name of a node makes no lines of its own.
func TestNamesWithLineFeeds(t *testing.T) {
	input := `{"kind":"Node","metadata":{"name":"n\\nnode/all tainted"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}`
	for _, change := range []string{"x:NoSchedule", "x-", "k=v:NoSchedule"} {
		_, _, stderr := runOn(strings.NewReader(input), "--all "+change)
		if strings.Contains(stderr, "\nnode/all") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %q", change, stderr)
		}
	}
}
