// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"os"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestParseRules parses the rules files in testdata. It expects all their problems, and
// no others.
func TestParseRules(t *testing.T) {
	var tests []struct {
		Rules    string
		Problems []string // parts of them
	}
	text := must(os.ReadFile("testdata/rules.yaml"))(t)
	if err := yaml.UnmarshalStrict(text, &tests); err != nil || len(tests) == 0 {
		t.Fatalf("%d tests, %v", len(tests), err)
	}
	for _, test := range tests {
		_, err := ParseRules([]byte(test.Rules))
		var problems []error
		if all, ok := err.(interface{ Errors() []error }); ok {
			problems = all.Errors()
		} else if err != nil {
			problems = []error{err}
		}
		if len(problems) != len(test.Problems) {
			t.Errorf("%s: got %v\nwant %q", test.Rules, err, test.Problems)
			continue
		}
		for _, want := range test.Problems {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", test.Rules, err, want)
			}
		}
	}
}
