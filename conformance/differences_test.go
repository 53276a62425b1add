// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/internal/test/viewtest"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/util/tolerations"
)

func TestDifferenceSecondsOverflow(t *testing.T) {
	const most = 9223372036 * time.Second // the most whole seconds
	tests := []struct {
		seconds    int64
		kubernetes time.Duration // how long the pod stays; negative means forever
		outcome    taints.Outcome
		at         time.Time
	}{
		{9223372036, most, taints.EvictsAt, observed.Add(most)},
		{9223372037, -9223372036709551616, taints.EvictsAt, observed.Add(most).Add(time.Second)},
		{18446744073, -709551616, taints.EvictsAt, observed.Add(most).Add(most).Add(time.Second)},
		{18446744074, 290448384, taints.EvictsAt, observed.Add(most).Add(most).Add(2 * time.Second)},
		{math.MaxInt64 - 1, -2 * time.Second, taints.Stays, time.Time{}},
		{math.MaxInt64, -1, taints.Stays, time.Time{}},
	}
	for _, test := range tests {
		toleration := corev1.Toleration{Operator: corev1.TolerationOpExists, TolerationSeconds: &test.seconds}
		same(t, "getMinTolerationTime", linked.MinTolerationTime([]corev1.Toleration{toleration}), test.kubernetes)
		got := taints.EvictionOf([]taints.Taint{{Key: "a", Effect: taints.NoExecute}},
			[]taints.Toleration{kube.Toleration(toleration)}, observed)
		same(t, "outcome", got.Outcome, test.outcome)
		same(t, "seconds from then", got.At.Unix(), test.at.Unix())
	}
}

func TestDifferenceFieldOfError(t *testing.T) {
	for _, toleration := range []corev1.Toleration{
		{Key: "a", Operator: corev1.TolerationOpEqual, Value: "-"},
		{Key: "a", Operator: corev1.TolerationOpExists, Value: "v"},
	} {
		same(t, "Kubernetes field", theirErrors(toleration)[0].Field, "tolerations[0].operator")
		same(t, "library field", firstError(kube.Toleration(toleration).Validate()).Field, "value")
	}
}

// theirErrors returns the errors of the toleration in Kubernetes.
func theirErrors(toleration corev1.Toleration) field.ErrorList {
	p := pod([]corev1.Toleration{toleration})
	return gated.ValidateTolerations(p.Spec.Tolerations, field.NewPath("tolerations"), createOptions(p))
}

// firstError returns the first error of a validation error.
func firstError(err error) *taints.FieldError { return err.(taints.ErrorList)[0] }

func TestDifferenceKindOfError(t *testing.T) {
	taint := corev1.Taint{Effect: corev1.TaintEffectNoSchedule}
	theirs := linked.ValidateNodeTaints(convert.ToCoreTaints([]corev1.Taint{taint}), field.NewPath("taints"))
	same(t, "Kubernetes kind", theirs[0].Type, field.ErrorTypeInvalid)
	same(t, "library kind", firstError(kube.Taint(taint).Validate()).Kind, taints.ErrRequired)
}

func TestDifferenceWording(t *testing.T) {
	toleration := corev1.Toleration{Key: "a", Operator: opGt, Value: "0950"}
	if gated.Comparison {
		gated.Set(t, true)
		same(t, "Kubernetes detail", theirErrors(toleration)[0].Detail, "must be a valid decimal integer in canonical form")
	}
	same(t, "library detail", firstError(kube.Toleration(toleration).Validate()).Detail,
		"must be a decimal integer within int64, without leading zeros or '+'")
}

func TestDifferenceJSONOfTime(t *testing.T) {
	at := time.Date(2026, 11, 21, 13, 0, 0, 500_000_000, time.FixedZone("", 3600))
	theirs := corev1.Taint{Key: "a", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: at}}
	ours := taints.Taint{Key: "a", Effect: taints.NoExecute, TimeAdded: &at}
	same(t, "Kubernetes JSON", viewtest.Encode(t, theirs),
		`{"key":"a","effect":"NoExecute","timeAdded":"2026-11-21T12:00:00Z"}`)
	same(t, "library JSON", viewtest.Encode(t, ours),
		`{"key":"a","effect":"NoExecute","timeAdded":"2026-11-21T13:00:00.5+01:00"}`)
}

func TestDifferenceUpdateErrors(t *testing.T) {
	before, after := []corev1.Toleration{{Key: "a"}, {Key: "b"}}, []corev1.Toleration{{Key: "c"}}
	theirs := slices.DeleteFunc(validateUpdate(before, after), func(err *field.Error) bool { return err.Field != "spec.tolerations" })
	same(t, "Kubernetes errors", len(theirs), 1)
	err := tolerationset.ValidateUpdate(kube.Tolerations(before), kube.Tolerations(after), taints.Options{})
	same(t, "library errors", len(err.(taints.ErrorList)), 2)
}

func TestDifferenceString(t *testing.T) {
	for _, test := range []struct {
		toleration             corev1.Toleration
		kubernetes, libraryHas string
	}{
		{tol("a=5 op=Lt"), "a=5", "a=5 op=Lt"},
		{tol("a=5:NoSchedule op=Gt"), "a=5:NoSchedule", "a=5:NoSchedule op=Gt"},
		{corev1.Toleration{Key: "a", Operator: "NoSuchOperator"}, "a", "a op=NoSuchOperator"},
		{corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists, Value: "v"}, "a=v", "a=v op=Exists"},
		{corev1.Toleration{Key: "op", Value: "Exists"}, "op=Exists", "op=Exists op=Equal"},
		{corev1.Toleration{Key: "op=Exists"}, "op=Exists", "op=Exists op=Equal"},
	} {
		same(t, "kubectl", describeToleration(test.toleration), test.kubernetes)
		same(t, "String", kube.Toleration(test.toleration).String(), test.libraryHas)
	}
}

// tol returns the valid toleration with the text.
func tol(text string) corev1.Toleration {
	return kube.CoreToleration(taints.Must(taints.ParseToleration(text)))
}

func tols(texts ...string) (list []corev1.Toleration) {
	for _, text := range texts {
		list = append(list, tol(text))
	}
	return list
}

func TestDifferenceMemoryPressure(t *testing.T) {
	const added = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"
	const withValue = "node.kubernetes.io/memory-pressure=v:NoSchedule op=Equal"
	seconds := int64(300)
	invalid := tols(added, added)
	invalid[0].TolerationSeconds, invalid[1].Value = &seconds, "v"
	for _, test := range []struct{ before, kubernetes, library []corev1.Toleration }{
		{tols(withValue), tols(added), tols(withValue, added)},
		{tols("a op=Exists", "op=Exists"), tols("op=Exists"), tols("a op=Exists", "op=Exists")},
		{invalid[:1], tols(added), invalid[:1]},
		{invalid[1:], tols(added), invalid[1:]},
	} {
		same(t, "MergeTolerations", merged(test.before, tols(added)), test.kubernetes)
		got := taints.AddMemoryPressureToleration(kube.Tolerations(test.before))
		same(t, "AddMemoryPressureToleration", kube.CoreTolerations(got), test.library)
	}
}

// Kubernetes recognizes that a toleration tolerates the same taints or fewer
// only for some operators, and distinguishes seconds that mean the same.
func TestDifferenceCovers(t *testing.T) {
	now := int64(0)
	for _, test := range []struct {
		a, b                corev1.Toleration
		kubernetes, library bool
	}{
		{tol("a=v op=Equal"), tol("a=v"), false, true},
		{tol("a=v"), tol("a=v op=Equal"), true, true},
		{tol("a=v"), tol("a=v:NoSchedule"), false, true},
		{tol("a=5 op=Gt"), tol("a=7 op=Gt"), false, true},
		{tol("a=5 op=Gt"), tol("a=5:NoSchedule op=Gt"), false, true},
		{tol("a=5 op=Gt"), tol("a=7 op=Equal"), false, true},
		{tol("a op=Exists"), tol("a=5 op=Gt"), true, true},
		{tol("b"), tol("a=-9223372036854775808 op=Lt"), false, true},
		{tol("a:NoExecute op=Exists for -5s"), tol("a:NoExecute op=Exists for 0s"), false, true},
		// Not valid: an empty key with Equal, which matches all keys; and seconds with all effects.
		{corev1.Toleration{Operator: corev1.TolerationOpEqual, Value: "v"}, tol("a=v op=Equal"), false, true},
		{
			corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists, TolerationSeconds: &now},
			tol("a op=Exists"), true, false,
		},
	} {
		same(t, "isSuperset", superset(test.a, test.b), test.kubernetes)
		same(t, "Covers", covers(test.a, test.b), test.library)
	}
}

func TestDifferenceAllowed(t *testing.T) {
	same(t, "VerifyAgainstWhitelist", verified(tols("gpu op=Exists"), nil), true)
	err := tolerationset.ValidateAllowed(kube.Tolerations(tols("gpu op=Exists")), nil, taints.Options{})
	same(t, "ValidateAllowed", errors.Is(err, taints.ErrForbidden), true)
}

// If two tolerations cover each other's taints, Kubernetes keeps the broader
// one, wherever it comes from, and may drop the pod's own. So a namespace can
// override how long a pod stays even though the pod sets it.
func TestDifferenceMerge(t *testing.T) {
	const (
		own        = "a:NoExecute op=Exists for 10s"
		longer     = "a:NoExecute op=Exists for 600s"
		value      = "a=v:NoExecute op=Equal"
		everything = ":NoExecute op=Exists"
		other      = "b:NoExecute op=Exists"
	)
	type list = []corev1.Toleration
	for _, test := range []struct{ base, extra, kubernetes, library list }{
		// The pod stays longer than it wants.
		{tols(own), tols(longer), tols(longer), tols(own)},
		// It stays forever.
		{tols(own, other), tols(everything), tols(everything), tols(own, other, everything)},
		// An API server refuses this on an update.
		{tols(other, own), tols(longer), tols(other, longer), tols(other, own)},
		{tols(longer), tols(own), tols(longer), tols(longer)},
		// An added toleration is never the first match.
		{tols(own), tols(value), tols(own, value), tols(own)},
		{tols(value, own), tols(longer), tols(value, longer), tols(value, own)},
		// Kubernetes drops one even if there is nothing to merge.
		{tols(own, everything), nil, tols(everything), tols(own, everything)},
		{tols(everything, own), nil, tols(everything), tols(everything, own)},
	} {
		same(t, "MergeTolerations", merged(test.base, test.extra), test.kubernetes)
		got := tolerationset.Merge(kube.Tolerations(test.base), kube.Tolerations(test.extra), taints.Options{})
		same(t, "Merge", kube.CoreTolerations(got), test.library)
	}
}

// Kubernetes writes past the end of the base list if it has spare capacity.
func TestDifferenceMergeWrites(t *testing.T) {
	extra := core.Toleration{Key: "b", Operator: core.TolerationOpExists}
	theirs := make([]core.Toleration, 1, 2)
	tolerations.MergeTolerations(theirs, []core.Toleration{extra})
	same(t, "behind Kubernetes' list", theirs[:2][1].Key, "b")
	ours := make([]taints.Toleration, 1, 2)
	tolerationset.Merge(ours, []taints.Toleration{{Key: "b", Operator: taints.OpExists}}, taints.Options{})
	same(t, "behind the library's list", ours[:2][1].Key, "")
}

func TestDifferenceFeatureGate(t *testing.T) {
	same(t, "comparison in Kubernetes", gated.Default(), false)
	toleration := taints.Toleration{Key: "a", Operator: taints.OpLt, Value: "5"}
	same(t, "comparison in the library", toleration.Tolerates(taints.Taint{Key: "a", Value: "4"}), true)
}
