// SPDX-License-Identifier: Apache-2.0

package kubejson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode decodes the value of the field, which is valid JSON. An error names
// the field and says in words what does not fit.
func Decode(field string, value []byte, into any) error {
	err := json.Unmarshal(value, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return fmt.Errorf("%s: %w", field+culprit(value, into), err)
	case wrong.Field != "":
		field += "." + wrong.Field
	}
	return fmt.Errorf("%s is %s, not %s", field, withArticle(wrong.Value), kindOfType(wrong.Type))
}

// culprit returns the member of an object that cannot be decoded by itself, as
// in ".timeAdded"; empty where the value is none.
func culprit(value []byte, into any) string {
	if value[0] != '{' {
		return ""
	}
	for m := range Members(value) {
		if json.Unmarshal([]byte("{"+string(value[m.Start:m.End])+"}"), into) != nil {
			return "." + string(m.Key)
		}
	}
	return ""
}

// DecodeList decodes a list element by element, so that an error names the one
// that does not fit. Null is no elements.
func DecodeList[E any](field string, value []byte) ([]E, error) {
	if string(value) == "null" {
		return nil, nil
	}
	if value[0] != '[' {
		return nil, fmt.Errorf("%s is %s, not a list", field, Kind(value))
	}
	var list []E
	for m := range Members(value) {
		var e E
		if err := Decode(fmt.Sprintf("%s[%d]", field, len(list)), m.Of(value), &e); err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// DecodeString decodes a string; null is the empty one.
func DecodeString(field string, value []byte) (string, error) {
	if value[0] == '"' {
		var s string
		err := Decode(field, value, &s) // which makes valid UTF-8 of it
		return s, err
	}
	if string(value) == "null" {
		return "", nil
	}
	return "", fmt.Errorf("%s is %s, not a string", field, Kind(value))
}

// Fields calls take for every member of the object that is the value of the
// field. Null has none.
func Fields(field string, value []byte, take func(key, value []byte) error) error {
	if string(value) == "null" {
		return nil
	}
	if value[0] != '{' {
		return fmt.Errorf("%s is %s, not an object", field, Kind(value))
	}
	for m := range Members(value) {
		if err := take(m.Key, m.Of(value)); err != nil {
			return err
		}
	}
	return nil
}

// withArticle names the JSON value that an UnmarshalTypeError calls by one
// word, or "number" and the number.
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
