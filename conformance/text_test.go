// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubectl/pkg/describe"
	"pgregory.net/rapid"
)

// drawSpec returns a taint in kubectl's form, or something close to it.
func drawSpec(t *rapid.T) string {
	const parts = 6
	s := keys.Draw(t, "key")
	shape := rapid.IntRange(0, parts).Draw(t, "shape")
	if shape != 1 {
		s += "=" + values.Draw(t, "value")
	}
	if shape != 2 {
		s += ":" + effects.Draw(t, "effect")
	}
	switch shape {
	case 3:
		s += "-"
	case 4:
		s = edited(t, s)
	case 5:
		s += rapid.SampledFrom([]string{":", "=", ":NoSchedule", "=v:NoSchedule", " "}).Draw(t, "more")
	}
	return s
}

func TestTaintToString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taint := drawTaint(t)
		same(t, "String", kube.Taint(taint).String(), taint.ToString())
		same(t, "AppendTo", string(kube.Taint(taint).AppendTo([]byte("a"))), "a"+taint.ToString())
	})
}

// describeToleration returns the toleration as "kubectl describe pod" prints it.
func describeToleration(toleration corev1.Toleration) string {
	var b bytes.Buffer
	linked.PrintTolerations(describe.NewPrefixWriter(&b), "", "", "", []corev1.Toleration{toleration})
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), ":"), "\n")
}

// hiddenOperator returns the operator that the library prints and kubectl does
// not, or "" if both print the same.
func hiddenOperator(toleration corev1.Toleration, printed string) corev1.TolerationOperator {
	switch toleration.Operator {
	case "", corev1.TolerationOpEqual:
		if s := toleration.TolerationSeconds; s != nil {
			printed = strings.TrimSuffix(printed, fmt.Sprintf(" for %ds", *s))
		}
		if printed == "op=Exists" { // would read as the toleration of everything
			return corev1.TolerationOpEqual
		}
		return ""
	case corev1.TolerationOpExists:
		if toleration.Value == "" {
			return ""
		}
	}
	return toleration.Operator
}

func TestPrintTolerations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		toleration := drawToleration(t)
		want := describeToleration(toleration)
		got := kube.Toleration(toleration).String()
		if operator := hiddenOperator(toleration, want); operator != "" {
			text := " op=" + string(operator)
			at := strings.LastIndex(got, text) // a key may contain it too
			got = got[:at] + got[at+len(text):]
		}
		same(t, "String", got, want)
	})
}
