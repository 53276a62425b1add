// SPDX-License-Identifier: Apache-2.0

// Package labels matches labels as Kubernetes does: the requirements of node
// affinity, and selectors as kubectl takes them.
package labels

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// An Operator relates a label to the values of a [Requirement].
type Operator string

// The operators.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
	Gt           Operator = "Gt"
	Lt           Operator = "Lt"
)

// A Requirement is what one label must be.
type Requirement struct {
	Key      string   `json:"key"`
	Operator Operator `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// Matches reports whether labels meet the requirement, which is valid. NotIn
// and DoesNotExist hold without the label.
func (r *Requirement) Matches(labels map[string]string) bool {
	value, ok := labels[r.Key]
	switch r.Operator {
	case In:
		return ok && slices.Contains(r.Values, value)
	case NotIn:
		return !ok || !slices.Contains(r.Values, value)
	case Exists:
		return ok
	case DoesNotExist:
		return !ok
	case Gt, Lt:
		return ok && r.compares(value)
	}
	return false
}

// compares reports whether the value is greater, or less, than the
// requirement's. Both must be integers.
func (r *Requirement) compares(value string) bool {
	have, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return false
	}
	limit, err := strconv.ParseInt(r.Values[0], 10, 64)
	if err != nil {
		return false
	}
	if r.Operator == Gt {
		return have > limit
	}
	return have < limit
}

// Valid reports whether Kubernetes takes the requirement; a node selector term
// with another one matches no node.
func (r *Requirement) Valid() bool {
	switch r.Operator {
	case In, NotIn:
		if len(r.Values) == 0 {
			return false
		}
	case Exists, DoesNotExist:
		if len(r.Values) > 0 {
			return false
		}
	case Gt, Lt:
		if len(r.Values) != 1 {
			return false
		}
		if _, err := strconv.ParseInt(r.Values[0], 10, 64); err != nil {
			return false
		}
	default:
		return false
	}
	// The rules for labels are those for the keys and values of taints.
	label := taints.Taint{Key: r.Key, Effect: taints.NoSchedule}
	if label.Validate() != nil {
		return false
	}
	return !slices.ContainsFunc(r.Values, func(v string) bool {
		label.Value = v
		return label.Validate() != nil
	})
}

// String returns the requirement in kubectl's form, as in "zone in (a,b)", and
// says if it is not valid.
func (r Requirement) String() string {
	if !r.Valid() {
		return r.text() + " (not valid)"
	}
	return r.text()
}

func (r *Requirement) text() string {
	values := strings.Join(r.Values, ",")
	switch r.Operator {
	case In, NotIn:
		if len(r.Values) == 1 && r.Operator == In {
			return r.Key + "=" + values
		}
		if len(r.Values) == 1 {
			return r.Key + "!=" + values
		}
		return fmt.Sprintf("%s %s (%s)", r.Key, strings.ToLower(string(r.Operator)), values)
	case Exists:
		return r.Key
	case DoesNotExist:
		return "!" + r.Key
	case Gt:
		return r.Key + ">" + values
	case Lt:
		return r.Key + "<" + values
	}
	return fmt.Sprintf("%s %s (%s)", r.Key, r.Operator, values)
}
