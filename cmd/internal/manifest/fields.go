// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	strict "sigs.k8s.io/json"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/similar"
)

var tolerationFields = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

// Mistakes describes the fields around tolerations that an API server refuses, as it does
// not know them or has them already. The pod's spec is at the path, and into is an empty
// object.
func (o *Object) Mistakes(spec string, into any) (list []string) {
	var unknown []string
	repeated := slices.Clone(o.repeated)
	all, _ := strict.UnmarshalStrict(o.json, into)
	for _, err := range all {
		if path := err.(strict.FieldError).FieldPath(); strings.HasPrefix(err.Error(), "unknown") {
			unknown = append(unknown, path)
		} else {
			repeated = append(repeated, path)
		}
	}
	for _, path := range repeated {
		isAbove := path == spec || strings.HasPrefix(spec, path+".")
		if isAbove || path == spec+".tolerations" || strings.HasPrefix(path, spec+".tolerations[") {
			list = append(list, path+" is there twice, and only the last one counts")
		}
	}
	for _, path := range unknown {
		at := strings.LastIndexByte(path, '.')
		parent, name := path[:max(at, 0)], path[at+1:]
		meant := ""
		switch isList := isLikeTolerations(name); {
		case strings.HasPrefix(parent, spec+".tolerations["):
			meant = fieldMeant(name)
		case isList && parent == spec:
			meant = "did you mean tolerations?"
		case isList:
			meant = "tolerations belong in " + spec
		case parent == spec && slices.Contains(tolerationFields, name):
			meant = "it belongs in one of the tolerations"
		default:
			continue
		}
		list = append(list, path+" is not a field, so an API server refuses it; "+meant)
	}
	return list
}

// IsRefused reports whether an API server refuses the tolerations, as most do Lt and Gt.
func IsRefused(list []taints.Toleration) bool {
	isGated := func(t taints.Toleration) bool { return t.Operator == taints.OpLt || t.Operator == taints.OpGt }
	return slices.ContainsFunc(list, isGated) || taints.ValidateTolerations(list) != nil
}

// isLikeTolerations reports whether the name is one that people write for tolerations.
func isLikeTolerations(name string) bool {
	lower := strings.ToLower(name)
	return similar.Meant(name, []string{"tolerations"}) != "" || strings.Contains(lower, "toler") || lower == "taint" || lower == "taints"
}

// fieldMeant says which field of a toleration the name stands for. It may be the start of
// one.
func fieldMeant(name string) string {
	lower := strings.ToLower(name)
	isPart := func(field string) bool {
		field = strings.ToLower(field)
		return len(name) > 1 && strings.HasPrefix(field, lower) || len(name) > 3 && strings.HasSuffix(field, lower)
	}
	meant := similar.Meant(name, tolerationFields)
	if i := slices.IndexFunc(tolerationFields, isPart); meant == "" && i >= 0 {
		meant = tolerationFields[i]
	}
	if meant == "" {
		return "the fields are " + strings.Join(tolerationFields, ", ")
	}
	return "did you mean " + meant + "?"
}

// Suspect describes a field of an object of any kind that is like one of tolerations, and
// is not one: beside the containers of a pod, or in a list of tolerations. Otherwise it
// returns "".
func (o *Object) Suspect() string {
	if !bytes.Contains(o.json, []byte("toler")) && !bytes.Contains(o.json, []byte("Toler")) {
		return ""
	}
	pods := make(map[jsontext.Pointer]bool) // objects with containers
	var alike []jsontext.Pointer
	d := jsontext.NewDecoder(bytes.NewReader(o.json), lenient...)
	for _, err := d.ReadToken(); err == nil; _, err = d.ReadToken() {
		field := d.StackPointer()
		object, name := field.Parent(), field.LastToken()
		switch {
		case name == "containers":
			pods[object] = true
		case toleration.MatchString(string(object)) && !slices.Contains(tolerationFields, name):
			return pathOf(field) + " is not a field of a toleration; " + fieldMeant(name)
		case name != "tolerations" && isLikeTolerations(name):
			alike = append(alike, field)
		}
	}
	for _, field := range alike {
		if pods[field.Parent()] {
			return pathOf(field) + " is not a field of a pod; did you mean tolerations?"
		}
	}
	return ""
}

var toleration = regexp.MustCompile(`/tolerations/\d+$`)
