// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

// pinned returns a Pod as the DaemonSet controller makes them.
func pinned(node string) string {
	return `{"kind":"Pod","metadata":{"name":"agent-` + node + `"},"spec":{"affinity":{"nodeAffinity":{` +
		`"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[` +
		`{"key":"metadata.name","operator":"In","values":["` + node + `"]}]}]}}}}}`
}

// Lists that may be as long as there are nodes, for each pod, are limited, and
// what is left out is counted.
func TestLimits(t *testing.T) {
	items := []string{podJSON("p", "", "", tol("k=none")), podJSON("q", "", "")}
	for i := range 70 {
		items = append(items, nodeJSON(fmt.Sprintf("n%02d", i), "", fmt.Sprintf("k=%02d:NoSchedule", i)))
	}
	for _, x := range mustReport(t, list(items...)).Pending {
		if len(x.Rejections) != maxListed || x.RejectionsTotal != 70 ||
			len(x.Alternatives) != maxListed || x.AlternativesTotal != 70 {
			t.Errorf("%s: %d rejections of %d, %d alternatives of %d", x.Pods,
				len(x.Rejections), x.RejectionsTotal, len(x.Alternatives), x.AlternativesTotal)
		}
	}
	got := mustRun(t, list(items...), "-o", "wide")
	if !strings.Contains(got, "\n    60 more untolerated taints\n") || !strings.Contains(got, "\n    60 more groups of nodes\n") {
		t.Errorf("got %s", got)
	}
}

// TestUsedOnce looks at taints no more often than once for each toleration that
// pods share.
func TestUsedOnce(t *testing.T) {
	k := newKnown([]*nodeGroup{{taints: []taints.Taint{taints.MustParseTaint("k=v:NoExecute")}}})
	for _, s := range []string{"k=v:NoExecute for 5s", "k=v:NoExecute for 6s", "k=v:NoExecute"} {
		if !k.isUsed(tol(s)) || len(k.used) != 1 {
			t.Errorf("%s: %v", s, k.used)
		}
	}
	if k.isUsed(tol("k=w")) || len(k.used) != 2 {
		t.Errorf("k=w: %v", k.used)
	}
}

// The causes of many pods are told once each.
func TestCauses(t *testing.T) {
	pod := func(i int, spec string) string {
		return fmt.Sprintf(
			`{"kind":"Pod","metadata":{"namespace":"ns%d","name":"p%d","labels":{"pod-template-hash":"5f"},`+
				`"ownerReferences":[{"kind":"ReplicaSet","name":"d%d-5f","controller":true}]},"spec":%s}`,
			i%2, i, i%9, spec,
		)
	}
	items := []string{
		nodeJSON("g", "pool=gpu", "nvidia.com/gpu=present:NoSchedule"),
		nodeJSON("m", "pool=ml", "dedicated=ml:NoSchedule"),
	}
	for i := range 62 {
		items = append(items,
			pod(i, `{"nodeSelector":{"pool":"gpu"},"tolerations":[{"key":"nvidia.com/gpu","value":"true"}]}`))
	}
	for i := range 5 {
		items = append(items,
			pod(100+i, `{"nodeSelector":{"pool":"ml"},"tolerations":[{"key":"dedicated","value":"ML"}]}`))
		items = append(items, pod(200+i, fmt.Sprintf(`{"nodeSelector":{"none%d":"x"}}`, i)))
		items = append(items, pinned(fmt.Sprint("gone", i)))
	}
	got := mustRun(t, list(items...))
	for _, want := range []string{
		"\n62 pods of Deployment ns0/d0, Deployment ns0/d1 and 16 more owners: untolerated taint\n",
		"\n    Commands are for the first of 18 owners.\n",
		"\n5 pods of Deployment ns0/d1, Deployment ns0/d3 and 3 more owners: untolerated taint\n",
		"\n5 pods (default/agent-gone0, default/agent-gone1 and 3 more): the node that the required node\n",
		"\n2 more pods with 2 other causes: see -o wide.\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// No name of an object makes lines of its own.
func TestNamesWithLineFeeds(t *testing.T) {
	const name = `p\n\nAll pods are fine.`
	input := list(nodeJSON("n", "", "k:NoExecute"),
		`{"kind":"Pod","metadata":{"name":"`+name+`"},"spec":{"nodeName":"n"}}`,
		`{"kind":"Pod","metadata":{"name":"`+name+`2"}}`)
	for _, args := range [][]string{nil, {"-o", "wide"}} {
		if text := mustRun(t, input, args...); strings.Contains(text, "\nAll pods are fine.") {
			t.Errorf("%q: %s", args, text)
		}
	}
}
