// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubectl/pkg/describe"
	utilflag "k8s.io/kubernetes/pkg/util/flag"
	utiltaints "k8s.io/kubernetes/pkg/util/taints"
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

// addition returns the taint that the spec adds in Kubernetes, and reports
// whether the spec adds a taint.
func addition(spec string) (corev1.Taint, bool) {
	added, _, err := utiltaints.ParseTaints([]string{spec})
	if err != nil || len(added) != 1 {
		return corev1.Taint{}, false
	}
	return added[0], true
}

func TestParseTaint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		want, ok := addition(spec)
		got, err := taints.ParseTaint(spec)
		if (err == nil) != ok {
			t.Fatalf("ParseTaint(%q) = %v, %v, Kubernetes %v, %v", spec, got, err, want, ok)
		}
		if got != convert.FromTaint(want) {
			t.Fatalf("ParseTaint(%q) = %v, Kubernetes %v", spec, got, want)
		}
	})
}

// TestParseTaintList parses values of the kubelet's flag --register-with-taints.
// It wants an error for a removal, see TestDifferenceRegisterRemoval.
func TestParseTaintList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		specs := draws(t, "specs", 4, drawListed)
		list := strings.Join(specs, ",")
		want, err := registered(list)
		if strings.HasSuffix(list, "-") || strings.Contains(list, "-,") {
			want, err = nil, errors.New("asks for removal")
		}
		got, gotErr := taints.ParseTaints(list)
		if (gotErr == nil) != (err == nil) || !slices.Equal(got, convert.Each(want, convert.FromTaint)) {
			t.Fatalf("ParseTaints(%q) = %v, %v, Kubernetes %v, %v", list, got, gotErr, want, err)
		}
	})
}

// drawListed returns a taint. Three in four are one of a few common taints.
func drawListed(t *rapid.T) string {
	if rapid.IntRange(0, 3).Draw(t, "any") == 3 {
		return drawSpec(t)
	}
	taint := drawCommonTaint(t)
	return taint.ToString()
}

// registered returns the taints that the kubelet's flag parses from the text.
func registered(list string) (set []corev1.Taint, err error) {
	err = utilflag.RegisterWithTaintsVar{Value: &set}.Set(list)
	return set, err
}

func TestDifferenceRegisterRemoval(t *testing.T) {
	const list = "dedicated=ml:NoSchedule,spot:NoSchedule-"
	theirs, err := registered(list)
	same(t, "Kubernetes error", err, nil)
	same(t, "Kubernetes", joined(convert.Each(theirs, convert.FromTaint)), "dedicated=ml:NoSchedule")
	ours, err := taints.ParseTaints(list)
	same(t, "library", len(ours), 0)
	same(t, "library error", errors.Is(err, taints.ErrUnsupported), true)
}

func TestTaintToString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taint := drawTaint(t)
		want := taint.ToString()
		if got := convert.FromTaint(taint).String(); got != want {
			t.Fatalf("String = %q, Kubernetes %q", got, want)
		}
		if got := string(convert.FromTaint(taint).AppendTo([]byte("a"))); got != "a"+want {
			t.Fatalf("AppendTo = %q, Kubernetes %q", got, want)
		}
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
		if strings.HasPrefix(printed+" ", "op=Exists ") { // would read as the toleration of everything
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
		got := convert.FromToleration(toleration).String()
		if operator := hiddenOperator(toleration, want); operator != "" {
			got = strings.Replace(got, " op="+string(operator), "", 1)
		}
		if got != want {
			t.Fatalf("String = %q, Kubernetes %q", got, want)
		}
	})
}
