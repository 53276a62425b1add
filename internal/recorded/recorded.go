// SPDX-License-Identifier: Apache-2.0

// Package recorded reads the recorded answers of a live Kubernetes 1.36.3.
package recorded

import (
	"embed"
	"encoding/json"
	"testing"

	"github.com/seed-0529bac1/taints"
)

//go:embed testdata/kubernetes-1.36.3
var answers embed.FS

// Read decodes a file of answers.
func Read(t testing.TB, name string, v any) {
	t.Helper()
	data, err := answers.ReadFile("testdata/kubernetes-1.36.3/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// A DefaultedPod is a pod to which admission, and for some pods the DaemonSet
// controller, added tolerations.
type DefaultedPod struct {
	Given                  []taints.Toleration
	QOS                    string
	Extended               []string // resources
	DaemonSet, HostNetwork bool
	Got                    []taints.Toleration
}

// Defaults returns 108 pods with their tolerations before and after.
func Defaults(t testing.TB) []DefaultedPod {
	t.Helper()
	var pods []DefaultedPod
	Read(t, "defaults.json", &pods)
	if len(pods) != 108 {
		t.Fatalf("%d pods, want 108", len(pods))
	}
	return pods
}
