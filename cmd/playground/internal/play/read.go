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

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// Longer texts and lists are not read, because the page answers as the user types.
const (
	maxText    = 256 << 10 // bytes
	maxEntries = 500
)

// An entry is the place of a list's element in its text.
type entry struct {
	span
	fields map[string]span // of the values in YAML and JSON
}

// field returns the span of the field, or of the whole entry if that is not known.
func (e entry) field(name string) span {
	if s, ok := e.fields[name]; ok {
		return s
	}
	return e.span
}

// A list is the result of reading one of the two texts.
type list[T any] struct {
	name     string // "taints"
	text     string
	places   *text
	elements []T
	entries  []entry // of each element
	problems []Problem
	unread   int       // entries that are left out
	arrived  time.Time // when the pod was bound to its node; zero: the text does not say
}

func newList[T any](name, text string) list[T] {
	return list[T]{name: name, text: text, places: newText(text)}
}

// fail adds a problem for which an entry is left out.
func (l *list[T]) fail(s span, message string) {
	l.problems = append(l.problems, Problem{Place: l.places.place(s), Field: l.name, Message: message, Unread: true})
	l.unread++
}

// wrong adds a problem that does not leave anything out.
func (l *list[T]) wrong(s span, message string) {
	l.problems = append(l.problems, Problem{Place: l.places.place(s), Field: l.name, Message: message})
}

func (l *list[T]) note(s span, message string) {
	l.problems = append(l.problems, Problem{Place: l.places.place(s), Field: l.name, Message: message, Note: true})
}

func (l *list[T]) add(element T, e entry) {
	l.elements = append(l.elements, element)
	l.entries = append(l.entries, e)
}

// A reader reads a list of a type.
type reader[T any] struct {
	list[T]
	owner  string // "Node"
	parse  func(string) (T, error)
	fields []field[T]
	// implied adds the elements that an object implies outside the list; nil: none.
	implied func(*reader[T], *value)
	// command reads a line that is a command, and reports whether it is; nil: none is.
	command func(*reader[T], span) bool
	// labels read lines beside the list that "kubectl describe" prints.
	labels map[string]func(*reader[T], span)
}

// A field is a field of an element in YAML and JSON.
type field[T any] struct {
	name string
	want kind
	set  func(*T, string) error // takes the text of the value in its kind's form
}

func readTaints(text string) list[taints.Taint] {
	r := reader[taints.Taint]{newList[taints.Taint]("taints", text), "Node", taints.ParseTaint, []field[taints.Taint]{
		{"key", str, func(t *taints.Taint, s string) error { t.Key = s; return nil }},
		{"value", str, func(t *taints.Taint, s string) error { t.Value = s; return nil }},
		{"effect", str, func(t *taints.Taint, s string) error { t.Effect = taints.Effect(s); return nil }},
		{"timeAdded", str, setTimeAdded},
	}, addUnschedulable, runCommand, map[string]func(*reader[taints.Taint], span){"Unschedulable": describedCordon}}
	r.read()
	r.refuse(taints.ValidateTaints(r.elements))
	return r.list
}

// addUnschedulable adds the taint of a cordoned node unless the node already has
// it. The scheduler's NodeUnschedulable plugin treats spec.unschedulable as if
// the node had that taint.
func addUnschedulable(r *reader[taints.Taint], node *value) {
	if spec := node.get("spec"); spec != nil {
		node = spec
	}
	cordoned := node.get("unschedulable")
	if cordoned == nil || cordoned.kind == null {
		return
	}
	if cordoned.kind != boolean {
		r.fail(cordoned.span, "unschedulable: expected a boolean, found "+string(cordoned.kind))
		return
	}
	if cordoned.text == "true" {
		addCordon(r, cordoned.span)
	}
}

// describedCordon reads what "kubectl describe" says of a cordon.
func describedCordon(r *reader[taints.Taint], s span) {
	if r.text[s.start:s.end] == "true" {
		addCordon(r, s)
	}
}

// cordon is the taint of a cordoned node.
var cordon = taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}

func addCordon(r *reader[taints.Taint], s span) {
	if _, has := taints.FindTaint(r.elements, cordon.ID()); !has {
		r.note(s, "the node is cordoned, so the scheduler treats it as if it had the taint "+cordon.String())
		r.add(cordon, entry{span: s})
	}
}

func setTimeAdded(t *taints.Taint, s string) error {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errors.New("expected a time such as 2026-11-21T12:00:00Z")
	}
	t.TimeAdded = &at
	return nil
}

func readTolerations(text string, o taints.Options) list[taints.Toleration] {
	written := taints.Options{KeyWildcards: o.KeyWildcards} // reads Lt and Gt even if they are off, to explain them
	parse := func(s string) (taints.Toleration, error) { return written.ParseToleration(inSeconds(s)) }
	r := reader[taints.Toleration]{newList[taints.Toleration]("tolerations", text), "Pod", parse, []field[taints.Toleration]{
		{"key", str, func(t *taints.Toleration, s string) error { t.Key = s; return nil }},
		{"operator", str, func(t *taints.Toleration, s string) error { t.Operator = taints.Operator(s); return nil }},
		{"value", str, func(t *taints.Toleration, s string) error { t.Value = s; return nil }},
		{"effect", str, func(t *taints.Toleration, s string) error { t.Effect = taints.Effect(s); return nil }},
		{"tolerationSeconds", number, setSeconds},
	}, podArrival, nil, map[string]func(*reader[taints.Toleration], span){"Start Time": describedArrival}}
	r.read()
	r.refuse(o.ValidateTolerations(r.elements))
	compares := func(t taints.Toleration) bool { return t.Operator == taints.OpLt || t.Operator == taints.OpGt }
	if i := slices.IndexFunc(r.elements, compares); i >= 0 && !o.NoComparison {
		r.note(r.entries[i].field("operator"), "Lt and Gt need the feature gate TaintTolerationComparisonOperators, which is off by default: without it, the API server refuses them")
	}
	return r.list
}

// podArrival reads when the pod was bound to its node, or else when its kubelet saw it.
func podArrival(r *reader[taints.Toleration], pod *value) {
	status := pod.get("status")
	if status == nil {
		return
	}
	at := status.get("startTime")
	if conditions := status.get("conditions"); conditions != nil {
		for _, c := range conditions.items {
			if kind, is := c.get("type"), c.get("status"); kind != nil && kind.text == "PodScheduled" && is != nil && is.text == "True" {
				at = cmp.Or(c.get("lastTransitionTime"), at)
			}
		}
	}
	if at != nil {
		r.arrived, _ = time.Parse(time.RFC3339, at.text)
	}
}

// describedArrival reads when a pod arrived, as "kubectl describe" says it.
func describedArrival(r *reader[taints.Toleration], s span) {
	r.arrived, _ = time.Parse(time.RFC1123Z, r.text[s.start:s.end])
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

func setSeconds(t *taints.Toleration, s string) error {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 0, 64) // as Kubernetes reads YAML
	if err != nil {
		return errors.New("expected a 64-bit integer")
	}
	t.TolerationSeconds = &n
	return nil
}

// refuse adds a problem for each error that an API server would report. Such an
// element is still matched, because Kubernetes matches any element.
func (l *list[T]) refuse(err error) {
	var invalid taints.ErrorList
	if !errors.As(err, &invalid) {
		return
	}
	for _, f := range invalid {
		l.wrong(l.entries[f.Index].field(f.Field), "the API server refuses this: "+f.Error()+say.Meant(*f))
	}
}

func (r *reader[T]) read() {
	start := len(r.text) - len(strings.TrimLeft(r.text, whiteSpace))
	switch {
	case len(r.text) > maxText:
		r.fail(span{0, len(r.text)}, "this is longer than "+strconv.Itoa(maxText>>10)+" KiB, the most that this page reads")
	case start == len(r.text):
	case r.text[start] == '[' || r.text[start] == '{':
		r.object(start)
	case describes.MatchString(r.text):
		r.described()
	case isYAML(r.text):
		r.object(len(strings.TrimRight(r.text[:start], " "))) // with the spaces that indent it
	default:
		r.lines()
	}
}

// indent is the white space before a line.
const indent = `(?m)^[\s\x{A0}\x{FEFF}]*`

// lines reads a list in kubectl's form.
func (r *reader[T]) lines() {
	for line := range split(r.text, span{0, len(r.text)}, "\n") {
		switch {
		case strings.HasPrefix(r.text[line.start:line.end], "#"):
		case r.command != nil && r.command(r, line):
			if len(r.problems) > maxEntries {
				return
			}
		case !r.line(line):
			return
		}
	}
}

// describes matches a line that "kubectl describe" prints about a node or a pod.
var describes = regexp.MustCompile(indent + `(Taints|Tolerations):|^(Name|Namespace|Roles|Labels|Annotations|CreationTimestamp|Unschedulable|` +
	`Lease|Conditions|Priority|Service Account|Node|Start Time|Status|QoS Class|Node-Selectors|Events):(  |$)`)

var label = regexp.MustCompile(indent + `(?:(Taints|Tolerations):|([A-Z][A-Za-z ()-]*):(?:\s|$))[ \t]*`)

// described reads the list in what "kubectl describe" prints, in full or in part: from
// its label to the next one, or from the beginning if its label is cut off.
func (r *reader[T]) described() {
	want := strings.ToUpper(r.name[:1]) + r.name[1:]
	hasList := regexp.MustCompile(indent + want + ":").MatchString(r.text) // then label matches too
	isList, lists := !hasList || label.FindStringSubmatch(r.text)[1] == want, 0
	for line := range split(r.text, span{0, len(r.text)}, "\n") {
		parts := label.FindStringSubmatch(r.text[line.start:line.end])
		if parts != nil {
			line.start = min(line.start+len(parts[0]), line.end)
			if isList = parts[1] == want; isList {
				lists++
			} else if other := r.labels[parts[2]]; other != nil && lists < 2 {
				other(r, line)
			}
		}
		if isList && lists < 2 && line.start < line.end && !r.line(line) {
			return
		}
		if isList && lists == 2 && parts != nil {
			r.note(line, "this describes more than one "+r.owner+"; this page shows the first")
		}
	}
	if !hasList && len(r.elements)+len(r.problems) == 0 {
		r.fail(span{0, len(r.text)}, "this describes no "+r.name)
	}
}

// line reads the entries of a line, and reports whether there is room for more.
func (r *reader[T]) line(line span) bool {
	for s := range split(r.text, line, ",") {
		if s.start == s.end || r.text[s.start:s.end] == "<none>" {
			continue
		}
		if !r.hasRoom(s) {
			return false
		}
		if element, err := r.parse(r.text[s.start:s.end]); err != nil {
			r.fail(errorIn(r.text, s, err))
		} else {
			r.add(element, entry{span: s})
		}
	}
	return true
}

// hasRoom reports whether the list may grow, and adds a problem if it may not.
func (r *reader[T]) hasRoom(s span) bool {
	if len(r.elements) < maxEntries && len(r.problems) < maxEntries {
		return true
	}
	r.fail(s, "this page reads up to "+strconv.Itoa(maxEntries)+" "+r.name+" or problems; the rest is not read")
	return false
}

// errorIn returns the place and the message of an error in parsing the text at s.
func errorIn(text string, s span, err error) (span, string) {
	var fieldErr *taints.FieldError
	if !errors.As(err, &fieldErr) {
		return s, err.Error()
	}
	from := s.start + fieldErr.Offset
	to := from
	for to < s.end && strings.IndexByte("=: ", text[to]) < 0 {
		to++
	}
	words := *fieldErr
	words.Parsed, words.List = false, "" // the page shows them
	return span{from, to}, words.Error() + say.Meant(words)
}

// isYAML reports whether the text is YAML in block style and not kubectl's form.
// It looks at the first line that is not a comment.
func isYAML(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, whiteSpace); line != "" && line[0] != '#' {
			return blockYAML.MatchString(line)
		}
	}
	return false
}

// blockYAML matches a mark of YAML, or a name with a value, which may be on the next lines
// if the name is one of an object.
var blockYAML = regexp.MustCompile(`^(---|- |-$|["'&!%]|[^:]*: |(apiVersion|kind|metadata|spec|status|template|items|` +
	`taints|tolerations|unschedulable|key|operator|value|effect|tolerationSeconds|timeAdded):$)`)

// split yields the parts of the span between separators, without white space at
// their ends.
func split(text string, s span, separator string) iter.Seq[span] {
	return func(yield func(span) bool) {
		start := s.start
		for part := range strings.SplitSeq(text[s.start:s.end], separator) {
			if !yield(trim(text, span{start, start + len(part)})) {
				return
			}
			start += len(part) + len(separator)
		}
	}
}

// trim returns the span without white space at its ends.
func trim(text string, s span) span {
	left := strings.TrimLeft(text[s.start:s.end], whiteSpace)
	s.start = s.end - len(left)
	s.end = s.start + len(strings.TrimRight(left, whiteSpace))
	return s
}

// whiteSpace is the white space around entries. Pasted text may have a no-break
// space or a byte order mark.
const whiteSpace = " \t\r\n\u00A0\uFEFF"
