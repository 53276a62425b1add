// SPDX-License-Identifier: Apache-2.0

package play

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// command matches the beginning of a line such as "kubectl taint nodes node-1
// gpu:NoSchedule spot-", "kubectl cordon node-1" or "oc adm taint …", up to the verb. Flags
// may be before the verb.
var command = regexp.MustCompile(`^(?:\$\s+)?(?:kubectl|oc)(?:\s+(?:adm|-\S+(?:\s+[^\s-]\S*)?))*?\s+(taint|cordon|uncordon|drain)(?:\s|$)`)

// runCommand makes the changes of a line to the list. It reports whether the line is a
// command.
func runCommand(l *list[taints.Taint], line span) bool {
	found := command.FindStringSubmatchIndex(l.part(line))
	if found == nil {
		return false
	}
	verb := span{line.start + found[2], line.start + found[3]}
	switch text := l.part(verb); {
	case !l.hasRoom(verb):
	case text == "cordon", text == "drain": // which cordons first
		addCordon(l, verb)
	case text == "uncordon":
		change(l, verb, taints.Changes{Remove: []taints.TaintID{cordon.ID()}})
	default:
		runTaint(l, span{verb.end, line.end})
	}
	return true
}

// valueFlags are the flags of kubectl whose value is the next word and may look like a taint.
var valueFlags = []string{"-l", "--selector", "-s", "--server", "--context", "--cluster", "--user", "--as", "--kubeconfig"}

// runTaint makes the changes of the arguments of "kubectl taint".
func runTaint(l *list[taints.Taint], arguments span) {
	overwrite := strings.Contains(l.part(arguments), " --overwrite")
	before := ""
	for _, at := range argument.FindAllStringIndex(l.part(arguments), -1) {
		word := span{arguments.start + at[0], arguments.start + at[1]}
		text, isValue := l.part(word), slices.Contains(valueFlags, before)
		switch before = text; {
		case text[0] == '#':
			return
		case isValue || text[0] == '-' || !strings.ContainsAny(text, "=:") && !strings.HasSuffix(text, "-"): // as kubectl has it
			continue
		case !l.hasRoom(word):
			return
		}
		c, err := taints.ParseChanges(text)
		if err != nil {
			l.unparsed(word, err)
			continue
		}
		if overwrite && len(c.Add) > 0 {
			c.Remove = []taints.TaintID{c.Add[0].ID()}
		}
		change(l, word, c)
	}
}

// argument matches an argument of a command.
var argument = regexp.MustCompile(`[^\s\x{A0}\x{FEFF}]+`)

// change makes the change. It adds a note if a command that only removes finds nothing.
func change(l *list[taints.Taint], at span, c taints.Changes) {
	before := len(l.elements)
	for i, t := range slices.Backward(l.elements) {
		if slices.Contains(c.Remove, t.ID()) || slices.Contains(c.RemoveKeys, t.Key) {
			l.elements, l.entries = slices.Delete(l.elements, i, i+1), slices.Delete(l.entries, i, i+1)
		}
	}
	if len(c.Add) > 0 {
		l.append(c.Add[0], entry{span: at})
	} else if len(l.elements) == before {
		l.note(at, "this removes no taint, because none above has this key and effect")
	}
}
