// SPDX-License-Identifier: Apache-2.0

// Whynot reports which pods of a cluster are pending because of taints, and
// which running pods taints will evict. It reads the JSON of
//
//	kubectl get nodes,pods -A -o json
//
// from the file named by its argument, from standard input if that is "-", or
// from a built-in sample. It ignores node selectors, affinity and resources, and
// says so for a pod that has a selector or affinity. The kubectl plugin in
// cmd/kubectl-whynot does much more.
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
)

//go:embed sample.json
var sample []byte

// A list holds the nodes and pods of a cluster.
type list struct {
	Items []object `json:"items"`
}

// An object is a node or a pod, with the fields that matter here.
type object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Taints       []taints.Taint      `json:"taints"`   // of a node
		NodeName     string              `json:"nodeName"` // of a pod, like all below
		Tolerations  []taints.Toleration `json:"tolerations"`
		NodeSelector map[string]string   `json:"nodeSelector"`
		Affinity     map[string]any      `json:"affinity"`
	} `json:"spec"`
	Status struct {
		Phase     string    `json:"phase"`     // of a pod
		StartTime time.Time `json:"startTime"` // of a pod on a node
	} `json:"status"`
}

func (o *object) name() string { return o.Metadata.Namespace + "/" + o.Metadata.Name }

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "whynot:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer, now time.Time) error {
	data, err := read(args, in)
	if err != nil {
		return err
	}
	var cluster list
	if err := json.Unmarshal(data, &cluster); err != nil {
		return err
	}
	return cluster.report(out, now)
}

func read(args []string, in io.Reader) ([]byte, error) {
	switch {
	case len(args) > 1:
		return nil, fmt.Errorf("want at most one file, got %q", args)
	case len(args) == 0:
		return sample, nil
	case args[0] == "-":
		return io.ReadAll(in)
	}
	return os.ReadFile(args[0])
}

// report prints the pods that are pending because of taints, and those that taints
// evict.
func (l *list) report(out io.Writer, now time.Time) error {
	nodes := make(map[string][]taints.Taint)
	for i := range l.Items {
		if o := &l.Items[i]; o.Kind == "Node" {
			nodes[o.Metadata.Name] = o.Spec.Taints
		}
	}
	for i := range l.Items {
		o := &l.Items[i]
		if o.Kind != "Pod" {
			continue
		}
		if line := o.sentence(nodes, now); line != "" {
			if _, err := fmt.Fprintln(out, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// sentence describes what taints do to the pod. It is empty if they do nothing,
// unless another reason that is ignored may keep the pod pending.
func (o *object) sentence(nodes map[string][]taints.Taint, now time.Time) string {
	if list, running := nodes[o.Spec.NodeName]; running {
		return o.eviction(list, now)
	}
	if o.Spec.NodeName != "" || o.Status.Phase != "Pending" {
		return ""
	}
	summary := explain.Summarize(taints.Compile(o.Spec.Tolerations), taints.HardEffects, maps.Values(nodes), 10)
	ignored := ""
	if len(o.Spec.NodeSelector)+len(o.Spec.Affinity) > 0 {
		ignored = " (its node selector and affinity are ignored)"
	}
	if summary.Feasible > 0 && ignored == "" {
		return ""
	}
	return o.name() + " is pending" + ignored + ": " + summary.Report()
}

// eviction returns when the taints of its node evict the pod. Its seconds run
// from when the taint was added or, if that is later, from when the pod started.
func (o *object) eviction(list []taints.Taint, now time.Time) string {
	policy := taints.EvictionPolicy{FromTimeAdded: true, Arrival: o.Status.StartTime}
	e := policy.EvictionOf(taints.Compile(o.Spec.Tolerations), list, now)
	if e.Outcome == taints.Stays {
		return ""
	}
	return fmt.Sprintf("%s leaves %s: taint %v %v", o.name(), o.Spec.NodeName, list[e.Taint], e)
}
