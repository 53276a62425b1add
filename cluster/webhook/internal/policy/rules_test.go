// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

// TestParseRules parses the rules files in testdata. It expects all their problems, and
// no others.
func TestParseRules(t *testing.T) {
	type test struct {
		Rules    string
		Problems []string // parts of them
	}
	for _, test := range rows.Read[test](t, "rules.yaml") {
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
