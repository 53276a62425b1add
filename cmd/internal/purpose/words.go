// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	_ "embed"
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

// pools are keys of pools whose words say otherwise. "*" stands for any text.
var pools = []string{
	"karpenter.sh/migration", "cloud.google.com/gke-provisioning", "cloud.google.com/gke-flex-start", "cloud.google.com/gke-quick-remove",
	"components.gke.io/*", "autoscaling.azure.com/cas-block", "nautilus.io/science-dmz", "hypershift.openshift.io/*", "node-role.kubernetes.io/*",
}

// find returns the longest word that the text begins with. "gpu2" is one of several.
func find(text string, isKey bool) (word, bool) {
	text = strings.TrimRight(text, "0123456789")
	for n := len(text); n > 0; n-- {
		if w, ok := words[text[:n]]; ok && (n == len(text) || !w.isWhole) && (isKey || !w.isForKey) {
			return w, true
		}
	}
	return word{}, false
}

var separators = regexp.MustCompile(`[^a-z0-9]+`)

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
	list := slices.DeleteFunc(separators.Split(b.String(), -1), func(s string) bool { return s == "" })
	for i := len(list) - 1; i > 0; i-- { // "not ready" is one word
		if slices.Contains([]string{"not", "no", "non", "un", "dont", "of"}, list[i-1]) || list[i-1] == "out" && strings.HasPrefix(list[i], "of") {
			list[i-1] += list[i]
			list = slices.Delete(list, i, i+1)
		}
	}
	for i := 1; i < len(list); i++ { // what may fail has not
		if isFailure := list[i-1] == "failure" || list[i-1] == "fault"; isFailure && slices.Contains([]string{"domain", "zone", "score", "tolerant"}, list[i]) {
			list = slices.Delete(list, i-1, i+1)
		}
	}
	return list
}

// Forms of words.
var (
	isNo     = regexp.MustCompile(`^(?i:false|no|0|down|ko)$`).MatchString
	isYes    = regexp.MustCompile(`^(?i:true|yes)$`).MatchString
	isNobody = regexp.MustCompile(`^(?i:none|nobody|unassigned|tbd|unknown|n-?a|unset)$`).MatchString
	isOld    = regexp.MustCompile(`^(?i:old|previous)$`).MatchString
	isWell   = regexp.MustCompile(`ready$|health|^(ok|available|online|active|agent|installed|started|running|initialized|configured|registered|joined|synced|verified)$`).MatchString
	isTheir  = regexp.MustCompile(`^(dedicated|workload|tenant|app)$`).MatchString // whose the nodes are, or what for
	isNodes  = regexp.MustCompile(`(nodes?|pools?|workers?|fleet)$`).MatchString
)

// reading returns the state that a taint's words say, and whether they name a pool. What a
// key is about may be in its value, but the words of a role, or of what the nodes are
// dedicated to, are names.
func reading(t taints.Taint) (state State, isPool bool) {
	prefix, name, isPrefixed := strings.Cut(t.Key, "/")
	if !isPrefixed {
		prefix, name = "", t.Key
	}
	domain := strings.Split(prefix, ".")
	if len(domain) == 2 && !strings.Contains(domain[0], "-") { // example.com says who, gpu.example.com and gpu-nodes.com also what
		domain[0] = ""
	}
	key, value := split(name), split(t.Value)
	isListed := slices.ContainsFunc(pools, func(p string) bool { return isFor(p, t) })
	isOnly := isListed || slices.Contains(key, "only") || slices.Contains(value, "only")
	isName := isOnly || slices.ContainsFunc(key, isTheir)
	switch {
	case isOld(t.Value):
		return Leaving, false
	case isNo(t.Value) && slices.ContainsFunc(key, isWell):
		return Unhealthy, false
	case t.Value == "" && len(key) > 1 && key[len(key)-1] == "ready": // until it is
		return Starting, false
	}
	line := 0
	read := func(texts []string, isKey bool) {
		for _, text := range texts {
			w, ok := find(text, isKey)
			isPool = isPool || ok && w.state() == None
			line = max(line, w.line)
		}
	}
	if !isOnly {
		read(split(domain[0]), true)
		read(key, true)
	}
	if !isName || len(value) == 1 {
		read(value, false)
	}
	isKind := len(key) > 0 && isNodes(key[len(key)-1]) // of nodes
	isEcho := slices.ContainsFunc(value, func(text string) bool { return len(text) > 2 && slices.Contains(key, text) })
	isMark := !isPrefixed && isYes(t.Value) // "kubeflow=true" is a person's; programs have a domain
	if isNobody(t.Value) {                  // no pods yet
		return said[line], false
	}
	return said[line], isPool || isName || isKind || isEcho || isMark
}

// guesses has an entry for each state that words say. Nobody is known to act.
var guesses = func() map[State]*Entry {
	m := make(map[State]*Entry)
	for _, state := range said {
		m[state] = &Entry{State: state, SetBy: "who set it", RemovedBy: whoSetIt, IsGuess: true}
	}
	return m
}()
