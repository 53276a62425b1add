// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeKubectl puts a kubectl on the PATH that notes its arguments, prints the
// files in the order of its calls, writes lines to standard error, and ends
// with the exit code. It returns what has been noted.
func fakeKubectl(t *testing.T, exit string, outputs ...string) func() string {
	t.Helper()
	path := fakeKubectlScript(t, `#!/bin/sh
cd "$(dirname "$0")"
echo "$@" >>calls
cat "out$(wc -l <calls | tr -d ' ')"
echo "E1121 a log" >&2
echo "error: a reason" >&2
echo "and what to do" >&2
exit `+exit+"\n", outputs...)
	return func() string {
		calls, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "calls"))
		return string(calls)
	}
}

// fakeKubectlScript puts the script on the PATH as kubectl, beside files out1
// and so on with the outputs, and returns its path.
func fakeKubectlScript(t *testing.T, script string, outputs ...string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	folder := t.TempDir()
	for i, output := range outputs {
		if err := os.WriteFile(filepath.Join(folder, "out"+string(rune('1'+i))), []byte(output), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "kubectl")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return path
}

// kubectlSays is what the fake writes to standard error.
const kubectlSays = "E1121 a log\nerror: a reason\nand what to do\n"

// runPlugin runs the program under a name, with a terminal for standard input.
func runPlugin(t *testing.T, name string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	null, err := os.Open(os.DevNull) // a device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	var out, errOut bytes.Buffer
	p := program{name: name, stdin: null, stdout: &out, stderr: &errOut, clock: func() time.Time { return testNow }}
	code = p.run(args)
	return code, out.String(), errOut.String()
}

func TestPlugin(t *testing.T) {
	node := nodeJSON("n", "", "k=v:NoSchedule")
	both := list(node, podJSON("p", "", ""))
	for _, tc := range []struct {
		name, args string
		outputs    []string
		calls      string
	}{
		{"kubectl-whynot", "", []string{both}, "get nodes,pods -o json"},
		{"kubectl-whynot.exe", "p -o text", []string{both}, "get nodes,pods -o json"},
		{"kubectl-whynot", "-A", []string{both}, "get nodes,pods -o json -A"},
		{"whynot", "--all-namespaces", []string{both}, "get nodes,pods -o json -A"},
		{"whynot", "-n default", []string{both}, "get nodes,pods -o json -n default"},
		{"whynot", "p --namespace=default", []string{both}, "get nodes,pods -o json -n default"},
		{"kubectl-whynot", "pod default/p", []string{both}, "get nodes,pods -o json -n default"},
		{"kubectl-whynot", "-A default/p", []string{both}, "get nodes,pods -o json -A"},
		{"whynot", "--context c --kubeconfig /k", []string{both}, "get nodes,pods -o json --kubeconfig /k --context c"},
		{
			"whynot", "-A -l !app --context c",
			[]string{list(node), list(podJSON("p", "", ""))},
			"get nodes -o json --context c\nget pods -o json -A -l !app --context c",
		},
	} {
		t.Run(tc.name+" "+tc.args, func(t *testing.T) {
			calls := fakeKubectl(t, "0", tc.outputs...)
			code, stdout, stderr := runPlugin(t, tc.name, strings.Fields(tc.args)...)
			if diff := cmp.Diff(tc.calls+"\n", calls()); diff != "" {
				t.Error(diff)
			}
			if code != 0 || !strings.Contains(stdout, "1 node and 1 pod, at") || !strings.Contains(stdout, "k=v") {
				t.Errorf("exit code %d, %s", code, stdout)
			}
			want := ""
			for line := range strings.Lines(tc.calls) {
				line = strings.Replace(strings.TrimSpace(line), "!app", "'!app'", 1)
				want += "whynot: running kubectl " + line + "\n" + kubectlSays
			}
			if stderr != want {
				t.Errorf("stderr %q, want %q", stderr, want)
			}
		})
	}
}

func TestPluginFails(t *testing.T) {
	for _, tc := range []struct{ exit, output, want string }{
		{"1", "", "whynot: kubectl get nodes,pods -o json: exit status 1\n"},
		{"1", list(nodeJSON("n", "")), "whynot: kubectl get nodes,pods -o json: exit status 1\n"},
		{"0", "", "whynot: kubectl get nodes,pods -o json: empty; expected what kubectl get prints with -o json\n"},
		{
			"0",
			`{"kind":"List","items":[` + nodeJSON("n", "") + `,{"kind":"Pod"` + strings.Repeat(" ", 1<<20),
			"whynot: kubectl get nodes,pods -o json: truncated",
		},
		{"0", "x" + strings.Repeat(" ", 1<<20), "whynot: kubectl get nodes,pods -o json: offset 0: not JSON"},
	} {
		fakeKubectl(t, tc.exit, tc.output)
		code, stdout, stderr := runPlugin(t, "kubectl-whynot")
		_, rest, _ := strings.Cut(stderr, "\n")
		if code != 1 || stdout != "" || !strings.HasPrefix(rest, kubectlSays+tc.want) {
			t.Errorf("exit code %d, stdout %q, stderr %q, want %q", code, stdout, stderr, tc.want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	code, _, stderr := runPlugin(t, "kubectl-whynot")
	if code != 1 || !strings.HasPrefix(stderr, "whynot: kubectl is not on the PATH") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

// What kubectl leaves out does not come in.
func TestPluginFilter(t *testing.T) {
	for args, want := range map[string]string{
		"":            "There are no pods in the input",
		"-A":          "There are no pods in the input",
		"-n b":        "No pod of the cluster matches -n b",
		"-A -l app=y": "No pod of the cluster matches -l app=y",
	} {
		fakeKubectl(t, "0", list(nodeJSON("n", "")), list())
		if _, stdout, _ := runPlugin(t, "kubectl-whynot", strings.Fields(args)...); strings.Count(stdout, want) != 3 {
			t.Errorf("%s: got %s", args, stdout)
		}
	}
}

// A prompter is standard error where somebody answers the prompt that appears.
type prompter struct {
	says   string
	answer func()
}

func (w *prompter) Write(b []byte) (int, error) {
	w.says += string(b)
	if strings.HasSuffix(w.says, "enter the code ABC: ") {
		w.answer()
	}
	return len(b), nil
}

// A plugin of kubectl may ask for a login before there is output, and read the
// terminal.
func TestPluginPrompt(t *testing.T) {
	folder := filepath.Dir(fakeKubectlScript(t, `#!/bin/sh
printf 'enter the code ABC: ' >&2
tries=0
until [ -e "$(dirname "$0")/entered" ]; do
	tries=$((tries + 1))
	if [ $tries -gt 500 ]; then exit 1; fi
	sleep 0.01
done
head -c 1 | od -An -tu1 >&2
cat "$(dirname "$0")/out1"
`, list(nodeJSON("n", ""))))
	zero, err := os.Open("/dev/zero") // a device, as a terminal is, with something to read
	if err != nil {
		t.Skip(err)
	}
	defer zero.Close()
	stderr := &prompter{answer: func() {
		if err := os.WriteFile(filepath.Join(folder, "entered"), nil, 0o644); err != nil {
			t.Error(err)
		}
	}}
	p := program{name: "kubectl-whynot", stdin: zero, stdout: io.Discard, stderr: stderr, clock: time.Now}
	code := p.run(nil)
	_, says, _ := strings.Cut(stderr.says, "\n")
	if want := "enter the code ABC: 0"; code != 0 || strings.Join(strings.Fields(says), " ") != want {
		t.Errorf("exit code %d, stderr %q, want %q", code, says, want)
	}
}

// Standard input that is closed is no reason to fail.
func TestPluginClosedInput(t *testing.T) {
	fakeKubectl(t, "0", list(nodeJSON("n", "")))
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	var stderr bytes.Buffer
	p := program{name: "kubectl-whynot", stdin: closed, stdout: io.Discard, stderr: &stderr, clock: time.Now}
	if code := p.run(nil); code != 0 {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
}

// Without kubectl, a pipe or flags there is the sample; a pipe and files come
// before the cluster.
func TestWhichInput(t *testing.T) {
	input := list(nodeJSON("n", ""), podJSON("p", "", ""))
	calls := fakeKubectl(t, "0", input)
	if code, stdout, stderr := runPlugin(t, "whynot"); code != 0 ||
		!strings.Contains(stdout, "built-in sample") || !strings.Contains(stderr, "built-in sample") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, stdout, stderr := runPlugin(t, "whynot",
		"default/web-645fb7869d-hrf9l"); code != 0 || !strings.Contains(stdout, "Only default/web") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, stdout, _ := runPlugin(t, "kubectl-whynot", "-f", "sample.json", "-A"); code != 0 ||
		!strings.Contains(stdout, "13 nodes and 42 pods, at") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	var out, errOut bytes.Buffer
	p := program{
		name:   "kubectl-whynot",
		stdin:  strings.NewReader(input),
		stdout: &out,
		stderr: &errOut,
		clock:  time.Now,
	}
	code := p.run([]string{"-A"})
	if code != 0 || !strings.Contains(out.String(), "1 node and 1 pod, at") || errOut.Len() > 0 {
		t.Errorf("exit code %d, %s", code, errOut.String())
	}
	if calls() != "" {
		t.Errorf("kubectl was called: %s", calls())
	}
}

// The flags that choose pods hold for files too.
func TestFilter(t *testing.T) {
	pod := func(namespace, name, app string) string {
		return `{"kind":"Pod","metadata":{"name":"` + name + `","namespace":"` + namespace +
			`","labels":{"app":"` + app + `"}}}`
	}
	input := list(nodeJSON("n", "", "k=v:NoSchedule"),
		pod("a", "p", "x"), pod("a", "q", "y"), pod("b", "p", "x"), pod("b", "r", "y"))
	for args, want := range map[string]string{
		"-n a": "2 pods, at", "-l app=x": "2 pods, at", "-l app!=x -n b": "1 pod, at",
		"-A": "4 pods, at", "-n none": "0 pods, at", "a/p": "Only a/p.",
		"q": "Only a/q.", "p -n b": "Only b/p.",
	} {
		if got := mustRun(t, input, strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", args, got)
		}
	}
	for args, want := range map[string]string{
		"-n none":            "None of the 4 pods in the input matches -n none",
		"-l app=z,x!=y -n a": "None of the 4 pods in the input matches -n a -l app=z,x!=y",
	} {
		for _, form := range []string{"", " -v", " -o html"} {
			got := mustRunWith(t, "120", input, strings.Fields(args+form)...)
			if !strings.Contains(got, want) || strings.Contains(got, "no pods in the input") {
				t.Errorf("%s: got %s", args+form, got)
			}
		}
	}
	one := list(nodeJSON("n", ""), pod("a", "p", "x"))
	if got := mustRun(t, one, "-n", "b"); strings.Count(got, "The only pod in the input does not match -n b") != 3 {
		t.Errorf("got %s", got)
	}
	for args, want := range map[string]string{
		"nothing": "no pod nothing in the input\n", "nothing -n b": "no pod b/nothing in the input\n",
		"nothing -l app=x": "no pod nothing in the input that matches -l app=x\n",
		"a/p -l app=y":     "no pod a/p in the input that matches -l app=y; similar: a/q, b/r\n",
		"pp":               "no pod pp in the input; similar: a/p, b/p, a/q\n",
	} {
		code, _, stderr := runOn(strings.NewReader(input), strings.Fields(args)...)
		if code != 1 || stderr != "whynot: "+want {
			t.Errorf("%s: exit code %d, stderr %q, want %q", args, code, stderr, want)
		}
	}
	code, _, stderr := runOn(strings.NewReader(input), "p")
	want := "whynot: standard input: pods of the name p are in the namespaces a and b; say which, as in a/p\n"
	if code != 1 || stderr != want {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}
