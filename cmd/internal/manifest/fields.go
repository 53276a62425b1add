// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strings"

	strict "sigs.k8s.io/json"

	"github.com/seed-0529bac1/taints/internal/similar"
)

var tolerationFields = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

// Mistakes describes the fields around tolerations that an API server refuses, as it does
// not know them or has them already. The pod's spec is at the path, and into is an empty
// object.
func (o *Object) Mistakes(spec string, into any) (list []string) {
	unknown, repeated := o.refused(into)
	for _, path := range repeated {
		isAbove := path == spec || strings.HasPrefix(spec, path+".")
		if isAbove || path == spec+".tolerations" || strings.HasPrefix(path, spec+".tolerations[") {
			list = append(list, path+" is there twice, and only the last one counts")
		}
	}
	for _, path := range unknown {
		at := strings.LastIndexByte(path, '.')
		parent, name := path[:max(at, 0)], path[at+1:]
		isList := similar.Meant(name, []string{"tolerations"}) != ""
		meant := ""
		switch {
		case strings.HasPrefix(parent, spec+".tolerations["):
			meant = "the fields are " + strings.Join(tolerationFields, ", ")
			if field := similar.Meant(name, tolerationFields); field != "" {
				meant = "did you mean " + field + "?"
			}
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

// refused returns the paths of the fields. It decodes the object into the empty one.
func (o *Object) refused(into any) (unknown, repeated []string) {
	repeated = o.repeated
	all, _ := strict.UnmarshalStrict(o.json, into)
	for _, err := range all {
		path := err.(strict.FieldError).FieldPath()
		if strings.HasPrefix(err.Error(), "unknown") {
			unknown = append(unknown, path)
		} else {
			repeated = append(repeated, path)
		}
	}
	return unknown, repeated
}
