// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fieldsOf returns the paths of the fields in the JSON form of the type; []
// stands for the elements of a list.
func fieldsOf(t reflect.Type, path string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return fieldsOf(t.Elem(), path)
	case reflect.Slice:
		return fieldsOf(t.Elem(), path+"[]")
	case reflect.Struct:
	default:
		return []string{path}
	}
	if t == reflect.TypeFor[time.Time]() {
		return []string{path}
	}
	var list []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			list = append(list, fieldsOf(f.Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return list
}

// TestForm compares the fields of the JSON form, and the names in it, with the README.
func TestForm(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(readme), "## The JSON form")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found || !strings.Contains(section, "`"+formVersion+"`") {
		t.Fatalf("the README does not describe %s", formVersion)
	}
	var documented []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		documented = append(documented, m[1])
	}
	var have []string
	for _, f := range fieldsOf(reflect.TypeFor[report](), "") {
		if f = folded(f); !slices.Contains(have, f) {
			have = append(have, f)
		}
	}
	slices.Sort(have)
	slices.Sort(documented)
	if diff := cmp.Diff(documented, have); diff != "" {
		t.Errorf("(-README +form):\n%s", diff)
	}
	for _, name := range []string{
		string(causeMistake), string(causeTaints), string(causeNodes),
		string(causeSelector), string(causeGates), string(causeUnknown),
		string(letsIn), string(keepsAway), string(notSelected),
		deleting, overdue, leaves, stays, string(fromTimeAdded), string(fromArrival), string(fromNow),
	} {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("the README does not name %s", name)
		}
	}
}

// folded cuts what is inside of a taint or toleration.
func folded(path string) string {
	for _, inside := range []string{".key", ".value", ".effect", ".operator", ".tolerationSeconds", ".timeAdded"} {
		path = strings.TrimSuffix(path, inside)
	}
	return path
}

// The form has no numbers that stand for something, and says its version first.
func TestFormOfFiles(t *testing.T) {
	for _, file := range []string{"sample.json", "testdata/teams.json", "testdata/findings.json"} {
		_, stdout, _ := runOn(nil, "-f", file, "-o", "json")
		if !strings.HasPrefix(stdout, "{\n  \"version\": \""+formVersion+"\",\n") {
			t.Errorf("%s begins with %.60q", file, stdout)
		}
		numbers := []string{
			"nodes", "pods", "rejectionsTotal", "alternativesTotal", "finishedPods", "podsOnUnknownNodes", "keepsAway",
			"selectedNodes", "feasibleNodes", "opensNodes",
			"tolerationSeconds", "inSeconds", "owners", "ignored",
		}
		walk(t, "", decodeAny(t, stdout), numbers)
	}
}

func decodeAny(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func walk(t *testing.T, field string, v any, numbers []string) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if field == "owners" || field == "ignored" {
				key = field
			}
			walk(t, key, value, numbers)
		}
	case []any:
		for _, value := range v {
			walk(t, field, value, numbers)
		}
	case float64:
		if !slices.Contains(numbers, field) {
			t.Errorf("%s is the number %v", field, v)
		}
	}
}
