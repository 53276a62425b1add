// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/internal/test/golden"
)

var noon = time.Date(2026, 11, 21, 12, 0, 30, 0, time.UTC)

func TestRun(t *testing.T) {
	file := t.TempDir() + "/none.json"
	for _, c := range []struct {
		name string
		args []string
		in   string
		want string // in the output, or in the error
	}{
		{"standard input", []string{"-"}, `{"items": [{"kind": "Node"}, {"kind": "Pod", "status": {"phase": "Pending"}}]}`, ""},
		{"no nodes", []string{"-"}, `{"items": [{"kind": "Pod", "metadata": {"namespace": "a", "name": "b"}, "status": {"phase": "Pending"}}]}`, "a/b is pending: 0/0 nodes are available"},
		{"a selector", []string{"-"}, `{"items": [{"kind": "Node", "metadata": {"name": "n"}}, {"kind": "Pod", "metadata": {"namespace": "a", "name": "b"}, "spec": {"nodeSelector": {"pool": "gpu"}}, "status": {"phase": "Pending"}}]}`, "a/b is pending (its node selector and affinity are ignored): 1/1 nodes are available"},
		{"affinity", []string{"-"}, `{"items": [{"kind": "Pod", "metadata": {"namespace": "a", "name": "b"}, "spec": {"affinity": {"nodeAffinity": {}}}, "status": {"phase": "Pending"}}]}`, "(its node selector and affinity are ignored): 0/0 nodes are available"},
		{"other kinds", []string{"-"}, `{"items": [{"kind": "Service"}]}`, ""},
		{"a node that is not there", []string{"-"}, `{"items": [{"kind": "Pod", "spec": {"nodeName": "gone"}, "status": {"phase": "Pending"}}]}`, ""},
		{"no JSON", []string{"-"}, `nodes`, "invalid character"},
		{"no file", []string{file}, "", "no such file"},
		{"two files", []string{file, file}, "", "at most one file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			err := run(c.args, strings.NewReader(c.in), &out, noon)
			got := out.String()
			if err != nil {
				got = err.Error()
			}
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSample(t *testing.T) {
	var out strings.Builder
	if err := run(nil, nil, &out, noon); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "sample", out.String())
	if err := run(nil, nil, closed{}, noon); err == nil {
		t.Error("a failing write is not reported")
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, os.ErrClosed }
