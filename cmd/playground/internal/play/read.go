// SPDX-License-Identifier: Apache-2.0

package play

import (
	"cmp"
	"errors"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// Longer texts and lists are not read, because the page answers as the user types.
const (
	maxText    = 256 << 10 // bytes
	maxEntries = 500
)

// An entry is the place of a list's element in its text, and its object in YAML and JSON.
type entry struct {
	span
	object *yaml.Node
}

// A source is one of the two texts, and what is wrong with it.
type source struct {
	*text
	name, owner string // "taints", "Node"
	first       Place  // where YAML begins
	problems    []Problem
	unread      int // entries that are left out
}

// fail adds a problem for which an entry is left out.
func (s *source) fail(at span, message string) {
	s.add(at, Problem{Message: message, Unread: true})
	s.unread++
}

// wrong adds a problem that does not leave anything out.
func (s *source) wrong(at span, message string) { s.add(at, Problem{Message: message}) }

func (s *source) note(at span, message string) { s.add(at, Problem{Message: message, Note: true}) }

func (s *source) add(at span, p Problem) {
	p.Place, p.Field = s.place(at), s.name
	s.problems = append(s.problems, p)
}

// A list is the result of reading a source, by the fields and functions of its type.
type list[T any] struct {
	*source
	parse    func(string) (T, error)
	fields   func(*T) []field
	command  func(line span) bool // reads a line that is a command, and reports whether it is
	elements []T
	isFull   bool
	entries  []entry         // of each element
	object   *yaml.Node      // that has the list, in YAML and JSON
	labels   map[string]span // of what "kubectl describe" prints beside the list
	arrived  time.Time       // when the pod was bound to its node; zero: the text does not say
}

func (l *list[T]) append(element T, e entry) {
	l.elements = append(l.elements, element)
	l.entries = append(l.entries, e)
}

// field returns the span of the element's field, or of the element if that is not known.
func (l *list[T]) field(i int, name string) span {
	if n := get(l.entries[i].object, name); n != nil {
		return l.at(n)
	}
	return l.entries[i].span
}

func readTaints(text string) list[taints.Taint] {
	l := list[taints.Taint]{source: &source{text: newText(text), name: "taints", owner: "Node"}, parse: taints.ParseTaint}
	l.fields = func(t *taints.Taint) []field {
		return []field{{"key", &t.Key}, {"value", &t.Value}, {"effect", &t.Effect}, {"timeAdded", &t.TimeAdded}}
	}
	l.command = func(line span) bool { return runCommand(&l, line) }
	l.read()
	var isCordoned bool
	switch n := get(cmp.Or(get(l.object, "spec"), l.object), "unschedulable"); {
	case kindOf(n) == boolean && n.Load(&isCordoned) == nil && isCordoned:
		addCordon(&l, l.at(n))
	case kindOf(n) != boolean && kindOf(n) != null:
		l.fail(l.at(n), "unschedulable: expected a boolean, found "+string(kindOf(n)))
	}
	if described := l.labels["Unschedulable"]; l.part(described) == "true" {
		addCordon(&l, described)
	}
	l.refuse(taints.ValidateTaints(l.elements))
	return l
}

// cordon is the taint of a cordoned node.
var cordon = taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}

// addCordon adds the taint of a cordoned node unless the node already has it. The
// scheduler's NodeUnschedulable plugin treats spec.unschedulable as if the node had
// that taint.
func addCordon(l *list[taints.Taint], at span) {
	if _, has := taints.FindTaint(l.elements, cordon.ID()); !has {
		l.note(at, "the node is cordoned, so the scheduler treats it as if it had the taint "+cordon.String())
		l.append(cordon, entry{span: at})
	}
}

func readTolerations(text string, o taints.Options) list[taints.Toleration] {
	written := taints.Options{KeyWildcards: o.KeyWildcards} // reads Lt and Gt even if they are off, to explain them
	l := list[taints.Toleration]{source: &source{text: newText(text), name: "tolerations", owner: "Pod"}}
	l.parse = func(s string) (taints.Toleration, error) { return written.ParseToleration(inSeconds(s)) }
	l.fields = func(t *taints.Toleration) []field {
		return []field{{"key", &t.Key}, {"operator", &t.Operator}, {"value", &t.Value}, {"effect", &t.Effect}, {"tolerationSeconds", &t.TolerationSeconds}}
	}
	l.read()
	l.arrived = arrival(l.object)
	if described, err := time.Parse(time.RFC1123Z, l.part(l.labels["Start Time"])); err == nil {
		l.arrived = described
	}
	l.refuse(o.ValidateTolerations(l.elements))
	compares := func(t taints.Toleration) bool { return t.Operator == taints.OpLt || t.Operator == taints.OpGt }
	if i := slices.IndexFunc(l.elements, compares); i >= 0 && !o.NoComparison {
		l.note(l.field(i, "operator"), "Lt and Gt need the feature gate TaintTolerationComparisonOperators, which is off by default: without it, the API server refuses them")
	}
	return l
}

// arrival returns when the pod was bound to its node, or else when its kubelet saw it.
func arrival(pod *yaml.Node) time.Time {
	at := scalar(pod, "status", "startTime")
	for _, c := range items(get(pod, "status", "conditions")) {
		if scalar(c, "type") == "PodScheduled" && scalar(c, "status") == "True" {
			at = cmp.Or(scalar(c, "lastTransitionTime"), at)
		}
	}
	t, _ := time.Parse(time.RFC3339, at) // or zero
	return t
}

// inSeconds returns the text of a toleration with its time in seconds, which may
// be written as in "for 5m".
func inSeconds(s string) string {
	const before = " for "
	i := strings.LastIndex(s, before)
	if i < 0 {
		return s
	}
	d, err := time.ParseDuration(s[i+len(before):])
	if err != nil || d%time.Second != 0 {
		return s
	}
	return s[:i] + before + strconv.FormatInt(int64(d/time.Second), 10) + "s"
}

// refuse adds a problem for each error that an API server would report. Such an
// element is still matched, because Kubernetes matches any element.
func (l *list[T]) refuse(err error) {
	invalid, _ := errors.AsType[taints.ErrorList](err)
	for _, f := range invalid {
		l.wrong(l.field(f.Index, f.Field), "the API server refuses this: "+f.Error()+say.Meant(*f))
	}
}

func (l *list[T]) read() {
	all := span{0, len(l.s)}
	start := len(l.s) - len(strings.TrimLeft(l.s, whiteSpace))
	switch {
	case len(l.s) > maxText:
		l.fail(all, "this is longer than "+strconv.Itoa(maxText>>10)+" KiB, the most that this page reads")
	case start == len(l.s):
	case l.s[start] == '[' || l.s[start] == '{':
		l.document(start)
	case describes.MatchString(l.s):
		l.described()
	case isYAML.MatchString(l.s):
		l.document(len(strings.TrimRight(l.s[:start], " "))) // with the spaces that indent it
	default:
		l.kubectl(all)
	}
}

// indent is the white space before a line.
const indent = `(?m)^[\s\x{A0}\x{FEFF}]*`

// kubectl reads a list in kubectl's form.
func (l *list[T]) kubectl(all span) {
	for line := range l.split(all, "\n") {
		isComment := strings.HasPrefix(l.part(line), "#")
		if !isComment && (l.command == nil || !l.command(line)) {
			l.line(line)
		}
	}
}

// describes matches a line that "kubectl describe" prints about a node or a pod.
var describes = regexp.MustCompile(indent + `(Taints|Tolerations):|^(Name|Namespace|Roles|Labels|Annotations|CreationTimestamp|Unschedulable|` +
	`Lease|Conditions|Priority|Service Account|Node|Start Time|Status|QoS Class|Node-Selectors|Events):(  |$)`)

var label = regexp.MustCompile(indent + `((?:Taints|Tolerations):|[A-Z][A-Za-z ()-]*:(?:\s|$))[ \t]*`)

// described reads the list in what "kubectl describe" prints, in full or in part: from
// its label to the next one, or from the beginning if its label is cut off.
func (l *list[T]) described() {
	want := strings.ToUpper(l.name[:1]) + l.name[1:]
	hasList := regexp.MustCompile(indent + want + ":").MatchString(l.s)
	starts := label.FindAllStringSubmatchIndex(l.s, -1) // not empty, as the text describes something
	name, start := "", 0
	l.labels = make(map[string]span)
	for _, at := range append(starts, []int{len(l.s), 0, 0, 0}) {
		value := l.trim(span{start, at[0]})
		if _, has := l.labels[name]; !has {
			l.labels[name] = value
		} else if name == want {
			l.note(value, "this describes more than one "+l.owner+"; this page shows the first")
			break
		}
		name, start = strings.TrimRight(l.s[at[2]:at[3]], ": \t\r\n"), at[1]
	}
	if !hasList || strings.HasPrefix(l.s[starts[0][2]:], want+":") {
		l.kubectl(l.labels[""])
	}
	l.kubectl(l.labels[want])
	isCordoned := l.owner == "Node" && l.part(l.labels["Unschedulable"]) == "true"
	if !hasList && !isCordoned && len(l.elements)+len(l.problems) == 0 {
		l.fail(span{0, len(l.s)}, "this describes no "+l.name)
	}
}

// line reads the entries of a line.
func (l *list[T]) line(line span) {
	for s := range l.split(line, ",") {
		if s.start == s.end || l.part(s) == "<none>" || !l.hasRoom(s) {
			continue
		}
		if element, err := l.parse(l.part(s)); err != nil {
			l.unparsed(s, err)
		} else {
			l.append(element, entry{span: s})
		}
	}
}

// hasRoom reports whether the list may grow, and adds a problem when it may not any more.
func (l *list[T]) hasRoom(s span) bool {
	if !l.isFull && (len(l.elements) >= maxEntries || len(l.problems) >= maxEntries) {
		l.isFull = true
		l.fail(s, "this page reads up to "+strconv.Itoa(maxEntries)+" "+l.name+" or problems; the rest is not read")
	}
	return !l.isFull
}

// unparsed adds the problem of an error of the library in parsing the text at the span.
func (s *source) unparsed(at span, err error) {
	first, _ := errors.AsType[*taints.FieldError](err)
	at.start += first.Offset
	if i := strings.IndexAny(s.part(at), "=: "); i >= 0 {
		at.end = at.start + i
	}
	words := *first
	words.Parsed, words.List = false, "" // the page shows them
	s.fail(at, words.Error()+say.Meant(words))
}

// isYAML matches YAML in block style, by its first line that is not a comment: it has a
// mark of YAML, or a name with a value, which may be on the next lines if the name is one
// of an object. Other texts are in kubectl's form.
var isYAML = regexp.MustCompile(`^(?:[\s\x{A0}\x{FEFF}]|#.*\n)*(---|- |-\s*(\n|$)|["'&!%]|[^\s#:][^:\n]*: [ \t]*\S|(apiVersion|kind|metadata|spec|status|template|items|` +
	`taints|tolerations|unschedulable|key|operator|value|effect|tolerationSeconds|timeAdded):\s*(\n|$))`)

// split yields the parts of the span between separators, trimmed.
func (t *text) split(s span, separator string) iter.Seq[span] {
	return func(yield func(span) bool) {
		start := s.start
		for part := range strings.SplitSeq(t.part(s), separator) {
			if !yield(t.trim(span{start, start + len(part)})) {
				return
			}
			start += len(part) + len(separator)
		}
	}
}

// trim returns the span without white space at its ends.
func (t *text) trim(s span) span {
	left := strings.TrimLeft(t.part(s), whiteSpace)
	s.start = s.end - len(left)
	s.end = s.start + len(strings.TrimRight(left, whiteSpace))
	return s
}

// whiteSpace is the white space around entries. Pasted text may have a no-break
// space or a byte order mark.
const whiteSpace = " \t\r\n\u00A0\uFEFF"
