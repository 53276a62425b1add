// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/tolerationset"
)

// A refusal is why a pod is not admitted, as a Status of Kubernetes.
type refusal struct {
	kind    string // for the metrics
	code    int    // of HTTP
	reason  string // in one word
	message string
}

func forbid(kind, format string, args ...any) *refusal {
	return &refusal{kind, http.StatusForbidden, "Forbidden", fmt.Sprintf(format, args...)}
}

// validate returns a [*refusal] if the pod must not be as it is.
//
//   - Its tolerations are valid, and were not taken away from old. (An API
//     server sees to this too, before or afterwards.)
//   - Each toleration is allowed in the namespace, or no more than what old has,
//     unless the pod is exempt.
//   - If it is new, so that old is nil, it has the node selector of the
//     dedications that apply to it, whatever other webhooks did after this one.
func (p *Policy) validate(namespace string, old, pod *pod) *refusal {
	var before []taints.Toleration
	if old != nil {
		before = old.tolerations
	}
	if err := taints.ValidateTolerationsUpdate(before, pod.tolerations); err != nil {
		return invalid(err)
	}
	if refusal := p.checkAllowed(namespace, before, pod); refusal != nil || old != nil {
		return refusal
	}
	for _, d := range p.dedicationsFor(namespace, pod) {
		for _, key := range slices.Sorted(maps.Keys(d.nodeSelector)) {
			if have, ok := pod.nodeSelector[key]; !ok || have != d.nodeSelector[key] {
				return d.refuse(key, pod, "its nodeSelector has no "+key)
			}
		}
	}
	return nil
}

// invalid refuses a pod for what a validation of package taints found.
func invalid(err error) *refusal {
	var texts []string
	for _, fault := range err.(*taints.ErrorList).Errors {
		at := *fault
		if at.List == "old" { // it was taken away, so the index is none of the pod's
			at.List = ""
			texts = append(texts, "spec.tolerations: "+at.Error())
			continue
		}
		at.List = "spec.tolerations"
		texts = append(texts, at.Error())
	}
	return &refusal{notValid, http.StatusUnprocessableEntity, "Invalid", summary(texts)}
}

// checkAllowed refuses a pod with a toleration that is not allowed in the namespace,
// and tolerates more, or for longer, than one it had before. What admission gives to
// every such pod need not be listed.
func (p *Policy) checkAllowed(namespace string, before []taints.Toleration, pod *pod) *refusal {
	refused := p.refused(namespace, before, pod)
	if len(refused) == 0 {
		return nil
	}
	var texts []string
	for _, t := range p.Rules.allowedIn(namespace) {
		texts = append(texts, t.String())
	}
	if len(texts) == 0 {
		texts = []string{"none"}
	}
	return forbid(notAllowed, "toleration %q is not allowed in namespace %s; allowed are: %s",
		clip(pod.tolerations[refused[0]].String(), 500), quote(namespace), summary(texts))
}

// refused returns the indexes of the tolerations of the pod that are not allowed, and
// beyond those that it had before.
func (p *Policy) refused(namespace string, before []taints.Toleration, pod *pod) []int {
	allowed := p.allowed(namespace, pod)
	if allowed == nil || pod.exempt {
		return nil
	}
	return uncovered(pod.tolerations, slices.Concat(allowed, before))
}

// uncovered returns the indexes of the tolerations that the allow-list does not cover.
func uncovered(tolerations, allow []taints.Toleration) []int {
	var invalid *taints.ErrorList
	if !errors.As(tolerationset.ValidateAllowed(tolerations, allow, taints.Options{}), &invalid) {
		return nil
	}
	var list []int
	for _, fault := range invalid.Errors {
		list = append(list, fault.Index)
	}
	return list
}

// allowed returns what a new pod of the namespace may tolerate: the allow-list of
// the rules, and what admission gives to every pod like this one. Nil means anything.
func (p *Policy) allowed(namespace string, pod *pod) []taints.Toleration {
	allowed := p.Rules.allowedIn(namespace)
	if allowed == nil {
		return nil
	}
	return slices.Concat(allowed, addStandard(nil, p.longestDefaults(), pod.bestEffort, pod.requested))
}

// longestDefaults returns the policy's defaults, with at least the seconds that an
// API server gives by itself: its own plugin may have been there first.
func (p *Policy) longestDefaults() taints.DefaultSeconds {
	longest := func(seconds *int64) *int64 {
		if seconds == nil || *seconds < taints.DefaultTolerationSeconds {
			return nil
		}
		return seconds
	}
	return taints.DefaultSeconds{NotReady: longest(p.Defaults.NotReady), Unreachable: longest(p.Defaults.Unreachable)}
}

// summary joins the first of the texts.
func summary(texts []string) string {
	const most = 10
	if len(texts) > most {
		texts = append(texts[:most:most], fmt.Sprintf("and %d more", len(texts)-most))
	}
	return strings.Join(texts, "; ")
}
