// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	kubectl "k8s.io/kubectl/pkg/cmd/taint"
	"pgregory.net/rapid"
)

// kubectlTaint returns the taints that "kubectl taint" computes for a node, and
// whether it accepts the changes. It removes the taints of whole keys last, as the
// library does. See TestDifferenceOrderOfRemovals.
func kubectlTaint(list, add, remove []corev1.Taint, overwrite bool) ([]corev1.Taint, bool) {
	if !kubectlAccepts(add, remove) || !overwrite && linked.CheckIfTaintsAlreadyExists(list, add) != "" {
		return nil, false
	}
	remove = slices.SortedStableFunc(slices.Values(remove), func(a, b corev1.Taint) int {
		return min(len(b.Effect), 1) - min(len(a.Effect), 1)
	})
	_, after, err := linked.ReorganizeTaints(&corev1.Node{Spec: corev1.NodeSpec{Taints: list}}, overwrite, add, remove)
	return after, err == nil
}

// kubectlAccepts returns whether kubectl's Validate accepts the changes.
func kubectlAccepts(add, remove []corev1.Taint) bool {
	nodes := meta.NewDefaultRESTMapper(nil)
	nodes.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	o := kubectl.TaintOptions{Mapper: nodes}
	*linked.Field[[]string](&o, "resources") = []string{"nodes", "node"}
	*linked.Field[[]corev1.Taint](&o, "taintsToAdd") = add
	*linked.Field[[]corev1.Taint](&o, "taintsToRemove") = remove
	return o.Validate() == nil
}

// drawCommonTaint returns one of a few valid taints.
func drawCommonTaint(t *rapid.T) corev1.Taint {
	return corev1.Taint{
		Key:    rapid.SampledFrom([]string{"dedicated", "example.com/gpu"}).Draw(t, "key"),
		Value:  rapid.SampledFrom([]string{"", "ml", "5"}).Draw(t, "value"),
		Effect: corev1.TaintEffect(rapid.SampledFrom(hotEffects[:3]).Draw(t, "effect")),
	}
}

// drawChange returns an argument of "kubectl taint". One in eight may be invalid.
func drawChange(t *rapid.T) string {
	taint := drawCommonTaint(t)
	spec := taint.ToString()
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0:
		spec = drawSpec(t) + rapid.SampledFrom([]string{"", "-"}).Draw(t, "end")
	case 1, 2:
		spec += "-"
	case 3:
		spec = taint.Key + "-"
	}
	return spec
}

func drawChanges(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.Custom(drawChange), 0, 4).Draw(t, "specs")
}

// changesOf returns the Changes that add and remove the same taints as kubectl.
// For a taint without an effect, kubectl removes all taints of the key.
func changesOf(add, remove []corev1.Taint) taints.Changes {
	c := taints.Changes{Add: kube.Taints(add)}
	for _, taint := range remove {
		if taint.Effect == "" {
			c.RemoveKeys = append(c.RemoveKeys, taint.Key)
		} else {
			c.Remove = append(c.Remove, kube.Taint(taint).ID())
		}
	}
	return c
}

func TestParseChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { sameParse(t, linked.ParseTaints) })
}

func sameParse(t *rapid.T, parse func(specs []string) (add, remove []corev1.Taint, err error)) {
	specs := drawChanges(t)
	add, remove, err := parse(specs)
	got, gotErr := taints.ParseChanges(specs...)
	same(t, "ParseChanges succeeds", gotErr == nil, err == nil)
	same(t, "ParseChanges", got, changesOf(add, remove))
}

func TestCheckIfTaintsAlreadyExists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { sameExisting(t, linked.CheckIfTaintsAlreadyExists) })
}

// sameExisting compares the taints that have a key, because Kubernetes does not always
// recognize one without.
func sameExisting(t *rapid.T, exist func(oldTaints, list []corev1.Taint) string) {
	before, after := drawTaints(t), drawTaints(t)
	_, err := taints.Changes{Add: kube.Taints(after)}.ApplyStrict(kube.Taints(before), false)
	var all taints.ErrorList
	errors.As(err, &all)
	forbidden := make([]bool, len(after))
	for _, f := range all {
		forbidden[f.Index] = forbidden[f.Index] || f.Kind == taints.ErrForbidden
	}
	for i, taint := range after {
		want := exist(before, after[i:i+1]) != ""
		same(t, "ErrForbidden", forbidden[i] && taint.Key != "", want && taint.Key != "")
	}
	same(t, "ErrDuplicate", errors.Is(err, taints.ErrDuplicate), len(unique(after)) < len(after))
}

func TestValidateChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		add, remove := drawTaints(t), draws(t, "remove", 3, drawTaint)
		c := changesOf(add, remove)
		after, owned, keys := c.Add, c.Remove, c.RemoveKeys
		err := taints.Changes{Add: after, Remove: owned, RemoveKeys: keys}.Validate()
		var all taints.ErrorList
		errors.As(err, &all)
		removedToo := slices.ContainsFunc(all, func(f *taints.FieldError) bool {
			return f.List == "add" && f.Field == "" && f.Kind == taints.ErrInvalid
		})
		same(t, "a taint is added and removed", removedToo, !kubectlAccepts(add, remove))
	})
}

func TestApplyChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, overwrite := unique(draws(t, "taints", 5, drawCommonTaint)), rapid.Bool().Draw(t, "overwrite")
		add, remove, err := linked.ParseTaints(drawChanges(t))
		if err != nil {
			return // covered by TestParseChanges
		}
		want, ok := kubectlTaint(list, add, remove, overwrite)
		got, err := changesOf(add, remove).ApplyStrict(kube.Taints(list), overwrite)
		same(t, "ApplyStrict succeeds", err == nil, ok)
		if ok {
			same(t, "ApplyStrict", counts(got, taints.Taint.String), counts(kube.Taints(want), taints.Taint.String))
		}
	})
}

// TestReorganizeTaints draws changes that kubectl cannot parse, such as unknown
// effects, and repeated taints: of those of the node, which the library leaves alone,
// kubectl keeps the first.
func TestReorganizeTaints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, add, remove := drawTaints(t), draws(t, "add", 3, drawTaint), draws(t, "remove", 3, drawTaint)
		c := changesOf(add, remove)
		after, owned, keys := c.Add, c.Remove, c.RemoveKeys
		got, err := taints.Changes{Add: after, Remove: owned, RemoveKeys: keys}.ApplyStrict(kube.Taints(before), true)
		want, ok := kubectlTaint(before, add, remove, true)
		same(t, "ApplyStrict succeeds", err == nil, ok && len(unique(add)) == len(add))
		if err == nil {
			got = kube.Taints(unique(kube.CoreTaints(got)))
			same(t, "ApplyStrict", counts(got, taints.Taint.String), counts(kube.Taints(want), taints.Taint.String))
		}
	})
}

// unique returns the taints without those with the key and effect of an earlier one.
func unique(list []corev1.Taint) []corev1.Taint { return once(list, list...) }

// once returns the taints of which each of the others is in the list at most once:
// the first with its key and effect.
func once(list []corev1.Taint, others ...corev1.Taint) []corev1.Taint {
	seen := map[taints.TaintID]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(taint corev1.Taint) bool {
		again := seen[kube.Taint(taint).ID()]
		seen[kube.Taint(taint).ID()] = slices.ContainsFunc(others, func(o corev1.Taint) bool { return o.MatchTaint(&taint) })
		return again
	})
}

// counts returns how often each taint is in the list, by its text or identity.
func counts[K comparable](list []taints.Taint, by func(taints.Taint) K) map[K]int {
	m := map[K]int{}
	for _, taint := range list {
		m[by(taint)]++
	}
	return m
}

func TestDifferenceOrderOfTaints(t *testing.T) {
	list := []corev1.Taint{{Key: "a", Value: "1", Effect: "NoSchedule"}, {Key: "b", Effect: "NoSchedule"}}
	for _, test := range []struct{ add, kubernetes, library string }{
		{"c:NoSchedule", "c:NoSchedule,a=1:NoSchedule,b:NoSchedule", "a=1:NoSchedule,b:NoSchedule,c:NoSchedule"},
		{"b=2:NoSchedule", "b=2:NoSchedule,a=1:NoSchedule", "a=1:NoSchedule,b=2:NoSchedule"},
		{"b:NoSchedule", "b:NoSchedule,a=1:NoSchedule", "a=1:NoSchedule,b:NoSchedule"},
	} {
		add := []taints.Taint{taints.Must(taints.ParseTaint(test.add))}
		theirs, _ := kubectlTaint(list, kube.CoreTaints(add), nil, true)
		same(t, "kubectl taint", reference.Joined(kube.Taints(theirs)), test.kubernetes)
		ours, _ := taints.Changes{Add: add}.ApplyStrict(kube.Taints(list), true)
		same(t, "ApplyStrict", reference.Joined(ours), test.library)
	}
}

// Kubernetes removes taints in the order of the arguments, so "a-" leaves
// nothing for a later "a:NoExecute-".
func TestDifferenceOrderOfRemovals(t *testing.T) {
	list := []corev1.Taint{{Key: "a", Effect: "NoSchedule"}, {Key: "a", Effect: "NoExecute"}}
	for _, test := range []struct {
		specs               string
		kubernetes, library bool
	}{
		{"a- a:NoExecute-", false, true},
		{"a:NoExecute- a-", true, true},
		{"a:NoExecute- a:NoSchedule- a-", false, false},
	} {
		add, remove, err := linked.ParseTaints(strings.Fields(test.specs))
		same(t, "ParseTaints", err, nil)
		_, _, err = linked.ReorganizeTaints(&corev1.Node{Spec: corev1.NodeSpec{Taints: list}}, false, add, remove)
		same(t, "kubectl taint accepts "+test.specs, err == nil, test.kubernetes)
		c, err := taints.ParseChanges(strings.Fields(test.specs)...)
		same(t, "ParseChanges", err, nil)
		_, err = c.ApplyStrict(kube.Taints(list), false)
		same(t, "ApplyStrict accepts "+test.specs, err == nil, test.library)
	}
}

func TestDifferenceTimeOfRewrittenTaint(t *testing.T) {
	add := []taints.Taint{{Key: "a", Effect: "NoExecute"}}
	given := []taints.Taint{{Key: "a", Effect: "NoExecute", TimeAdded: &observed}}
	theirs, _ := kubectlTaint(kube.CoreTaints(given), kube.CoreTaints(add), nil, true)
	same(t, "kubectl taint", kube.Taints(theirs), add)
	ours, _ := taints.Changes{Add: add}.ApplyStrict(given, true)
	same(t, "ApplyStrict", ours, given)
}

func TestDifferenceProblemsTogether(t *testing.T) {
	_, _, err := linked.ParseTaints([]string{"a", "b"})
	same(t, "kubectl", err.Error(), "invalid taint spec: a")
	_, err = taints.ParseChanges("a", "b")
	same(t, "errors of ParseChanges", len(err.(taints.ErrorList)), 2)
}
