// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-0529bac1/taints"
)

// Of a taint that the table lacks, the words of its key and value may say what it is for:
// a state of the node, or a pool of nodes, for pods that tolerate it.

//go:embed words.txt
var wordList string

// A word begins a word of a key or value.
type word struct {
	State         // None: it is about a pool
	line     int  // of words.txt: a later one outweighs it
	isWhole  bool // the word is not only the beginning
	isForKey bool // in a value it may be a name
}

// words has the lines of words.txt, each about a pool or a state. A word with "=" stands for
// itself alone, and one with ":" counts in keys alone.
var words = func() map[string]word {
	list := make(map[string]word)
	for i, line := range strings.Split(strings.TrimSpace(wordList), "\n") {
		name, texts, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(name, "pool") {
			name = "" // None
		}
		for _, text := range strings.Fields(texts) {
			list[strings.Trim(text, "=:")] = word{State(name), i, strings.Contains(text, "="), strings.Contains(text, ":")}
		}
	}
	return list
}()

//go:embed vocabulary.txt
var vocabularyText string

// vocabulary has the lists of vocabulary.txt, by name.
var vocabulary = func() map[string][]string {
	lists := make(map[string][]string)
	for line := range strings.Lines(vocabularyText) {
		if name, words, isList := strings.Cut(line, ": "); isList && !strings.HasPrefix(line, "#") {
			lists[name] = strings.Fields(words)
		}
	}
	return lists
}()

// isIn reports whether one of the words is in the list, in any letter case.
func isIn(list string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(vocabulary[list], strings.ToLower(w)) })
}

// find returns the longest word that the text begins with, and whether the text is a form of
// it. "drained" is one of drain, and "drainage" is not. "gpu2" is one of several.
func find(text string, isKey bool) (w word, isForm bool) {
	text = strings.TrimRight(text, "0123456789")
	for n := len(text); n > 0; n-- {
		if w, ok := words[text[:n]]; ok && (n == len(text) || !w.isWhole) && (isKey || !w.isForKey) {
			return w, w.State == None || isEnding(text[n:])
		}
	}
	return word{}, false
}

// split returns the words of a name, in lower case: of "GPUNotReady-x" gpu, notready and x.
func split(name string) []string {
	var b strings.Builder
	isLower := func(i int) bool { return i >= 0 && i < len(name) && unicode.IsLower(rune(name[i])) }
	for i, c := range name {
		if unicode.IsUpper(c) && (isLower(i-1) || isLower(i+1) && isLower(i+2)) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	list := strings.FieldsFunc(b.String(), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	for i := 1; i < len(list); {
		if first, next := list[i-1], list[i]; isIn("begins", first) || next == "swap" || isIn("pairs", first+"-"+next) {
			list[i-1] += next
			list = slices.Delete(list, i, i+1)
		} else {
			i++
		}
	}
	return list
}

// Forms of words.
var (
	isTicket = regexp.MustCompile(`^((CHG|INC|OPS|PRB|REQ|RITM|SEC|TASK)-?[0-9]{3,}|(?i:incident|case|ticket|change|issue)-?[0-9]{2,})$`).MatchString
	isChange = regexp.MustCompile(`[0-9]-to-v?[0-9]`).MatchString  // from a version to another
	isVerb   = regexp.MustCompile(`[a-z]{4}(ed|ing)$`).MatchString // a form of one
	isWell   = regexp.MustCompile(`ready$|health|^(ok|available|online|active|agent|installed|started|running|initialized|configured|registered|joined|synced|verified)$`).MatchString
	isNodes  = regexp.MustCompile(`(nodes?|pools?|workers?|fleet)$`).MatchString
	isEnding = regexp.MustCompile(`^(|e|s|es|y|p?ed|ied|p?ing|a?t?ion|ions|ive|ers?|or|als?|e?ments?|able|le|is|tics?)$`).MatchString // of a form of a word
)

// A phrase is a taint by its words, and what those that are read say.
type phrase struct {
	taints.Taint
	prefix     string // of the key
	key, value []string
	last       string // word of the key
	isBare     bool   // the value adds nothing to the key
	isOnly     bool   // it is for only those that the key names
	isName     bool   // the value is one: of a role, or of what the nodes are dedicated to

	says      word // of those that words.txt has, the one of the last line, or none
	isPool    bool // a word names one
	isUnclear bool // a word may say a state
}

// phraseOf returns the phrase of the taint, and what the words of its key say.
func phraseOf(t taints.Taint) phrase {
	prefix, name := path.Split(t.Key)
	p := phrase{Taint: t, prefix: prefix, key: split(name), value: split(t.Value), isBare: t.Value == "" || isIn("yes", t.Value)}
	p.last = lastOf(p.key)
	isListed := slices.ContainsFunc(vocabulary["pools"], func(pattern string) bool { return isFor(pattern, t) })
	p.isOnly = isListed || slices.Contains(p.key, "only") || slices.Contains(p.value, "only")
	p.isName = p.isOnly || isIn("their", p.key...) || isIn("whose", p.last) || prefix == "node-role.kubernetes.io/"
	if !p.isOnly {
		p.read(ofDomain(p.prefix), true, false)
		p.read(p.key, true, p.isBare)
	}
	p.isPool = p.isPool && !isIn("status", p.last) // whose value says it
	return p
}

// read reads words of the key or value, which may say how the nodes are: one is a name or a
// state, or a form of a verb that is not known.
func (p *phrase) read(texts []string, isKey, isHow bool) {
	for _, text := range texts {
		w, isForm := find(text, isKey)
		mayBeState := func() bool {
			known, _ := find(text, true)
			return known.State != None || known == word{} && isVerb(text) && !isIn("has", text)
		}
		switch {
		case isForm && !(isKey && strings.HasPrefix(text, "test")): // which may be going on
			isEmpty := (p.isBare || slices.Contains(p.value, text)) && isIn("attribute", strings.TrimRight(text, "0123456789")) // "tier=true" says nothing
			if p.isPool = p.isPool || w.State == None && !isEmpty; w.line > p.says.line {
				p.says = w
			}
		case w.State != None, isHow && mayBeState(), isHow && !isKey && isIn("work", text):
			p.isUnclear = true
		}
	}
}

// ofDomain returns the words of a domain that say more than who has it: example.com and
// ops.example.com say that, and gpu.example.com and gpu-nodes.com also what.
func ofDomain(domain string) []string {
	first, rest, isDomain := strings.Cut(domain, ".")
	if isDomain && !strings.Contains(rest, ".") && !strings.Contains(first, "-") {
		return nil
	}
	return slices.DeleteFunc(split(first), func(text string) bool {
		w, _ := find(text, true)
		return isDomain && w.State == None && w.line > 0
	})
}

// isOpen reports whether only who set the taint knows what it is for: it may say a state, or
// nobody has the nodes yet, or somebody has them for a while.
func (p *phrase) isOpen() bool {
	w, isForm := find(lastOf(p.value), false)
	isEvent := p.says.State == None && isIn("their", p.key...) && len(p.value) > 1 && isForm && w.State != None // "disk-failure" is no name
	mayGoOn := isIn("going", p.Value) || p.says.line == 0 && p.isBare && isIn("work", p.last)
	isScarce := func(words []string) bool { // a resource, and how much of it there is
		n := len(words)
		return n > 1 && isIn("resource", words[n-2]) && isIn("amount", words[n-1])
	}
	mayBe := p.isUnclear || mayGoOn || isScarce(p.key) || isScarce(p.value)
	isBrief := isTicket(p.Value) || isChange(p.Value) || slices.Contains(p.value, "until")
	return mayBe && !p.isName || isEvent || isBrief || isIn("nobody", p.Value)
}

// reading returns the state that a taint's words say, and whether they name a pool. A mark,
// as "zulu=true", names one that no word knows: it is a person's, as programs have a domain.
func reading(t taints.Taint) (state State, isPool, isMark bool) {
	p := phraseOf(t)
	switch {
	case isIn("old", p.Value): // whatever the key names
		return Leaving, false, false
	case isIn("no", p.Value) && slices.ContainsFunc(p.key, isWell):
		return Unhealthy, false, false
	case p.Value == "" && len(p.key) > 1 && p.last == "ready": // until it is
		return Starting, false, false
	}
	ofKey := p.says.State
	if !p.isName || len(p.value) == 1 || strings.HasPrefix(lastOf(p.value), "not") { // "dedicated=unhealthy" is no name
		p.read(p.value, isIn("status", p.last), p.says.line == 0 && !p.isName)
	}
	switch {
	case isIn("whose", p.last) && p.says.State != ofKey: // of the nodes, or the name of a team
		return ofKey, false, false
	case p.says.State == None && isIn("going", t.Value) && isIn("work", p.last):
		return Maintained, false, false
	case p.isOpen():
		return p.says.State, false, false
	}
	isEcho := slices.ContainsFunc(p.value, func(text string) bool { return len(text) > 2 && slices.Contains(p.key, text) })
	isPool = p.isPool || p.isName || isNodes(p.last) || isEcho
	isMark = !isPool && p.prefix == "" && isIn("yes", t.Value) && !strings.Contains(p.last, "schedul")
	return p.says.State, isPool, isMark
}

func lastOf(words []string) string { return strings.Join(words[max(len(words)-1, 0):], "") }
