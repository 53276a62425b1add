// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode decodes the object. The error names the first mistakes.
func (o *Object) Decode(into any, options ...json.Options) error {
	err := json.Unmarshal(o.json, into, append(options, lenient...)...)
	if err == nil {
		return nil
	}
	var mistakes []error
	value := o.json
	for err != nil && len(mistakes) < 3 {
		mistakes = append(mistakes, inWords(err))
		var semantic *json.SemanticError
		if !errors.As(err, &semantic) {
			break
		}
		value = without(value, semantic.JSONPointer)
		err = json.Unmarshal(value, reflect.New(reflect.TypeOf(into).Elem()).Interface(), append(options, lenient...)...)
	}
	text := mistakes[0].Error()
	for _, other := range mistakes[1:] {
		text += "; " + other.Error()
	}
	return errors.New(text)
}

// without returns the JSON with null in place of the value.
func without(value jsontext.Value, at jsontext.Pointer) jsontext.Value {
	var tree any
	_ = json.Unmarshal(value, &tree, lenient...) // valid, as it was read before
	in, last := tree, at.LastToken()
	for token := range at.Parent().Tokens() {
		switch v := in.(type) {
		case map[string]any:
			in = v[token]
		case []any:
			i, _ := strconv.Atoi(token)
			in = v[i]
		}
	}
	switch v := in.(type) {
	case map[string]any:
		v[last] = nil
	case []any:
		i, _ := strconv.Atoi(last)
		v[i] = nil
	}
	value, _ = json.Marshal(tree)
	return value
}

// inWords returns an error of the JSON decoder in the words of this program.
func inWords(err error) error {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case errors.As(err, &semantic) && semantic.GoType != nil && kindWords[semantic.JSONKind] != "":
		text := fmt.Sprintf("%s is %s and must be %s", pathOf(semantic.JSONPointer), kindWords[semantic.JSONKind], typeWords(semantic.GoType))
		if semantic.GoType.Kind() == reflect.String && strings.ContainsRune("tf0", rune(semantic.JSONKind)) {
			text += ": put it in quotes"
		}
		return errors.New(text)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON ends too early, as if it was cut")
	case errors.As(err, &syntactic):
		return fmt.Errorf("this is not JSON: %s at byte %d", strings.TrimPrefix(syntactic.Err.Error(), "jsontext: "), syntactic.ByteOffset+1)
	}
	return err
}

// pathOf returns the path as Kubernetes writes it.
func pathOf(p jsontext.Pointer) string {
	text := ""
	for token := range p.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			text += "[" + token + "]"
		} else {
			text += "." + token
		}
	}
	return strings.TrimPrefix(text, ".")
}

var kindWords = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '0': "a number", '"': "text", '{': "an object", '[': "a list",
}

// typeWords returns what a value of the type is called in JSON.
func typeWords(t reflect.Type) string {
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		return typeWords(t.Elem())
	case t.Name() == "Time":
		return "a time such as 2026-11-21T01:24:00Z"
	case t.Name() == "Quantity":
		return "a quantity such as 500m or 2Gi"
	case kind == reflect.String:
		return "text"
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Slice || kind == reflect.Array:
		return "a list"
	case kind == reflect.Struct || kind == reflect.Map:
		return "an object"
	}
	return "a whole number"
}
