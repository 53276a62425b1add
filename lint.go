// SPDX-License-Identifier: Apache-2.0

package taints

import (
	"slices"
	"strconv"
	"strings"
)

// A Code names a kind of [Finding], for programs that filter findings. Codes do
// not change.
type Code string

const (
	// CodeCovered: another toleration tolerates all that this one does, and
	// without this one every taint is tolerated for the same time. All
	// tolerations with this finding can be left out together. It is not reported
	// for what Kubernetes adds to a pod in any case, such as the tolerations of
	// [AddDaemonSetDefaults].
	CodeCovered Code = "covered"
	// CodeShadowed: an earlier toleration matches every NoExecute taint that
	// this one matches, for another time, so that the time of this one never
	// counts.
	CodeShadowed Code = "shadowed"
	// CodeNoTime: the tolerationSeconds are zero or negative, so that a pod may
	// be placed on a node with such a taint and is evicted at once. Zero is not
	// reported for [NodeNotReady] and [NodeUnreachable], where it makes a pod
	// leave sooner than the seconds of [AddDefaults] would.
	CodeNoTime Code = "no-time"
	// CodeEverything: Exists without a key also tolerates the taints of broken
	// nodes. It is not reported for the effect PreferNoSchedule, nor if the list
	// has all tolerations that [AddDaemonSetDefaults] adds without host network.
	CodeEverything Code = "everything"
	// CodeLegacyKey: nothing sets a taint with this key any more, and its
	// successor is not tolerated. The legacy keys are [NodeOutOfDisk],
	// [NodeRoleMaster], [NodeAlphaNotReady] and [NodeAlphaUnreachable].
	CodeLegacyKey Code = "legacy-key"
	// CodeMisspelledKey: the key differs from one of Kubernetes' own only in
	// letter case, or by a few edits as for [HintSpelling].
	CodeMisspelledKey Code = "misspelled-key"
	// CodeEmptyValue: Equal with an empty value tolerates only taints without a
	// value. It is not reported for keys whose taints Kubernetes sets without
	// one.
	CodeEmptyValue Code = "empty-value"
	// CodeThreshold: no valid taint has a value less, or greater, than this one,
	// because the integers of valid taints go from zero to the largest int64.
	CodeThreshold Code = "threshold"
)

// A Finding is something in a list of tolerations that is valid but probably not
// what its author meant. Its texts have no keys and values except Kubernetes'
// own. Its JSON holds the fields, and not the index that Other returns.
type Finding struct {
	// Code is the kind of finding.
	Code Code `json:"code"`
	// Toleration is the index of the toleration that the finding is about.
	Toleration int `json:"toleration"`
	// Advice says what is wrong and what to do.
	Advice string `json:"advice"`

	other indexPlusOne
}

// Other returns the index of the toleration that covers or shadows this one, for
// [CodeCovered] and [CodeShadowed], and false for other codes.
func (f Finding) Other() (i int, ok bool) { return f.other.get() }

// String returns the finding in one line, as in "tolerations[1]: tolerations[0]
// tolerates all that it tolerates: leave it out (covered)".
func (f Finding) String() string {
	return entryName(f.Toleration) + ": " + f.Advice + " (" + string(f.Code) + ")"
}

// entryName names the toleration at the index.
func entryName(i int) string { return "tolerations[" + strconv.Itoa(i) + "]" }

// Lint returns what is valid in a pod's tolerations but probably not what their
// author meant; see the [Code] constants. Findings are in the order of the list,
// and those about one toleration in the order of the constants. A toleration with
// CodeCovered has no other findings.
//
// The result is nil if there are none, and for a list that [ValidateTolerations]
// refuses, which must be made valid first. It is nil for the tolerations that the
// Add functions give to a pod without any, except for negative seconds and for
// extended resources whose names resemble Kubernetes' own keys.
//
// What is right for a daemon may be wrong for other pods. Lint recognizes a
// daemon by what the DaemonSet controller adds, so call it with the tolerations
// of a pod, or with those of a template after [AddDaemonSetDefaults]. The time it
// takes grows with the square of the length.
func Lint(tolerations []Toleration) []Finding { return Options{}.Lint(tolerations) }

// Lint is like the function [Lint] under the options.
func (o Options) Lint(tolerations []Toleration) []Finding {
	if o.ValidateTolerations(tolerations) != nil {
		return nil
	}
	l := linter{options: o, tolerations: tolerations, daemon: isDaemon(tolerations)}
	shadows := l.shadows()
	by := l.superseded(shadows)
	for i := range tolerations {
		l.at(i, shadows[i], by[i])
	}
	return l.findings
}

// A linter collects findings.
type linter struct {
	options     Options
	tolerations []Toleration
	daemon      bool
	findings    []Finding
}

// shadows returns for each toleration the index of the first earlier one that
// tolerates all its NoExecute taints, if that does so for another time, and
// otherwise -1.
func (l *linter) shadows() []int {
	shadows := make([]int, len(l.tolerations))
	for i, t := range l.tolerations {
		shadows[i] = -1
		if !timed(&t) || l.options.toleratesNothing(&t) {
			continue
		}
		t.Effect = NoExecute
		j := l.options.shadow(l.tolerations[:i], &t)
		if j >= 0 && !sameTime(&l.tolerations[j], &t) {
			shadows[i] = j
		}
	}
	return shadows
}

// superseded is like [Options.superseded], except that only a later toleration
// makes one superfluous that is in the shadow of an earlier one.
func (l *linter) superseded(shadows []int) []int {
	return l.options.supersededBut(l.tolerations, func(i int) bool { return shadows[i] >= 0 })
}

func (l *linter) add(code Code, i int, advice string) {
	l.findings = append(l.findings, Finding{Code: code, Toleration: i, Advice: advice})
}

// addOther adds a finding whose reason is the toleration j.
func (l *linter) addOther(code Code, i, j int, advice string) {
	l.findings = append(l.findings, Finding{code, i, advice, someIndex(j)})
}

// at adds the findings about the toleration at index i. The one at index shadow
// shadows it, and the one at index by, which is i if it tolerates nothing, makes
// it superfluous. A negative index says that there is none.
func (l *linter) at(i, shadow, by int) {
	t := &l.tolerations[i]
	switch {
	case shadow >= 0:
		l.addShadowed(i, shadow)
	case by < 0:
		l.checkSeconds(i, t)
	case by != i:
		if !isAdded(t) {
			l.addOther(CodeCovered, i, by, entryName(by)+" tolerates all that it tolerates: leave it out")
		}
		return
	}
	l.checkKey(i, t)
	l.checkValue(i, t)
}

func (l *linter) addShadowed(i, j int) {
	first := entryName(j)
	l.addOther(CodeShadowed, i, j, first+" comes first for its NoExecute taints and "+
		"tolerates them "+howLong(&l.tolerations[j])+", so that its own time, "+
		howLong(&l.tolerations[i])+", never counts: put it before "+first)
}

// howLong says how long the toleration tolerates a NoExecute taint.
func howLong(t *Toleration) string {
	if t.TolerationSeconds == nil {
		return "forever"
	}
	return "for " + strconv.FormatInt(*t.TolerationSeconds, 10) + "s"
}

func (l *linter) checkSeconds(i int, t *Toleration) {
	switch s := t.TolerationSeconds; {
	case s == nil || *s > 0:
	case *s < 0:
		l.add(CodeNoTime, i, "negative tolerationSeconds count as zero: "+
			"a pod on such a node is evicted at once; "+
			"to stay forever leave tolerationSeconds out")
	case t.Key != NodeNotReady && t.Key != NodeUnreachable:
		l.add(CodeNoTime, i, "a pod may be placed on a node with such a taint "+
			"and is evicted at once: leave the toleration out to stay away, "+
			"or tolerationSeconds to stay forever")
	}
}

func (l *linter) checkKey(i int, t *Toleration) {
	keys := l.options.keys(t)
	if keys.prefix {
		if keys.key == "" && !l.daemon {
			l.checkEverything(i, t)
		}
		return
	}
	if s := successor(t.Key); s != "" {
		u := *t
		u.Key = s
		if !slices.ContainsFunc(l.tolerations, func(t Toleration) bool {
			return l.options.covers(&t, &u)
		}) {
			l.add(CodeLegacyKey, i, "nothing sets taints of this key any more: tolerate "+s)
		}
		return
	}
	if slices.Contains(knownKeys, t.Key) {
		return
	}
	for _, known := range knownKeys {
		if strings.EqualFold(t.Key, known) || keyEdits(t.Key, known) > 0 {
			l.add(CodeMisspelledKey, i, "the key may be misspelled: Kubernetes sets "+known)
			return
		}
	}
}

func (l *linter) checkEverything(i int, t *Toleration) {
	if t.Operator != OpExists || t.Effect == PreferNoSchedule {
		return
	}
	what := "every taint, those of cordoned, not ready and unreachable nodes too, and stays there"
	switch t.Effect {
	case NoSchedule:
		what = "every NoSchedule taint, those of cordoned nodes " +
			"and of nodes without memory or disk too"
	case NoExecute:
		what = "every NoExecute taint, those of not ready and unreachable nodes too, " + howLong(t)
	}
	l.add(CodeEverything, i, "the pod tolerates "+what+
		", which is right for daemons only: name the keys that it needs")
}

func (l *linter) checkValue(i int, t *Toleration) {
	switch t.operator() {
	case OpEqual:
		if t.Value == "" && !valueless(t.Key) {
			l.add(CodeEmptyValue, i, "an empty value tolerates only taints without a value: "+
				"to tolerate any value set the operator to Exists")
		}
	case OpLt, OpGt:
		if values := l.options.values(t); values.empty() || values.most < 0 {
			l.add(CodeThreshold, i, "no valid taint has an integer "+lessOrGreater(t.Operator)+
				" than that, so it tolerates nothing: change the value")
		}
	}
}

// lessOrGreater returns the operator, Lt or Gt, in words.
func lessOrGreater(op Operator) string {
	if op == OpLt {
		return "less"
	}
	return "greater"
}

// isAdded reports whether the toleration is one that Kubernetes adds to a pod
// even if another one covers it.
func isAdded(t *Toleration) bool {
	if t.Operator != OpExists || t.TolerationSeconds != nil {
		return false
	}
	id := TaintID{t.Key, t.Effect}
	return slices.Contains(daemonSetTaints(DaemonSetPod{HostNetwork: true}), id) ||
		t.Effect == NoSchedule && IsExtendedResourceName(t.Key)
}

// isDaemon reports whether the list has all tolerations that the DaemonSet
// controller adds without host network.
func isDaemon(tolerations []Toleration) bool {
	for _, id := range daemonSetTaints(DaemonSetPod{}) {
		if !slices.ContainsFunc(tolerations, func(t Toleration) bool {
			return t.Key == id.Key && t.Effect == id.Effect && isAdded(&t)
		}) {
			return false
		}
	}
	return true
}

// successor returns the key that replaces a legacy key, and "" for other keys.
func successor(key string) string {
	switch key {
	case NodeOutOfDisk:
		return NodeDiskPressure
	case NodeRoleMaster:
		return NodeRoleControlPlane
	case NodeAlphaNotReady:
		return NodeNotReady
	case NodeAlphaUnreachable:
		return NodeUnreachable
	}
	return ""
}

// knownKeys holds the keys of the taints that Kubernetes sets today.
var knownKeys = []string{
	NodeNotReady,
	NodeUnreachable,
	NodeMemoryPressure,
	NodeDiskPressure,
	NodePIDPressure,
	NodeNetworkUnavailable,
	NodeUnschedulable,
	NodeOutOfService,
	CloudProviderUninitialized,
	CloudProviderShutdown,
	NodeRoleControlPlane,
}

// valueless reports whether Kubernetes sets taints with the key, and without a
// value.
func valueless(key string) bool {
	switch key {
	case NodeOutOfService, CloudProviderUninitialized:
		return false
	}
	return successor(key) != "" || slices.Contains(knownKeys, key)
}
