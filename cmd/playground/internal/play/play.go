// SPDX-License-Identifier: Apache-2.0

// Package play answers the questions of the playground's page. It takes the
// texts of a form, and returns the effect of the taints and tolerations in them
// and the places of errors.
package play

import (
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/seed-0529bac1/taints"
)

// A State is the state of the form. It returns the content of the field with the
// name, or the empty string if the field is empty or switched off:
//
//   - "taints" and "tolerations" are lists, with one entry per line or separated
//     by commas, or in YAML or JSON; taints may be "kubectl taint" commands
//   - "observed" is when the taints are observed, in UTC unless it has a zone
//   - "arrived" is when the pod was bound to the node; empty means as its status says
//   - "select" is one of [Selections]; empty means the first
//   - "add" names what adds tolerations to the pod: one of [Adders]
//   - "noComparison", "keyWildcards" and "fromTimeAdded" are switches
type State func(name string) string

// Selections are the values of "select": which of the tolerations that match a
// taint counts.
var Selections = []string{"FirstMatch", "ForDevices"}

// An Adder is part of Kubernetes that adds tolerations to a pod.
type Adder struct {
	ID, Name string
	add      func([]taints.Toleration) []taints.Toleration
}

// Adders are the values of "add".
var Adders = []Adder{
	{"pod", "the DefaultTolerationSeconds admission plugin", addDefaults},
	{"daemonset", "the DaemonSet controller", func(list []taints.Toleration) []taints.Toleration {
		return addDefaults(taints.AddDaemonSetTolerations(list, taints.DaemonSetPod{}))
	}},
	{"hostnetwork", "the DaemonSet controller, for a pod on the host network", func(list []taints.Toleration) []taints.Toleration {
		return addDefaults(taints.AddDaemonSetTolerations(list, taints.DaemonSetPod{HostNetwork: true}))
	}},
}

func addDefaults(list []taints.Toleration) []taints.Toleration {
	return taints.AddDefaultTolerations(list, taints.DefaultTolerationSeconds{})
}

// name returns the name of an element of a list as in Kubernetes' errors.
func name(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// utc returns the time in the form of the page. It shows fractions of a second
// only if there are any.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.999999999 UTC") }

// seconds returns the seconds of a toleration, with larger units in addition if
// they help.
func seconds(n int64) string {
	text := strconv.FormatInt(n, 10) + "s"
	if n < 60 || n > int64(math.MaxInt64/time.Second) {
		return text
	}
	units := (time.Duration(n) * time.Second).String()
	return text + " (" + zeroUnits.ReplaceAllString(units, "$1") + ")"
}

var zeroUnits = regexp.MustCompile(`([hm])(?:0m)?0s$`)
