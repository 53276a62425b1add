// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/url"
)

// A sample is a question of the documentation, with a form that shows the answer.
type sample struct {
	ID, Question string
	Note         string // the answer in words, and what to try
	fields       map[string]string
}

// samples come in the order of the page.
var samples = []sample{
	{
		"pending", "Why is my pod pending?",
		"Two taints keep it off. Below each stands the toleration that comes closest, with what differs. " +
			"Correct both, and the pod may be placed.",
		map[string]string{
			"taints":      "dedicated=ml:NoSchedule\nnvidia.com/gpu=present:NoSchedule\nspot:PreferNoSchedule",
			"tolerations": "dedicated=ML:NoSchedule\nnvidia.com/gpu=true:NoSchedule",
		},
	},
	{
		"empty-value", "Does an empty value match all?",
		"No. Equal, which is meant where no operator is written, tolerates with an empty value only a taint " +
			"without a value. Add “ op=Exists” to the line to tolerate any value.",
		map[string]string{
			"taints":      "dedicated=ml:NoSchedule",
			"tolerations": "dedicated:NoSchedule",
		},
	},
	{
		"which-time", "Which of two tolerations sets the time?",
		"The first in the list that matches, even if a later one is longer. " +
			"Swap the lines, or choose LongestMatch, which some schedulers have and Kubernetes has not.",
		map[string]string{
			"taints":      "maintenance:NoExecute",
			"tolerations": "maintenance:NoExecute op=Exists for 60s\nmaintenance:NoExecute op=Exists for 600s",
		},
	},
	{
		"no-key", "What does a toleration without a key do?",
		"With Exists it tolerates every taint, those of broken and cordoned nodes too, and stays there forever. " +
			"With any other operator an API server refuses it. " +
			"Add an effect, as in “:NoSchedule op=Exists”, to tolerate less.",
		map[string]string{
			"taints":      "dedicated=ml:NoSchedule\nnode.kubernetes.io/unschedulable:NoSchedule\nnode.kubernetes.io/unreachable:NoExecute",
			"tolerations": "op=Exists",
		},
	},
	{
		"lt-gt", "What do Lt and Gt compare?",
		"The taint’s value with the toleration’s: Gt 900 lets a pod onto nodes above 900. " +
			"Kubernetes has both operators off unless a feature gate is set: switch them off below and see. " +
			"Tolerations may also be written as JSON, as here.",
		map[string]string{
			"taints": "example.com/reliability=950:NoSchedule\nexample.com/failures=7:NoExecute",
			"tolerations": `[
  {"key": "example.com/reliability", "operator": "Gt", "value": "900", "effect": "NoSchedule"},
  {"key": "example.com/failures", "operator": "Lt", "value": "5", "effect": "NoExecute"}
]`,
		},
	},
	{
		"daemonset", "What does a DaemonSet’s pod tolerate by default?",
		"What the DaemonSet controller adds: nodes that are not ready, unreachable, cordoned, or short of memory, " +
			"disk or process identifiers. A node without a network only on the host’s network: choose that below.",
		map[string]string{
			"taints": "node.kubernetes.io/not-ready:NoExecute\nnode.kubernetes.io/unschedulable:NoSchedule\n" +
				"node.kubernetes.io/disk-pressure:NoSchedule\nnode.kubernetes.io/network-unavailable:NoSchedule",
			"add": "daemonset",
		},
	},
	{
		"five-minutes", "Why does my pod leave after five minutes?",
		"Admission adds two tolerations to every pod that says nothing else: 300 seconds on a node that is not " +
			"ready or unreachable. The seconds count from when the controller sees the taint; " +
			"count from timeAdded to see when one that was restarted should have evicted.",
		map[string]string{
			"taints": `{
  "kind": "Node",
  "spec": {
    "taints": [
      {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"},
      {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2026-11-21T11:58:30Z"}
    ]
  }
}`,
			"add": "pod",
		},
	},
}

// Link returns the fragment of the link that opens the sample.
func (s sample) Link() string {
	values := url.Values{"observed": {"2026-11-21T12:00"}, "sample": {s.ID}}
	for name, value := range s.fields {
		values.Set(name, value)
	}
	return "#" + values.Encode()
}
