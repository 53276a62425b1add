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
	"github.com/seed-0529bac1/taints/internal/viewtest"
	"github.com/seed-0529bac1/taints/tolerationset"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
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
			[]taints.Toleration{convert.FromToleration(toleration)}, observed)
		same(t, "outcome", got.Outcome, test.outcome)
		same(t, "seconds from then", got.At.Unix(), test.at.Unix())
	}
}

func TestDifferenceFieldAtFault(t *testing.T) {
	for _, toleration := range []corev1.Toleration{
		{Key: "a", Operator: corev1.TolerationOpEqual, Value: "-"},
		{Key: "a", Operator: corev1.TolerationOpExists, Value: "v"},
	} {
		theirs := gated.ValidateTolerations([]core.Toleration{convert.ToCoreToleration(toleration)},
			field.NewPath("tolerations"), validation.PodValidationOptions{})
		same(t, "Kubernetes field", theirs[0].Field, "tolerations[0].operator")
		err := taints.ValidateTolerations([]taints.Toleration{convert.FromToleration(toleration)})
		same(t, "library field", firstFault(err).Field, "value")
	}
}

// firstFault returns the first fault of a validation error.
func firstFault(err error) *taints.FieldError { return err.(taints.ErrorList)[0] }

func TestDifferenceKindOfFault(t *testing.T) {
	for _, test := range []struct {
		key  string
		kind taints.ErrorKind
	}{
		{"", taints.ErrRequired},
		{"n2345678901234567890123456789012345678901234567890123456789012345", taints.ErrTooLong},
	} {
		taint := corev1.Taint{Key: test.key, Effect: corev1.TaintEffectNoSchedule}
		theirs := linked.ValidateNodeTaints([]core.Taint{convert.ToCoreTaint(taint)}, field.NewPath("taints"))
		same(t, "Kubernetes kind", theirs[0].Type, field.ErrorTypeInvalid)
		same(t, "library kind", firstFault(convert.FromTaint(taint).Validate()).Kind, test.kind)
	}
}

func TestDifferenceWording(t *testing.T) {
	toleration := corev1.Toleration{Key: "a", Operator: opGt, Value: "0950"}
	if gated.Comparison {
		gated.Set(t, true)
		p := pod([]corev1.Toleration{toleration})
		theirs := gated.ValidateTolerations(p.Spec.Tolerations, field.NewPath("tolerations"), createOptions(p))
		same(t, "Kubernetes detail", theirs[0].Detail, "must be a valid decimal integer in canonical form")
	}
	err := taints.ValidateTolerations([]taints.Toleration{convert.FromToleration(toleration)})
	same(t, "library detail", firstFault(err).Detail,
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

func TestDifferenceUpdateFaults(t *testing.T) {
	before, after := []corev1.Toleration{{Key: "a"}, {Key: "b"}}, []corev1.Toleration{{Key: "c"}}
	theirs := validation.ValidatePodUpdate(pod(after), pod(before), updateOptions(pod(after), pod(before)))
	theirs = slices.DeleteFunc(theirs, func(err *field.Error) bool { return err.Field != "spec.tolerations" })
	same(t, "Kubernetes faults", len(theirs), 1)
	err := taints.ValidateTolerationsUpdate(
		convert.Each(before, convert.FromToleration), convert.Each(after, convert.FromToleration),
	)
	same(t, "library faults", len(err.(taints.ErrorList)), 2)
}

func TestDifferenceString(t *testing.T) {
	for _, test := range []struct {
		toleration             corev1.Toleration
		kubernetes, libraryHas string
	}{
		{corev1.Toleration{Key: "a", Operator: opLt, Value: "5"}, "a=5", "a=5 op=Lt"},
		{
			corev1.Toleration{Key: "a", Operator: opGt, Value: "5", Effect: "NoSchedule"},
			"a=5:NoSchedule", "a=5:NoSchedule op=Gt",
		},
		{corev1.Toleration{Key: "a", Operator: "In"}, "a", "a op=In"},
		{corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists, Value: "v"}, "a=v", "a=v op=Exists"},
		{corev1.Toleration{Key: "op", Value: "Exists"}, "op=Exists", "op=Exists op=Equal"},
		{corev1.Toleration{Key: "op=Exists"}, "op=Exists", "op=Exists op=Equal"},
	} {
		same(t, "kubectl", describeToleration(test.toleration), test.kubernetes)
		same(t, "String", convert.FromToleration(test.toleration).String(), test.libraryHas)
	}
}

func TestDifferenceScores(t *testing.T) {
	for _, test := range []struct {
		counts              []int
		kubernetes, library []int64
	}{{[]int{1 << 60, 1 << 59}, []int64{96, 98}, []int64{0, 50}}, {[]int{2, -1}, []int64{0, 150}, []int64{0, 100}}} {
		scores := make(gated.NodeScoreList, len(test.counts))
		for i, c := range test.counts {
			scores[i].Score = int64(c)
		}
		plugins.DefaultNormalizeScore(maxScore, true, scores)
		for i := range scores {
			same(t, "DefaultNormalizeScore", scores[i].Score, test.kubernetes[i])
		}
		same(t, "NormalizeScores", taints.NormalizeScores(nil, test.counts, maxScore), test.library)
	}
}

func TestDifferenceMemoryPressure(t *testing.T) {
	seconds := int64(300)
	added := convert.FromCoreToleration(memoryPressure)
	withValue := corev1.Toleration{
		Key:      corev1.TaintNodeMemoryPressure,
		Operator: corev1.TolerationOpEqual,
		Value:    "v",
		Effect:   "NoSchedule",
	}
	withSeconds := added
	withSeconds.TolerationSeconds = &seconds
	everything := corev1.Toleration{Operator: corev1.TolerationOpExists}
	one := corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists}
	withBoth := added
	withBoth.Value = "v"
	for _, test := range []struct{ before, kubernetes, library []corev1.Toleration }{
		{[]corev1.Toleration{withValue}, []corev1.Toleration{added}, []corev1.Toleration{withValue, added}},
		{[]corev1.Toleration{one, everything}, []corev1.Toleration{everything}, []corev1.Toleration{one, everything}},
		{[]corev1.Toleration{withSeconds}, []corev1.Toleration{added}, []corev1.Toleration{withSeconds}},
		{[]corev1.Toleration{withBoth}, []corev1.Toleration{added}, []corev1.Toleration{withBoth}},
	} {
		same(t, "MergeTolerations", merged(test.before, memoryPressure), test.kubernetes)
		got := taints.AddMemoryPressure(convert.Each(test.before, convert.FromToleration))
		same(t, "AddMemoryPressure", convert.Each(got, convert.ToToleration), test.library)
	}
}

// Kubernetes recognizes that a toleration tolerates the same taints or fewer
// only for some operators, and distinguishes seconds that mean the same.
func TestDifferenceCovers(t *testing.T) {
	type tol = corev1.Toleration
	now, past := int64(0), int64(-5)
	for _, test := range []struct {
		a, b                tol
		kubernetes, library bool
	}{
		{tol{Key: "a", Operator: corev1.TolerationOpEqual, Value: "v"}, tol{Key: "a", Value: "v"}, false, true},
		{tol{Key: "a", Value: "v"}, tol{Key: "a", Operator: corev1.TolerationOpEqual, Value: "v"}, true, true},
		{tol{Key: "a", Value: "v"}, tol{Key: "a", Value: "v", Effect: "NoSchedule"}, false, true},
		{tol{Key: "a", Operator: opGt, Value: "5"}, tol{Key: "a", Operator: opGt, Value: "7"}, false, true},
		{
			tol{Key: "a", Operator: opGt, Value: "5"},
			tol{Key: "a", Operator: opGt, Value: "5", Effect: "NoSchedule"},
			false, true,
		},
		{
			tol{Key: "a", Operator: opGt, Value: "5"},
			tol{Key: "a", Operator: corev1.TolerationOpEqual, Value: "7"},
			false, true,
		},
		{tol{Key: "a", Operator: corev1.TolerationOpExists}, tol{Key: "a", Operator: opGt, Value: "5"}, true, true},
		{tol{Key: "b"}, tol{Key: "a", Operator: opLt, Value: "-9223372036854775808"}, false, true},
		{
			tol{Key: "a", Operator: corev1.TolerationOpExists, Effect: "NoExecute", TolerationSeconds: &past},
			tol{Key: "a", Operator: corev1.TolerationOpExists, Effect: "NoExecute", TolerationSeconds: &now},
			false, true,
		},
		{ // not valid: an empty key with Equal, which matches all keys; and seconds with all effects
			tol{Operator: corev1.TolerationOpEqual, Value: "v"},
			tol{Key: "a", Operator: corev1.TolerationOpEqual, Value: "v"},
			false, true,
		},
		{
			tol{Key: "a", Operator: corev1.TolerationOpExists, TolerationSeconds: &now},
			tol{Key: "a", Operator: corev1.TolerationOpExists},
			true, false,
		},
	} {
		theirs := tolerations.VerifyAgainstWhitelist([]core.Toleration{convert.ToCoreToleration(test.b)},
			[]core.Toleration{convert.ToCoreToleration(test.a)})
		same(t, "isSuperset", theirs, test.kubernetes)
		same(t, "Covers", covers(test.a, test.b, taints.Options{}), test.library)
	}
}

func TestDifferenceAllowed(t *testing.T) {
	gpu := corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}
	theirs := tolerations.VerifyAgainstWhitelist([]core.Toleration{convert.ToCoreToleration(gpu)}, nil)
	same(t, "VerifyAgainstWhitelist", theirs, true)
	err := tolerationset.ValidateAllowed([]taints.Toleration{convert.FromToleration(gpu)}, nil, taints.Options{})
	same(t, "ValidateAllowed", errors.Is(err, taints.ErrForbidden), true)
}

// If two tolerations cover each other's taints, Kubernetes keeps the broader
// one, wherever it comes from, and may drop the pod's own. So a namespace can
// override how long a pod stays even though the pod sets it.
func TestDifferenceMerge(t *testing.T) {
	short, long := int64(10), int64(600)
	tolerate := func(key, value string, seconds *int64) corev1.Toleration {
		op := corev1.TolerationOpEqual
		if value == "" {
			op = corev1.TolerationOpExists
		}
		return corev1.Toleration{
			Key:               key,
			Operator:          op,
			Value:             value,
			Effect:            corev1.TaintEffectNoExecute,
			TolerationSeconds: seconds,
		}
	}
	type list = []corev1.Toleration
	own, longer := tolerate("a", "", &short), tolerate("a", "", &long)
	value, everything := tolerate("a", "v", nil), tolerate("", "", nil)
	other := tolerate("b", "", nil)
	for _, test := range []struct{ base, extra, kubernetes, library list }{
		// The pod stays longer than it wants.
		{list{own}, list{longer}, list{longer}, list{own}},
		// It stays forever.
		{list{own, other}, list{everything}, list{everything}, list{own, other, everything}},
		// An API server refuses this on an update.
		{list{other, own}, list{longer}, list{other, longer}, list{other, own}},
		{list{longer}, list{own}, list{longer}, list{longer}},
		// An added toleration is never the first match.
		{list{own}, list{value}, list{own, value}, list{own}},
		{list{value, own}, list{longer}, list{value, longer}, list{value, own}},
		// Kubernetes drops one even if there is nothing to merge.
		{list{own, everything}, nil, list{everything}, list{own, everything}},
		{list{everything, own}, nil, list{everything}, list{everything, own}},
	} {
		same(t, "MergeTolerations",
			merged(test.base, convert.Each(test.extra, convert.ToCoreToleration)...), test.kubernetes)
		got := tolerationset.Merge(convert.Each(test.base, convert.FromToleration),
			convert.Each(test.extra, convert.FromToleration), taints.Options{})
		same(t, "Merge", convert.Each(got, convert.ToToleration), test.library)
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
