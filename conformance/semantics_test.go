// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/internal/semantics"
	corev1 "k8s.io/api/core/v1"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
)

// The tables of docs/semantics.md are what Kubernetes' own code answers, but for
// the rows about what only the library has.
func TestSemantics(t *testing.T) {
	compares(t, "the tables of docs/semantics.md", "the same tables")
	tables, err := semantics.Read("..")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for head, test := range map[string]func(*testing.T, semantics.Row) bool{
		semantics.Matching: kubernetesMatchesRow,
		semantics.Effects:  kubernetesPlacesRow,
		semantics.Eviction: kubernetesEvictsRow,
	} {
		for _, row := range tables[head] {
			t.Run(row.Line, func(t *testing.T) {
				if test(t, row) {
					cases++
				}
			})
		}
	}
	daemonSetGets(t, tables[semantics.Added])
	if cases < 45 {
		t.Errorf("%d rows only", cases)
	}
	counted(t, cases)
}

// kubernetesHas reports whether the running version has the options of the row.
// One without the feature gate answers as if it were off.
func kubernetesHas(o taints.Options, pod []taints.Toleration) bool {
	numbers := false
	for _, t := range pod {
		numbers = numbers || t.Operator == taints.OpLt || t.Operator == taints.OpGt
	}
	return !o.KeyWildcards && (gated.Comparison || o.NoComparison || !numbers)
}

// comparison is the state of the feature gate, where there is one.
func comparison(o taints.Options) bool { return gated.Comparison && !o.NoComparison }

func kubernetesMatchesRow(t *testing.T, row semantics.Row) bool {
	o := row.Options("options")
	taint, pod := row.Taints("taint")[0], row.Tolerations("toleration", o)
	if !kubernetesHas(o, pod) {
		return false
	}
	toleration, mark := convert.ToToleration(pod[0]), convert.ToTaint(taint)
	if got := gated.Tolerates(&toleration, &mark, comparison(o)); got != (row.Cell("tolerated") == "yes") {
		t.Errorf("Kubernetes says %v", got)
	}
	return true
}

func kubernetesPlacesRow(t *testing.T, row semantics.Row) bool {
	o := row.Options("options")
	node, pod := row.Taints("node's taints"), row.Tolerations("pod's tolerations", o)
	if !kubernetesHas(o, pod) {
		return false
	}
	marks, tolerations := convert.Each(node, convert.ToTaint), convert.Each(pod, convert.ToToleration)
	untolerated := func(effects ...corev1.TaintEffect) bool {
		in := func(t *corev1.Taint) bool { return slices.Contains(effects, t.Effect) }
		_, found := gated.FindUntolerated(marks, tolerations, in, comparison(o))
		return found
	}
	placed := !untolerated(corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
	avoided := placed && untolerated(corev1.TaintEffectPreferNoSchedule)
	leaves := untolerated(corev1.TaintEffectNoExecute)
	if placed != row.Yes("placed") || avoided != row.Yes("avoided") || leaves != row.Yes("untolerated NoExecute") {
		t.Errorf("Kubernetes says placed %v, avoided %v, leaves %v", placed, avoided, leaves)
	}
	return true
}

// kubernetesEvictsRow leaves out policies, which only the library has, and seconds
// that overflow in Kubernetes (TestDifferenceSecondsOverflow).
func kubernetesEvictsRow(t *testing.T, row semantics.Row) bool {
	policy := row.Cell("policy")
	o := taints.Options{NoComparison: policy == "`NoComparison`"}
	node, pod := row.Taints("node's taints"), row.Tolerations("pod's tolerations", o)
	if policy != "" && !o.NoComparison || !kubernetesHas(o, pod) || overflows(pod) {
		return false
	}
	gated.Set(t, comparison(o))
	outcome, at := kubernetesEviction(convert.Each(node, convert.ToTaint), convert.Each(pod, convert.ToToleration))
	got := map[taints.Outcome]string{taints.Stays: "never", taints.EvictsNow: "now"}[outcome]
	if outcome == taints.EvictsAt {
		got = fmt.Sprintf("after %ds", at.Sub(observed)/time.Second)
	}
	if got != row.Cell("leaves") {
		t.Errorf("Kubernetes says %s", got)
	}
	return true
}

func overflows(pod []taints.Toleration) bool {
	for _, t := range pod {
		if t.TolerationSeconds != nil && *t.TolerationSeconds > 9223372036 {
			return true
		}
	}
	return false
}

// daemonSetGets tests what the controller of DaemonSets adds. What admission
// adds is compared in defaults_test.go, plugin by plugin.
func daemonSetGets(t *testing.T, rows []semantics.Row) {
	var want []corev1.Toleration
	for _, row := range rows {
		if row.Code("call")[0] == "AddDaemonSetDefaults" {
			want = append(want, convert.Each(row.Tolerations("adds", taints.Options{}), convert.ToToleration)...)
		}
	}
	spec := corev1.PodSpec{HostNetwork: true}
	daemonutil.AddOrUpdateDaemonPodTolerations(&spec)
	if !reflect.DeepEqual(spec.Tolerations, want) {
		t.Errorf("Kubernetes adds %v, the table %v", spec.Tolerations, want)
	}
}
