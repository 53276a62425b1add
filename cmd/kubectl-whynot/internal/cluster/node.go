// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
)

// A Node is a node with its taints.
type Node struct {
	*corev1.Node // only with name and labels
	Taints       []taints.Taint
	Cordoned     bool // by its spec, for which Kubernetes adds a taint
	Group        *Group
	resources    map[string]int64 // allocatable extended resources, also of 0
}

var errNoName = errors.New("metadata.name is missing")

// AddNode adds a node.
func (c *Cluster) AddNode(n *corev1.Node) error {
	if n.Name == "" {
		return errNoName
	}
	if _, ok := c.NodeAt[n.Name]; ok {
		return errors.New("there are two nodes with this name")
	}
	list := kube.Taints(n.Spec.Taints)
	for i := range list {
		if list[i].Key == "" {
			return fmt.Errorf("spec.taints[%d].key is missing", i)
		}
		if at := list[i].TimeAdded; at != nil {
			if *at = at.UTC(); at.Year() > 9999 {
				return fmt.Errorf("spec.taints[%d].timeAdded is after the year 9999", i)
			}
		}
	}
	if n.Spec.Unschedulable {
		list = withCordon(list)
	}
	c.NodeAt[n.Name] = len(c.Nodes)
	c.Nodes = append(c.Nodes, Node{
		Node:     &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}},
		Taints:   list,
		Cordoned: n.Spec.Unschedulable, resources: extended(n.Status.Allocatable),
	})
	return nil
}

// Cordon is the taint with which the scheduler represents a cordoned node.
var Cordon = taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}

// withCordon adds the taint of a cordoned node. It has no value.
func withCordon(list []taints.Taint) []taints.Taint {
	if i, found := taints.FindTaint(list, Cordon.ID()); found && list[i].Value == "" {
		return list
	}
	return append(list, Cordon)
}

// A Group is the nodes with the same taints, regardless of order and times.
type Group struct {
	// Pods counts the pods that run there. Rejected counts the pending pods that
	// match a node of the group and do not tolerate its taints.
	Pods     int            `json:"pods"`
	Rejected int            `json:"rejectedPods"`
	Taints   []taints.Taint `json:"taints"` // sorted, without TimeAdded
	Members  []int          `json:"-"`      // the nodes, in order of name
}

// group groups the nodes, largest group first, sets each node's group, and counts
// the nodes with each label.
func (c *Cluster) group() {
	byTaints := make(map[string]*Group)
	for i := range c.Nodes {
		list := slices.Clone(c.Nodes[i].Taints)
		for k := range list {
			list[k].TimeAdded = nil
		}
		list = Distinct(list)
		g, ok := byTaints[TextOf(list)]
		if !ok {
			g = &Group{Taints: list}
			byTaints[TextOf(list)], c.Groups = g, append(c.Groups, g)
		}
		g.Members = append(g.Members, i)
		c.Nodes[i].Group = g
		for key, value := range c.Nodes[i].Labels {
			if c.labels[key] == nil {
				c.labels[key] = make(map[string]int)
			}
			c.labels[key][value]++
		}
	}
	slices.SortStableFunc(c.Groups, func(a, b *Group) int { return len(b.Members) - len(a.Members) })
}

// TextOf returns a text that is equal only for equal lists.
func TextOf(list []taints.Taint) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.Key + "\x00" + t.Value + "\x00" + string(t.Effect) + "\x00\n")
	}
	return b.String()
}

// Distinct sorts the taints and removes duplicates.
func Distinct(list []taints.Taint) []taints.Taint {
	slices.SortFunc(list, taints.Taint.Compare)
	return slices.Compact(list)
}
