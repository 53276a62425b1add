// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFixes folds pods for the same cause only where the fix that is told with
// it is the fix of all of them.
func TestFixes(t *testing.T) {
	tests := []struct {
		name  string
		items []string
		want  []string // "pods|words|fix" of the causes
	}{
		{
			"two effects",
			[]string{
				nodeJSON("a", "pool=a", "dedicated=ml:NoSchedule"),
				nodeJSON("b", "pool=b", "dedicated=ml:NoExecute"),
				podJSON("pa", "", "pool=a", tol("dedicated=ML:NoSchedule")),
				podJSON("pb", "", "pool=b", tol("dedicated=ML:NoExecute")),
			},
			[]string{
				"1|dedicated=ML, the nodes have ml (letter case)|" +
					"dedicated=ml:NoExecute in place of dedicated=ML:NoExecute",
				"1|dedicated=ML, the nodes have ml (letter case)|" +
					"dedicated=ml:NoSchedule in place of dedicated=ML:NoSchedule",
			},
		},
		{
			"two effects, nothing tolerated",
			[]string{
				nodeJSON("a", "pool=a", "dedicated=ml:NoSchedule"),
				nodeJSON("b", "pool=b", "dedicated=ml:NoExecute"),
				podJSON("pa", "", "pool=a"),
				podJSON("pb", "", "pool=b"),
			},
			[]string{
				"1|dedicated=ml is not tolerated|" +
					"if nodes with dedicated=ml:NoExecute are meant: add dedicated=ml:NoExecute",
				"1|dedicated=ml is not tolerated|" +
					"if nodes with dedicated=ml:NoSchedule are meant: add dedicated=ml:NoSchedule",
			},
		},
		{
			"one toleration of all effects",
			[]string{
				nodeJSON("a", "", "dedicated=ml:NoSchedule"),
				podJSON("pa", "", "", tol("dedicated=ML:NoSchedule")),
				podJSON("pb", "", "", tol("dedicated=ML")),
				podJSON("pc", "", "", tol("dedicated=ML")),
			},
			[]string{
				"2|dedicated=ML, the nodes have ml (letter case)|dedicated=ml in place of dedicated=ML",
				"1|dedicated=ML, the nodes have ml (letter case)|" +
					"dedicated=ml:NoSchedule in place of dedicated=ML:NoSchedule",
			},
		},
		{
			"more taints than are told",
			[]string{
				nodeJSON("a", "pool=a", "a:NoSchedule", "b:NoSchedule", "c:NoSchedule", "d:NoSchedule", "e:NoSchedule"),
				nodeJSON("b", "pool=b", "a:NoSchedule", "b:NoSchedule", "c:NoSchedule", "f:NoSchedule", "g:NoSchedule"),
				podJSON("pa", "", "pool=a"),
				podJSON("pb", "", "pool=b"),
			},
			[]string{
				"1|a is not tolerated; b is not tolerated; c is not tolerated; 2 more|" +
					"if nodes with a:NoSchedule, b:NoSchedule, c:NoSchedule and 2 more are meant: " +
					"add a:NoSchedule op=Exists, add b:NoSchedule op=Exists, add c:NoSchedule op=Exists, " +
					"add d:NoSchedule op=Exists, add e:NoSchedule op=Exists",
				"1|a is not tolerated; b is not tolerated; c is not tolerated; 2 more|" +
					"if nodes with a:NoSchedule, b:NoSchedule, c:NoSchedule and 2 more are meant: " +
					"add a:NoSchedule op=Exists, add b:NoSchedule op=Exists, add c:NoSchedule op=Exists, " +
					"add f:NoSchedule op=Exists, add g:NoSchedule op=Exists",
			},
		},
		{
			"one of them with several alternatives",
			[]string{
				nodeJSON("a", "pool=a,zone=a", "k=v:NoSchedule"),
				nodeJSON("b", "pool=a", "k=v:NoExecute"),
				podJSON("pa", "", "pool=a"),
				podJSON("pb", "", "zone=a"),
			},
			[]string{
				"1|k=v is not tolerated|",
				"1|k=v is not tolerated|if nodes with k=v:NoSchedule are meant: add k=v:NoSchedule",
			},
		},
		{
			"a key that is like the nodes'",
			[]string{
				nodeJSON("a", "", "team-east=x:NoSchedule"),
				podJSON("pa", "", "", tol("team-west op=Exists")),
				podJSON("pb", "", "", tol(":NoExecute op=Exists")),
			},
			[]string{
				"1|team-east=x is not tolerated|" +
					"if nodes with team-east=x:NoSchedule are meant: add team-east=x:NoSchedule",
				"1|team-east=x is not tolerated, but team-west is|" +
					"if nodes with team-east=x:NoSchedule are meant: add team-east=x:NoSchedule",
			},
		},
		{
			"a value under another key",
			[]string{
				nodeJSON("a", "", "dedicated=batch:NoSchedule"),
				podJSON("pa", "", "", tol("dedicated=web"), tol("tier=batch")),
			},
			[]string{
				"1|dedicated=web, the nodes have batch|" +
					"if nodes with dedicated=batch:NoSchedule are meant: add dedicated=batch:NoSchedule",
			},
		},
		{
			"two names that may be meant, one of them of a node that is cordoned",
			[]string{
				nodeJSON("a", "", "team=ops:NoSchedule"),
				nodeJSON("b", "", "team=OPS:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"),
				podJSON("pa", "", "", tol("team=Ops")),
			},
			[]string{
				"1|team=Ops, the nodes have OPS (letter case); team=Ops, the nodes have ops (letter case); " +
					"and some nodes are out of order or cordoned: node.kubernetes.io/unschedulable:NoSchedule|",
			},
		},
		{
			"an agent that is not ready",
			[]string{
				nodeJSON("a", "", "ebs.csi.aws.com/agent-not-ready:NoExecute"),
				podJSON("pa", "", ""),
			},
			[]string{
				"1|the nodes that would take it are out of order or cordoned: " +
					"ebs.csi.aws.com/agent-not-ready:NoExecute|the nodes need fixing, not the pods",
			},
		},
		{
			"nodes that go",
			[]string{
				nodeJSON("a", "", "ToBeDeletedByClusterAutoscaler=1763600001:NoSchedule", "k=v:NoSchedule"),
				nodeJSON("b", "", "ToBeDeletedByClusterAutoscaler=1763600002:NoSchedule", "k=v:NoSchedule"),
				podJSON("pa", "", "", tol("k=V")),
				podJSON("pb", "", "", tol("k=v")),
			},
			[]string{
				"1|k=V, the nodes have v (letter case); and the nodes are being removed: " +
					"ToBeDeletedByClusterAutoscaler:NoSchedule|other nodes, and k=v in place of k=V",
				"1|the nodes that would take it are being removed: ToBeDeletedByClusterAutoscaler:NoSchedule|" +
					"other nodes, not other tolerations",
			},
		},
		{
			"the same on other nodes",
			[]string{
				nodeJSON("a", "pool=a", "dedicated=ml:NoSchedule"),
				nodeJSON("b", "pool=b", "dedicated=ml:NoSchedule", "x:PreferNoSchedule"),
				podJSON("pa", "", "pool=a", tol("dedicated=ML:NoSchedule")),
				podJSON("pb", "", "pool=b", tol("x op=Exists"), tol("dedicated=ML:NoSchedule")),
			},
			[]string{
				"2|dedicated=ML, the nodes have ml (letter case)|" +
					"dedicated=ml:NoSchedule in place of dedicated=ML:NoSchedule",
			},
		},
		{
			"gated pods, whose tolerations are not the cause",
			[]string{
				nodeJSON("a", "", "dedicated=ml:NoSchedule"),
				gatedJSON("pa", `{"key":"dedicated","value":"ML"}`),
				gatedJSON("pb", `{"key":"other","value":"ML"}`),
			},
			[]string{
				"2|scheduling gates: the scheduler does not look at the pod before they are removed|",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			input := list(test.items...)
			r := mustReport(t, input)
			var got []string
			for i := range r.Causes {
				c := &r.Causes[i]
				got = append(got, fmt.Sprintf("%d|%s|%s", c.Pods, c.words(), c.Fix))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkCauses(t, &r)
			text := mustRunWith(t, "1000", input)
			page := strings.Split(html.UnescapeString(mustRun(t, input, "-o", "html")), "<tr>")
			for i := range r.Causes {
				c := &r.Causes[i]
				if want := c.told(); !strings.Contains(text, want) {
					t.Errorf("the text lacks %q:\n%s", want, text)
				}
				if !slices.ContainsFunc(page, c.isRow) {
					t.Errorf("the page lacks %+v", c)
				}
			}
		})
	}
}

// told is how the text tells the cause, in long lines.
func (c *cause) told() string {
	text := ": " + c.words() + "\n"
	if c.Fix != "" {
		text += "    fix: " + c.Fix + "\n"
	}
	return text + "    as " + c.Examples[0]
}

// isRow reports whether the row of the page is that of the cause.
func (c *cause) isRow(row string) bool {
	fix := c.Fix
	if fix == "" {
		fix = "—"
	}
	parts := []string{
		fmt.Sprintf("<td class=\"number\">%d</td>", c.Pods), "</span> " + c.words() + "\n",
		"<li>" + c.Examples[0] + "</li>", "<td>" + fix + "</td>",
	}
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(row, part) })
}

// gatedJSON returns a Pod with a scheduling gate and a toleration.
func gatedJSON(name, toleration string) string {
	return `{"kind":"Pod","metadata":{"name":"` + name + `"},"spec":{"schedulingGates":[{"name":"g"}],` +
		`"tolerations":[` + toleration + `]}}`
}

// checkCauses sees that each pending pod names one cause, whose fix is its own.
func checkCauses(t *testing.T, r *report) {
	t.Helper()
	pods := make(map[string]int)
	for i := range r.Pending {
		x := &r.Pending[i]
		pods[x.Cause] += len(x.Pods)
		at := slices.IndexFunc(r.Causes, func(c cause) bool { return c.Text == x.Cause })
		if at < 0 {
			t.Errorf("no cause %q", x.Cause)
		} else if strings.HasSuffix(x.Cause, fixMark) {
			t.Errorf("no fix in %q", x.Cause)
		} else if c := &r.Causes[at]; c.Fix != x.fix() {
			t.Errorf("fix %q of %q, want %q for %s", c.Fix, c.Text, x.fix(), x.Pods)
		}
	}
	for i := range r.Causes {
		if c := &r.Causes[i]; pods[c.Text] != c.Pods {
			t.Errorf("%d pods name %q, which counts %d", pods[c.Text], c.Text, c.Pods)
		}
	}
	if len(pods) != len(r.Causes) {
		t.Errorf("%d texts of %d causes", len(pods), len(r.Causes))
	}
}
