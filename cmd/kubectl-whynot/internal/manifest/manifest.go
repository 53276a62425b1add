// SPDX-License-Identifier: Apache-2.0

// Package manifest reads Kubernetes objects from files, URLs and streams.
package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
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
	if mark, _ := buffered.Peek(1); len(mark) > 0 && mark[0] >= 0xEF { // as PowerShell writes
		buffered = bufio.NewReader(transform.NewReader(buffered, unicode.BOMOverride(unicode.UTF8.NewDecoder())))
	}
	if start, _ := buffered.Peek(1 << 12); utilyaml.IsJSONBuffer(start) {
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

func readYAML(document []byte, add func(Object) error) error {
	object, err := yaml.YAMLToJSON(document)
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
			if err := readItems(d, list, add); err != nil {
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
	if _, err := d.ReadToken(); err != nil || isList {
		return err
	}
	list.json = append(whole, '}')
	list.readHeader()
	return add(list)
}

// readItems reads the items of a list, which may be lists themselves. An item
// without a kind gets the list's kind, if that is already known.
func readItems(d *jsontext.Decoder, list Object, add func(Object) error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		m := Object{APIVersion: list.APIVersion, Kind: strings.TrimSuffix(list.Kind, "List"), json: value}
		m.readHeader()
		if m.Kind == "List" {
			err = readJSON(bytes.NewReader(value), add)
		} else {
			err = add(m)
		}
		if err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	_, err := d.ReadToken()
	return err
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
	return json.Unmarshal(m.json, into, append(o, lenient...)...)
}
