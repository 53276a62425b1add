package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
)

const standardInput = "standard input"

var errNoInput = errors.New("no JSON on standard input; did kubectl fail?")

// An object holds the fields of a Node or Pod that count here.
type object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string
	Metadata   metadata
	Spec       spec
	Status     status

	bad error // why a field could not be decoded, which is no fault of an object of another kind
}

type metadata struct {
	Namespace, Name   string
	Labels            map[string]string
	DeletionTimestamp present
	OwnerReferences   []struct {
		Kind, Name string
		Controller bool
	}
}

type spec struct {
	// Of a Node.
	Taints        taintList
	Unschedulable bool
	// Of a Pod.
	NodeName                  string
	NodeSelector              map[string]string
	Tolerations               []taints.Toleration
	TopologySpreadConstraints present
	SchedulingGates           present
	Affinity                  struct{ NodeAffinity, PodAffinity, PodAntiAffinity affinity }
}

type affinity struct{ RequiredDuringSchedulingIgnoredDuringExecution present }

type status struct {
	Phase      string
	Conditions []struct{ Type, Status, Message string }
}

// A present tells whether a field has content, whatever it is.
type present bool

// UnmarshalJSON implements [json.Unmarshaler].
func (p *present) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null", "[]", "{}", `""`:
	default:
		*p = true
	}
	return nil
}

// A taintList keeps the error of decoding it: an object may have a field of this name and be no Node.
type taintList struct {
	list []taints.Taint
	err  error
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *taintList) UnmarshalJSON(b []byte) error {
	t.err = json.Unmarshal(b, &t.list)
	return nil
}

// A loader reads one file into a cluster.
type loader struct {
	cluster  *cluster
	name     string
	in       *countingReader
	json     *json.Decoder
	progress *progress
}

// load reads all JSON documents of a file.
func load(c *cluster, name string, r io.Reader, progress *progress) error {
	in := &countingReader{in: r}
	l := loader{cluster: c, name: name, in: in, json: json.NewDecoder(withoutBOM(in)), progress: progress}
	for documents := 0; ; documents++ {
		token, err := l.json.Token()
		if err == io.EOF && documents > 0 {
			return nil
		}
		if err == io.EOF {
			return l.empty()
		}
		if err != nil {
			return l.fail(err)
		}
		if token != json.Delim('{') {
			return l.unexpected(token)
		}
		if err := l.document(); err != nil {
			return err
		}
	}
}

// withoutBOM skips the byte order mark that some shells put before the text.
func withoutBOM(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if start, err := b.Peek(3); err == nil && string(start) == "\uFEFF" {
		b.Discard(3)
	}
	return b
}

// document reads the rest of an object at the top: a list, whose items it takes one at a time, a Node, a Pod, or
// anything else with a kind.
func (l *loader) document() error {
	var top object
	var untyped []object // items without a kind, which follows from the list's
	isList := false
	for l.json.More() {
		key, err := l.json.Token()
		if err != nil {
			return l.fail(err)
		}
		if key == "items" {
			isList = true
			err = l.items(top.Kind, &untyped)
		} else {
			err = l.field(key, &top)
		}
		if err != nil {
			return err
		}
	}
	if _, err := l.json.Token(); err != nil {
		return l.fail(err)
	}
	if top.Kind == "" {
		return l.errorf("an object without a kind; %s", expected)
	}
	if !isList {
		return l.add(&top)
	}
	for i := range untyped {
		if err := l.addItem(&untyped[i], top.Kind); err != nil {
			return err
		}
	}
	return nil
}

// field decodes a field of an object at the top.
func (l *loader) field(key json.Token, o *object) error {
	switch key {
	case "apiVersion":
		return l.decode(&o.APIVersion, o)
	case "kind":
		return l.decode(&o.Kind, o)
	case "metadata":
		return l.decode(&o.Metadata, o)
	case "spec":
		return l.decode(&o.Spec, o)
	case "status":
		return l.decode(&o.Status, o)
	}
	return l.decode(new(present), o)
}

// items reads the items of a list of the kind, empty if it is not known yet.
func (l *loader) items(listKind string, untyped *[]object) error {
	switch token, err := l.json.Token(); {
	case err != nil:
		return l.fail(err)
	case token == nil:
		return nil
	case token != json.Delim('['):
		return l.errorf("items is %s, not a list; %s", kindOfToken(token), expected)
	}
	for l.json.More() {
		var o object
		if err := l.decode(&o, &o); err != nil {
			return err
		}
		if o.Kind == "" && listKind == "" {
			*untyped = append(*untyped, o)
			continue
		}
		if err := l.addItem(&o, listKind); err != nil {
			return err
		}
	}
	if _, err := l.json.Token(); err != nil {
		return l.fail(err)
	}
	return nil
}

// decode reads the next value. If it is not what belongs there, it goes on, and the object is bad.
func (l *loader) decode(value any, o *object) error {
	err := l.json.Decode(value)
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		if o.bad == nil {
			o.bad = l.fail(err)
		}
		return nil
	}
	if err != nil {
		return l.fail(err)
	}
	return nil
}

// addItem adds an item of a list of the kind.
func (l *loader) addItem(o *object, listKind string) error {
	if o.Kind == "" {
		o.Kind, _ = strings.CutSuffix(listKind, "List")
	}
	if o.Kind == "" && o.bad != nil {
		return o.bad
	}
	if o.Kind == "" {
		return l.errorf("a list item without a kind; %s", expected)
	}
	return l.add(o)
}

// add adds an object of a kind to the cluster.
func (l *loader) add(o *object) error {
	isOurs := o.APIVersion == "v1" || o.APIVersion == ""
	switch {
	case isOurs && o.Kind == "Node":
		if o.bad == nil && o.Spec.Taints.err != nil {
			o.bad = l.errorf("spec.taints: %v", o.Spec.Taints.err)
		}
	case isOurs && o.Kind == "Pod":
	default:
		l.cluster.addOther(o.Kind)
		l.count()
		return nil
	}
	if o.bad != nil {
		return o.bad
	}
	if o.Metadata.Name == "" {
		return l.errorf("a %s without a name", o.Kind)
	}
	if o.Kind == "Node" {
		l.cluster.addNode(o)
	} else {
		l.cluster.addPod(o)
	}
	l.count()
	return nil
}

func (l *loader) count() {
	l.cluster.objects++
	l.progress.tick(l.cluster.objects)
}

const expected = "expected the output of kubectl get nodes,pods -A -o json"

// errorf returns an error with the place that was reached.
func (l *loader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: offset %d: %w", l.name, l.json.InputOffset(), fmt.Errorf(format, args...))
}

// fail explains an error of the decoder.
func (l *loader) fail(err error) error {
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: truncated: it ends in the middle of an object, at offset %d", l.name, l.in.n)
	case errors.As(err, &syntax):
		return l.errorf("not JSON: %w; %s", err, expected)
	case errors.As(err, &wrongType):
		return l.errorf("%s is %s, not %s", fieldName(wrongType), withArticle(wrongType.Value), kindOfType(wrongType.Type))
	}
	return fmt.Errorf("%s: %w", l.name, err)
}

func (l *loader) empty() error {
	if l.name == standardInput {
		return errNoInput
	}
	return fmt.Errorf("%s: empty; %s", l.name, expected)
}

func (l *loader) unexpected(token json.Token) error {
	return l.errorf("%s, not an object; %s", kindOfToken(token), expected)
}

// fieldName returns the path of the field as it is in JSON.
func fieldName(e *json.UnmarshalTypeError) string {
	if e.Field == "" {
		return "a value"
	}
	parts := strings.Split(e.Field, ".")
	for i, s := range parts {
		if s != "" {
			parts[i] = strings.ToLower(s[:1]) + s[1:]
		}
	}
	return strings.Join(parts, ".")
}

// kindOfToken says what begins with the token.
func kindOfToken(t json.Token) string {
	switch t.(type) {
	case json.Delim:
		if t == json.Delim('{') {
			return "an object"
		}
		return "a list"
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "a truth value"
	}
	return "null"
}

// kindOfType says which JSON value belongs into the Go type.
func kindOfType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int64:
		return "a 64-bit integer"
	}
	return "an object"
}

// withArticle names the JSON value that an UnmarshalTypeError calls by one word, or "number" and the number.
func withArticle(value string) string {
	switch {
	case value == "bool":
		return "true or false"
	case value == "array":
		return "a list"
	case value == "object":
		return "an object"
	case strings.HasPrefix(value, "number "):
		return strings.TrimPrefix(value, "number ")
	}
	return "a " + value
}

// A countingReader counts the bytes that are read.
type countingReader struct {
	in io.Reader
	n  int64
}

// Read implements [io.Reader].
func (r *countingReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	r.n += int64(n)
	return n, err
}

// A progress shows on a terminal how many objects have been read, once that takes over a second.
type progress struct {
	w     io.Writer // nil: show nothing
	clock func() time.Time
	next  time.Time // when to show the next number
	width int       // of what is on the screen
}

func newProgress(w io.Writer, isTerminal bool, clock func() time.Time) *progress {
	if !isTerminal {
		w = nil
	}
	return &progress{w: w, clock: clock, next: clock().Add(time.Second)}
}

// tick is told the number of objects after each of them.
func (p *progress) tick(objects int) {
	if p.w == nil || objects%1000 != 0 {
		return
	}
	now := p.clock()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(200 * time.Millisecond)
	p.width, _ = fmt.Fprintf(p.w, "\rread %d objects", objects)
}

// clear takes the number off the screen.
func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	}
}
