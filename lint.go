package taints

import (
	"slices"
	"strconv"
	"strings"
)

// A Code names a kind of [Finding]. Codes are for programs that filter findings; they do not change.
type Code string

const (
	// CodeCovered: another toleration of the list tolerates all that this one does, and no taint is tolerated for another time
	// without this one. All tolerations with this finding can be left out together. Those that Kubernetes adds to a pod in
	// any case, such as the DaemonSet controller's, are not reported.
	CodeCovered Code = "covered"
	// CodeShadowed: for every NoExecute taint that this toleration tolerates an earlier one comes first and sets another time,
	// so that the time of this one never counts. Often the earlier one is for all keys and shorter.
	CodeShadowed Code = "shadowed"
	// CodeNoTime: zero or negative tolerationSeconds. A pod is placed on a node with such a taint, and evicted at once.
	// Zero is not reported for [NodeNotReady] and [NodeUnreachable], where it is the way to leave sooner than after
	// the 300 seconds that [AddDefaults] would give.
	CodeNoTime Code = "no-time"
	// CodeEverything: Exists without a key tolerates what keeps pods off broken nodes too. This is reported for each effect
	// but PreferNoSchedule, and for no effect, and not where the list has all that [AddDaemonSetDefaults] adds without host
	// network, for a daemon is to run everywhere.
	CodeEverything Code = "everything"
	// CodeLegacyKey: nothing sets a taint of this key any more, and its successor is not tolerated. The legacy keys
	// are [NodeOutOfDisk], [NodeRoleMaster], [NodeAlphaNotReady] and [NodeAlphaUnreachable].
	CodeLegacyKey Code = "legacy-key"
	// CodeMisspeltKey: the key is one of Kubernetes' own but for letter case or one or two edits, see [HintSpelling].
	CodeMisspeltKey Code = "misspelt-key"
	// CodeEmptyValue: Equal with an empty value tolerates only taints without a value. This is not reported for keys whose
	// taints Kubernetes sets without one.
	CodeEmptyValue Code = "empty-value"
	// CodeThreshold: no valid taint has a value below, or above, the threshold: valid integers begin with a digit and so
	// are not negative, and none is above the greatest int64.
	CodeThreshold Code = "threshold"
)

// A Finding is something in a list of tolerations that is valid and does hardly what its author wants. It is comparable. It
// holds no keys and values but those of Kubernetes.
type Finding struct {
	// Code says what it is.
	Code Code
	// Toleration is the index of the toleration it is about.
	Toleration int
	// Other is the index of the toleration that is the reason, for CodeCovered and CodeShadowed, and otherwise -1.
	Other int
	// Advice says in words what is the matter and what to do.
	Advice string
}

// String returns the finding in one line, as in "tolerations[1]: tolerations[0] tolerates all that it tolerates: leave it out
// (covered)".
func (f Finding) String() string {
	return entry(f.Toleration) + ": " + f.Advice + " (" + string(f.Code) + ")"
}

// entry names the toleration of the index.
func entry(i int) string { return "tolerations[" + strconv.Itoa(i) + "]" }

// Lint returns what is valid in a pod's tolerations and does hardly what its author wants: see the [Code] constants. Findings
// are in order of the list, and those about one toleration in order of the constants; one that has CodeCovered has no
// other. The result is nil if there are none, and always so for what the Add functions of this package give a pod that
// has no tolerations, unless negative seconds are asked of [AddDefaults].
//
// Tolerations that [ValidateTolerations] refuses are passed over: they have no findings, and are the reason for none. Nothing
// is retained. The time it takes grows with the square of the length.
//
// What is right for a daemon is not for others. Lint tells them apart by what the DaemonSet controller adds, so give it
// the tolerations of the pod, or those of the template after [AddDaemonSetDefaults].
func Lint(tols []Toleration) []Finding { return Options{}.Lint(tols) }

// Lint is the function [Lint] under the options: what is valid, and what a key or threshold tolerates, depends on them.
func (o Options) Lint(tols []Toleration) []Finding {
	l := linter{options: o}
	for i := range tols {
		if o.valid(&tols[i]) {
			l.tols, l.at = append(l.tols, tols[i]), append(l.at, i)
		}
	}
	l.daemon = isDaemon(l.tols)
	l.relate()
	for i := range l.tols {
		l.look(i)
	}
	return l.findings
}

// A linter collects findings.
type linter struct {
	options  Options
	tols     []Toleration // the valid ones
	at       []int        // their indexes in the list
	shadows  []int        // for each what shadows it, or -1
	by       []int        // for each what makes it superfluous, as superseded has it, but for what has a shadow only a later one
	daemon   bool
	findings []Finding
}

// relate fills shadows and by.
func (l *linter) relate() {
	for i := range l.tols {
		shadow, by := l.shadow(i), -1
		if l.options.values(&l.tols[i]).empty() {
			by = i
		} else if shadow < 0 {
			by = l.options.shadow(l.tols[:i], &l.tols[i])
		}
		l.shadows, l.by = append(l.shadows, shadow), append(l.by, by)
	}
	for i := len(l.tols) - 1; i >= 0; i-- {
		if l.by[i] < 0 {
			l.by[i] = l.options.repeat(l.tols, l.by, i)
		}
	}
}

// shadow returns the index of the first earlier toleration that tolerates all NoExecute taints of a toleration, if it does so
// for another time, and otherwise -1.
func (l *linter) shadow(i int) int {
	t := l.tols[i]
	if !timed(&t) || l.options.values(&t).empty() {
		return -1
	}
	t.Effect = NoExecute
	j := l.options.shadow(l.tols[:i], &t)
	if j < 0 || sameTime(&l.tols[j], &t) {
		return -1
	}
	return j
}

func (l *linter) add(code Code, i int, advice string) {
	l.findings = append(l.findings, Finding{code, l.at[i], -1, advice})
}

// addOther adds a finding of which the toleration j is the reason.
func (l *linter) addOther(code Code, i, j int, advice string) {
	l.findings = append(l.findings, Finding{code, l.at[i], l.at[j], advice})
}

// look adds the findings about a toleration.
func (l *linter) look(i int) {
	t := &l.tols[i]
	switch shadow, by := l.shadows[i], l.by[i]; {
	case shadow >= 0:
		l.addShadowed(i, shadow)
	case by < 0:
		l.lookAtSeconds(i, t)
	case by != i:
		if !isAdded(t) {
			l.addOther(CodeCovered, i, by, entry(l.at[by])+" tolerates all that it tolerates: leave it out")
		}
		return
	}
	l.lookAtKey(i, t)
	l.lookAtValue(i, t)
}

func (l *linter) addShadowed(i, j int) {
	first := entry(l.at[j])
	l.addOther(CodeShadowed, i, j, first+" comes first for its NoExecute taints and tolerates them "+howLong(&l.tols[j])+
		", so that its own time, "+howLong(&l.tols[i])+", never counts: put it before "+first)
}

// howLong says how long the toleration tolerates a NoExecute taint.
func howLong(t *Toleration) string {
	if t.TolerationSeconds == nil {
		return "for ever"
	}
	return "for " + strconv.FormatInt(*t.TolerationSeconds, 10) + "s"
}

func (l *linter) lookAtSeconds(i int, t *Toleration) {
	switch s := t.TolerationSeconds; {
	case s == nil || *s > 0:
	case *s < 0:
		l.add(CodeNoTime, i, "negative tolerationSeconds are as good as none at all: a pod on such a node is evicted at once; "+
			"to stay for ever leave tolerationSeconds out")
	case t.Key != NodeNotReady && t.Key != NodeUnreachable:
		l.add(CodeNoTime, i, "a pod may be placed on a node with such a taint and is evicted at once: "+
			"leave the toleration out to stay away, or tolerationSeconds to stay for ever")
	}
}

func (l *linter) lookAtKey(i int, t *Toleration) {
	keys := l.options.keys(t)
	if keys.prefix {
		if keys.key == "" && !l.daemon {
			l.lookAtEverything(i, t)
		}
		return
	}
	if s := successor(t.Key); s != "" {
		u := *t
		u.Key = s
		if !l.options.coveredIn(l.tols, &u) {
			l.add(CodeLegacyKey, i, "nothing sets taints of this key any more: tolerate "+s)
		}
		return
	}
	if slices.Contains(knownKeys(), t.Key) {
		return
	}
	for _, known := range knownKeys() {
		if strings.EqualFold(t.Key, known) || keyEdits(t.Key, known) > 0 {
			l.add(CodeMisspeltKey, i, "the key may be misspelt: Kubernetes sets "+known)
			return
		}
	}
}

func (l *linter) lookAtEverything(i int, t *Toleration) {
	if t.Operator != OpExists || t.Effect == PreferNoSchedule {
		return
	}
	what := "every taint, those of cordoned, not ready and unreachable nodes too, and stays there"
	switch t.Effect {
	case NoSchedule:
		what = "every NoSchedule taint, those of cordoned nodes and of nodes without memory or disk too"
	case NoExecute:
		what = "every NoExecute taint, those of not ready and unreachable nodes too, " + howLong(t)
	}
	l.add(CodeEverything, i, "the pod tolerates "+what+", which is right for daemons only: name the keys that it needs")
}

func (l *linter) lookAtValue(i int, t *Toleration) {
	switch t.operator() {
	case OpEqual:
		if t.Value == "" && !valueless(t.Key) {
			l.add(CodeEmptyValue, i, "an empty value tolerates only taints without a value: to tolerate any value set the operator to Exists")
		}
	case OpLt, OpGt:
		if values := l.options.values(t); values.empty() || values.most < 0 {
			l.add(CodeThreshold, i, "no valid taint has an integer "+lessOrGreater(t.Operator)+" than that, so it tolerates nothing: change the value")
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

// valid reports whether validation has nothing to say about the toleration.
func (o Options) valid(t *Toleration) bool {
	var f faults
	f.toleration(t, o)
	return f.fields == nil
}

// isAdded reports whether the toleration is one that Kubernetes adds to a pod even if another one covers it.
func isAdded(t *Toleration) bool {
	if t.Operator != OpExists || t.TolerationSeconds != nil {
		return false
	}
	id := TaintID{t.Key, t.Effect}
	return slices.Contains(daemonSetTaints(true), id) || t.Effect == NoSchedule && IsExtendedResourceName(t.Key)
}

// isDaemon reports whether the list has all that the DaemonSet controller adds without host network.
func isDaemon(tols []Toleration) bool {
	for _, id := range daemonSetTaints(false) {
		if !slices.ContainsFunc(tols, func(t Toleration) bool { return t.Key == id.Key && t.Effect == id.Effect && isAdded(&t) }) {
			return false
		}
	}
	return true
}

// successor returns the key that replaces a legacy one, and the empty string for other keys.
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

// knownKeys returns the keys of Kubernetes' own taints that are in use.
func knownKeys() []string {
	return []string{
		NodeNotReady, NodeUnreachable, NodeMemoryPressure, NodeDiskPressure, NodePIDPressure, NodeNetworkUnavailable,
		NodeUnschedulable, NodeOutOfService, CloudProviderUninitialized, CloudProviderShutdown, NodeRoleControlPlane,
	}
}

// valueless reports whether Kubernetes sets taints of the key, and without a value.
func valueless(key string) bool {
	switch key {
	case NodeOutOfService, CloudProviderUninitialized:
		return false
	}
	return successor(key) != "" || slices.Contains(knownKeys(), key)
}
