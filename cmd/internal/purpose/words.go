// SPDX-License-Identifier: Apache-2.0

package purpose

import (
	"bufio"
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
	text     string
	state    State // None: it names a pool
	isWhole  bool  // the word is not only the beginning
	isForKey bool  // in a value it may be a name
}

// words has the lines of words.txt: a state, or "pool", and words. One with "=" stands for
// itself alone, and one with ":" counts in keys alone.
var words = func() (list []word) {
	for lines := bufio.NewScanner(strings.NewReader(wordList)); lines.Scan(); {
		name, texts, _ := strings.Cut(lines.Text(), ": ")
		state := State(name)
		if name == "pool" {
			state = None
		}
		for _, text := range strings.Fields(texts) {
			list = append(list, word{strings.Trim(text, "=:"), state, strings.Contains(text, "="), strings.Contains(text, ":")})
		}
	}
	slices.SortStableFunc(list, func(a, b word) int { return len(b.text) - len(a.text) })
	return list
}()

// pools are keys of pools whose words say otherwise. "*" stands for any text.
var pools = []string{
	"karpenter.sh/migration", "cloud.google.com/gke-quick-remove", "autoscaling.azure.com/cas-block", "nautilus.io/science-dmz", "hypershift.openshift.io/*", "node-role.kubernetes.io/*",
}

// find returns the longest word that the text begins with.
func find(text string, isKey bool) (word, bool) {
	for _, w := range words {
		if (text == w.text || !w.isWhole && strings.HasPrefix(text, w.text)) && (isKey || !w.isForKey) {
			return w, true
		}
	}
	return word{}, false
}

var separators = regexp.MustCompile(`[^a-z0-9]+`)

// split returns the words of a name, in lower case: of "gpuNotReady-x" gpu, notready and x.
func split(name string) []string {
	var b strings.Builder
	last := ' '
	for _, c := range name {
		if unicode.IsUpper(c) && unicode.IsLower(last) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
		last = c
	}
	list := slices.DeleteFunc(separators.Split(b.String(), -1), func(s string) bool { return s == "" })
	for i := len(list) - 1; i > 0; i-- { // "not ready" is one word
		if slices.Contains([]string{"not", "no", "non", "un"}, list[i-1]) {
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

// reading returns the state that a taint's words say, and whether they name a pool. A
// word of a state outweighs a pool's. What a key is about may be in its value, and the
// words of a role, or of what the nodes are dedicated to, are names.
func reading(t taints.Taint) (state State, isPool bool) {
	domain, name, hasDomain := strings.Cut(t.Key, "/")
	if !hasDomain {
		domain, name = "", t.Key
	}
	key, value := split(name), split(t.Value)
	if slices.Contains([]string{"old", "previous"}, strings.ToLower(t.Value)) {
		return Leaving, false
	}
	if isFalse := slices.Contains([]string{"false", "no", "0", "down", "ko"}, strings.ToLower(t.Value)); isFalse {
		for _, w := range key {
			if strings.HasSuffix(w, "ready") || strings.Contains(w, "health") || w == "ok" || w == "available" || w == "online" || w == "active" {
				return Unhealthy, false
			}
		}
	}
	isListed := slices.ContainsFunc(pools, func(p string) bool { return isFor(p, t) })
	isName := isListed || slices.Contains(key, "dedicated") || slices.Contains(key, "workload") || slices.Contains(key, "tenant") || slices.Contains(key, "app")
	if isListed || slices.Contains(key, "only") || slices.Contains(value, "only") {
		key, isName = nil, true
		isPool = true
	}
	if first, _, isDeep := strings.Cut(domain, "."); isDeep { // node-init.example.com
		if w, ok := find(strings.Join(split(first), ""), true); ok && w.state == None {
			isPool = true
		}
		for _, text := range split(first) {
			if w, ok := find(text, true); ok && w.state != None && strings.Contains(first, "-") {
				state = w.state
			}
		}
	}
	for _, text := range key {
		if w, ok := find(text, true); ok && w.state == None {
			isPool = true
		} else if ok && (state == None || state == Starting) { // "pending-reboot" is about the reboot
			state = w.state
		}
	}
	if n := len(key); state == None && n > 1 && key[n-1] == "ready" && t.Value == "" { // "agent-ready": until it is
		return Starting, false
	}
	if last := len(key) - 1; last > 0 && (key[last] == "node" || key[last] == "nodes") { // what kind of nodes they are
		isPool = true
	}
	for _, text := range value {
		w, ok := find(text, false)
		if ok && w.state == None {
			isPool = true
		} else if ok && (!isName || len(value) == 1 && !w.isForKey) && (state == None || w.state == Maintained) {
			state = w.state
		}
	}
	return state, isPool || isName
}

// guesses has an entry for each state that words say. Nobody is known to act.
var guesses = func() map[State]*Entry {
	m := make(map[State]*Entry)
	for _, state := range []State{Unhealthy, Fenced, Maintained, Starting, Leaving} {
		m[state] = &Entry{State: state, SetBy: "who set it", RemovedBy: whoSetIt, IsGuess: true}
	}
	return m
}()
