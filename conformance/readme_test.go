// SPDX-License-Identifier: Apache-2.0

//go:build !otherkubernetes

package conformance

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	podhelper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
)

// kubernetesInReadme is what README.md shows as Kubernetes' helpers.
func kubernetesInReadme(logger klog.Logger, node *corev1.Node, pod *corev1.Pod, gate bool) (bad bool, seconds int64) {
	_, bad = v1helper.FindMatchingUntoleratedTaint(logger, node.Spec.Taints, pod.Spec.Tolerations,
		func(t *corev1.Taint) bool {
			return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
		}, gate)

	var evicting []corev1.Taint
	for _, t := range node.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoExecute {
			evicting = append(evicting, t)
		}
	}
	tolerated, used := podhelper.GetMatchingTolerations(logger, evicting, pod.Spec.Tolerations)
	seconds = -1 // forever
	for _, t := range used {
		if s := t.TolerationSeconds; s != nil && (seconds < 0 || *s < seconds) {
			seconds = max(*s, 0)
		}
	}
	if !tolerated {
		seconds = 0
	}
	return bad, seconds
}

// libraryInReadme is what README.md shows as the library.
func libraryInReadme(node []taints.Taint, pod []taints.Toleration, now time.Time) (bad bool, e taints.Eviction) {
	_, bad = taints.FindUntolerated(node, pod, taints.Hard)
	return bad, taints.EvictionOf(node, pod, now)
}

// README.md shows both to the letter, and both give one answer.
func TestReadmeSideBySide(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"kubernetesInReadme", "libraryInReadme"} {
		_, code, _ := strings.Cut(string(source), "\nfunc "+name+"(")
		_, code, _ = strings.Cut(code, "{\n")
		code, _, _ = strings.Cut(code, "\n}\n")
		code = strings.TrimPrefix(strings.ReplaceAll("\n"+code, "\n\t", "\n"), "\n")
		if code == "" || !strings.Contains(string(readme), "```go\n"+code+"\n```\n") {
			t.Errorf("README.md does not show %s:\n%s", name, code)
		}
	}

	minute := int64(60)
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}, {Key: "down", Effect: corev1.TaintEffectNoExecute},
	}}}
	pods := [][]corev1.Toleration{
		nil,
		{{Key: "down", Operator: corev1.TolerationOpExists, TolerationSeconds: &minute}},
		{{Operator: corev1.TolerationOpExists}},
	}
	for i, want := range []struct {
		bad     bool
		seconds int64
		outcome taints.Outcome
	}{{true, 0, taints.EvictsNow}, {true, 60, taints.EvictsAt}, {false, -1, taints.Stays}} {
		bad, seconds := kubernetesInReadme(quiet, node, &corev1.Pod{Spec: corev1.PodSpec{Tolerations: pods[i]}}, false)
		ours, e := libraryInReadme(convert.Each(node.Spec.Taints, convert.FromTaint),
			convert.Each(pods[i], convert.FromToleration), observed)
		if bad != want.bad || seconds != want.seconds {
			t.Errorf("%d: Kubernetes %v, %d", i, bad, seconds)
		}
		if ours != want.bad || e.Outcome != want.outcome || e.Outcome == taints.EvictsAt && e.Seconds != want.seconds {
			t.Errorf("%d: library %v, %v", i, ours, e)
		}
	}
}
