// SPDX-License-Identifier: Apache-2.0

package kubejson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// An Error says what is wrong with an input.
type Error struct {
	Input string
	// Object names the object, as in "pod default/web"; empty where it is about
	// the input.
	Object string
	Err    error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Object == "" {
		return e.Input + ": " + e.Err.Error()
	}
	return e.Input + ": " + e.Object + ": " + e.Err.Error()
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// ErrEmpty is the error of an input without content.
var ErrEmpty = errors.New("empty")

const expected = "expected what kubectl get prints with -o json"

// errorf returns an error with the place that was reached.
func (r *reader) errorf(format string, args ...any) error {
	return &Error{Input: r.input, Err: fmt.Errorf("offset %d: "+format, append([]any{r.offset()}, args...)...)}
}

// wrong returns an error about an object.
func (r *reader) wrong(o *Object, format string, args ...any) error {
	return &Error{Input: r.input, Object: o.describe(), Err: fmt.Errorf(format, args...)}
}

// truncated explains that the input ends too early, or returns the error that
// is more than that.
func (r *reader) truncated(err error) error {
	if err != io.EOF {
		return err
	}
	at := r.passed + int64(len(r.buf))
	return &Error{Input: r.input, Err: fmt.Errorf("truncated: it ends in the middle of an object, at offset %d", at)}
}

// invalid explains an error of the scanner.
func (r *reader) invalid(err error) error {
	at := r.offset()
	var syntax *syntaxError
	if errors.As(err, &syntax) {
		at = r.passed + int64(syntax.at)
	}
	return &Error{Input: r.input, Err: fmt.Errorf("offset %d: not JSON: %w; %s", at, err, expected)}
}

// atEnd returns why the end of the input is an error, nil if it is none.
func (r *reader) atEnd() error {
	if r.document > 0 {
		return nil
	}
	return &Error{Input: r.input, Err: fmt.Errorf("%w; %s", ErrEmpty, expected)}
}

// notAnObject explains what stands where a document should begin.
func (r *reader) notAnObject(c byte) error {
	for len(r.buf)-r.at < 100 {
		if err := r.fill(); err != nil {
			break
		}
	}
	line, _, _ := bytes.Cut(r.buf[r.at:min(len(r.buf), r.at+100)], []byte("\n"))
	switch {
	case isYAML(string(line)):
		return &Error{
			Input: r.input,
			Err: fmt.Errorf("this is YAML, and only JSON is read: ask kubectl for -o json, or convert"+
				" the file with: kubectl patch --local --type=merge -p '{}' -o json -f %s", fileName(r.input)),
		}
	case c != '[' && c != '"' && !isDigit(c) && c != '-' &&
		string(line) != "true" && string(line) != "false" && string(line) != "null":
		return r.errorf("not JSON: it begins with %q; %s", string(bytes.TrimSpace(line)), expected)
	}
	return r.errorf("%s, not an object; %s", Kind([]byte{c}), expected)
}

// fileName returns what to write for the file on a command line.
func fileName(input string) string {
	if input == StandardInput {
		return "FILE"
	}
	if strings.ContainsFunc(input, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._/-", r)
	}) {
		return "'" + strings.ReplaceAll(input, "'", `'\''`) + "'"
	}
	return input
}

// isYAML reports whether a manifest in YAML begins with the line.
func isYAML(line string) bool {
	line = strings.TrimRight(line, " \r")
	if line == "---" || strings.HasPrefix(line, "--- ") ||
		strings.HasPrefix(line, "#") || strings.HasPrefix(line, "%YAML") {
		return true
	}
	key, rest, ok := strings.Cut(strings.TrimPrefix(line, "- "), ":")
	if !ok || rest != "" && rest[0] != ' ' {
		return false
	}
	switch key {
	case "apiVersion", "kind", "metadata", "items", "spec", "status":
		return true
	}
	return false
}

// statusError returns what a server says in a Status.
func statusError(status []byte) error {
	var s struct{ Message, Reason string }
	json.Unmarshal(status, &s) // as far as it fits
	switch {
	case s.Message == "" && s.Reason == "":
		return errors.New("a Status of the server, and no objects")
	case s.Message == "":
		return fmt.Errorf("the server says: %s", s.Reason)
	}
	return fmt.Errorf("the server says: %s", s.Message)
}

// describe names the object as people do: by kind, namespace and name, or by
// its place where it has no name.
func (o *Object) describe() string {
	var meta struct{ name, namespace []byte }
	for m := range Members(o.JSON) {
		if string(m.Key) != "metadata" {
			continue
		}
		for f := range Members(m.Of(o.JSON)) {
			switch value := f.Of(m.Of(o.JSON)); {
			case value[0] != '"':
			case string(f.Key) == "name":
				meta.name = unquoted(value)
			case string(f.Key) == "namespace":
				meta.namespace = unquoted(value)
			}
		}
	}
	kind := cmp.Or(strings.ToLower(o.Kind), "object")
	switch {
	case len(meta.name) == 0 && o.Place == "":
		return kind
	case len(meta.name) == 0:
		return kind + " at " + o.Place
	case len(meta.namespace) > 0:
		return fmt.Sprintf("%s %s/%s", kind, meta.namespace, meta.name)
	case o.Kind == "Pod":
		return fmt.Sprintf("pod default/%s", meta.name)
	}
	return fmt.Sprintf("%s %s", kind, meta.name)
}
