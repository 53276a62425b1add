// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"math"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// observed is when the controller sees the taints.
var observed = time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC)

// The generators collide on purpose. Most of the time they draw from a few hot
// texts, so that tolerations and taints meet. Otherwise they draw from texts
// that are just valid or just invalid, and from edits of these.

var hotKeys = []string{"dedicated", "example.com/gpu", "", corev1.TaintNodeNotReady}

var coldKeys = []string{
	"a", "A", "b", "0", "dedicate", "Dedicated", "dedicated ", " dedicated", "dedicated*", "*", "example.com/*",
	"example.com/GPU", "Example.com/gpu", "example.com/gpu/", "example.com/gpu/x", "/gpu", "example.com/", "/", "//",
	"example..com/gpu", ".example.com/gpu", "example.com./gpu",
	"-example.com/gpu", "example-.com/gpu", "ex_ample.com/gpu",
	"a.b_c-d", "-a", "a-", "_a", "a_", ".a", "a.", "..", "a..b",
	"a b", "a=b", "a:b", "a,b", "op", "op=Exists", "é", "日本", "a\n", "\na",
	"a\x00", "\xff", "\u2028", "a/é", "é/a", "0/0", "a/-", "a/_a", "a/a_",
	corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure,
	corev1.TaintNodeDiskPressure, corev1.TaintNodePIDPressure,
	corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeOutOfService,
	"kubernetes.io/a", "a.kubernetes.io/a", "kubernetes.io", "xkubernetes.io/a", "a/kubernetes.io",
	"requests.example.com/gpu", "requests./gpu", "requests/gpu", "requests.", "cpu", "hugepages-2Mi",
	strings.Repeat("n", 63), strings.Repeat("n", 64), "a/" + strings.Repeat("n", 63), "a/" + strings.Repeat("n", 64),
	strings.Repeat("p", 244) + "/n", strings.Repeat("p", 245) + "/n",
	strings.Repeat("p", 253) + "/n", strings.Repeat("p", 254) + "/n",
	strings.Repeat("p.", 126) + "p/" + strings.Repeat("n", 63), strings.Repeat("p.", 127) + "p/n",
	strings.Repeat("-", 63), strings.Repeat("é", 32), strings.Repeat("x", 5000),
}

var hotValues = []string{"", "ml", "5", "7"}

var coldValues = []string{
	"0", "-0", "00", "007", "+1", "-1", "1e3", "1", "10", "4", "6", "-5", "-7",
	"--1", "-", "+", "1-", "0x1", "0b1", "1_000", "1.0", " 1", "1 ", "1\n", "٣", "１",
	"9223372036854775806", "9223372036854775807", "9223372036854775808",
	"-9223372036854775807", "-9223372036854775808", "-9223372036854775809",
	"18446744073709551615", "18446744073709551616", "99999999999999999999", "-99999999999999999999",
	"09223372036854775807", "1000000000000000000", "10000000000000000000",
	"ML", "mL", "ml ", " ml", "m", "mll", "m.l", "m_l", "m-l", "-ml", "ml-", ".ml", "ml.", "_",
	"ml/x", "ml=x", "ml:x", "m l", "Exists", "é", "日本", "ml\n", "ml\x00", "\xff",
	strings.Repeat("v", 63), strings.Repeat("v", 64), strings.Repeat("1", 63),
	strings.Repeat("é", 32), strings.Repeat("x", 5000),
}

var (
	hotEffects  = []string{"NoExecute", "NoSchedule", "PreferNoSchedule", ""}
	coldEffects = []string{
		"noExecute", "NOSCHEDULE", "NoSchedule ", "NoScheduleNoAdmit", "NoSchedul",
		"other", "-", "é", "\n", strings.Repeat("x", 500),
	}

	hotOperators  = []string{"Exists", "Equal", "", "Lt", "Gt"}
	coldOperators = []string{"exists", "equal", "lt", "gt", "In", "NotIn", "Exists ", " ", "=", "Le", "é", "\n"}
)

// The comparison operators have no constants in k8s.io/api before 1.35.
const (
	opLt corev1.TolerationOperator = "Lt"
	opGt corev1.TolerationOperator = "Gt"
)

// edits are the texts that an edit inserts.
var edits = []string{"", "a", "A", "0", "-", "_", ".", "/", "=", ":", "*", " ", "\n", "\t", "é", "\xff", "+", "9"}

var (
	keys      = texts(hotKeys, coldKeys)
	values    = texts(hotValues, coldValues)
	effects   = texts(hotEffects, coldEffects)
	operators = texts(hotOperators, coldOperators)
)

// texts generates texts. Three in four are hot.
func texts(hot, cold []string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 15).Draw(t, "kind") {
		default:
			return rapid.SampledFrom(hot).Draw(t, "hot")
		case 13:
			return rapid.SampledFrom(cold).Draw(t, "cold")
		case 14:
			return edited(t, rapid.SampledFrom(hot).Draw(t, "base"))
		case 15:
			return edited(t, rapid.SampledFrom(cold).Draw(t, "base"))
		}
	})
}

// edited replaces up to two bytes of the text at one place.
func edited(t *rapid.T, s string) string {
	at := rapid.IntRange(0, len(s)).Draw(t, "at")
	end := min(len(s), at+rapid.IntRange(0, 2).Draw(t, "cut"))
	return s[:at] + rapid.SampledFrom(edits).Draw(t, "put") + s[end:]
}

var times = []time.Time{
	{},
	time.Unix(0, 0),
	time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
	time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("east", 3600)),
}

func drawTaint(t *rapid.T) corev1.Taint {
	taint := corev1.Taint{
		Key:    keys.Draw(t, "key"),
		Value:  values.Draw(t, "value"),
		Effect: corev1.TaintEffect(effects.Draw(t, "effect")),
	}
	if rapid.IntRange(0, 3).Draw(t, "timed") == 3 {
		taint.TimeAdded = &metav1.Time{Time: rapid.SampledFrom(times).Draw(t, "time")}
	}
	return taint
}

// drawTaints returns up to five taints. The list may be nil.
func drawTaints(t *rapid.T) []corev1.Taint { return draws(t, "taints", 5, drawTaint) }

// sameSeconds are seconds for which time.Duration does not overflow, and the
// limits of that range.
var sameSeconds = []int64{
	300, 0, 1, -1, 2, 60, 299, 301,
	math.MinInt64, -9223372037, 9223372035, 9223372036, math.MaxInt64,
}

func drawToleration(t *rapid.T) corev1.Toleration {
	toleration := corev1.Toleration{
		Key:      keys.Draw(t, "key"),
		Operator: corev1.TolerationOperator(operators.Draw(t, "operator")),
		Value:    values.Draw(t, "value"),
		Effect:   corev1.TaintEffect(effects.Draw(t, "effect")),
	}
	toleration.TolerationSeconds = drawSeconds(t)
	return toleration
}

func drawSeconds(t *rapid.T) *int64 {
	if rapid.Bool().Draw(t, "forever") {
		return nil
	}
	seconds := rapid.SampledFrom(sameSeconds).Draw(t, "seconds")
	return &seconds
}

// drawTolerations returns up to six tolerations. The list may be nil.
func drawTolerations(t *rapid.T) []corev1.Toleration {
	return draws(t, "tolerations", 6, drawToleration)
}

// draws returns a list of up to most elements. Half of the empty lists are nil.
func draws[T any](t *rapid.T, label string, most int, draw func(*rapid.T) T) []T {
	n := rapid.IntRange(-1, most).Draw(t, label)
	if n < 0 {
		return nil
	}
	list := make([]T, n)
	for i := range list {
		list[i] = draw(t)
	}
	return list
}
