// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/test"
)

// Equal texts have equal placeholders, and the original does not change.
func TestRedact(t *testing.T) {
	list := append(test.Taints("secret=ml:NoSchedule", "score=40:NoExecute", "secret=x:NoExecute", "dedicated=x:NoSchedule", "rank=40:NoSchedule"),
		taints.Taint{Key: "other", Effect: "hidden"}, taints.Taint{Key: "score", Effect: "hidden"})
	m := taints.Compile(append(test.Tolerations("secret=ML:NoSchedule", "score=30:NoExecute op=Lt for 60s", "dedicated=y", "team=x", "rank=50 op=Gt"),
		taints.Toleration{Key: "other", Operator: "hush", Effect: "NoSched"}))
	e := explain.Node(m, list)
	before := e.String()
	want := strings.Join([]string{
		"<key1>=<value1>:NoSchedule is not tolerated (closest: <key1>=<value2>:NoSchedule, the value differs only in letter case)",
		"<key2>=<value3>:NoExecute is not tolerated (closest: <key2>=<value4>:NoExecute op=Lt for 60s, <value3> is too large)",
		"<key1>=<value5>:NoExecute is not tolerated (closest: <key1>=<value2>:NoSchedule, the effect and value differ)",
		"<key3>=<value5>:NoSchedule is not tolerated (closest: <key3>=<value6>, the value differs; <value5> is tolerated for the key <key4>)",
		"<key5>=<value3>:NoSchedule is not tolerated (closest: <key5>=<value7> op=Gt, <value3> is too small)",
		"<key6>:<effect1> is not tolerated (closest: <key6>:<effect2> op=<operator1>, " +
			"the effect <effect2> is unknown (did you mean NoSchedule?), and the operator <operator1> is unknown)",
		"<key2>:<effect1> is not tolerated (closest: <key2>=<value4>:NoExecute op=Lt for 60s, " +
			"the effect differs, and the taint's value is not an integer)",
	}, "\n")
	if diff := cmp.Diff(want, e.Redact().String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := e[2].Redact().String(); !strings.HasPrefix(got, "<key1>=<value1>:NoExecute is not tolerated") {
		t.Errorf("one reason alone: %s", got)
	}
	s := explain.Summarize(m, taints.HardEffects, each(list[:2]), all)
	report := s.Report()
	want = `0/1 nodes are available:
  1 has untolerated taint <key1>=<value1>:NoExecute (closest: <key1>=<value2>:NoExecute op=Lt for 60s, <value1> is too large)
  1 has untolerated taint <key2>=<value3>:NoSchedule (closest: <key2>=<value4>:NoSchedule, the value differs only in letter case)`
	if diff := cmp.Diff(want, s.Redact().Report()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if e.String() != before || s.Report() != report || len(explain.Summary{}.Redact().Reasons) != 0 {
		t.Error("the original changed, or nothing became something")
	}
}

// The keys that Kubernetes sets are no secret, in a taint, in the closest
// toleration and in a hint. What only resembles them may be one.
func TestRedactKeepsKeysOfKubernetes(t *testing.T) {
	for _, key := range known.NodeKeys {
		m := taints.Compile(test.Tolerations(key+"=x", key+"s"))
		e := explain.Node(m, test.Taints("secret:NoSchedule", key+"=y:NoSchedule", key+"s=y:NoSchedule"))
		want := "<key1>:NoSchedule is not tolerated\n" +
			key + "=<value1>:NoSchedule is not tolerated (closest: " + key + "=<value2>, the value differs)\n" +
			"<key2>=<value1>:NoSchedule is not tolerated (closest: <key2>, its empty value matches only an empty value)"
		if diff := cmp.Diff(want, e.Redact().String()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
