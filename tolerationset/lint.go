// SPDX-License-Identifier: Apache-2.0

package tolerationset

import (
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/similar"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// A Code names a kind of [Finding], for programs that filter findings. Codes do
// not change.
type Code string

const (
	// CodeCovered: another toleration tolerates every taint that this one does,
	// and without this one every taint is tolerated for the same time. All
	// tolerations with this finding can be removed together. It is not reported
	// for tolerations that Kubernetes always adds to a pod, such as those of
	// [taints.AddDaemonSetDefaults].
	CodeCovered Code = "covered"
	// CodeShadowed: an earlier toleration matches every NoExecute taint that this
	// one matches, for another time, so that the time of this one never applies.
	CodeShadowed Code = "shadowed"
	// CodeNoTime: the tolerationSeconds are zero or negative, so that a pod may be
	// placed on a node with such a taint and is evicted at once. Zero is not
	// reported for [taints.NodeNotReady] and [taints.NodeUnreachable], because it
	// evicts a pod sooner than the seconds of [taints.AddDefaults] would.
	CodeNoTime Code = "no-time"
	// CodeEverything: Exists without a key also tolerates the taints of broken
	// nodes. It is not reported for the effect PreferNoSchedule, nor if the list
	// has all tolerations that [taints.AddDaemonSetDefaults] adds without host
	// network.
	CodeEverything Code = "everything"
	// CodeLegacyKey: taints with this key are no longer set, and its successor is
	// not tolerated. The keys are node.kubernetes.io/out-of-disk,
	// node-role.kubernetes.io/master, node.alpha.kubernetes.io/notReady and
	// node.alpha.kubernetes.io/unreachable.
	CodeLegacyKey Code = "legacy-key"
	// CodeMisspelledKey: the key differs from one of Kubernetes' own only in
	// letter case, or by one or two letters that are missing, added, wrong or
	// swapped.
	CodeMisspelledKey Code = "misspelled-key"
	// CodeEmptyValue: Equal with an empty value tolerates only taints without a
	// value. It is not reported for keys whose taints Kubernetes sets without
	// one.
	CodeEmptyValue Code = "empty-value"
	// CodeThreshold: no valid taint has a value less, or greater, than this one,
	// because the integers of valid taints range from zero to the largest int64.
	CodeThreshold Code = "threshold"
)

// A Finding is something in a list of tolerations that is valid but probably
// not what its author meant. Its texts contain no keys and values except
// Kubernetes' own.
type Finding struct {
	// Code is the kind of finding.
	Code Code `json:"code"`
	// Toleration is the index of the toleration that the finding is about.
	Toleration int `json:"toleration"`
	// Other is the index of the toleration that covers or shadows this one. It
	// applies to [CodeCovered] and [CodeShadowed], and is zero for other codes.
	Other int `json:"other,omitempty"`
	// Advice describes what is wrong and what to do.
	Advice string `json:"advice"`
}

// String returns the finding in one line, as in "tolerations[1]: tolerations[0]
// tolerates everything that it tolerates: remove it (covered)".
func (f Finding) String() string {
	return entryName(f.Toleration) + ": " + f.Advice + " (" + string(f.Code) + ")"
}

// entryName names the toleration at the index.
func entryName(i int) string { return "tolerations[" + strconv.Itoa(i) + "]" }

// Lint returns findings about tolerations of a pod that are valid but probably
// not what their author meant; see the [Code] constants. Findings are in the
// order of the list, and those about one toleration in the order of the
// constants. A toleration with CodeCovered has no other findings.
//
// The result is nil if there are no findings. It is also nil for a list that
// [taints.Options.ValidateTolerations] rejects, which must be made valid first.
// It is nil for the tolerations that package taints' Add functions add to a pod
// without any, except for negative seconds and for extended resources whose
// names resemble Kubernetes' own keys.
//
// Tolerations that are right for a daemon may be wrong for other pods. Lint
// recognizes a daemon by what the DaemonSet controller adds. Call it with the
// tolerations of a pod, or with a template's after [taints.AddDaemonSetDefaults].
// Its running time grows with the square of the length.
func Lint(tolerations []taints.Toleration, o taints.Options) []Finding {
	if o.ValidateTolerations(tolerations) != nil {
		return nil
	}
	l := linter{rules: rules{o}, tolerations: tolerations}
	shadows := l.shadows(tolerations)
	by := l.superfluous(tolerations, shadows)
	for i := range tolerations {
		l.at(i, shadows[i], by[i])
	}
	return l.findings
}

// A linter collects findings.
type linter struct {
	rules
	tolerations []taints.Toleration
	forDaemons  []taints.Toleration // see addedToDaemons
	findings    []Finding
}

// shadows returns, for each toleration, the index of the first earlier
// toleration that tolerates all its NoExecute taints, if it does so for another
// time, and otherwise -1.
func (r rules) shadows(tolerations []taints.Toleration) []int {
	shadows := make([]int, len(tolerations))
	for i, t := range tolerations {
		shadows[i] = -1
		if !evicting(&t) || r.toleratesNothing(&t) {
			continue
		}
		t.Effect = taints.NoExecute
		j := r.includedBy(tolerations[:i], &t)
		if j >= 0 && !sameTime(&tolerations[j], &t) {
			shadows[i] = j
		}
	}
	return shadows
}

func (l *linter) find(code Code, i int, advice string) {
	l.findOther(code, i, 0, advice)
}

// findOther adds a finding whose reason is the toleration j.
func (l *linter) findOther(code Code, i, j int, advice string) {
	l.findings = append(l.findings, Finding{code, i, j, advice})
}

// at adds the findings about the toleration at index i. The toleration at index
// shadow shadows it. The one at index by makes it superfluous; by is i if it
// tolerates nothing. If there is no such toleration, the index is negative.
func (l *linter) at(i, shadow, by int) {
	t := &l.tolerations[i]
	switch {
	case shadow >= 0:
		l.findShadowed(i, shadow)
	case by < 0:
		l.checkSeconds(i, t)
	case by != i:
		if !l.isAdded(t) {
			l.findOther(CodeCovered, i, by, entryName(by)+" tolerates everything that it tolerates: remove it")
		}
		return
	}
	l.checkKey(i, t)
	l.checkValue(i, t)
}

func (l *linter) findShadowed(i, j int) {
	first := entryName(j)
	l.findOther(CodeShadowed, i, j, first+" is the first match for its NoExecute taints and "+
		"tolerates them "+howLong(&l.tolerations[j])+", so its own time, "+
		howLong(&l.tolerations[i])+", never counts: move it before "+first)
}

// howLong returns how long the toleration tolerates a NoExecute taint.
func howLong(t *taints.Toleration) string {
	if t.TolerationSeconds == nil {
		return "forever"
	}
	return "for " + strconv.FormatInt(*t.TolerationSeconds, 10) + "s"
}

func (l *linter) checkSeconds(i int, t *taints.Toleration) {
	switch s := t.TolerationSeconds; {
	case s == nil || *s > 0:
	case *s < 0:
		l.find(CodeNoTime, i, "negative tolerationSeconds mean zero: "+
			"a pod on a node with such a taint is evicted at once; "+
			"to tolerate the taint forever, omit tolerationSeconds")
	case t.Key != taints.NodeNotReady && t.Key != taints.NodeUnreachable:
		l.find(CodeNoTime, i, "a pod can be placed on a node with such a taint "+
			"and is then evicted at once: omit the toleration to avoid these nodes, "+
			"or tolerationSeconds to stay forever")
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
		if !slices.ContainsFunc(l.tolerations, func(t taints.Toleration) bool {
			return l.covers(&t, &u)
		}) {
			l.find(CodeLegacyKey, i, "nothing sets taints with this key anymore: tolerate "+s+" instead")
		}
		return
	}
	if slices.Contains(knownKeys[:], t.Key) {
		return
	}
	for _, known := range knownKeys {
		if strings.EqualFold(t.Key, known) || similar.Edits(t.Key, known) > 0 {
			l.find(CodeMisspelledKey, i, "the key may be misspelled: Kubernetes sets "+known)
			return
		}
	}
}

func (l *linter) checkEverything(i int, t *taints.Toleration) {
	if t.Operator != taints.OpExists || t.Effect == taints.PreferNoSchedule || l.isDaemon() {
		return
	}
	what := "every taint, including those of cordoned, not-ready and unreachable nodes, and is never evicted"
	switch t.Effect {
	case taints.NoSchedule:
		what = "every NoSchedule taint, including those of cordoned nodes " +
			"and of nodes that are low on memory or disk"
	case taints.NoExecute:
		what = "every NoExecute taint, including those of not-ready and unreachable nodes, " + howLong(t)
	}
	l.find(CodeEverything, i, "the pod tolerates "+what+
		", which is right only for daemons: name the keys that it needs")
}

func (l *linter) checkValue(i int, t *taints.Toleration) {
	switch values := l.values(t); {
	case values.Kind == valueset.One:
		if values.Text == "" && !isValueless(t.Key) {
			l.find(CodeEmptyValue, i, "an empty value tolerates only taints without a value: "+
				"to tolerate any value, set the operator to Exists")
		}
	case values.Kind == valueset.None, values.Kind == valueset.Integers && values.Most < 0:
		l.find(CodeThreshold, i, "valid taints have integers from 0 to the largest int64, "+
			"and it tolerates none of them: change the value")
	}
}

// isAdded reports whether the toleration is one that Kubernetes adds to a pod
// even if another one covers it.
func (l *linter) isAdded(t *taints.Toleration) bool {
	return slices.ContainsFunc(l.addedToDaemons(), t.Equal) ||
		t.Operator == taints.OpExists && t.Effect == taints.NoSchedule && taints.IsExtendedResourceName(t.Key)
}

// isDaemon reports whether the list has all tolerations that the DaemonSet
// controller adds without host network.
func (l *linter) isDaemon() bool {
	return !slices.ContainsFunc(l.addedToDaemons(), func(t taints.Toleration) bool {
		return t.Key != taints.NodeNetworkUnavailable && !slices.ContainsFunc(l.tolerations, t.Equal)
	})
}

// addedToDaemons returns the tolerations that the DaemonSet controller adds with
// host network.
func (l *linter) addedToDaemons() []taints.Toleration {
	if l.forDaemons == nil {
		l.forDaemons = taints.AddNetworkUnavailable(taints.AddDaemonSetDefaults(nil))
	}
	return l.forDaemons
}
