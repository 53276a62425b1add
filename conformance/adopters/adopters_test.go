// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"flag"
	"os"
	"slices"
	"testing"

	"go.uber.org/multierr"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/descheduler/pkg/utils"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/pretty"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// Few of the adopters' own tests reach their functions about taints, so these
// tests ask both the adopters' code and the library.

var (
	keys    = []string{"dedicated", "spot", "readiness.k8s.io/network", "readiness.k8s.io/", corev1.TaintNodeNotReady}
	values  = []string{"", "true", "ml", "5"}
	effects = []corev1.TaintEffect{
		corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute, "",
	}
	operators = []corev1.TolerationOperator{
		"", corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpLt, corev1.TolerationOpGt, "Never",
	}
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "3000"); err != nil { // unless the flag says otherwise
		panic(err)
	}
	os.Exit(m.Run())
}

func drawTaint(t *rapid.T) corev1.Taint {
	return corev1.Taint{
		Key:    rapid.SampledFrom(keys).Draw(t, "key"),
		Value:  rapid.SampledFrom(values).Draw(t, "value"),
		Effect: rapid.SampledFrom(effects).Draw(t, "effect"),
	}
}

func drawTaints(t *rapid.T, name string) []corev1.Taint {
	return rapid.SliceOfN(rapid.Custom(drawTaint), 0, 6).Draw(t, name)
}

// drawNode returns taints as an API server stores them: one per key and effect.
func drawNode(t *rapid.T, name string) []corev1.Taint {
	identity := func(t corev1.Taint) taints.TaintID { return kube.Taint(t).ID() }
	return rapid.SliceOfNDistinct(rapid.Custom(drawTaint), 0, 6, identity).Draw(t, name)
}

func drawTolerations(t *rapid.T, name string, operators []corev1.TolerationOperator) []corev1.Toleration {
	one := rapid.Custom(func(t *rapid.T) corev1.Toleration {
		return corev1.Toleration{
			Key:      rapid.SampledFrom(append(keys, "")).Draw(t, "key"),
			Operator: rapid.SampledFrom(operators).Draw(t, "operator"),
			Value:    rapid.SampledFrom(values).Draw(t, "value"),
			Effect:   rapid.SampledFrom(effects).Draw(t, "effect"),
		}
	})
	return rapid.SliceOfN(one, 0, 4).Draw(t, name)
}

func TestKarpenterTolerates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node, pod := drawTaints(t, "node"), drawTolerations(t, "pod", operators)
		theirs := multierr.Errors(scheduling.Taints(node).Tolerates(pod))
		n := 0
		for i, taint := range taints.Untolerated(kube.Taints(node), kube.Tolerations(pod), taints.AllEffects) {
			if n++; node[i].Effect != "" && taint.String() != pretty.Taint(node[i]) {
				t.Fatalf("%q, in Karpenter %q", taint, pretty.Taint(node[i]))
			}
		}
		if n != len(theirs) {
			t.Fatalf("%d of %v are not tolerated, in Karpenter %d", n, node, len(theirs))
		}
		if got := taints.Filter(kube.Taints(node), kube.Tolerations(pod)).AllTolerated(); got != (len(theirs) == 0) {
			t.Fatalf("all of %v are tolerated: %v, in Karpenter %v", node, got, theirs)
		}
	})
}

func TestKarpenterMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node, with := drawNode(t, "node"), drawTaints(t, "with")
		got, _ := kube.Ensure(node, taints.Changes{Add: kube.Taints(with)})
		if want := scheduling.Taints(node).Merge(with); !slices.Equal(got, want) {
			t.Fatalf("%v with %v are %v, in Karpenter %v", node, with, got, want)
		}
	})
}

func TestKarpenterEphemeral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taint := drawTaint(t)
		_, got := known.Match(kube.Taint(taint))
		if want := scheduling.IsKnownEphemeralTaint(&taint); got != want {
			t.Fatalf("%v goes away: %v, in Karpenter %v", taint, got, want)
		}
	})
}

func TestDeschedulerTolerates(t *testing.T) {
	hard := func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}
	rapid.Check(t, func(t *rapid.T) {
		node, pod := drawTaints(t, "node"), drawTolerations(t, "pod", operators)
		v := taints.Filter(kube.Taints(node), kube.Tolerations(pod))
		ctx := context.Background()
		if want := utils.TolerationsTolerateTaintsWithFilter(ctx, pod, node, hard); v.Schedulable() != want {
			t.Fatalf("%v of %v, in the descheduler %v", v, node, want)
		}
		if want := utils.TolerationsTolerateTaintsWithFilter(ctx, pod, node, nil); v.AllTolerated() != want {
			t.Fatalf("%v of %v, in the descheduler %v", v, node, want)
		}
	})
}

// Lists are equal as for the descheduler, except that the empty operator is Equal.
func TestDeschedulerEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTolerations(t, "a", operators)
		b := rapid.Permutation(a).Draw(t, "b")
		if rapid.Bool().Draw(t, "other") {
			b = drawTolerations(t, "b", operators)
		}
		if got, want := tolerationsEqual(a, b), utils.TolerationsEqual(withOperators(a), withOperators(b)); got != want {
			t.Fatalf("%v and %v are equal: %v, in the descheduler %v", a, b, got, want)
		}
	})
}

// withOperators returns the tolerations with Equal for an empty operator.
func withOperators(list []corev1.Toleration) []corev1.Toleration {
	list = slices.Clone(list)
	for i := range list {
		list[i].Operator = cmp.Or(list[i].Operator, corev1.TolerationOpEqual)
	}
	return list
}
