// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"slices"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/kubejson"
	"github.com/seed-0529bac1/taints/examples/internal/labels"
)

var errNoName = errors.New("metadata.name is missing")

// A podSpec is the parts of a pod's spec that count, most of them as JSON, because
// most pods share theirs.
type podSpec struct {
	node                               string
	selector, affinity, tolerations    []byte
	containers, volumes, claims, gates []byte
	initContainers, resources          []byte
	overhead, spread                   []byte
	scheduler                          string // empty: the default one
}

func (c *cluster) podSpec(object []byte) (s podSpec, err error) {
	err = kubejson.Fields("spec", object, func(key, value []byte) (err error) {
		switch string(key) {
		case "nodeName":
			s.node, err = c.shared("spec.nodeName", value)
		case "nodeSelector":
			s.selector = value
		case "affinity":
			s.affinity = value
		case "tolerations":
			s.tolerations = value
		case "containers":
			s.containers = value
		case "initContainers":
			s.initContainers = value
		case "resources":
			s.resources = value
		case "overhead":
			s.overhead = value
		case "schedulerName":
			s.scheduler, err = c.shared("spec.schedulerName", value)
		case "volumes":
			s.volumes = value
		case "resourceClaims":
			s.claims = value
		case "schedulingGates":
			s.gates = value
		case "topologySpreadConstraints":
			s.spread = value
		}
		return err
	})
	return s, err
}

// decodeProfile returns what decides where the pod can go. The nodes that its
// affinity names, as that of a DaemonSet's pod does, count where they matter:
// else there would be as many profiles as pods.
func (c *cluster) decodeProfile(s *podSpec, withNames bool) (*profile, error) {
	key := bytes.Join([][]byte{s.selector, s.affinity, s.tolerations}, []byte{0})
	if p, ok := c.raw[string(key)]; ok {
		return p, nil
	}
	var selector map[string]string
	var terms labels.Terms
	var tolerations []taints.Toleration
	var err error
	if s.selector != nil {
		selector, err = c.labels("spec.nodeSelector", s.selector)
	}
	if err == nil && s.affinity != nil {
		terms, err = decodeAffinity(s.affinity)
	}
	if err == nil && s.tolerations != nil {
		tolerations, err = c.decodeTolerations(s.tolerations)
	}
	if err != nil {
		return nil, err
	}
	_, isPinned := terms.Names()
	isPinned = isPinned && len(terms) > 0
	if isPinned && !withNames {
		terms = terms.WithoutFields()
	}
	p := c.profile(selector, terms, tolerations)
	if !isPinned { // there may be as many of these as pods
		c.raw[string(key)] = p
	}
	return p, nil
}

// decodeTolerations returns a list that equal ones share.
func (c *cluster) decodeTolerations(value []byte) ([]taints.Toleration, error) {
	if list, ok := c.lists[string(value)]; ok {
		return list, nil
	}
	list, err := kubejson.DecodeList[taints.Toleration]("spec.tolerations", value)
	if err == nil {
		c.lists[string(value)] = list
	}
	return list, err
}

// decodeAffinity returns the required node affinity, nil if there is none.
func decodeAffinity(value []byte) (labels.Terms, error) {
	var a struct {
		NodeAffinity struct {
			Required *struct {
				Terms labels.Terms `json:"nodeSelectorTerms"`
			} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
		} `json:"nodeAffinity"`
	}
	if err := kubejson.Decode("spec.affinity", value, &a); err != nil || a.NodeAffinity.Required == nil {
		return nil, err
	}
	if a.NodeAffinity.Required.Terms == nil {
		return labels.Terms{}, nil
	}
	return a.NodeAffinity.Required.Terms, nil
}

func (s *podSpec) isGated() bool { return !kubejson.IsEmpty(s.gates) }

// unseen names what the pod asks for that is not evaluated here.
func (s *podSpec) unseen() []string {
	words := []string{}
	add := func(has bool, word string) {
		if has {
			words = append(words, word)
		}
	}
	add(isRequired(s.affinity, "podAffinity"), "pod affinity")
	add(isRequired(s.affinity, "podAntiAffinity"), "pod anti-affinity")
	add(!kubejson.IsEmpty(s.spread), "topology spread constraints")
	add(s.hasRequests(), "resource requests")
	add(hasHostPort(s.containers) || hasHostPort(s.initContainers), "host ports")
	add(has(s.volumes, "persistentVolumeClaim") || has(s.volumes, "ephemeral"), "volume claims")
	isDisk := func(kind string) bool { return has(s.volumes, kind) }
	add(slices.ContainsFunc(disks, isDisk), "volumes that not every node can take")
	add(!kubejson.IsEmpty(s.claims), "resource claims")
	add(s.scheduler != "" && s.scheduler != "default-scheduler", "the scheduler "+s.scheduler)
	return words
}

// disks are the kinds of volumes without a claim that the scheduler checks nodes
// for: whether they are in the disk's zone, use it already or have room for more.
var disks = []string{
	"awsElasticBlockStore", "azureDisk", "cinder", "csi", "gcePersistentDisk", "iscsi", "rbd",
}

func (s *podSpec) hasRequests() bool {
	return has(s.containers, "resources", "requests") || has(s.initContainers, "resources", "requests") ||
		!kubejson.IsEmpty(valueAt(s.resources, "requests")) || !kubejson.IsEmpty(s.overhead)
}

// isRequired reports whether the affinity of the kind has a part that must hold.
func isRequired(affinity []byte, kind string) bool {
	return !kubejson.IsEmpty(valueAt(affinity, kind, "requiredDuringSchedulingIgnoredDuringExecution"))
}

// valueAt returns the value at the path of keys in the object, nil if there is none.
func valueAt(object []byte, path ...string) []byte {
	for _, key := range path {
		var found []byte
		for m := range kubejson.Members(object) {
			if string(m.Key) == key {
				found = m.Of(object)
			}
		}
		object = found
	}
	return object
}

// has reports whether an object in the list has content at the path.
func has(list []byte, path ...string) bool {
	for m := range kubejson.Members(list) {
		if !kubejson.IsEmpty(valueAt(m.Of(list), path...)) {
			return true
		}
	}
	return false
}

func hasHostPort(containers []byte) bool {
	for m := range kubejson.Members(containers) {
		if has(valueAt(m.Of(containers), "ports"), "hostPort") {
			return true
		}
	}
	return false
}
