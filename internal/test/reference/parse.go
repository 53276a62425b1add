// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

var (
	taintForm      = regexp.MustCompile(`^([^=:]*)(?:=([^=:]*))?:([^:]*)$`)
	tolerationForm = regexp.MustCompile(`^(([^=: ]*)(?:=([^=: ]*))?(?::([^: ]+))?)(?: op=([^ ]+))?(?: for ([^ ]+)s)?$`)
)

// ParseTaint parses a valid taint.
func ParseTaint(s string) (taints.Taint, bool) {
	part := taintForm.FindStringSubmatch(s)
	if part == nil {
		return taints.Taint{}, false
	}
	taint := taints.Taint{Key: part[1], Value: part[2], Effect: taints.Effect(part[3])}
	return taint, ValidTaints([]taints.Taint{taint})
}

// ParseTaints parses a valid list of taints.
func ParseTaints(s string) ([]taints.Taint, bool) {
	if s == "" {
		return nil, true
	}
	var list []taints.Taint
	for _, spec := range strings.Split(s, ",") {
		taint, ok := ParseTaint(spec)
		if !ok {
			return nil, false
		}
		list = append(list, taint)
	}
	return list, ValidTaints(list)
}

// ParseToleration parses a valid toleration.
func ParseToleration(o taints.Options, s string) (taints.Toleration, bool) {
	part := tolerationForm.FindStringSubmatch(s)
	if part == nil {
		return taints.Toleration{}, false
	}
	t := taints.Toleration{
		Key: part[2], Value: part[3], Effect: taints.Effect(part[4]), Operator: taints.Operator(part[5]),
	}
	if part[1] == "op=Exists" && t.Operator == "" {
		t = taints.Toleration{Operator: "Exists"}
	}
	if part[6] != "" {
		n, ok := Integer(part[6])
		if !ok {
			return taints.Toleration{}, false
		}
		seconds := n.Int64()
		t.TolerationSeconds = &seconds
	}
	return t, ValidToleration(o, t)
}

// ParseChanges parses arguments of "kubectl taint".
func ParseChanges(specs []string) (c taints.Changes, ok bool) {
	for _, spec := range specs {
		name, removes := strings.CutSuffix(spec, "-")
		taint, isTaint := ParseTaint(name)
		switch {
		case removes && isTaint:
			c.Remove = append(c.Remove, taint.ID())
		case removes && ValidKey(name):
			c.RemoveKeys = append(c.RemoveKeys, name)
		case !removes && isTaint && !slices.ContainsFunc(c.Add, func(t taints.Taint) bool { return t.ID() == taint.ID() }):
			c.Add = append(c.Add, taint)
		default:
			return taints.Changes{}, false
		}
	}
	return c, true
}
