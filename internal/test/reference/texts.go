// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// Taints reads printed taints, valid or not, separated by spaces.
func Taints(text string) []taints.Taint {
	var list []taints.Taint
	for _, field := range strings.Fields(text) {
		head, effect, _ := strings.Cut(field, ":")
		key, value, _ := strings.Cut(head, "=")
		list = append(list, taints.Taint{Key: key, Value: value, Effect: taints.Effect(effect)})
	}
	return list
}

// Parsed returns what the function parses from each text, which must be valid.
func Parsed[T any](parse func(string) (T, error), texts ...string) []T {
	var list []T
	for _, text := range texts {
		list = append(list, taints.Must(parse(text)))
	}
	return list
}

// Texts returns the text of each element.
func Texts[T fmt.Stringer](list []T) []string {
	var texts []string
	for _, v := range list {
		texts = append(texts, v.String())
	}
	return texts
}

// Joined returns the texts of the taints joined by commas, the inverse of ParseTaints.
func Joined(list []taints.Taint) string { return strings.Join(Texts(list), ",") }

// IDs returns the identities of the taints, in order.
func IDs(list []taints.Taint) (ids []taints.TaintID) {
	for _, t := range list {
		ids = append(ids, t.ID())
	}
	return ids
}
