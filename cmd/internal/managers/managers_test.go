// SPDX-License-Identifier: Apache-2.0

package managers

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLastWrite(t *testing.T) {
	at := func(minute int) *metav1.Time {
		return &metav1.Time{Time: time.Date(2026, 11, 22, 9, minute, 0, 0, time.UTC)}
	}
	list := []metav1.ManagedFieldsEntry{
		{Manager: "kubelet", Time: at(1), FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:unschedulable":{},"f:csi":{}}}}`)},
		{Manager: "nvsentinel", Time: at(3), FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:example.com/cordon-by":{}}},"f:spec":{"f:unschedulable":{}}}`)},
		{Manager: "early", Time: at(2), FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:unschedulable":{}}}`)},
		{Manager: "kubectl-taint", Time: at(4), FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:taints":{}}}`)},
		{Manager: "timeless", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:taints":{}}}`)},
		{Manager: "broken", Time: at(9), FieldsV1: metav1.NewFieldsV1(`{"f:spec":"f:taints"`)},
		{Manager: "empty", Time: at(9)},
	}
	for _, test := range []struct {
		path []string
		want Write
	}{
		{[]string{"spec", "unschedulable"}, Write{"nvsentinel", at(3).Time}},
		{[]string{"spec", "taints"}, Write{"kubectl-taint", at(4).Time}},
		{[]string{"metadata", "annotations", "csi"}, Write{"kubelet", at(1).Time}},
		{[]string{"metadata", "labels", "example.com/cordon-by"}, Write{"nvsentinel", at(3).Time}},
		{[]string{"metadata", "labels", "csi"}, Write{}},
		{[]string{"spec", "providerID"}, Write{}},
	} {
		if got := LastWrite(list, test.path...); got != test.want {
			t.Errorf("%v: %v, want %v", test.path, got, test.want)
		}
	}
}

// nodes.json was recorded from an API server of 1.37.2. One program had all components of
// the control plane, so that kube-controller-manager is "kubernetes" there.
func TestRecorded(t *testing.T) {
	var list struct {
		Items []struct{ Metadata metav1.ObjectMeta }
	}
	text, err := os.ReadFile("testdata/nodes.json")
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{ // the managers of unschedulable and taints
		"by-kubectl": {"kubectl", "kubernetes"}, "by-client": {"nvsentinel-fault", "kubernetes"},
		"tainted": {"", "kubectl-taint"}, "tainted-and-cordoned": {"kubectl", "kubernetes"},
	}
	if len(list.Items) != len(want) {
		t.Fatal(len(list.Items))
	}
	for _, o := range list.Items {
		got := [2]string{LastWrite(o.Metadata.ManagedFields, "spec", "unschedulable").By, LastWrite(o.Metadata.ManagedFields, "spec", "taints").By}
		if got != want[o.Metadata.Name] {
			t.Errorf("%s: %v", o.Metadata.Name, got)
		}
	}
	by := LastWrite(list.Items[0].Metadata.ManagedFields, "metadata", "annotations", "quarantineHealthEventIsCordoned").By
	if list.Items[0].Metadata.Name != "by-client" || by != "nvsentinel-fault" {
		t.Error(by)
	}
}
