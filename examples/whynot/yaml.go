// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-0529bac1/taints"
)

// write writes the entry as YAML.
func (e *entry) write(p *page) {
	comment := "added"
	if e.Replaces != nil {
		comment = "in place of " + e.Replaces.String()
	}
	p.wrap("    # ", "    #   ", comment)
	for i, line := range yaml(e.Toleration) {
		mark := "  "
		if i == 0 {
			mark = "- "
		}
		p.line("    " + mark + line)
	}
}

// yaml returns the fields of the toleration as lines of YAML.
func yaml(t taints.Toleration) []string {
	operator := t.Operator
	if operator == "" {
		operator = taints.OpEqual
	}
	lines := []string{"key: " + scalar(t.Key), "operator: " + scalar(string(operator))}
	if t.Value != "" || operator == taints.OpEqual {
		lines = append(lines, "value: "+scalar(t.Value))
	}
	if t.Effect != "" {
		lines = append(lines, "effect: "+scalar(string(t.Effect)))
	}
	if t.TolerationSeconds != nil {
		lines = append(lines, "tolerationSeconds: "+strconv.FormatInt(*t.TolerationSeconds, 10))
	}
	return lines
}

// scalar returns the string as YAML, in quotes if it could be taken for something else.
func scalar(s string) string {
	switch strings.ToLower(s) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return strconv.Quote(s)
	}
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._/-", r))
	}
	if !unicode.IsLetter(rune(s[0])) || strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return strconv.Quote(s)
	}
	return s
}
