// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const repository = "https://github.com/seed-0529bac1/taints"

var (
	version = regexp.MustCompile(`(?m)^## \[([^\]]+)\](.*)$`)
	dated   = regexp.MustCompile(`^ - \d{4}-\d\d-\d\d( \[YANKED\])?$`)
)

// CHANGELOG.md has a link for every version, which compares it with the one
// before, and a date for every release.
func TestChangelog(t *testing.T) {
	text := read(t, "CHANGELOG.md")
	if err := checkChangelog(text); err != nil {
		t.Error(err)
	}
	if !regexp.MustCompile(`the rules are those of Kubernetes \*\*1\.\d+\*\*`).MatchString(text) {
		t.Error("it does not name the version of Kubernetes")
	}
}

func checkChangelog(text string) error {
	var errs []error
	found := version.FindAllStringSubmatch(text, -1)
	if len(found) == 0 || found[0][1] != "Unreleased" {
		return errors.New(`the first version is not "Unreleased"`)
	}
	for i, m := range found {
		name, link := m[1], repository+"/commits/main"
		switch older := len(found) - i - 1; {
		case i == 0 && older > 0:
			link = repository + "/compare/v" + found[1][1] + "...HEAD"
		case i > 0 && older > 0:
			link = repository + "/compare/v" + found[i+1][1] + "...v" + name
		case i > 0:
			link = repository + "/releases/tag/v" + name
		}
		if line := "\n[" + name + "]: " + link + "\n"; !strings.Contains(text, line) {
			errs = append(errs, fmt.Errorf("there is no line %q", strings.TrimSpace(line)))
		}
		if i > 0 && !dated.MatchString(m[2]) {
			errs = append(errs, fmt.Errorf("%s has no date", name))
		}
	}
	return errors.Join(errs...)
}

func TestCheckChangelog(t *testing.T) {
	const released = "## [Unreleased]\n\n## [1.1.0] - 2027-01-02 [YANKED]\n\n## [1.0.0] - 2026-12-01\n\n" +
		"[Unreleased]: " + repository + "/compare/v1.1.0...HEAD\n" +
		"[1.1.0]: " + repository + "/compare/v1.0.0...v1.1.0\n" +
		"[1.0.0]: " + repository + "/releases/tag/v1.0.0\n"
	if err := checkChangelog(released); err != nil {
		t.Error(err)
	}
	for _, change := range []struct{ from, to string }{
		{"## [Unreleased]\n", ""},
		{" - 2026-12-01", ""},
		{"v1.1.0...HEAD", "v1.0.0...HEAD"},
		{"v1.0.0...v1.1.0", "v1.1.0...v1.0.0"},
		{"releases/tag/v1.0.0", "releases/tag/1.0.0"},
	} {
		if err := checkChangelog(strings.Replace(released, change.from, change.to, 1)); err == nil {
			t.Errorf("%q in place of %q is not noticed", change.to, change.from)
		}
	}
}
