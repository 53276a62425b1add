// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints/examples/internal/kubejson"
)

// reportOn returns the report on the input.
func reportOn(t *testing.T, input string, q question) *report {
	t.Helper()
	c := newCluster(filter{})
	if err := kubejson.Read("input", strings.NewReader(input), c.add); err != nil {
		t.Fatal(err)
	}
	q.now = testNow
	r, err := newReport(c, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The JSON that is written in parts is that of the whole report.
func TestWriteJSON(t *testing.T) {
	inputs := map[string]string{
		"sample":    string(sample),
		"hostile":   hostileInput(),
		"no pods":   list(nodeJSON("n", "")),
		"evictions": list(nodeJSON("n", "", "k:NoExecute"), podJSON("p", "n", "")),
		"pending":   list(nodeJSON("n", ""), podJSON("p", "", "a=<b>&c")),
		"in names":  list(nodeJSON("n", ""), `{"kind":"\n  \"pending\": [],\n  \"evictions\": []"}`, podJSON("p", "", "")),
	}
	for _, file := range []string{"teams", "findings"} {
		text, err := os.ReadFile("testdata/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		inputs[file] = string(text)
	}
	for name, input := range inputs {
		r := reportOn(t, input, question{lint: true})
		var got, want bytes.Buffer
		if err := r.writeJSON(&got); err != nil {
			t.Fatal(err)
		}
		if err := newEncoder(&want, "").Encode(r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What is odd about tolerations is looked for where it is shown only.
func TestFindingsWhereShown(t *testing.T) {
	input := list(nodeJSON("n", ""), podJSON("p", "", "", tol("a"), tol("a")))
	if list := reportOn(t, input, question{}).Pending[0].Findings; list != nil {
		t.Errorf("got %v", list)
	}
	if list := reportOn(t, input, question{lint: true}).Pending[0].Findings; len(list) == 0 {
		t.Error("no findings")
	}
}

// A gauge is standard output that knows how much was written at once.
type gauge struct{ largest, all int }

func (g *gauge) Write(b []byte) (int, error) {
	g.largest, g.all = max(g.largest, len(b)), g.all+len(b)
	return len(b), nil
}

// The whole JSON is never held.
func TestJSONInParts(t *testing.T) {
	items := []string{nodeJSON("n", "", "k:NoExecute")}
	for i := range 3000 {
		items = append(items, podJSON(fmt.Sprintf("p%d", i), "n", ""))
		items = append(items, nodeJSON(fmt.Sprintf("m%d", i), "", fmt.Sprintf("k%d:NoSchedule", i)))
		items = append(items, podJSON(fmt.Sprintf("q%d", i), "", "none=x"))
	}
	var out gauge
	p := program{
		stdin: strings.NewReader(list(items...)), stdout: &out, stderr: io.Discard,
		clock: func() time.Time { return testNow },
	}
	if code := p.run([]string{"-o", "json"}); code != 0 || out.all < 3_000_000 || out.largest > 10_000 {
		t.Errorf("exit code %d, %d bytes, of which %d at once", code, out.all, out.largest)
	}
}

// A full is standard output that takes so many bytes.
type full int

var errFull = errors.New("disk full")

func (f *full) Write(b []byte) (int, error) {
	if len(b) > int(*f) {
		return 0, errFull
	}
	*f -= full(len(b))
	return len(b), nil
}

func TestWriteFails(t *testing.T) {
	for _, form := range []string{"text", "json", "html"} {
		for _, room := range []full{0, 1, 1000} {
			var stderr bytes.Buffer
			p := program{
				stdin: bytes.NewReader(sample), stdout: &room, stderr: &stderr,
				clock: func() time.Time { return testNow },
			}
			code := p.run([]string{"-o", form, "-now", "2026-11-21T01:24:00Z"})
			if code != 1 || stderr.String() != "whynot: disk full\n" {
				t.Errorf("%s: exit code %d, %s", form, code, &stderr)
			}
		}
	}
}
