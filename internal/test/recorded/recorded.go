// SPDX-License-Identifier: Apache-2.0

// Package recorded holds the library against recorded answers of live clusters.
// Module cluster has the program that records them: cluster/record.
package recorded

import (
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"testing"

	"github.com/seed-0529bac1/taints"
)

//go:embed testdata
var answers embed.FS

// A Node is a node with taints.
type Node struct {
	Name   string         `json:"name"`
	Taints []taints.Taint `json:"taints"`
}

// Causes are the fields that an API server names in an error.
type Causes []Cause

// A Cause is a field with an error.
type Cause struct {
	Field string `json:"field"`
	Type  string `json:"type"`
}

// A List is a list of taints or tolerations, and whether the API server accepts it.
type List struct {
	Taints      []taints.Taint      `json:"taints,omitempty"`
	Tolerations []taints.Toleration `json:"tolerations,omitempty"`
	Accepted    bool                `json:"accepted"`
	Causes      Causes              `json:"causes,omitempty"`
}

// An Update is a change of a pod's tolerations, and whether the API server accepts
// it. The API server puts the two default tolerations back before it validates.
type Update struct {
	Old      []taints.Toleration `json:"old"`
	New      []taints.Toleration `json:"new"`
	Accepted bool                `json:"accepted"`
	Causes   Causes              `json:"causes,omitempty"`
}

// A Schedule says which pods the kube-scheduler placed. A pod with a Node can only
// run there.
type Schedule struct {
	Nodes []Node         `json:"nodes"`
	Pods  []ScheduledPod `json:"pods"`
}

// A ScheduledPod is a pod of a [Schedule].
type ScheduledPod struct {
	Name        string              `json:"name"`
	Node        string              `json:"node,omitempty"`
	Tolerations []taints.Toleration `json:"tolerations"`
	Scheduled   bool                `json:"scheduled"`
	Message     string              `json:"message,omitempty"`
}

// Watched is how many seconds of evictions are recorded.
const Watched = 35

// Evictions say when the taint-eviction controller deleted pods of nodes that got
// their taints at a time 0.
type Evictions struct {
	Nodes []Node       `json:"nodes"`
	Pods  []EvictedPod `json:"pods"`
}

// An EvictedPod is a pod of [Evictions].
type EvictedPod struct {
	Name                string              `json:"name"`
	Node                string              `json:"node"`
	Tolerations         []taints.Toleration `json:"tolerations"`
	EvictedAfterSeconds *float64            `json:"evictedAfterSeconds,omitempty"` // nil: it was there at the end
}

// A DefaultedPod is a pod to which admission, and for some pods the DaemonSet
// controller, added tolerations.
type DefaultedPod struct {
	Given       []taints.Toleration `json:"given"`
	QOS         string              `json:"qos"`
	Extended    []string            `json:"extended,omitempty"` // resources
	DaemonSet   bool                `json:"daemonSet,omitempty"`
	HostNetwork bool                `json:"hostNetwork,omitempty"`
	Got         []taints.Toleration `json:"got"`
}

// A ConditionsNode is a node whose taints the node-lifecycle controller changed.
type ConditionsNode struct {
	Name          string            `json:"name"`
	Ready         string            `json:"ready"`
	Conditions    map[string]string `json:"conditions,omitempty"`
	Unschedulable bool              `json:"unschedulable,omitempty"`
	Given         []taints.Taint    `json:"given,omitempty"`
	Got           []taints.Taint    `json:"got,omitempty"`
}

// Each decodes a file of answers of each cluster that has it, and runs the test
// with what it holds.
func Each[T any](t *testing.T, name string, test func(t *testing.T, answers T)) {
	t.Helper()
	found := false
	for cluster, folder := range clusters(t) {
		t.Run(cluster, func(t *testing.T) { found = File(t, folder, name, test) || found })
	}
	if !found {
		t.Fatalf("no cluster has %s", name)
	}
}

// clusters returns the folders of answers of this package, by name.
func clusters(t *testing.T) map[string]fs.FS {
	t.Helper()
	entries, err := answers.ReadDir("testdata")
	folders := map[string]fs.FS{}
	for _, entry := range entries {
		folder, errSub := fs.Sub(answers, "testdata/"+entry.Name())
		folders[entry.Name()], err = folder, errors.Join(err, errSub)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// File runs the test with a file of a folder, and reports whether the folder has it.
func File[T any](t *testing.T, folder fs.FS, name string, test func(t *testing.T, answers T)) bool {
	t.Helper()
	data, err := fs.ReadFile(folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	var v T
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	test(t, v)
	return true
}
