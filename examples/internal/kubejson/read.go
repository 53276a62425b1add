// SPDX-License-Identifier: Apache-2.0

package kubejson

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// An Object is an object of the input: a document, or an item of a list.
type Object struct {
	// Kind and APIVersion are its own, or follow from the list that it is in.
	Kind, APIVersion string
	// JSON is valid. It may be overwritten once the object has been taken.
	JSON []byte
	// Start and End say where it stands in the input, in bytes.
	Start, End int64
	// Place is where it stands among the others, as in "items[3]".
	Place string
}

// IsCore reports whether the object is of the kind in the core group, where v1
// is the only version.
func (o *Object) IsCore(kind string) bool {
	return o.Kind == kind && (o.APIVersion == "v1" || o.APIVersion == "")
}

// StandardInput is the name of that input in messages.
const StandardInput = "standard input"

// Read reads all documents of the input and hands every object to take: the
// items of a list, or the document itself. It stops at the first error, which
// names the input, the object and the field where there are such. A Status,
// which is what a server answers with when it fails, is an error too.
//
// One object is held at a time; of a list whose kind follows its items, which
// do not say theirs, all.
func Read(input string, in io.Reader, take func(*Object) error) error {
	r := &reader{input: input, in: in, take: take, buf: make([]byte, 0, firstSize)}
	if err := r.skipBOM(); err != nil {
		return err
	}
	for r.document = 0; ; r.document++ {
		c, err := r.peek()
		if err == io.EOF {
			return r.atEnd()
		}
		if err != nil {
			return err
		}
		if c != '{' {
			return r.notAnObject(c)
		}
		if err := r.readDocument(); err != nil {
			return err
		}
	}
}

// firstSize is the size of the buffer, which grows for larger objects.
const firstSize = 256 << 10

// A reader reads JSON documents.
type reader struct {
	input    string
	in       io.Reader
	take     func(*Object) error
	buf      []byte // what is read and not passed yet is buf[at:]
	at       int
	passed   int64 // the place of buf[0] in the input
	document int   // that is being read
	atEOF    bool
}

// offset returns the place in the input.
func (r *reader) offset() int64 { return r.passed + int64(r.at) }

// fill reads more, and returns io.EOF where there is no more.
func (r *reader) fill() error {
	if r.atEOF {
		return io.EOF
	}
	if r.at > 0 {
		r.passed += int64(r.at)
		r.buf = r.buf[:copy(r.buf, r.buf[r.at:])]
		r.at = 0
	}
	if len(r.buf) == cap(r.buf) {
		r.buf = append(make([]byte, 0, 2*cap(r.buf)), r.buf...)
	}
	for range 100 {
		n, err := r.in.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.atEOF = err == io.EOF
		switch {
		case n > 0:
			return nil
		case err == io.EOF:
			return io.EOF
		case err != nil:
			return &Error{Input: r.input, Err: err}
		}
	}
	return &Error{Input: r.input, Err: io.ErrNoProgress}
}

// skipBOM skips the byte order mark that some shells put before the text.
func (r *reader) skipBOM() error {
	for len(r.buf) < 3 {
		if err := r.fill(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	if string(r.buf[:3]) == "\uFEFF" {
		r.at = 3
	}
	return nil
}

// peek returns the next character that is not white space.
func (r *reader) peek() (byte, error) {
	for {
		if r.at = skipSpace(r.buf, r.at); r.at < len(r.buf) {
			return r.buf[r.at], nil
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
}

// expect passes the character.
func (r *reader) expect(want byte, where string) error {
	c, err := r.peek()
	if err != nil {
		return r.truncated(err)
	}
	if c != want {
		return r.invalid(unexpected(c, r.at, where))
	}
	r.at++
	return nil
}

// value returns the next value, which is valid until the next read.
func (r *reader) value() ([]byte, error) {
	if _, err := r.peek(); err != nil {
		return nil, r.truncated(err)
	}
	for {
		end, err := skipValue(r.buf, r.at, 0)
		isOpen := errors.Is(err, errShort) || err == nil && end == len(r.buf)
		if isOpen && !r.atEOF { // a number may go on
			if err := r.fill(); err != nil && err != io.EOF {
				return nil, err
			}
			continue
		}
		if errors.Is(err, errShort) {
			return nil, r.truncated(io.EOF)
		}
		if err != nil {
			return nil, r.invalid(err)
		}
		v := r.buf[r.at:end]
		r.at = end
		return v, nil
	}
}

// A document is what is known of an object at the top while it is read.
type document struct {
	Object
	isList  bool
	items   int
	untyped []Object // an item without a kind, which follows from the list's, and those after it
}

// readDocument reads an object at the top: a list, whose items it takes one at
// a time, or any other object.
func (r *reader) readDocument() error {
	d := document{Object: Object{Start: r.offset(), JSON: []byte{'{'}}}
	if r.document > 0 {
		d.Place = fmt.Sprintf("document %d", r.document+1)
	}
	r.at++
	for first := true; ; first = false {
		c, err := r.peek()
		if err != nil {
			return r.truncated(err)
		}
		if c == '}' {
			break
		}
		if !first {
			if err := r.expect(',', "after a value"); err != nil {
				return err
			}
		}
		if err := r.readMember(&d); err != nil {
			return err
		}
	}
	r.at++
	d.JSON, d.End = append(d.JSON, '}'), r.offset()
	return r.finish(&d)
}

// readMember reads a key and its value.
func (r *reader) readMember(d *document) error {
	c, err := r.peek()
	if err != nil {
		return r.truncated(err)
	}
	if c != '"' {
		return r.invalid(unexpected(c, r.at, "where a key should begin"))
	}
	quoted, err := r.value()
	if err != nil {
		return err
	}
	quoted = append([]byte(nil), quoted...)
	if err := r.expect(':', "after a key"); err != nil {
		return err
	}
	key := string(unquoted(quoted))
	if key == "items" {
		return r.readItems(d)
	}
	value, err := r.value()
	if err != nil {
		return err
	}
	if len(d.JSON) > 1 {
		d.JSON = append(d.JSON, ',')
	}
	d.JSON = append(append(append(d.JSON, quoted...), ':'), value...)
	d.setType(key, value)
	return nil
}

// setType takes the kind and the version from the member.
func (o *Object) setType(key string, value []byte) {
	if value[0] != '"' {
		return
	}
	switch key {
	case "kind":
		o.Kind = string(unquoted(value))
	case "apiVersion":
		o.APIVersion = string(unquoted(value))
	}
}

// readItems reads the items of a list.
func (r *reader) readItems(d *document) error {
	if d.isList {
		return r.errorf("items is a duplicate member")
	}
	d.isList = true
	c, err := r.peek()
	if err != nil {
		return r.truncated(err)
	}
	if c != '[' {
		value, err := r.value()
		if err != nil || string(value) == "null" {
			return err
		}
		return r.errorf("items is %s, not a list; %s", Kind(value), expected)
	}
	r.at++
	for ; ; d.items++ {
		c, err := r.peek()
		if err != nil {
			return r.truncated(err)
		}
		if c == ']' {
			r.at++
			return nil
		}
		if d.items > 0 {
			if err := r.expect(',', "after a value"); err != nil {
				return err
			}
		}
		if err := r.readItem(d); err != nil {
			return err
		}
	}
}

// readItem reads an item of a list and takes it if its kind is known.
func (r *reader) readItem(d *document) error {
	value, err := r.value()
	if err != nil {
		return err
	}
	end := r.offset()
	o := Object{JSON: value, Start: end - int64(len(value)), End: end, Place: fmt.Sprintf("items[%d]", d.items)}
	if d.Place != "" {
		o.Place = d.Place + ", " + o.Place
	}
	if value[0] != '{' {
		return r.wrong(&o, "it is %s, not an object", Kind(value))
	}
	for m := range Members(value) {
		o.setType(string(m.Key), m.Of(value))
		if o.Kind != "" && o.APIVersion != "" {
			break
		}
	}
	if o.Kind == "" && d.Kind == "" || len(d.untyped) > 0 {
		o.JSON = append([]byte(nil), value...)
		d.untyped = append(d.untyped, o)
		return nil
	}
	return r.takeItem(&o, d)
}

func (r *reader) takeItem(o *Object, d *document) error {
	if o.Kind == "" {
		o.Kind, _ = strings.CutSuffix(d.Kind, "List")
		if o.APIVersion == "" {
			o.APIVersion = d.APIVersion
		}
	}
	if o.Kind == "" {
		return r.wrong(o, "it has no kind, and neither has the list; %s", expected)
	}
	return r.hand(o)
}

// finish takes what is left of a document that has been read.
func (r *reader) finish(d *document) error {
	if !d.isList && d.Kind == "" {
		return r.wrong(&d.Object, "it has no kind; %s", expected)
	}
	if d.Kind == "Status" && d.IsCore("Status") && !d.isList {
		return &Error{Input: r.input, Err: statusError(d.JSON)}
	}
	if !d.isList {
		return r.hand(&d.Object)
	}
	for i := range d.untyped {
		if err := r.takeItem(&d.untyped[i], d); err != nil {
			return err
		}
	}
	return nil
}

// hand hands on an object, and names the input and the object in an error.
func (r *reader) hand(o *Object) error {
	err := r.take(o)
	var named *Error
	if err == nil || errors.As(err, &named) {
		return err
	}
	return &Error{Input: r.input, Object: o.describe(), Err: err}
}
