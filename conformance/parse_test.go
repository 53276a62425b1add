// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test/reference"
	"github.com/seed-0529bac1/taints/kube"
	corev1 "k8s.io/api/core/v1"
	utilflag "k8s.io/kubernetes/pkg/util/flag"
	utiltaints "k8s.io/kubernetes/pkg/util/taints"
	"pgregory.net/rapid"
)

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
		same(t, "ParseTaint succeeds", err == nil, ok)
		same(t, "ParseTaint", got, kube.Taint(want))
	})
}

// TestParseTaintList parses values of the kubelet's flag --register-with-taints.
// It wants an error for a removal, see TestDifferenceRegisterRemoval.
func TestParseTaintList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		specs := draws(t, "specs", 4, drawListed)
		text := strings.Join(specs, ",")
		want, err := registered(text)
		if strings.HasSuffix(text, "-") || strings.Contains(text, "-,") {
			want, err = nil, errors.New("asks for removal")
		}
		got, gotErr := taints.ParseTaints(text)
		same(t, "ParseTaints succeeds", gotErr == nil, err == nil)
		same(t, "ParseTaints", got, kube.Taints(want))
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
	same(t, "Kubernetes", reference.Joined(kube.Taints(theirs)), "dedicated=ml:NoSchedule")
	ours, err := taints.ParseTaints(list)
	same(t, "library", len(ours), 0)
	same(t, "library error", errors.Is(err, taints.ErrNotSupported), true)
}
