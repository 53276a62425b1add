// SPDX-License-Identifier: Apache-2.0

// Package test holds what the tests of several packages share: they write taints and
// tolerations as texts, and compare answers.
package test

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-0529bac1/taints"
)

// A T is a testing.T, or the T of a property.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}

// AllOptions are all combinations of options.
var AllOptions = []taints.Options{
	{},
	{NoComparison: true},
	{KeyWildcards: true},
	{NoComparison: true, KeyWildcards: true},
}

// Seconds returns a value for TolerationSeconds.
func Seconds(s int64) *int64 { return &s }

// Taints reads taints, valid or not. Spaces separate those of one text.
func Taints(texts ...string) []taints.Taint {
	var list []taints.Taint
	for _, text := range strings.Fields(strings.Join(texts, " ")) {
		head, effect, _ := strings.Cut(text, ":")
		key, value, _ := strings.Cut(head, "=")
		list = append(list, taints.Taint{Key: key, Value: value, Effect: taints.Effect(effect)})
	}
	return list
}

// Tolerations parses a toleration from each text. They must be valid. A key may be a
// wildcard.
func Tolerations(texts ...string) []taints.Toleration {
	var list []taints.Toleration
	for _, text := range texts {
		list = append(list, taints.Must(taints.Options{KeyWildcards: true}.ParseToleration(text)))
	}
	return list
}

// Texts returns the text of each element.
func Texts[E fmt.Stringer](list []E) []string {
	var texts []string
	for _, v := range list {
		texts = append(texts, v.String())
	}
	return texts
}

// Errors returns the errors of an ErrorList, or none for nil.
func Errors(err error) []*taints.FieldError {
	if err == nil {
		return nil
	}
	return err.(taints.ErrorList)
}

// Difference returns how the answers differ, or "". It calls cmp, which is slow, only
// if they do.
func Difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}
