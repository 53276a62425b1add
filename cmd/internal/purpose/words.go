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
	line     int  // of words.txt: a later one outweighs it
	isWhole  bool // the word is not only the beginning
	isForKey bool // in a value it may be a name
}

func (w word) state() State { return said[w.line] }

// words has the lines of words.txt, and said what each is about: a pool, which is None, or a
// state. A word with "=" stands for itself alone, and one with ":" counts in keys alone.
var words, said = func() (list map[string]word, said []State) {
	list = make(map[string]word)
	for i, line := range strings.Split(strings.TrimSpace(wordList), "\n") {
		name, texts, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(name, "pool") {
			name = "" // None
		}
		said = append(said, State(name))
		for _, text := range strings.Fields(texts) {
			list[strings.Trim(text, "=:")] = word{i, strings.Contains(text, "="), strings.Contains(text, ":")}
		}
	}
	return list, said
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
			return w, w.state() == None || isEnding(text[n:])
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

// isWork reports whether the word is of what may go on, or be so, for a while.
func isWork(text string) bool { return isIn("work", text) }

// A phrase is a taint by its words, and what those that are read say.
type phrase struct {
	taints.Taint
	prefix     string // of the key
	key, value []string
	last       string // word of the key
	isBare     bool   // the value adds nothing to the key
	isOnly     bool   // it is for only those that the key names
	isName     bool   // the value is one: of a role, or of what the nodes are dedicated to

	line      int  // of words.txt, the last with one of the words; 0 is of machines, or of none
	isPool    bool // a word names one
	isUnclear bool // a word may say a state
}

func phraseOf(t taints.Taint) phrase {
	prefix, name := path.Split(t.Key)
	p := phrase{Taint: t, prefix: prefix, key: split(name), value: split(t.Value), isBare: t.Value == "" || isIn("yes", t.Value)}
	p.last = lastOf(p.key)
	isListed := slices.ContainsFunc(vocabulary["pools"], func(pattern string) bool { return isFor(pattern, t) })
	p.isOnly = isListed || slices.Contains(p.key, "only") || slices.Contains(p.value, "only")
	p.isName = p.isOnly || isIn("their", p.key...) || isIn("whose", p.last) || prefix == "node-role.kubernetes.io/"
	return p
}

func (p *phrase) state() State { return said[p.line] }

// stateOfValue returns the state that the value says, whatever the key names, or None.
func (p *phrase) stateOfValue() State {
	switch {
	case isIn("old", p.Value):
		return Leaving
	case isIn("no", p.Value) && slices.ContainsFunc(p.key, isWell):
		return Unhealthy
	case p.Value == "" && len(p.key) > 1 && p.last == "ready": // until it is
		return Starting
	}
	return None
}

func (p *phrase) readKey() {
	if !p.isOnly {
		p.read(ofDomain(p.prefix), true, false)
		p.read(p.key, true, p.isBare)
	}
	p.isPool = p.isPool && !isIn("status", p.last) // whose value says it
}

// readValue follows readKey. Where the key names machines at most, the value may say how they
// are. Of a name it reads one word: "dedicated=unhealthy" is none.
func (p *phrase) readValue() {
	if !p.isName || len(p.value) == 1 || strings.HasPrefix(lastOf(p.value), "not") {
		p.read(p.value, isIn("status", p.last), p.line == 0 && !p.isName)
	}
}

// read reads words of the key or value, which may say how the nodes are.
func (p *phrase) read(texts []string, isKey, isHow bool) {
	for _, text := range texts {
		w, isForm := find(text, isKey)
		switch {
		case isForm && !(isKey && strings.HasPrefix(text, "test")): // which may be going on
			isEmpty := (p.isBare || slices.Contains(p.value, text)) && isIn("attribute", strings.TrimRight(text, "0123456789")) // "tier=true" says nothing
			p.line, p.isPool = max(p.line, w.line), p.isPool || w.state() == None && !isEmpty
		case w.state() != None, isHow && mayBeState(text), isHow && !isKey && isWork(text):
			p.isUnclear = true
		}
	}
}

// mayBeState reports whether a word says a state that may also be a name, or is a form of a
// verb that is not known.
func mayBeState(text string) bool {
	w, _ := find(text, true)
	return w.state() != None || w == word{} && isVerb(text) && !isIn("has", text)
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
		return isDomain && w.state() == None && w.line > 0
	})
}

// isOpen reports whether only who set the taint knows what it is for: it may say a state, or
// nobody has the nodes yet, or somebody has them for a while.
func (p *phrase) isOpen() bool {
	w, isForm := find(lastOf(p.value), false)
	isEvent := p.state() == None && isIn("their", p.key...) && len(p.value) > 1 && isForm && w.state() != None // "disk-failure" is no name
	mayGoOn := isIn("going", p.Value) || p.line == 0 && p.isBare && isWork(p.last)
	mayBe := p.isUnclear || mayGoOn || isScarce(p.key) || isScarce(p.value)
	isBrief := isTicket(p.Value) || isChange(p.Value) || slices.Contains(p.value, "until")
	return mayBe && !p.isName || isEvent || isBrief || isIn("nobody", p.Value)
}

// reading returns the state that a taint's words say, and whether they name a pool. A mark,
// as "zulu=true", names one that no word knows: it is a person's, as programs have a domain.
func reading(t taints.Taint) (state State, isPool, isMark bool) {
	p := phraseOf(t)
	if state = p.stateOfValue(); state != None {
		return state, false, false
	}
	p.readKey()
	ofKey := p.state()
	p.readValue()
	switch {
	case isIn("whose", p.last) && p.state() != ofKey: // of the nodes, or the name of a team
		return ofKey, false, false
	case p.state() == None && isIn("going", t.Value) && isWork(p.last):
		return Maintained, false, false
	case p.isOpen():
		return p.state(), false, false
	}
	isEcho := slices.ContainsFunc(p.value, func(text string) bool { return len(text) > 2 && slices.Contains(p.key, text) })
	isPool = p.isPool || p.isName || isNodes(p.last) || isEcho
	isMark = !isPool && p.prefix == "" && isIn("yes", t.Value) && !strings.Contains(p.last, "schedul")
	return p.state(), isPool, isMark
}

// isScarce reports whether the words end with a resource and how much of it there is.
func isScarce(words []string) bool {
	n := len(words)
	return n > 1 && isIn("resource", words[n-2]) && isIn("amount", words[n-1])
}

func lastOf(words []string) string { return strings.Join(words[max(len(words)-1, 0):], "") }

// guesses has an entry for each state that words say, and one for no state. Nobody is known
// to act.
var guesses = func() map[State]*Entry {
	m := make(map[State]*Entry)
	for _, state := range said {
		m[state] = &Entry{State: state, SetBy: "who set it", RemovedBy: whoSetIt, IsGuess: state != None}
	}
	return m
}()
