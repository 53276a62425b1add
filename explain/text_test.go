// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
)

// A line feed in a text does not start a new line, and other control characters
// do not reach a terminal.
func TestTextsAreOneLine(t *testing.T) {
	list := []taints.Taint{
		{Key: "a\nb", Value: "\x1b[31m", Effect: "NoSchedule"},
		{Key: "\xff\u202e", Effect: "NoSchedule"},
		{Key: "é \\\ufffd\U0001f600\u2028", Effect: "NoSchedule"},
		{Key: "k", Value: "a\nb", Effect: "NoSchedule"},
	}
	tols := []taints.Toleration{{Key: "A\nb", Operator: "Exists"}, {Key: "k", Value: "c"}, {Key: "x\ny", Value: "a\nb"}}
	want := `a\nb=\x1b[31m:NoSchedule is not tolerated (closest: A\nb op=Exists, the key differs only in letter case)
\xff\u202e:NoSchedule is not tolerated
` + "é \\\ufffd\U0001f600" + `\u2028:NoSchedule is not tolerated
k=a\nb:NoSchedule is not tolerated (closest: k=c, the value differs; a\nb is tolerated for the key x\ny)`
	e := explain.Node(taints.Compile(tols), list)
	if diff := cmp.Diff(want, e.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if why := e[3].Why(); why != `the value differs; a\nb is tolerated for the key x\ny` {
		t.Errorf("why: %q", why)
	}
	s := explain.Summarize(taints.Compile(tols), taints.HardEffects, each(list), all)
	if got := s.Reasons[0].String(); got != `1 has untolerated taint a\nb=\x1b[31m:NoSchedule (closest: A\nb op=Exists, the key differs only in letter case)` {
		t.Errorf("%q", got)
	}
	if strings.Count(s.Report(), "\n") != 4 || strings.Contains(s.String(), "\n") || strings.Contains(s.String(), "\x1b") {
		t.Errorf("%q", s.Report())
	}
}
