// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/similar"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// A Code names a kind of [Finding]. Codes do not change. A minor release may add some.
type Code string

const (
	// CodeCovered: the toleration is redundant. Removing all tolerations with this code
	// changes nothing. It is not reported for what Kubernetes always adds to a pod.
	CodeCovered Code = "covered"
	// CodeShadowed: an earlier toleration matches all NoExecute taints of this one,
	// so the time of this one never applies.
	CodeShadowed Code = "shadowed"
	// CodeNoTime: the seconds are not positive, so a pod on a node with such a taint
	// is evicted at once. Zero is not reported for the keys of
	// [taints.AddDefaultTolerations].
	CodeNoTime Code = "no-time"
	// CodeEverything: Exists without a key also tolerates the taints of broken nodes.
	// It is not reported for PreferNoSchedule and daemons.
	CodeEverything Code = "everything"
	// CodeLegacyKey: nothing sets this key anymore, as node-role.kubernetes.io/master,
	// and its successor is not tolerated.
	CodeLegacyKey Code = "legacy-key"
	// CodeMisspelledKey: the key is almost one that Kubernetes sets.
	CodeMisspelledKey Code = "misspelled-key"
	// CodeEmptyValue: Equal with an empty value tolerates only taints without one. It
	// is not reported for keys that Kubernetes sets without one.
	CodeEmptyValue Code = "empty-value"
	// CodeThreshold: no valid taint matches. The integers of valid taints are not
	// negative, and none of them is less, with Lt, or greater, with Gt, than the value.
	CodeThreshold Code = "threshold"
)

// A Finding is about a valid toleration that probably does not do what its author
// wants. Its text names no keys and values except Kubernetes' own.
type Finding struct {
	// Code is the kind of finding.
	Code Code `json:"code"`
	// Toleration is the index of the toleration.
	Toleration int `json:"toleration"`
	// Other is the index of the toleration that covers or shadows this one, or -1.
	Other int `json:"other"`
	// Advice says what is wrong and what to do.
	Advice string `json:"advice"`
}

// String returns the finding in one line that begins with "tolerations[1] (covered): ".
func (f Finding) String() string {
	return entryName(f.Toleration) + " (" + string(f.Code) + "): " + f.Advice
}

// entryName names the toleration at the index.
func entryName(i int) string { return "tolerations[" + strconv.Itoa(i) + "]" }

// Lint returns the findings about a pod's tolerations in the order of the list and
// then of the [Code] constants, and nil for a list that is not valid under o. There
// are none for the tolerations that package taints' Add functions add to a pod
// without any, except for negative seconds and extended resources that look like
// Kubernetes' own keys. A daemon is a pod with all tolerations that
// [taints.AddDaemonSetTolerations] adds without host network: call that on a template
// before.
func Lint(tolerations []taints.Toleration, o taints.Options) []Finding {
	if o.ValidateTolerations(tolerations) != nil {
		return nil
	}
	r := rules{o}
	shadows := r.shadows(tolerations)
	by := r.superfluous(tolerations, shadows)
	l := linter{rules: r, list: tolerations, forDaemons: taints.AddDaemonSetTolerations(nil, taints.DaemonSetPod{HostNetwork: true})}
	l.daemon = !slices.ContainsFunc(l.forDaemons, func(t taints.Toleration) bool {
		return t.Key != taints.NodeNetworkUnavailable && !slices.ContainsFunc(tolerations, t.Equal)
	})
	for i := range tolerations {
		l.at(i, shadows[i], by[i])
	}
	return l.findings
}

// shadows returns, for each toleration of the list, the index of the first earlier
// one that tolerates all its NoExecute taints, if it does so for another time, and
// otherwise -1.
func (r rules) shadows(list []taints.Toleration) []int {
	shadows := make([]int, len(list))
	for i, t := range list {
		shadows[i] = -1
		if !evicting(&t) || r.toleratesNothing(&t) {
			continue
		}
		t.Effect = taints.NoExecute
		if j := r.firstIncluding(list[:i], &t); j >= 0 && !sameTime(&list[j], &t) {
			shadows[i] = j
		}
	}
	return shadows
}

// A linter collects findings about the tolerations of a list.
type linter struct {
	rules
	list       []taints.Toleration
	forDaemons []taints.Toleration // what Kubernetes adds to daemons with host network
	daemon     bool                // all that it adds without are in the list
	findings   []Finding
}

func (l *linter) find(code Code, i, other int, advice string) {
	l.findings = append(l.findings, Finding{code, i, other, advice})
}

// at adds the findings about the toleration at index i. The toleration at index
// shadow shadows it. The one at index by makes it superfluous; by is i if it
// tolerates nothing. If there is no such toleration, the index is negative.
func (l *linter) at(i, shadow, by int) {
	t := &l.list[i]
	switch {
	case shadow >= 0:
		own := "it never tolerates them forever"
		if t.TolerationSeconds != nil {
			own = "its " + secondsText(t) + " never applies"
		}
		l.find(CodeShadowed, i, shadow, entryName(shadow)+" matches all its NoExecute taints first and tolerates them "+
			howLong(&l.list[shadow])+". So "+own+"; move it before "+entryName(shadow)+".")
	case by < 0:
		l.checkSeconds(i, t)
	case by != i:
		if !l.isAdded(t) {
			l.find(CodeCovered, i, by, "Redundant: "+entryName(by)+" already covers it; remove it.")
		}
		return
	}
	l.checkKey(i, t)
	l.checkValue(i, t)
}

// howLong says how long the toleration tolerates a NoExecute taint.
func howLong(t *taints.Toleration) string {
	if t.TolerationSeconds == nil {
		return "forever"
	}
	return "for " + secondsText(t)
}

func secondsText(t *taints.Toleration) string {
	return strconv.FormatInt(*t.TolerationSeconds, 10) + "s"
}

func (l *linter) checkSeconds(i int, t *taints.Toleration) {
	switch s := t.TolerationSeconds; {
	case s == nil || *s > 0:
	case *s < 0:
		l.find(CodeNoTime, i, -1, "Negative tolerationSeconds mean zero, and a node with such a taint evicts the pod at once. "+
			"Omit them to tolerate the taint forever.")
	case t.Key != taints.NodeNotReady && t.Key != taints.NodeUnreachable:
		l.find(CodeNoTime, i, -1, "The pod may be placed on a node with such a taint, and is then evicted at once. "+
			"Omit the toleration to avoid these nodes, or its tolerationSeconds to stay forever.")
	}
}

func (l *linter) checkKey(i int, t *taints.Toleration) {
	keys := l.keys(t)
	if keys.Prefix {
		if keys.Key == "" {
			l.checkEverything(i, t)
		}
		return
	}
	if s := successor(t.Key); s != "" {
		u := *t
		u.Key = s
		if !l.anyCovers(l.list, &u) {
			l.find(CodeLegacyKey, i, -1, "Nothing sets taints with this key anymore; tolerate "+s+" instead.")
		}
		return
	}
	if known.IsNodeKey(t.Key) || slices.Contains(otherKeys[:], t.Key) {
		return
	}
	isMeant := func(key string) bool { return strings.EqualFold(t.Key, key) || similar.Edits(t.Key, key) > 0 }
	for _, keys := range [...][]string{known.NodeKeys[:], otherKeys[:]} {
		if at := slices.IndexFunc(keys, isMeant); at >= 0 {
			l.find(CodeMisspelledKey, i, -1, "The key may be misspelled; Kubernetes sets "+keys[at]+".")
			return
		}
	}
}

func (l *linter) checkEverything(i int, t *taints.Toleration) {
	if t.Operator != taints.OpExists || l.daemon {
		return
	}
	var what string
	switch t.Effect {
	case "":
		what = "taint, including those of cordoned, not-ready and unreachable nodes"
	case taints.NoSchedule:
		what = "NoSchedule taint, including those of cordoned nodes and of nodes low on memory or disk"
	case taints.NoExecute:
		what = "NoExecute taint, including those of not-ready and unreachable nodes"
	default:
		return
	}
	l.find(CodeEverything, i, -1, "It tolerates every "+what+". That is right only for daemons; name the keys that the pod needs.")
}

func (l *linter) checkValue(i int, t *taints.Toleration) {
	switch values := l.values(t); {
	case values.Kind == valueset.One:
		if values.Text == "" && !isValueless(t.Key) {
			l.find(CodeEmptyValue, i, -1, "Its empty value matches only taints without a value; for any value, set the operator to Exists.")
		}
	case values.Kind == valueset.None, values.Kind == valueset.Integers && values.Most < 0:
		l.find(CodeThreshold, i, -1, "No valid integer (0 to max int64) satisfies it; change the value.")
	}
}

// isAdded reports whether the toleration is one that Kubernetes adds to a pod
// even if another one covers it.
func (l *linter) isAdded(t *taints.Toleration) bool {
	return slices.ContainsFunc(l.forDaemons, t.Equal) ||
		slices.ContainsFunc(taints.AddExtendedResourceTolerations(nil, t.Key), t.Equal)
}

const controlPlane = "node-role.kubernetes.io/control-plane"

// otherKeys holds the keys of the taints that Kubernetes sets today, beside
// known.NodeKeys. Like those, the first two are keys of taints without a value.
var otherKeys = [...]string{
	"node.cloudprovider.kubernetes.io/shutdown",
	controlPlane,
	"node.kubernetes.io/out-of-service",
	"node.cloudprovider.kubernetes.io/uninitialized",
}

// successor returns the key that replaces a legacy key, whose taints are no
// longer set, and "" for other keys.
func successor(key string) string {
	switch key {
	case "node.kubernetes.io/out-of-disk":
		return taints.NodeDiskPressure
	case "node-role.kubernetes.io/master":
		return controlPlane
	case "node.alpha.kubernetes.io/notReady":
		return taints.NodeNotReady
	case "node.alpha.kubernetes.io/unreachable":
		return taints.NodeUnreachable
	}
	return ""
}

// isValueless reports whether Kubernetes sets, or used to set, taints with the
// key without a value.
func isValueless(key string) bool {
	return successor(key) != "" || known.IsNodeKey(key) || slices.Contains(otherKeys[:2], key)
}
