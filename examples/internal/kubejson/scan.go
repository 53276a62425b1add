// SPDX-License-Identifier: Apache-2.0

// Package kubejson reads the JSON that kubectl prints: lists and single
// objects, one document after the other, as a stream.
package kubejson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// text is JSON, complete or not.
type text interface{ ~string | ~[]byte }

// errShort says that the text ends before the value does.
var errShort = errors.New("unexpected end of JSON input")

// maxDepth limits how deep values nest, as encoding/json does.
const maxDepth = 10000

// A syntaxError says what is wrong at a place in the text.
type syntaxError struct {
	at      int
	problem string
}

// Error implements error.
func (e *syntaxError) Error() string { return e.problem }

// unexpected returns the error of a character that cannot stand where it does.
func unexpected(b byte, at int, where string) error {
	return &syntaxError{at, fmt.Sprintf("invalid character %q %s", rune(b), where)}
}

// skipSpace returns where the white space that begins at i ends.
func skipSpace[T text](s T, i int) int {
	for i < len(s) && isSpace[s[i]] {
		i++
	}
	return i
}

var isSpace = [256]bool{' ': true, '\t': true, '\r': true, '\n': true}

// skipValue returns where the value that begins at i ends. A number at the end
// of the text counts as complete.
func skipValue[T text](s T, i, depth int) (end int, err error) {
	if i >= len(s) {
		return i, errShort
	}
	switch c := s[i]; {
	case c == '"':
		return skipString(s, i)
	case c == '{' || c == '[':
		return skipNested(s, i, depth+1)
	case c == 't':
		return skipWord(s, i, "true")
	case c == 'f':
		return skipWord(s, i, "false")
	case c == 'n':
		return skipWord(s, i, "null")
	case c == '-' || isDigit(c):
		return skipNumber(s, i)
	default:
		return i, unexpected(c, i, "where a value should begin")
	}
}

// skipNested returns where the object or list ends.
func skipNested[T text](s T, i, depth int) (end int, err error) {
	if depth > maxDepth {
		return i, &syntaxError{i, "nested too deep"}
	}
	isObject, closing := s[i] == '{', s[i]+2 // ASCII has } two after {, and ] two after [
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == closing {
		return i + 1, nil
	}
	for {
		if isObject {
			if i, err = skipKey(s, i); err != nil {
				return i, err
			}
		}
		if i, err = skipValue(s, i, depth); err != nil {
			return i, err
		}
		switch i = skipSpace(s, i); {
		case i >= len(s):
			return i, errShort
		case s[i] == closing:
			return i + 1, nil
		case s[i] != ',':
			return i, unexpected(s[i], i, "after a value")
		}
		i = skipSpace(s, i+1)
	}
}

// skipKey returns where the value after the key that begins at i begins.
func skipKey[T text](s T, i int) (end int, err error) {
	if i >= len(s) {
		return i, errShort
	}
	if s[i] != '"' {
		return i, unexpected(s[i], i, "where a key should begin")
	}
	if i, err = skipString(s, i); err != nil {
		return i, err
	}
	if i = skipSpace(s, i); i >= len(s) {
		return i, errShort
	}
	if s[i] != ':' {
		return i, unexpected(s[i], i, "after a key")
	}
	return skipSpace(s, i+1), nil
}

func skipString[T text](s T, i int) (end int, err error) {
	for i++; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1, nil
		case c < ' ':
			return i, unexpected(c, i, "in a string")
		case c == '\\':
			if i, err = skipEscape(s, i); err != nil {
				return i, err
			}
		}
	}
	return i, errShort
}

// skipEscape returns the place of the last character of an escape sequence.
func skipEscape[T text](s T, i int) (last int, err error) {
	if i++; i >= len(s) {
		return i, errShort
	}
	switch s[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i, nil
	case 'u':
	default:
		return i, unexpected(s[i], i, "after a backslash")
	}
	for range 4 {
		if i++; i >= len(s) {
			return i, errShort
		}
		if c := s[i] | 0x20; !isDigit(s[i]) && (c < 'a' || c > 'f') {
			return i, unexpected(s[i], i, `after \u`)
		}
	}
	return i, nil
}

func skipWord[T text](s T, i int, word string) (end int, err error) {
	for k := range len(word) {
		if i+k >= len(s) {
			return i + k, errShort
		}
		if s[i+k] != word[k] {
			return i + k, unexpected(s[i+k], i+k, "in "+word)
		}
	}
	return i + len(word), nil
}

func skipNumber[T text](s T, i int) (end int, err error) {
	if s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if i, err = skipDigits(s, i); err != nil {
		return i, err
	}
	if i < len(s) && s[i] == '.' {
		if i, err = skipDigits(s, i+1); err != nil {
			return i, err
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		return skipDigits(s, i)
	}
	return i, nil
}

// skipDigits returns where the digits end, of which there must be one.
func skipDigits[T text](s T, i int) (end int, err error) {
	if i >= len(s) {
		return i, errShort
	}
	if !isDigit(s[i]) {
		return i, unexpected(s[i], i, "in a number")
	}
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return i, nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// A Member is a member of an object, or an element of a list, which has no key.
// Its places are those in the parent's text.
type Member[T text] struct {
	Key           T
	Start, KeyEnd int // of the key with its quotes, or both of the element
	Value, End    int
}

// Of returns the text of the member's value.
func (m Member[T]) Of(parent T) T { return parent[m.Value:m.End] }

// Members returns the members of an object, or the elements of a list, which is
// valid JSON. Any other value has none.
func Members[T text](parent T) iter.Seq[Member[T]] {
	return func(yield func(Member[T]) bool) {
		if len(parent) == 0 || parent[0] != '{' && parent[0] != '[' {
			return
		}
		isObject := parent[0] == '{'
		for i := skipSpace(parent, 1); i < len(parent)-1; {
			m := Member[T]{Start: i, KeyEnd: i, Value: i}
			if isObject {
				m.KeyEnd = endOfString(parent, i)
				m.Key = unquoted(parent[i:m.KeyEnd])
				m.Value = skipSpace(parent, skipSpace(parent, m.KeyEnd)+1)
			}
			m.End = endOfValue(parent, m.Value)
			if !yield(m) {
				return
			}
			i = skipSpace(parent, skipSpace(parent, m.End)+1)
		}
	}
}

// unquoted returns the string, which is valid JSON, without its quotes and
// escape sequences.
func unquoted[T text](quoted T) T {
	for i := range len(quoted) {
		if quoted[i] == '\\' {
			var s string
			json.Unmarshal([]byte(quoted), &s)
			return T(s)
		}
	}
	return quoted[1 : len(quoted)-1]
}

// endOfValue returns where the value of valid JSON that begins at i ends. It is
// faster than skipValue.
func endOfValue[T text](s T, i int) int {
	switch s[i] {
	case '"':
		return endOfString(s, i)
	case '{', '[':
	default:
		for i < len(s) && !ends[s[i]] {
			i++
		}
		return i
	}
	for depth := 0; ; i++ {
		for nests[s[i]] == 0 {
			i++
		}
		if s[i] == '"' {
			i = endOfString(s, i) - 1
			continue
		}
		if depth += int(nests[s[i]]); depth == 0 {
			return i + 1
		}
	}
}

// End returns where the value that begins at the place in valid JSON ends.
func End[T text](s T, place int) int { return endOfValue(s, place) }

// ends holds what can stand after a number or a word; nests, what changes the
// depth, and quotes.
var (
	ends  = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, ',': true, ']': true, '}': true}
	nests = [256]int8{'{': 1, '[': 1, '}': -1, ']': -1, '"': 2}
)

// endOfString is endOfValue for a string.
func endOfString[T text](s T, i int) int {
	for i++; s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// Kind says in words what the value is.
func Kind[T text](value T) string {
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}

// IsEmpty reports whether the value is null, or a list, object or string
// without content.
func IsEmpty(value []byte) bool {
	switch {
	case len(value) == 0, bytes.Equal(value, []byte("null")), bytes.Equal(value, []byte(`""`)):
		return true
	}
	isNested := value[0] == '{' || value[0] == '['
	return isNested && skipSpace(value, 1) == len(value)-1
}
