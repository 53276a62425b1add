// SPDX-License-Identifier: Apache-2.0

package play

import (
	"regexp"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
)

// valueFlags are the flags of "kubectl taint" whose value may be the next word.
var valueFlags = []string{
	"-l", "--selector", "--context", "--cluster", "--user", "--as", "--kubeconfig", "-s", "--server", "-n",
	"--namespace", "-o", "--output", "--field-manager",
}

// runCommand makes the changes of a line such as "kubectl taint nodes node-1
// gpu:NoSchedule spot-", "kubectl cordon node-1" or "oc adm taint …" to the list. It
// reports whether the line is a command.
func runCommand(l *list[taints.Taint], line span) bool {
	words := l.words(line)
	word := func(i int) string { return l.part(words[i]) }
	i := slices.IndexFunc(words, func(s span) bool { return l.part(s) == "kubectl" || l.part(s) == "oc" })
	if i < 0 || i > 1 || i == 1 && word(0) != "$" {
		return false
	}
	for i++; i < len(words) && (word(i)[0] == '-' || word(i) == "adm"); i++ {
		if slices.Contains(valueFlags, word(i)) {
			i++
		}
	}
	if i >= len(words) {
		return false
	}
	switch word(i) {
	case "taint":
	case "cordon", "drain": // which cordons first
		addCordon(l, words[i])
		return true
	case "uncordon":
		change(l, words[i], taints.Changes{Remove: []taints.TaintID{cordon.ID()}})
		return true
	default:
		return false
	}
	overwrite := strings.Contains(l.part(line), " --overwrite")
	for i++; i < len(words) && word(i)[0] != '#'; i++ {
		switch w := word(i); {
		case slices.Contains(valueFlags, w):
			i++
		case w[0] != '-' && (strings.ContainsAny(w, "=:") || strings.HasSuffix(w, "-")): // as kubectl has it
			if !l.hasRoom(words[i]) {
				return true
			}
			c, err := taints.ParseChanges(w)
			if err != nil {
				l.unparsed(words[i], err)
				continue
			}
			if overwrite && len(c.Add) > 0 {
				c.Remove = []taints.TaintID{c.Add[0].ID()}
			}
			change(l, words[i], c)
		}
	}
	return true
}

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

// wordPattern matches a word of a command.
var wordPattern = regexp.MustCompile(`[^\s\x{A0}\x{FEFF}]+`)

// words returns the words of the line.
func (t *text) words(line span) (words []span) {
	for _, at := range wordPattern.FindAllStringIndex(t.part(line), -1) {
		words = append(words, span{line.start + at[0], line.start + at[1]})
	}
	return words
}
