// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/url"
)

// A sample is a question with a form that shows the answer.
type sample struct {
	ID, Question string
	Note         string // the answer in words, with what to try
	fields       map[string]string
}

// samples come in the order of the page.
var samples = []sample{
	{
		"pending", "Why is my pod pending?",
		"The pod does not tolerate two of the taints. Below each taint is the closest toleration and what differs. " +
			"Correct both tolerations, and the pod can be scheduled.",
		map[string]string{
			"taints":      "dedicated=ml:NoSchedule\nnvidia.com/gpu=present:NoSchedule\nspot:PreferNoSchedule",
			"tolerations": "dedicated=ML:NoSchedule\nnvidia.com/gpu=true:NoSchedule",
		},
	},
	{
		"empty-value", "Does an empty value match all?",
		"No. The default operator is Equal. With an empty value it matches only a taint with an empty value. " +
			"Add “ op=Exists” to the line to tolerate any value.",
		map[string]string{
			"taints":      "dedicated=ml:NoSchedule",
			"tolerations": "dedicated:NoSchedule",
		},
	},
	{
		"which-time", "Which of two tolerations sets the time?",
		"The first one in the list that matches, even if a later one allows more time. " +
			"Swap the lines, or choose LongestMatch, which Kubernetes does not have.",
		map[string]string{
			"taints":      "maintenance:NoExecute",
			"tolerations": "maintenance:NoExecute op=Exists for 60s\nmaintenance:NoExecute op=Exists for 600s",
		},
	},
	{
		"no-key", "What does a toleration without a key do?",
		"With the operator Exists it matches every taint, including those of unreachable and cordoned nodes, so the pod is never evicted. " +
			"With any other operator, the API server refuses it. " +
			"To tolerate less, add an effect, as in “:NoSchedule op=Exists”.",
		map[string]string{
			"taints":      "dedicated=ml:NoSchedule\nnode.kubernetes.io/unschedulable:NoSchedule\nnode.kubernetes.io/unreachable:NoExecute",
			"tolerations": "op=Exists",
		},
	},
	{
		"lt-gt", "What do Lt and Gt compare?",
		"They compare the taint’s value with the toleration’s as integers. With Gt 900, the pod tolerates values above 900. " +
			"Both operators need a feature gate. Disable them below to see what happens without it. " +
			"The tolerations of this example are YAML.",
		map[string]string{
			"taints": "example.com/reliability=950:NoSchedule\nexample.com/failures=7:NoExecute",
			"tolerations": `tolerations:
- key: example.com/reliability
  operator: Gt
  value: "900"
  effect: NoSchedule
- key: example.com/failures
  operator: Lt
  value: "5"
  effect: NoExecute
`,
		},
	},
	{
		"daemonset", "What do the pods of a DaemonSet tolerate by default?",
		"The DaemonSet controller adds tolerations for nodes that are not ready, unreachable, or unschedulable, or that have " +
			"memory, disk, or PID pressure. Pods on the host network also tolerate an unavailable network. Select that below.",
		map[string]string{
			"taints": "node.kubernetes.io/not-ready:NoExecute\nnode.kubernetes.io/unschedulable:NoSchedule\n" +
				"node.kubernetes.io/disk-pressure:NoSchedule\nnode.kubernetes.io/network-unavailable:NoSchedule",
			"add": "daemonset",
		},
	},
	{
		"five-minutes", "Why does my pod leave after five minutes?",
		"Unless the pod has its own, the DefaultTolerationSeconds admission plugin adds two tolerations: 300 seconds for a node that is " +
			"not ready and 300 seconds for one that is unreachable. The time counts from when the controller observes the taint. " +
			"If the controller was restarted, count from timeAdded instead.",
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
