// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"sigs.k8s.io/json"

	"github.com/seed-0529bac1/taints"
)

// Rules are the contents of the rules file. The zero Rules add nothing and allow
// everything.
type Rules struct {
	Cluster     NamespaceRules            `json:"cluster"`
	Namespaces  map[string]NamespaceRules `json:"namespaces"`
	Dedications []Dedication              `json:"dedications"`
}

// NamespaceRules are the rules for the pods of one namespace, or of every namespace
// without its own list. A nil list sets no rule; an empty list means "none".
type NamespaceRules struct {
	DefaultTolerations []taints.Toleration `json:"defaultTolerations"`
	AllowedTolerations []taints.Toleration `json:"allowedTolerations"`
}

// A Dedication sends some pods to dedicated nodes.
type Dedication struct {
	Name        string   `json:"name"`
	Namespaces  []string `json:"namespaces"` // empty: all
	PodSelector struct {
		MatchLabels map[string]string `json:"matchLabels"` // empty: any
	} `json:"podSelector"`
	Tolerations  []taints.Toleration `json:"tolerations"`
	NodeSelector map[string]string   `json:"nodeSelector"`
}

// ParseRules parses a rules file in JSON. The error lists everything wrong with it.
func ParseRules(text []byte) (*Rules, error) {
	var r *Rules
	problems, err := json.UnmarshalStrict(text, &r)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, errors.New("the rules are null")
	}
	for _, problem := range r.validate() {
		problems = append(problems, problem)
	}
	if len(problems) > 0 {
		return nil, utilerrors.NewAggregate(problems)
	}
	if problems := r.contradictions(); len(problems) > 0 {
		return nil, problems.ToAggregate()
	}
	return r, nil
}

// defaults returns the tolerations that every pod of the namespace gets.
func (r *Rules) defaults(namespace string) []taints.Toleration {
	if own := r.Namespaces[namespace].DefaultTolerations; own != nil {
		return own
	}
	return r.Cluster.DefaultTolerations
}

// allowed returns what the pods of the namespace may tolerate. Nil means anything.
func (r *Rules) allowed(namespace string) []taints.Toleration {
	if own := r.Namespaces[namespace].AllowedTolerations; own != nil {
		return own
	}
	return r.Cluster.AllowedTolerations
}

func (r *Rules) dedications(namespace string, podLabels map[string]string) []*Dedication {
	var list []*Dedication
	for i := range r.Dedications {
		if d := &r.Dedications[i]; d.applies(namespace, podLabels) {
			list = append(list, d)
		}
	}
	return list
}

func (d *Dedication) applies(namespace string, podLabels map[string]string) bool {
	return (len(d.Namespaces) == 0 || slices.Contains(d.Namespaces, namespace)) &&
		labels.SelectorFromSet(d.PodSelector.MatchLabels).Matches(labels.Set(podLabels))
}

// within reports whether other applies to every pod that d applies to.
func (d *Dedication) within(other *Dedication) bool {
	if !labels.SelectorFromSet(other.PodSelector.MatchLabels).Matches(labels.Set(d.PodSelector.MatchLabels)) {
		return false
	}
	if len(other.Namespaces) == 0 {
		return true
	}
	outside := func(namespace string) bool { return !slices.Contains(other.Namespaces, namespace) }
	return len(d.Namespaces) > 0 && !slices.ContainsFunc(d.Namespaces, outside)
}
