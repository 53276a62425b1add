// SPDX-License-Identifier: Apache-2.0

// Package visible writes taints and tolerations, in quotes if the spaces in them
// would not be seen, and what an unknown effect or operator may mean.
package visible

import (
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/similar"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Taint returns the text of the taint.
func Taint(t taints.Taint) string { return text(t.String(), t.Key, t.Value, string(t.Effect)) }

// Toleration returns the text of the toleration.
func Toleration(t taints.Toleration) string {
	return text(t.String(), t.Key, t.Value, string(t.Operator), string(t.Effect))
}

func text(s string, parts ...string) string {
	for _, part := range parts {
		if part != strings.TrimSpace(part) {
			return strconv.Quote(s)
		}
	}
	return s
}

// Meant asks for the effect or operator that was meant by an unknown one, or
// returns "" if none is similar.
func Meant(f taints.FieldError) string {
	names := known.Effects()
	if f.Field == "operator" {
		names = valueset.Names(true)
	}
	meant := similar.Meant(f.Value, names)
	if f.Kind != taints.ErrNotSupported || meant == "" || meant == f.Value {
		return ""
	}
	return "; did you mean " + meant + "?"
}
