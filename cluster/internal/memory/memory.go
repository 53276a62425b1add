// SPDX-License-Identifier: Apache-2.0

// Package memory tests how much memory a program needs for its cache of pods.
package memory

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

var (
	said  = regexp.MustCompile(`(\d+) MiB for 10,000\s+pods[^#]*limit of (\w+) is for\s+(\d+),000\s+pods`)
	limit = regexp.MustCompile(`limits:\s+memory: (\w+)`)
)

// Test measures the cache of an informer with the transformation, and checks that
// the program's README says so, and that nine tenths of the limit in its manifest,
// which the program uses, hold twice the cache of as many pods as it says.
func Test(t *testing.T, program string, transform cache.TransformFunc) {
	module, errModule := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	folder := strings.TrimSpace(string(module))
	readme, errReadme := os.ReadFile(filepath.Join(folder, program, "README.md"))
	manifest, errManifest := os.ReadFile(filepath.Join(folder, "manifests", program, "deployment.yaml"))
	says, has := said.FindSubmatch(readme), limit.FindSubmatch(manifest)
	if says == nil || has == nil || string(says[2]) != string(has[1]) {
		t.Fatalf("README.md says %q, and the manifest has %q (%v)", says, has, errors.Join(errModule, errReadme, errManifest))
	}
	room := resource.MustParse(string(has[1]))
	figure, _ := strconv.ParseFloat(string(says[1]), 64)
	thousands, _ := strconv.ParseFloat(string(says[3]), 64)
	took := perTenThousand(t, transform)
	t.Logf("%s: %.1f MiB for 10,000 pods", program, took/(1<<20))
	if math.Abs(figure*(1<<20)-took) > took/10 || 2*took*thousands/10 > 0.9*float64(room.Value()) {
		t.Errorf("README.md says %.0f MiB, and that %v is for %.0f,000 pods", figure, &room, thousands)
	}
}

// perTenThousand returns how many bytes 10,000 pods of 4.2 kB and three tolerations take.
func perTenThousand(t *testing.T, transform cache.TransformFunc) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	pods := cache.NewStore(cache.MetaNamespaceKeyFunc, cache.WithTransformer(transform))
	for i := range 10_000 {
		wire, err := pod(i).Marshal()
		received := new(corev1.Pod)
		if err != nil || received.Unmarshal(wire) != nil || len(wire)/100 != 42 || pods.Add(received) != nil {
			t.Fatalf("a pod of %d bytes: %v", len(wire), err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(pods)
	return float64(after.HeapAlloc) - float64(before.HeapAlloc)
}

// pod returns a pod, over a third of which is managedFields.
func pod(i int) *corev1.Pod {
	var p corev1.Pod
	p.Name, p.Namespace = fmt.Sprintf("application-7c5ddbdf54-%05d", i), "team"
	p.UID, p.ResourceVersion = "7b6c4f0e-5a58-4a55-8a0e-6f1b0f8e2d11", "123456789"
	p.Labels = map[string]string{"app.kubernetes.io/name": "application"}
	p.ManagedFields = []metav1.ManagedFieldsEntry{{FieldsV1: metav1.NewFieldsV1(strings.Repeat("m", 1550))}}
	p.Spec.NodeName = fmt.Sprintf("node-%04d.example.com", i%500)
	env := slices.Repeat([]corev1.EnvVar{{Name: "VARIABLE_00", Value: strings.Repeat("v", 38)}}, 40)
	p.Spec.Containers = []corev1.Container{{Name: "application", Image: "registry.example.com/application:v1.2.3", Env: env}}
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeOutOfService} {
		p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: key, Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64(300))})
	}
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: "True"}}
	return &p
}
