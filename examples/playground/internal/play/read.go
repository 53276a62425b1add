// SPDX-License-Identifier: Apache-2.0

package play

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/playground/internal/jsontree"
)

// What is longer is not read, because the page answers while one types.
const (
	maxText    = 256 << 10 // bytes
	maxEntries = 500
)

// An entry is where an element of a list stands in its text.
type entry struct {
	span
	fields map[string]span // of the values in JSON
}

// field returns where the field stands, and the whole entry where that is not known.
func (e entry) field(name string) span {
	if s, ok := e.fields[name]; ok {
		return s
	}
	return e.span
}

// A problem is something wrong with a text.
type problem struct {
	span
	message string
	unread  bool // what stands there was left out
}

// A list is what was read from one of the two texts.
type list[T any] struct {
	text     string
	elements []T
	entries  []entry // of each element
	problems []problem
}

func (l *list[T]) fail(s span, message string) {
	l.problems = append(l.problems, problem{s, message, true})
}

func (l *list[T]) add(element T, e entry) {
	l.elements = append(l.elements, element)
	l.entries = append(l.entries, e)
}

// A reader reads lists of a type.
type reader[T any] struct {
	name, owner, ownerOfOther string // "taints", "Node", "Pod"
	parse                     func(string) (T, error)
	fields                    []field[T]
	// implied adds what an object means without saying it in the list; nil: nothing.
	implied func(jsonReader[T], *jsontree.Value)
}

// A field is one that an element has in JSON.
type field[T any] struct {
	name string
	want jsontree.Kind
	set  func(*T, string) error // the text of the value, as its kind has it
}

func readTaints(text string) list[taints.Taint] {
	r := reader[taints.Taint]{"taints", "Node", "Pod", taints.ParseTaint, []field[taints.Taint]{
		{"key", jsontree.String, func(t *taints.Taint, s string) error { t.Key = s; return nil }},
		{"value", jsontree.String, func(t *taints.Taint, s string) error { t.Value = s; return nil }},
		{"effect", jsontree.String, func(t *taints.Taint, s string) error { t.Effect = taints.Effect(s); return nil }},
		{"timeAdded", jsontree.String, setTimeAdded},
	}, addUnschedulable}
	l := r.read(text)
	l.refuse(taints.ValidateTaints(l.elements))
	return l
}

// addUnschedulable adds the taint of a cordoned node that does not have it yet:
// plugin NodeUnschedulable of the scheduler wants spec.unschedulable tolerated as if it
// were that taint.
func addUnschedulable(j jsonReader[taints.Taint], node *jsontree.Value) {
	if spec := node.Get("spec"); spec != nil {
		node = spec
	}
	cordoned := node.Get("unschedulable")
	taint := taints.Taint{Key: taints.NodeUnschedulable, Effect: taints.NoSchedule}
	_, has := taints.FindTaint(j.list.elements, taint.ID())
	if has || cordoned == nil || cordoned.Text != "true" {
		return
	}
	j.note(j.span(cordoned), "the node is cordoned, which counts as the taint "+taint.String()+" for the scheduler")
	j.list.add(taint, entry{span: j.span(cordoned)})
}

func setTimeAdded(t *taints.Taint, s string) error {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errors.New("want a time, as in 2026-11-21T12:00:00Z")
	}
	t.TimeAdded = &at
	return nil
}

func readTolerations(text string, o taints.Options) list[taints.Toleration] {
	written := taints.Options{KeyWildcards: o.KeyWildcards} // Lt and Gt are read where they are off, to be explained
	r := reader[taints.Toleration]{"tolerations", "Pod", "Node", written.ParseToleration, []field[taints.Toleration]{
		{"key", jsontree.String, func(t *taints.Toleration, s string) error { t.Key = s; return nil }},
		{
			"operator", jsontree.String,
			func(t *taints.Toleration, s string) error { t.Operator = taints.Operator(s); return nil },
		},
		{"value", jsontree.String, func(t *taints.Toleration, s string) error { t.Value = s; return nil }},
		{
			"effect", jsontree.String,
			func(t *taints.Toleration, s string) error { t.Effect = taints.Effect(s); return nil },
		},
		{"tolerationSeconds", jsontree.Number, setSeconds},
	}, nil}
	l := r.read(text)
	l.refuse(o.ValidateTolerations(l.elements))
	return l
}

func setSeconds(t *taints.Toleration, s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return errors.New("want an integer of 64 bits")
	}
	t.TolerationSeconds = &n
	return nil
}

// refuse notes what an API server would refuse. What is wrong with an element that
// was read does not keep it from being matched, as Kubernetes' own functions match
// anything.
func (l *list[T]) refuse(err error) {
	var invalid *taints.ErrorList
	if !errors.As(err, &invalid) {
		return
	}
	for _, f := range invalid.Errors {
		l.problems = append(l.problems, problem{
			l.entries[f.Index].field(f.Field),
			"an API server refuses this: " + f.Error(),
			false,
		})
	}
}

func (r reader[T]) read(text string) list[T] {
	l := list[T]{text: text}
	start := len(text) - len(strings.TrimLeft(text, whiteSpace))
	switch {
	case len(text) > maxText:
		l.fail(span{0, len(text)},
			"this is longer than "+strconv.Itoa(maxText>>10)+" KiB, too long to be read while you type")
	case start == len(text):
	case text[start] == '[' || text[start] == '{':
		r.json(&l, start)
	default:
		r.lines(&l)
	}
	return l
}

// lines reads the list in kubectl's form.
func (r reader[T]) lines(l *list[T]) {
	for start, end := 0, 0; start <= len(l.text); start = end + 1 {
		end = start + index(l.text[start:], '\n')
		line := trim(l.text, span{start, end})
		if strings.HasPrefix(l.text[line.start:line.end], "#") {
			continue
		}
		if isYAML(l.text[line.start:line.end]) {
			l.fail(line,
				"this looks like YAML, which is not read here: paste JSON (kubectl get … -o json), or what kubectl describe prints")
			return
		}
		if !r.line(l, line) {
			return
		}
	}
}

// line reads the entries of a line, and reports whether there is room for more.
func (r reader[T]) line(l *list[T], line span) bool {
	for start, end := line.start, 0; start <= line.end; start = end + 1 {
		end = start + index(l.text[start:line.end], ',')
		s := r.withoutLabel(l.text, trim(l.text, span{start, end}))
		if s.start == s.end || l.text[s.start:s.end] == "<none>" {
			continue
		}
		if !r.hasRoom(l, s) {
			return false
		}
		element, err := r.parse(l.text[s.start:s.end])
		if err != nil {
			l.fail(faultIn(l.text, s, err))
			continue
		}
		l.add(element, entry{span: s})
	}
	return true
}

// hasRoom reports whether the list may become longer, and notes where it may not.
func (r reader[T]) hasRoom(l *list[T], s span) bool {
	if len(l.elements) < maxEntries && len(l.problems) < maxEntries {
		return true
	}
	l.fail(s, "these are more than "+strconv.Itoa(maxEntries)+" "+r.name+"; from here on they are not read")
	return false
}

// withoutLabel passes over the label that kubectl describe puts before the list.
func (r reader[T]) withoutLabel(text string, s span) span {
	label := strings.ToUpper(r.name[:1]) + r.name[1:] + ":"
	if !strings.HasPrefix(text[s.start:s.end], label) {
		return s
	}
	return trim(text, span{s.start + len(label), s.end})
}

// faultIn returns the place and the message of an error of parsing what stands at s.
func faultIn(text string, s span, err error) (span, string) {
	var fault *taints.FieldError
	if !errors.As(err, &fault) {
		return s, err.Error()
	}
	from := s.start + fault.Offset
	to := from
	for to < s.end && strings.IndexByte("=: ", text[to]) < 0 {
		to++
	}
	words := *fault
	words.Input = "" // which stands there
	return span{from, to}, words.Error()
}

// isYAML reports whether the line is one of a manifest in YAML.
func isYAML(line string) bool {
	if line == "---" {
		return true
	}
	line = strings.TrimLeft(strings.TrimPrefix(line, "- "), " ")
	name, value, found := strings.Cut(line, ":")
	if !found {
		return false
	}
	switch name {
	case "key", "operator", "value", "effect", "tolerationSeconds", "timeAdded", "kind", "apiVersion":
		return strings.HasPrefix(value, " ")
	case "taints", "tolerations", "spec", "metadata":
		return value == "" || value[0] == ' '
	}
	return false
}

// index returns where the byte is in s, and the length of s where it is not.
func index(s string, c byte) int {
	if i := strings.IndexByte(s, c); i >= 0 {
		return i
	}
	return len(s)
}

// trim returns the span without white space at its ends.
func trim(text string, s span) span {
	left := strings.TrimLeft(text[s.start:s.end], whiteSpace)
	s.start = s.end - len(left)
	s.end = s.start + len(strings.TrimRight(left, whiteSpace))
	return s
}

// whiteSpace is what may stand around an entry: what is pasted may have a no-break
// space or a byte order mark.
const whiteSpace = " \t\r\n\u00A0\uFEFF"
