// SPDX-License-Identifier: Apache-2.0

package states

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-0529bac1/taints/cmd/internal/managers"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// A Hold is what speaks against the uncordon of a node.
type Hold struct {
	By       string // the client that cordoned it; empty: not known
	Evidence string // what else the node says; empty: nothing
	IsSick   bool   // a condition does
}

// Evidence of a node that just has to be repaired.
const (
	NotReady = "its condition Ready is False"
	Unknown  = "its condition Ready is Unknown"
)

// IsFree reports whether a person may uncordon the node.
func (h Hold) IsFree() bool { return h.Evidence == "" && !h.isByController() }

// Add adds evidence.
func (h *Hold) Add(evidence string) {
	h.Evidence = strings.TrimPrefix(h.Evidence+"; "+evidence, "; ")
}

func (h Hold) isByController() bool { return h.By != "" && !managers.IsPerson(h.By) }

// HoldOf returns what a cordoned node says of its cordon, and when that was, or zero.
func HoldOf(n *corev1.Node) (h Hold, at time.Time) {
	var list []string
	for _, c := range n.Status.Conditions {
		if !isHarmless(c) {
			list = append(list, fmt.Sprintf("its condition %s is %s", c.Type, c.Status))
		}
	}
	h.IsSick = len(list) > 0
	for _, kind := range []struct {
		name string
		set  map[string]string
	}{{"annotation", n.Annotations}, {"label", n.Labels}} {
		for _, key := range say.SortedKeys(kind.set) {
			if !saysHeld(key, kind.set[key]) {
				continue
			}
			text := "its " + kind.name + " " + key + "=" + kind.set[key]
			if w := managers.LastWrite(n.ManagedFields, "metadata", kind.name+"s", key); w.By != "" && !managers.IsPerson(w.By) {
				text += " of " + w.By
			}
			list = append(list, say.Shortened(text))
		}
	}
	w := managers.LastWrite(n.ManagedFields, "spec", "unschedulable")
	h.By, h.Evidence = w.By, say.Joined(say.FirstOf(list, 4))
	return h, w.At
}

// isHarmless reports whether the condition says that the node is well: what should be True
// is, and what names a problem is not.
func isHarmless(c corev1.NodeCondition) bool {
	isGood := slices.ContainsFunc(split(string(c.Type)), func(w string) bool {
		return slices.Contains([]string{"ready", "healthy", "available", "voter", "running", "initialized", "registered", "established"}, w)
	})
	if c.Type == corev1.NodeReady {
		return c.Status == corev1.ConditionTrue
	}
	return isGood && c.Status != corev1.ConditionFalse || !isGood && c.Status != corev1.ConditionTrue
}

// Words of keys that set how something works, or tell the past, and values that deny.
var (
	settings = []string{
		"enabled", "disabled", "enable", "disable", "policy", "config", "hash", "version", "last", "recent", "previous", "timeout", "allowed", "require",
		"window", "schedule", "group", "applied", "capable", "ttl", "skip", "ignore", "exclude", "history", "interval",
	}
	denials = []string{"", "false", "no", "0", "none", "done", "idle", "ok", "healthy", "ready", "completed", "complete", "succeeded", "uncordoned", "active", "normal"}
)

// saysHeld reports whether the words of an annotation or label say that somebody has the
// node for a while: its key, unless the value denies that, or the value of a key about a state.
func saysHeld(key, value string) bool {
	name := split(path.Base(key))
	for _, w := range name {
		if slices.Contains(settings, w) {
			return false
		}
	}
	words := split(value)
	if len(words) > 0 && slices.Contains(denials, words[len(words)-1]) || slices.Contains(denials, strings.ToLower(value)) && value != "" {
		return false
	}
	says := func(w string) bool {
		found, ok := find(w, true)
		return ok && found.state != None && found.state != Starting
	}
	isState := slices.ContainsFunc(name, func(w string) bool {
		return slices.Contains([]string{"state", "status", "phase", "health", "condition", "reason"}, w)
	})
	return slices.ContainsFunc(name, says) || isState && slices.ContainsFunc(words, says)
}
