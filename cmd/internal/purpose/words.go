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

// isSaid reports whether the word of a value says a state.
func isSaid(text string) bool {
	w, isForm := find(text, false)
	return isForm && w.state() != None
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
	for i := len(list) - 1; i > 0; i-- { // "not ready" is one word, and so is what may fail
		first, next := list[i-1], list[i]
		isOne := slices.ContainsFunc(vocabulary["join"], func(pair string) bool { is, _ := path.Match(pair, first+"-"+next); return is })
		if isOne {
			list[i-1] += next
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

// Forms of words.
var (
	isTicket    = regexp.MustCompile(`^((CHG|INC|OPS|PRB|REQ|RITM|SEC|TASK)-?[0-9]{3,}|(?i:incident|case|ticket|change|issue)-?[0-9]{2,})$`).MatchString
	isSpan      = regexp.MustCompile(`\buntil\b|[0-9]-to-v?[0-9]`).MatchString // of time, or of versions
	isVerb      = regexp.MustCompile(`[a-z]{4}(ed|ing)$`).MatchString          // a form of one
	isWell      = regexp.MustCompile(`ready$|health|^(ok|available|online|active|agent|installed|started|running|initialized|configured|registered|joined|synced|verified)$`).MatchString
	isAttribute = regexp.MustCompile(`^(tier|class|type|kind|category|mode|purpose|use|usage|profile|priority|intent|flavor|sku)[0-9]*$`).MatchString
	isNodes     = regexp.MustCompile(`(nodes?|pools?|workers?|fleet)$`).MatchString
	isEnding    = regexp.MustCompile(`^(|e|s|es|y|p?ed|ied|p?ing|a?t?ion|ions|ive|ers?|or|als?|e?ments?|able|le|is|tics?)$`).MatchString // of a form of a word
	isWork      = regexp.MustCompile(`^(tests?|testing|(load|perf|smoke|stress)test|bench.*|experiments?|checks?|scan|scanning|drill|audit|backup|restor.*|recover.*|debug.*|patch|reset|wip|window|idle|validation|qualification|certification|acceptance|transfer|handover|attention|alert|alarm|warn(ing)?|exceptions?|unknown|limit|planned|imminent|upcoming|reached|exceeded|candidate)$`).MatchString
)

// reading returns the state that a taint's words say, and whether they name a pool. What a
// key is about may be in its value, but the words of a role, or of what the nodes are
// dedicated to, are names. A mark, as "zulu=true", names one that no word knows.
func reading(t taints.Taint) (state State, isPool, isMark bool) {
	prefix, name := path.Split(t.Key)
	domain := strings.Split(prefix, ".")
	if len(domain) == 2 && !strings.Contains(domain[0], "-") { // example.com says who, gpu.example.com and gpu-nodes.com also what
		domain[0] = ""
	}
	key, value := split(name), split(t.Value)
	isListed := slices.ContainsFunc(vocabulary["pools"], func(p string) bool { return isFor(p, t) })
	isOnly := isListed || slices.Contains(key, "only") || slices.Contains(value, "only")
	isName := isOnly || isIn("their", key...) || prefix == "node-role.kubernetes.io/"
	switch {
	case isIn("old", t.Value):
		return Leaving, false, false
	case isIn("no", t.Value) && slices.ContainsFunc(key, isWell):
		return Unhealthy, false, false
	case t.Value == "" && len(key) > 1 && lastOf(key) == "ready": // until it is
		return Starting, false, false
	}
	line, isUnclear, isHow := 0, false, false // unclear: a state may be meant
	read := func(texts []string, isKey bool) {
		for _, text := range texts {
			if w, isForm := find(text, isKey); isForm && !(isKey && strings.HasPrefix(text, "test")) { // which may be going on
				isEmpty := isAttribute(text) && (slices.Contains(value, text) || t.Value == "" || isIn("yes", t.Value)) // "tier=true" says nothing
				line, isPool = max(line, w.line), isPool || w.state() == None && !isEmpty
			} else {
				asKey, _ := find(text, true)
				isUnclear = isUnclear || w.state() != None || isHow && (!isKey && isWork(text) || asKey.state() != None || asKey == word{} && isVerb(text) && !isIn("has", text))
			}
		}
	}
	if !isOnly {
		saysWho := func(text string) bool { // as in ops.example.com
			w, _ := find(text, true)
			return len(domain) > 1 && w.state() == None && w.line > 0
		}
		read(slices.DeleteFunc(split(domain[0]), saysWho), true)
		isHow = t.Value == "" || isIn("yes", t.Value)
		read(key, true)
	}
	ofKey, last := said[line], lastOf(key)
	isPool = isPool && !isIn("status", last) // whose value says it
	isName = isName || isIn("whose", last)
	isHow = line == 0 && !isName // the value says how machines are
	if !isName || len(value) == 1 || strings.HasPrefix(lastOf(value), "not") {
		read(value, isIn("status", last))
	}
	state = said[line]
	isUnclear = isUnclear || isScarce(key) || isScarce(value) || isIn("going", t.Value) || isWork(last) && line == 0 && (t.Value == "" || isIn("yes", t.Value)) // line 0 is of machines
	isEcho := slices.ContainsFunc(value, func(text string) bool { return len(text) > 2 && slices.Contains(key, text) })
	isMark = prefix == "" && isIn("yes", t.Value) && !strings.Contains(last, "schedul") // "kubeflow=true" is a person's; programs have a domain
	switch {
	case isIn("whose", last) && state != ofKey: // of the nodes, or the name of a team
		return ofKey, false, false
	case state == None && isWork(last) && isIn("going", t.Value):
		return Maintained, false, false
	case state == None && len(value) > 1 && isIn("their", key...) && isSaid(lastOf(value)): // "disk-failure" is no name
		return None, false, false
	case isIn("nobody", t.Value), isTicket(t.Value), isSpan(t.Value), isUnclear && !isName: // no pods yet, or a state
		return state, false, false
	}
	isPool = isPool || isName || isNodes(last) || isEcho
	return state, isPool, isMark && !isPool
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
