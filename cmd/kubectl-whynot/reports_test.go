// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReports runs the inputs of testdata/reports, which are from public reports
// and from clusters as people run them. Beside each input, a text has the question,
// the arguments of one or more runs, and what the output of each, with the exit code of a
// failure, must say ("+ ") and must not say ("- "), with line breaks and repeated spaces folded:
//
//	# a DaemonSet has no pod on the GPU node
//	$ kubectl whynot -f daemonset-kept-off.json --now 2026-11-26T12:03:00Z
//	+ DaemonSet ops/node-logs does not run on gpu-1
//	- its pods are ready
func TestReports(t *testing.T) {
	texts, err := filepath.Glob("testdata/reports/*.txt")
	if err != nil || len(texts) == 0 {
		t.Fatal(texts, err)
	}
	for _, name := range texts {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, runs, found := strings.Cut(string(text), "\n$ kubectl whynot ")
			if !found {
				t.Fatal("no run")
			}
			for run := range strings.SplitSeq(runs, "\n$ kubectl whynot ") {
				args, wants, _ := strings.Cut(run, "\n")
				checkReport(t, args, strings.Split(strings.TrimSpace(wants), "\n"))
			}
		})
	}
}

func checkReport(t *testing.T, args string, wants []string) {
	t.Helper()
	list := strings.Fields(args)
	for i, arg := range list {
		if i > 0 && list[i-1] == "-f" {
			list[i] = filepath.Join("testdata", "reports", arg)
		}
	}
	code, stdout, stderr := runOn(strings.NewReader(""), list...)
	checkFixes(t, "", list...)
	output := oneLine(strings.Join(outputOf(code, visible(stdout)+stderr), "\n"))
	for _, want := range wants {
		text := oneLine(strings.TrimLeft(want, "+- "))
		if says := strings.Contains(output, text); text == "" || says != strings.HasPrefix(want, "+ ") {
			t.Errorf("$ kubectl whynot %s\nsays %q: %v, want %q; all of it:\n%s", args, text, says, want, stdout+stderr)
		}
	}
}
