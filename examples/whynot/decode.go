// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/kubejson"
	"github.com/seed-0529bac1/taints/examples/internal/labels"
)

// A filter says which pods of the input count.
type filter struct {
	namespace string // empty: all
	labels    labels.Selector
}

// String returns the flags of the command line that ask for it.
func (f filter) String() string {
	var words []string
	if f.namespace != "" {
		words = append(words, "-n "+f.namespace)
	}
	if len(f.labels) > 0 {
		words = append(words, "-l "+f.labels.String())
	}
	return strings.Join(words, " ")
}

// lets reports whether the filter lets a pod through.
func (f filter) lets(namespace string, labels map[string]string) bool {
	return (f.namespace == "" || f.namespace == namespace) && f.labels.Matches(labels)
}

// add adds an object to the cluster: a Node, or a Pod that the filter lets
// through. Other objects are counted.
func (c *cluster) add(o *kubejson.Object) (err error) {
	c.objects++
	switch {
	case o.IsCore("Node"):
		err = c.decodeNode(o.JSON)
	case o.IsCore("Pod"):
		err = c.decodePod(o.JSON)
	default:
		c.others[c.text([]byte(o.Kind))]++
	}
	return err
}

// decodeNode adds the Node.
func (c *cluster) decodeNode(object []byte) error {
	var n node
	isCordoned := false
	err := kubejson.Fields("it", object, func(key, value []byte) error {
		switch string(key) {
		case "metadata":
			m, err := c.metadata(value, true)
			n.name, n.labels = m.name, m.labels
			return err
		case "spec":
			return kubejson.Fields("spec", value, func(key, value []byte) (err error) {
				switch string(key) {
				case "taints":
					n.taints, err = decodeTaints(value)
				case "unschedulable":
					err = kubejson.Decode("spec.unschedulable", value, &isCordoned)
				}
				return err
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n.name == "" {
		return errNoName
	}
	if isCordoned {
		n.taints = withCordon(n.taints)
	}
	c.addNode(n)
	return nil
}

// decodeTaints returns the taints, with times that can be written again: some
// that Go reads, as with a zone of a day and more, cannot.
func decodeTaints(value []byte) ([]taints.Taint, error) {
	list, err := kubejson.DecodeList[taints.Taint]("spec.taints", value)
	for i := range list {
		if added := list[i].TimeAdded; added != nil && err == nil {
			if _, wrong := added.MarshalText(); wrong != nil {
				err = fmt.Errorf("spec.taints[%d].timeAdded is not a time of RFC 3339: %w", i, wrong)
			}
		}
	}
	return list, err
}

// decodePod adds the Pod if the filter lets it through.
func (c *cluster) decodePod(object []byte) error {
	var p pod
	var meta metadata
	var spec podSpec
	var conditions, started []byte
	err := kubejson.Fields("it", object, func(key, value []byte) (err error) {
		switch string(key) {
		case "metadata":
			meta, err = c.metadata(value, len(c.only.labels) > 0)
		case "spec":
			spec, err = c.podSpec(value)
		case "status":
			err = kubejson.Fields("status", value, func(key, value []byte) (err error) {
				switch string(key) {
				case "phase":
					p.phase, err = c.shared("status.phase", value)
				case "conditions":
					conditions = value
				case "startTime":
					started = value
				}
				return err
			})
		}
		return err
	})
	if err != nil {
		return err
	}
	if meta.name == "" {
		return errNoName
	}
	p.podName = podName{meta.namespace, meta.name}
	if p.namespace == "" {
		p.namespace = "default"
	}
	if !c.only.lets(p.namespace, meta.labels) {
		c.hidden++
		return nil
	}
	p.node, p.deleting, p.owner = spec.node, meta.deleting, meta.owner
	if p.node != "" {
		if p.arrived, err = arrival(conditions, started); err != nil {
			return err
		}
	}
	if p.profile, err = c.decodeProfile(&spec, p.isPending() || p.name == c.asked); err != nil {
		return err
	}
	if p.isPending() {
		p.waiting = &waiting{spec.isGated(), spec.unseen(), ""}
		if p.message, err = schedulerMessage(conditions); err != nil {
			return err
		}
	}
	c.addPod(p)
	return nil
}

// metadata is what counts of an object's metadata.
type metadata struct {
	namespace, name string
	labels          map[string]string // nil if they were not asked for
	owner           *owner
	deleting        bool
}

func (c *cluster) metadata(object []byte, withLabels bool) (m metadata, err error) {
	var hash string
	err = kubejson.Fields("metadata", object, func(key, value []byte) (err error) {
		switch string(key) {
		case "namespace":
			m.namespace, err = c.shared("metadata.namespace", value)
		case "name":
			m.name, err = kubejson.DecodeString("metadata.name", value)
		case "labels":
			if withLabels {
				m.labels, err = c.labels("metadata.labels", value)
			}
			hash, err = c.label(value, "pod-template-hash", err)
		case "deletionTimestamp":
			m.deleting = !kubejson.IsEmpty(value)
		case "ownerReferences":
			m.owner, err = c.ownerOf(value)
		}
		return err
	})
	if m.owner != nil && m.owner.Kind == "ReplicaSet" && hash != "" {
		o := *m.owner
		o.Deployment, _ = strings.CutSuffix(o.Name, "-"+hash)
		if o.Deployment != o.Name {
			m.owner = c.sharedOwner(o)
		}
	}
	return m, err
}

// labels returns a map of strings, which share memory with those of other objects.
func (c *cluster) labels(field string, value []byte) (map[string]string, error) {
	m := make(map[string]string)
	err := kubejson.Fields(field, value, func(key, value []byte) error {
		s, err := c.shared(field+"."+string(key), value)
		m[c.text(key)] = s
		return err
	})
	return m, err
}

// label returns one of the labels, unless there is an error already.
func (c *cluster) label(object []byte, name string, failed error) (s string, err error) {
	if failed != nil {
		return "", failed
	}
	err = kubejson.Fields("metadata.labels", object, func(key, value []byte) (err error) {
		if string(key) == name {
			s, err = c.shared("metadata.labels."+name, value)
		}
		return err
	})
	return s, err
}

// shared decodes a string that many objects have.
func (c *cluster) shared(field string, value []byte) (string, error) {
	if len(value) > 1 && value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
		if s, ok := c.texts[string(value[1:len(value)-1])]; ok {
			return s, nil
		}
	}
	s, err := kubejson.DecodeString(field, value)
	return c.text([]byte(s)), err
}

// ownerOf returns the controller among the references.
func (c *cluster) ownerOf(value []byte) (*owner, error) {
	type reference struct {
		Kind, Name string
		Controller bool
	}
	for m := range kubejson.Members(value) {
		if m.Of(value)[0] != '{' {
			break // DecodeList says what is wrong
		}
		if o, ok := c.controller(m.Of(value)); ok {
			return c.sharedOwner(o), nil
		}
	}
	list, err := kubejson.DecodeList[reference]("metadata.ownerReferences", value)
	for _, r := range list {
		if r.Controller {
			return c.sharedOwner(owner{Kind: r.Kind, Name: r.Name}), err
		}
	}
	return nil, err
}

// controller reads a reference of the usual form if it is to a controller.
func (c *cluster) controller(object []byte) (o owner, ok bool) {
	for m := range kubejson.Members(object) {
		switch value := m.Of(object); {
		case string(m.Key) == "controller":
			ok = string(value) == "true"
		case value[0] != '"' || bytes.IndexByte(value, '\\') >= 0:
		case string(m.Key) == "kind":
			o.Kind = c.text(value[1 : len(value)-1])
		case string(m.Key) == "name":
			o.Name = c.text(value[1 : len(value)-1])
		}
	}
	return o, ok && o.Kind != "" && o.Name != ""
}

func (c *cluster) sharedOwner(o owner) *owner {
	p, ok := c.owners[o]
	if !ok {
		p = &o
		c.owners[o] = p
	}
	return p
}

// withCordon adds the taint that spec.unschedulable means to the scheduler,
// which has no value, if it is not there.
func withCordon(list []taints.Taint) []taints.Taint {
	cordon := taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}
	for _, t := range list {
		if t.ID() == cordon.ID() && t.Value == "" {
			return list
		}
	}
	return append(list, cordon)
}

// arrival returns when a pod came to its node: when it was scheduled, or else when
// the kubelet took it. It is zero if neither is known.
func arrival(conditions, started []byte) (at time.Time, err error) {
	for m := range kubejson.Members(conditions) {
		c := m.Of(conditions)
		scheduled := valueAt(c, "lastTransitionTime")
		if string(valueAt(c, "type")) == `"PodScheduled"` && string(valueAt(c, "status")) == `"True"` && scheduled != nil {
			err = kubejson.Decode("status.conditions.lastTransitionTime", scheduled, &at)
			return at, err
		}
	}
	if started != nil {
		err = kubejson.Decode("status.startTime", started, &at)
	}
	return at, err
}

// schedulerMessage returns why the scheduler did not place the pod, empty if it
// has not said.
func schedulerMessage(conditions []byte) (string, error) {
	if conditions == nil {
		return "", nil
	}
	type condition struct{ Type, Status, Message string }
	list, err := kubejson.DecodeList[condition]("status.conditions", conditions)
	for _, c := range list {
		if c.Type == "PodScheduled" && c.Status == "False" {
			return c.Message, err
		}
	}
	return "", err
}
