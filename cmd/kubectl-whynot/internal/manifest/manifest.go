// SPDX-License-Identifier: Apache-2.0

// Package manifest reads Kubernetes objects from files, URLs and streams.
package manifest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// A Object is one Kubernetes object as JSON.
type Object struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	json       jsontext.Value // valid until the next one is read
}

// Kubernetes also accepts duplicate names and invalid UTF-8.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// Read calls add for each object of a stream of JSON or YAML documents,
// and for each item of a list. It keeps only one object at a time, even for long
// JSON lists.
func Read(r io.Reader, add func(Object) error) error {
	buffered := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := buffered.Peek(2); string(magic) == "\x1f\x8b" {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return err
		}
		buffered = bufio.NewReaderSize(unzipped, 1<<16)
	}
	if mark, _ := buffered.Peek(1); len(mark) > 0 && mark[0] >= 0xEF { // as PowerShell writes
		buffered = bufio.NewReader(transform.NewReader(buffered, unicode.BOMOverride(unicode.UTF8.NewDecoder())))
	}
	start, _ := buffered.Peek(1 << 12)
	if bytes.HasPrefix(bytes.TrimSpace(start), []byte("{{")) {
		return errTemplate
	}
	if utilyaml.IsJSONBuffer(start) {
		return readJSON(buffered, add)
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

var errTemplate = errors.New("this is a template: render it first, as with 'helm template'")

func readYAML(document []byte, add func(Object) error) error {
	object, err := yaml.YAMLToJSON(document)
	if err != nil && bytes.Contains(document, []byte("{{")) {
		return errTemplate
	}
	if err != nil || string(object) == "null" { // only comments
		return err
	}
	return readJSON(bytes.NewReader(object), add)
}

// readJSON reads successive objects and lists.
func readJSON(r io.Reader, add func(Object) error) error {
	d := jsontext.NewDecoder(r, lenient...)
	for {
		switch d.PeekKind() {
		case '{':
			if err := readObject(d, add); err != nil {
				return err
			}
			continue
		case 0:
			if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		}
		return errors.New("expected Kubernetes objects, as 'kubectl get nodes,pods -A -o json' prints them")
	}
}

// readObject reads an object. If it is a list, it reads one item at a time.
func readObject(d *jsontext.Decoder, add func(Object) error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	var list Object
	var unknown []jsontext.Value // items without a kind, before that of the list
	whole := jsontext.Value{'{'}
	isList := false
	for d.PeekKind() == '"' {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		name := string(value)
		if name == `"items"` && d.PeekKind() == '[' {
			isList = true
			list.json = whole
			list.readHeader()
			if unknown, err = readItems(d, list, add); err != nil {
				return err
			}
			continue
		}
		if len(whole) > 1 {
			whole = append(whole, ',')
		}
		whole = append(append(whole, name...), ':')
		if value, err = d.ReadValue(); err != nil {
			return err
		}
		whole = append(whole, value...)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	list.json = append(whole, '}')
	list.readHeader()
	if !isList {
		return add(list)
	}
	for i, value := range unknown {
		if err := list.item(value, add); err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return nil
}

// readItems reads the items of a list. It returns them instead if they and the
// list have no kind yet.
func readItems(d *jsontext.Decoder, list Object, add func(Object) error) (unknown []jsontext.Value, err error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if m := (Object{json: value}); list.Kind == "" && len(unknown) == i {
			if m.readHeader(); m.Kind == "" {
				unknown = append(unknown, value.Clone())
				continue
			}
		}
		if err := list.item(value, add); err != nil {
			return nil, fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	_, err = d.ReadToken()
	return unknown, err
}

// item adds an item of the list, which may be a list itself. An item without a
// kind gets the list's kind.
func (m *Object) item(value jsontext.Value, add func(Object) error) error {
	item := Object{APIVersion: m.APIVersion, Kind: strings.TrimSuffix(m.Kind, "List"), json: value}
	item.readHeader()
	if item.Kind == "List" {
		return readJSON(bytes.NewReader(value), add)
	}
	return add(item)
}

// readHeader finds the kind of the object, which usually comes first. It reads
// no more than necessary.
func (m *Object) readHeader() {
	d := jsontext.NewDecoder(bytes.NewBuffer(m.json), lenient...)
	_, err := d.ReadToken()
	for found := 0; err == nil && found < 2 && d.PeekKind() == '"'; {
		name, _ := d.ReadToken()
		switch name.String() {
		case "kind":
			err = json.UnmarshalDecode(d, &m.Kind)
			found++
		case "apiVersion":
			err = json.UnmarshalDecode(d, &m.APIVersion)
			found++
		default:
			err = d.SkipValue()
		}
	}
}

// Decode decodes the object.
func (m *Object) Decode(into any, o ...json.Options) error {
	err := json.Unmarshal(m.json, into, append(o, lenient...)...)
	var semantic *json.SemanticError
	if errors.As(err, &semantic) && semantic.GoType != nil && semantic.GoType.Kind() == reflect.String {
		if have := map[jsontext.Kind]string{'t': "true", 'f': "false", '0': "a number"}[semantic.JSONKind]; have != "" {
			return fmt.Errorf("%s is %s and must be text: put it in quotes", semantic.JSONPointer, have)
		}
	}
	return err
}
