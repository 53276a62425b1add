// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/json"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
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
	problems = append(problems, r.validate().ToAggregate())
	if err := utilerrors.NewAggregate(problems); err != nil {
		return nil, utilerrors.Flatten(err)
	}
	if err := r.contradictions().ToAggregate(); err != nil {
		return nil, err
	}
	return r, nil
}

// in returns the rules for the pods of the namespace.
func (r *Rules) in(namespace string) NamespaceRules {
	rules := r.Namespaces[namespace]
	if rules.DefaultTolerations == nil {
		rules.DefaultTolerations = r.Cluster.DefaultTolerations
	}
	if rules.AllowedTolerations == nil {
		rules.AllowedTolerations = r.Cluster.AllowedTolerations
	}
	return rules
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
	return len(other.Namespaces) == 0 || len(d.Namespaces) > 0 && sets.New(other.Namespaces...).HasAll(d.Namespaces...)
}

var (
	clusterPath     = field.NewPath("cluster")
	namespacesPath  = field.NewPath("namespaces")
	dedicationsPath = field.NewPath("dedications")
)

// validate returns errors for missing values and values that an API server refuses.
func (r *Rules) validate() field.ErrorList {
	problems := r.Cluster.validate(clusterPath)
	for _, name := range slices.Sorted(maps.Keys(r.Namespaces)) {
		path := namespacesPath.Key(name)
		problems = append(problems, validateNamespace(name, path)...)
		problems = append(problems, r.Namespaces[name].validate(path)...)
	}
	names := map[string]bool{}
	for i := range r.Dedications {
		d, path := &r.Dedications[i], dedicationsPath.Index(i)
		problems = append(problems, d.validate(path)...)
		if names[d.Name] {
			problems = append(problems, field.Duplicate(path.Child("name"), d.Name))
		}
		names[d.Name] = true
	}
	return problems
}

func (n NamespaceRules) validate(path *field.Path) field.ErrorList {
	return append(
		kube.FieldErrors(taints.ValidateTolerations(n.DefaultTolerations), path.Child("defaultTolerations")),
		kube.FieldErrors(taints.ValidateTolerations(n.AllowedTolerations), path.Child("allowedTolerations"))...,
	)
}

func (d *Dedication) validate(path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for i, namespace := range d.Namespaces {
		problems = append(problems, validateNamespace(namespace, path.Child("namespaces").Index(i))...)
	}
	selector := path.Child("podSelector", "matchLabels")
	problems = append(problems, metav1validation.ValidateLabels(d.PodSelector.MatchLabels, selector)...)
	tolerations := path.Child("tolerations")
	problems = append(problems, kube.FieldErrors(taints.ValidateTolerations(d.Tolerations), tolerations)...)
	problems = append(problems, metav1validation.ValidateLabels(d.NodeSelector, path.Child("nodeSelector"))...)
	require := func(there bool, path *field.Path, why string) {
		if !there {
			problems = append(problems, field.Required(path, why))
		}
	}
	require(d.Name != "", path.Child("name"), "refusals name the dedication by it")
	require(len(d.Namespaces)+len(d.PodSelector.MatchLabels) > 0, path,
		"the dedication is for no pods: it needs namespaces, podSelector.matchLabels, or both")
	require(len(d.Tolerations) > 0, tolerations, "nothing would let the pods onto the nodes")
	require(len(d.NodeSelector) > 0, path.Child("nodeSelector"), "without it, the pods could run on other nodes")
	return problems
}

func validateNamespace(name string, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	for _, why := range validation.ValidateNamespaceName(name, false) {
		problems = append(problems, field.Invalid(path, name, why))
	}
	return problems
}

// contradictions returns errors for valid rules that refuse what other rules add. It
// may return an error more than once; [field.ErrorList.ToAggregate] drops duplicates.
func (r *Rules) contradictions() field.ErrorList {
	var problems field.ErrorList
	namespaces := append(slices.Sorted(maps.Keys(r.Namespaces)), "") // "" is any namespace without rules
	for i := range r.Dedications {
		for j := range r.Dedications {
			problems = append(problems, r.elsewhere(i, j)...)
		}
		namespaces = append(namespaces, r.Dedications[i].Namespaces...)
	}
	for _, namespace := range namespaces {
		path := clusterPath
		if r.Namespaces[namespace].DefaultTolerations != nil {
			path = namespacesPath.Key(namespace)
		}
		problems = append(problems, r.refused(path.Child("defaultTolerations"), r.in(namespace).DefaultTolerations, namespace)...)
		for i, d := range r.Dedications {
			if len(d.Namespaces) == 0 || slices.Contains(d.Namespaces, namespace) {
				path := dedicationsPath.Index(i).Child("tolerations")
				problems = append(problems, r.refused(path, d.Tolerations, namespace)...)
			}
		}
	}
	return problems
}

// elsewhere returns errors if no pod of dedication i can ever be admitted, because
// each is also a pod of dedication j, which requires other nodes. If both are for
// the same pods, the later dedication is wrong.
func (r *Rules) elsewhere(i, j int) field.ErrorList {
	d, other := &r.Dedications[i], &r.Dedications[j]
	if i == j || !d.within(other) || j > i && other.within(d) {
		return nil
	}
	var problems field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(d.NodeSelector)) {
		if want, ok := other.NodeSelector[key]; ok && want != d.NodeSelector[key] {
			problems = append(problems, field.Invalid(
				dedicationsPath.Index(i).Child("nodeSelector").Key(key), d.NodeSelector[key],
				fmt.Sprintf("all its pods also belong to %s, which requires %s=%s", dedicationsPath.Index(j), key, want),
			))
		}
	}
	return problems
}

// refused returns an error for the first toleration that the namespace's allow-list
// refuses. Tolerations that admission gives every pod are allowed everywhere.
func (r *Rules) refused(path *field.Path, list []taints.Toleration, namespace string) field.ErrorList {
	allowed, by := r.in(namespace).AllowedTolerations, clusterPath
	if r.Namespaces[namespace].AllowedTolerations != nil {
		by = namespacesPath.Key(namespace)
	}
	refused := uncovered(list, slices.Concat(allowed, taints.AddDefaultTolerations(nil, taints.DefaultTolerationSeconds{})))
	if allowed == nil || len(refused) == 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Index(refused[0]), list[refused[0]].String(),
		fmt.Sprintf("%s would refuse it", by.Child("allowedTolerations")))}
}

// uncovered returns the indexes of the tolerations that the allow-list does not
// cover.
func uncovered(tolerations, allow []taints.Toleration) []int {
	errs, _ := tolerationset.ValidateAllowed(tolerations, allow, taints.Options{}).(taints.ErrorList)
	var list []int
	for _, fieldErr := range errs {
		list = append(list, fieldErr.Index)
	}
	return list
}
