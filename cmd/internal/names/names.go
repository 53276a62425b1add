// SPDX-License-Identifier: Apache-2.0

// Package names says which object a name on the command line means, which are close to one
// that is not found, which names Kubernetes allows, and which are misspelled.
package names

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/internal/similar"
)

// IsNode is the format of an error for the name of a node in place of a pod.
const IsNode = "%s is a node; want a pod or a workload, or 'preview cordon %s' for what is on the node"

// Several returns the error for a name that several pods, or workloads without pods, have.
func Several(name string, found []types.NamespacedName) error {
	spaces := sets.New(lists.Each(found, func(x types.NamespacedName) string { return x.Namespace })...)
	all := sets.New(lists.Each(found, func(x types.NamespacedName) string { return x.Name })...)
	if len(spaces) > 1 {
		return fmt.Errorf("namespaces %s have a pod %s; use -n to choose one", say.Joined(sets.List(spaces)), name)
	}
	return fmt.Errorf("namespace %s has %s; use one of these names", found[0].Namespace, say.Joined(sets.List(all)))
}

// NotFound returns the error for a name that is not found with the namespace, if that is
// not empty, and the labels.
func NotFound(full types.NamespacedName, namespace string, only labels.Selector, all []types.NamespacedName) error {
	text, isWorkload := "pod "+full.Name+" not found", strings.Contains(full.Name, "/")
	if isWorkload {
		text = full.Name + " not found"
	}
	if namespace != "" || isWorkload {
		text += " in namespace " + full.Namespace
	}
	if only != nil && !only.Empty() {
		text += " with -l " + only.String()
	}
	return errors.New(text + Hint(full, all))
}

// Hint says where a name is that is not found among all names, or which are close to it.
func Hint(full types.NamespacedName, all []types.NamespacedName) string {
	others, near, kinds := sets.New[string](), sets.New[string](), sets.New[string]()
	for _, x := range all {
		name, isOther := x.Name, path.Base(x.Name) == path.Base(full.Name)
		if !strings.Contains(full.Name, "/") {
			name = path.Base(name)
		}
		switch {
		case x == full:
			return "; it is there, but has no pods or is left out by -l"
		case x.Name == full.Name:
			others.Insert(x.Namespace)
		case isOther && x.Namespace == full.Namespace:
			kinds.Insert(x.Name)
		case isOther, strings.HasPrefix(name, full.Name), similar.Edits(name, full.Name) > 0:
			near.Insert(typed(x))
		}
	}
	switch n := others.Len(); {
	case kinds.Len() > 0:
		return "; namespace " + full.Namespace + " has " + say.Joined(sets.List(kinds))
	case n > 0:
		return "; " + say.Noun(n, "namespace") + " " + say.NamesOf(sets.List(others), n) + say.For(n, " has", " have") + " it"
	case near.Len() > 0:
		return "; did you mean " + say.Enumerate(sets.List(near)[:min(near.Len(), 3)], "or") + "?"
	}
	return ""
}

// typed returns the name as people type it.
func typed(x types.NamespacedName) string {
	if strings.Contains(x.Name, "/") {
		return x.Name + " -n " + x.Namespace
	}
	return x.String()
}

// Argument returns the pod that the arguments name, either in kubectl's form
// or as namespace/name. The name of a workload has its kind, as in deployment/web.
func Argument(args []string) (namespace, name string, err error) {
	first, name, isPath := strings.Cut(strings.Join(args, "/"), "/")
	kind, group := Kind(first)
	if len(args) > 2 || len(args) == 2 && kind == "" {
		return "", "", fmt.Errorf("want one pod, not %d; use -f for files, or preview for commands of kubectl", len(args))
	}
	if isPath && kind == "pod" {
		first, name, isPath = strings.Cut(name, "/")
	}
	switch {
	case len(args) > 0 && first == "", isPath && (name == "" || strings.Contains(name, "/")):
		return "", "", fmt.Errorf("%q is not a pod; want a name, or namespace/name", strings.Join(args, "/"))
	case !isPath:
		return "", first, nil
	case kind == "node":
		return "", "", fmt.Errorf(IsNode, name, name)
	case group == noPods:
		return "", "", fmt.Errorf("%s %s is neither a pod nor a workload; want one of these", kind, name)
	case kind != "" && kind != "pod":
		return "", kind + "/" + name, nil
	}
	return first, name, nil
}

const noPods = "." // the path of kinds that have no pods of their own

// kinds maps kubectl's short words for pods, workloads and nodes to the paths of the kinds.
var kinds = map[string]string{
	"po": "/api/v1/pod", "no": "/api/v1/node", "rc": "/api/v1/replicationcontroller", "deploy": "/apis/apps/v1/deployment",
	"sts": "/apis/apps/v1/statefulset", "ds": "/apis/apps/v1/daemonset", "rs": "/apis/apps/v1/replicaset",
	"job": "/apis/batch/v1/job", "cj": "/apis/batch/v1/cronjob", "dc": "/apis/apps.openshift.io/v1/deploymentconfig",
	"svc": "service", "ns": "namespace", "cm": "configmap", "secret": "secret", "pvc": "persistentvolumeclaim", "hpa": "horizontalpodautoscaler",
	"pdb": "poddisruptionbudget", "ing": "ingress", "sa": "serviceaccount",
}

// Workloads are the kinds of workloads that have pods of their own, but no other workloads.
var Workloads = []string{"deployment", "statefulset", "daemonset", "cronjob", "job"}

// Kind returns the kind that a word of kubectl means, such as deployments.apps, in any
// letter case, and the path of its group.
func Kind(word string) (kind, group string) {
	word, _, _ = strings.Cut(strings.ToLower(word), ".")
	for short, full := range kinds {
		if kind = path.Base(full); word == short || word == kind || word == kind+"s" || word == kind+"es" {
			return kind, path.Dir(full)
		}
	}
	return "", ""
}

// CheckObject returns an error unless Kubernetes allows the names of the object, its
// namespace and its owner. Commands repeat the first two, which are not like flags.
func CheckObject(m *metav1.ObjectMeta) error {
	const format = "%s is %q, which Kubernetes does not allow"
	switch owner := metav1.GetControllerOfNoCopy(m); {
	case m.Name == "":
		return errors.New("metadata.name is missing")
	case !IsObject(m.Name):
		return fmt.Errorf(format, "metadata.name", m.Name)
	case m.Namespace != "" && (!IsObject(m.Namespace) || strings.Contains(m.Namespace, ".")):
		return fmt.Errorf(format, "metadata.namespace", m.Namespace)
	case owner != nil && owner.Name == "":
		return errors.New("the name of the owner in metadata.ownerReferences is missing")
	}
	return nil
}

// IsObject reports whether the text is a DNS subdomain, as the names of objects are.
// Kubernetes' own function takes five times as long.
func IsObject(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || strings.Trim(label, "-") != label || strings.Trim(label, "-0123456789abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	}
	return len(s) <= 253
}

// IsSameWord reports whether two similar names mean the same, and do not name
// different things, such as team-a and team-b, or trusted and untrusted: they differ
// only in letter case or separators, or one word has two swapped neighbors or, if it is
// long, an extra or missing letter, not at its beginning or end.
func IsSameWord(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, y := keyWords(a), keyWords(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	isShort := func(word string) bool { return len(word) < 3 }
	if strings.Join(x, "") == strings.Join(y, "") && !slices.ContainsFunc(slices.Concat(x, y), isShort) {
		return true
	}
	return len(x) == len(y) && isMisspelled(x[0], y[0]) && slices.Equal(x[1:], y[1:])
}

// keyWords returns the words of a key in lower case. Separators end words, and
// so does an upper-case letter after a lower-case one, as in teamA.
func keyWords(key string) []string {
	key = strings.ToLower(camelCase.ReplaceAllString(key, "$1 $2"))
	return strings.FieldsFunc(key, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var camelCase = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)

// isMisspelled reports whether the words are the same word, long enough to
// judge, with one misspelling. A replaced letter is no misspelling, as in east
// and west. Neither is an extra letter at the end, as in plane and planet.
func isMisspelled(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	letters := func(s string) []string { return slices.Sorted(slices.Values(strings.Split(s, ""))) }
	isSwapped := slices.Equal(letters(a), letters(b))
	if len(a) < 4 || len(a) < 5 && !isSwapped || a[0] != b[0] || strings.ContainsFunc(a+b, unicode.IsDigit) {
		return false
	}
	return similar.Edits(a, b) == 1 && !strings.HasPrefix(b, a) && (len(a) < len(b) || isSwapped)
}
