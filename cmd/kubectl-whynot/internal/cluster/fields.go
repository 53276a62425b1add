// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/manifest"
	"github.com/seed-0529bac1/taints/internal/similar"
)

var tolerationFields = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

// mistakes describes the fields around tolerations that an API server refuses. The
// pod's spec is at the path, and into is an empty object.
func mistakes(m *manifest.Object, spec string, into any) (list []string) {
	unknown, repeated := m.Refused(into)
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
