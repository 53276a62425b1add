// SPDX-License-Identifier: Apache-2.0

// Package manifest reads Kubernetes objects from files, URLs and streams.
package manifest

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	yamlv4 "go.yaml.in/yaml/v4"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
)

// An Object is one Kubernetes object as JSON. It is only valid until the next one is read.
type Object struct {
	APIVersion, Kind string

	json     jsontext.Value
	repeated []string // paths of names that YAML had twice
}

// Kubernetes also accepts duplicate names and invalid UTF-8.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// ReadPath calls add for each object of a file, a directory or a URL. A timeout of 0
// means none.
func ReadPath(path string, recursive bool, timeout time.Duration, add func(Object) error) error {
	if strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") {
		return readURL(path, timeout, add)
	}
	files, err := resource.ExpandPathsToFileVisitors(nil, path, recursive, resource.FileExtensions, nil)
	for _, file := range files {
		path := file.(*resource.FileVisitor).Path
		f, err := os.Open(path)
		if err == nil {
			err = Read(path, f, add)
			f.Close()
		}
		if err != nil {
			return err
		}
	}
	return err
}

func readURL(url string, timeout time.Duration, add func(Object) error) error {
	response, err := (&http.Client{Timeout: timeout}).Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	name := say.WithoutPassword(url)
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", name, response.Status)
	}
	return Read(name, response.Body, add)
}

// Read calls add for each object of a stream of JSON or YAML, and for each item of a
// list. Of JSON, it keeps only one object at a time. Errors have the stream's name.
func Read(name string, r io.Reader, add func(Object) error) error {
	if err := inWords(read(r, add)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func read(r io.Reader, add func(Object) error) error {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := buffered.Peek(1); len(mark) > 0 && mark[0] >= 0xEF { // as PowerShell writes
		buffered = bufio.NewReader(transform.NewReader(buffered, unicode.BOMOverride(unicode.UTF8.NewDecoder())))
	}
	start, _ := buffered.Peek(1 << 12)
	start = bytes.TrimSpace(start)
	isTemplate := bytes.HasPrefix(start, []byte("{{"))
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return errors.New("this is gzip: unzip it first, as with 'gunzip'")
	case !isTemplate && bytes.IndexAny(start, "{[") == 0:
		return readJSON(buffered, add)
	case bytes.ContainsFunc(start, isBinary):
		return errors.New("this is not text; " + Expected)
	case isTemplate:
		return errTemplate
	case failed.Match(start):
		line, _, _ := bytes.Cut(start, []byte("\n"))
		return fmt.Errorf("this is an error of kubectl, without objects: %s", line)
	case forPeople.Match(start):
		return errors.New("this is a table, or the output of 'kubectl describe'; " + Expected)
	}
	documents := utilyaml.NewYAMLReader(buffered)
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := readYAML(document, add); err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
	}
}

// isBinary reports whether the character is in no text. Colors begin with an escape.
func isBinary(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r) }

var errTemplate = errors.New("this is a template: render it first, as with 'helm template'")

// Expected says what to read instead.
const Expected = "whynot reads what 'kubectl get nodes,pods -A -o json' prints"

// failed matches what kubectl prints if it fails or finds nothing.
var failed = regexp.MustCompile(`^(Error from server|error: |Unable to connect to the server|The connection to the server|No resources found)`)

// forPeople matches the first line of a table, or of the output of "kubectl describe".
var forPeople = regexp.MustCompile(`^(Name: +\S|[A-Z][A-Z ()-]*(\r?\n|$))`)

// tabbed matches a line that is indented with a tab.
var tabbed = regexp.MustCompile(`(?m)^ *\t`)

func readYAML(document []byte, add func(Object) error) error {
	object, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		var root yamlv4.Node
		_ = yamlv4.Unmarshal(document, &root) // without one, no name is repeated
		names := repeated(&root, "")
		addAll := add
		add = func(o Object) error {
			o.repeated = names
			return addAll(o)
		}
		object, err = yaml.YAMLToJSON(document)
	}
	switch {
	case err == nil && string(object) != "null": // as of only comments
		return readJSON(bytes.NewReader(object), add)
	case err != nil && utf8.Valid(document) && bytes.Contains(document, []byte("{{")):
		return errTemplate
	case err != nil && tabbed.Match(document):
		return fmt.Errorf("%w: a line begins with a tab, and YAML indents with spaces", err)
	}
	return err
}

// repeated returns the paths of the names that their object already has.
func repeated(n *yamlv4.Node, path string) (list []string) {
	names := make(map[string]bool)
	for i, child := range n.Content {
		at := path
		switch {
		case n.Kind == yamlv4.SequenceNode:
			at += fmt.Sprintf("[%d]", i)
		case n.Kind == yamlv4.MappingNode:
			name := n.Content[i-i%2].Value
			at = strings.TrimPrefix(path+"."+name, ".")
			if i%2 == 0 && names[name] {
				list = append(list, at)
			}
			names[name] = true
		}
		list = append(list, repeated(child, at)...)
	}
	return list
}

// readJSON reads successive objects and lists.
func readJSON(r io.Reader, add func(Object) error) error {
	d := jsontext.NewDecoder(r, lenient...)
	for {
		var err error
		switch kind := d.PeekKind(); {
		case kind == '{':
			err = readObject(d, Object{}, add)
		case kind == '[':
			err = readItems(d, Object{}, func(_ int, o Object) error { return add(o) })
		case bytes.HasPrefix(bytes.TrimSpace(d.UnreadBuffer()), []byte("=")):
			rest := bufio.NewReader(io.MultiReader(bytes.NewReader(d.UnreadBuffer()), r))
			skipLogs(rest)
			r, d = rest, jsontext.NewDecoder(rest, lenient...)
		case kind == 0:
			if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
				return nil
			}
		default:
			err = errors.New("this has no Kubernetes objects; " + Expected)
		}
		if err != nil {
			return err
		}
	}
}

// skipLogs skips the logs that "kubectl cluster-info dump" prints between objects.
func skipLogs(r *bufio.Reader) {
	for {
		line, err := r.ReadString('\n')
		next, _ := r.Peek(4)
		if err != nil || strings.Contains(line, "==== END logs for container") && string(next) != "====" {
			return
		}
	}
}

// readObject reads an object that has the header unless it says another, or a list.
func readObject(d *jsontext.Decoder, o Object, add func(Object) error) error {
	_, _ = d.ReadToken() // the brace; an error stays until the next token
	isList := false
	unknown := make(map[int]Object) // items without a kind, before that of the list
	o.json = append(o.json[:0], '{')
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		if name == "items" && d.PeekKind() == '[' {
			isList = true
			err := readItems(d, o.item(), func(i int, item Object) error {
				if item.Kind != "" {
					return add(item)
				}
				item.json = item.json.Clone()
				unknown[i] = item
				return nil
			})
			if err != nil {
				return err
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		switch name { // anything but text is missing
		case "kind":
			_ = json.Unmarshal(value, &o.Kind)
		case "apiVersion":
			_ = json.Unmarshal(value, &o.APIVersion)
		}
		if len(o.json) > 1 {
			o.json = append(o.json, ',')
		}
		o.json, _ = jsontext.AppendQuote(o.json, name)
		o.json = append(append(o.json, ':'), value...)
	}
	o.json = append(o.json, '}')
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if !isList {
		return add(o)
	}
	for _, i := range slices.Sorted(maps.Keys(unknown)) {
		item := unknown[i]
		item.APIVersion, item.Kind = o.APIVersion, o.item().Kind
		if err := add(item); err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return nil
}

// item returns the header of items that have none.
func (o *Object) item() Object {
	return Object{APIVersion: o.APIVersion, Kind: strings.TrimSuffix(o.Kind, "List")}
}

// readItems reads the items of a list, which may be lists themselves.
func readItems(d *jsontext.Decoder, header Object, add func(int, Object) error) error {
	_, _ = d.ReadToken() // the bracket
	i := 0
	reuse := func(o Object) error {
		header.json = o.json
		return add(i, o)
	}
	for ; d.PeekKind() == '{'; i++ {
		if err := readObject(d, header, reuse); err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	if kind := d.PeekKind(); kind != ']' && kind != 0 {
		return fmt.Errorf("items[%d] is %s and must be an object", i, kindWords[kind])
	}
	_, err := d.ReadToken()
	return err
}

// Decode decodes the object. The error names the first mistake.
func (o *Object) Decode(into any, options ...json.Options) error {
	return inWords(json.Unmarshal(o.json, into, append(options, lenient...)...))
}

// Skip leaves out what has the type.
func Skip[T any]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ *T) error { return d.SkipValue() })
}

// Times decodes the usual times much faster than their own method does.
var Times = json.UnmarshalFromFunc(func(d *jsontext.Decoder, t *metav1.Time) error {
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	at, err := time.Parse(`"`+time.RFC3339+`"`, string(value))
	if err == nil {
		t.Time = at.Local()
		return nil
	}
	if err := t.UnmarshalJSON(value); err != nil {
		return &json.SemanticError{JSONKind: value.Kind(), Err: err}
	}
	return nil
})

// A typeError says that the field has a value of another type.
type typeError struct{ path, text string }

func (e *typeError) Error() string { return e.text }

var inTolerations = regexp.MustCompile(`\bspec\.tolerations$|\btolerations\[`)

// IsInTolerations reports whether the error says that tolerations have a value of another
// type, which an API server refuses.
func IsInTolerations(err error) bool {
	e, ok := errors.AsType[*typeError](err)
	return ok && inTolerations.MatchString(e.path)
}

// inWords returns an error of the JSON decoder in the words of this program.
func inWords(err error) error {
	semantic, isSemantic := errors.AsType[*json.SemanticError](err)
	syntactic, isSyntactic := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case isSemantic && semantic.GoType != nil && kindWords[semantic.JSONKind] != "":
		text := fmt.Sprintf("%s is %s and must be %s", pathOf(semantic.JSONPointer), kindWords[semantic.JSONKind], wordsOf(semantic.GoType))
		if semantic.GoType.Kind() == reflect.String && strings.ContainsRune("tf0", rune(semantic.JSONKind)) {
			text += ": put it in quotes"
		}
		return &typeError{pathOf(semantic.JSONPointer), text}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON ends too early, as if it was cut")
	case isSyntactic:
		return fmt.Errorf("this is not JSON: %s at byte %d", strings.TrimPrefix(syntactic.Err.Error(), "jsontext: "), syntactic.ByteOffset+1)
	}
	return err
}

var index = regexp.MustCompile(`/(\d+)(/|$)`)

// pathOf returns the path as Kubernetes writes it.
func pathOf(p jsontext.Pointer) string {
	path := strings.ReplaceAll(index.ReplaceAllString(string(p), "[$1]$2"), "/", ".")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(path, "."))
}

var kindWords = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '0': "a number", '"': "text", '{': "an object", '[': "a list",
}

var typeWords = map[reflect.Kind]string{
	reflect.String: "text", reflect.Bool: "true or false", reflect.Slice: "a list", reflect.Map: "an object", reflect.Struct: "an object",
}

// wordsOf returns what a value of the type is called in JSON.
func wordsOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Name() {
	case "Time":
		return "a time such as 2026-11-21T01:24:00Z"
	case "Quantity":
		return "a quantity such as 500m or 2Gi"
	}
	return cmp.Or(typeWords[t.Kind()], "a whole number")
}
