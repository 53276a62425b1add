// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A solo tries mutants in builds of their own: those in the place of which no
// code can stand, as in the declaration of a constant, and, of the others that
// survived, whether tests notice them that only pass in the package as it is
// written.
type solo struct {
	pkg     *pkg // as it is written
	scratch string
	settings
	tests  []test // all of them
	unused []test // those that the trial could not use
}

// newSolo runs the tests that the trial could not use in the package as it is
// written.
func newSolo(ctx context.Context, p *pkg, t *trial, scratch string) (*solo, error) {
	s := &solo{pkg: p, scratch: scratch, settings: t.binary.settings, tests: t.tests}
	for _, name := range t.unused {
		s.unused = append(s.unused, test{name, time.Second})
	}
	if len(s.unused) == 0 {
		return s, nil
	}
	s.tests = append(s.tests, s.unused...)
	o, err := s.run(ctx, "unchanged", nil, s.unused)
	if err == nil && !o.passed {
		err = fmt.Errorf("%s fails without a mutant:\n%s", o.by, o.output)
	}
	return s, err
}

// run builds the package with other contents of some files, and runs tests.
func (s *solo) run(ctx context.Context, name string, contents map[string][]byte, tests []test) (outcome, error) {
	dir := filepath.Join(s.scratch, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(dir)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path, content := range contents {
		to := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return outcome{}, err
		}
		overlay.Replace[path] = to
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return outcome{}, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return outcome{}, err
	}
	b, err := buildTests(s.pkg.dir, filepath.Join(dir, "tests"), s.settings, "-overlay="+file)
	if err != nil {
		return outcome{}, err
	}
	return b.run(ctx, tests, 0, false, ""), nil
}

// wants reports whether a build of its own can tell more of the mutant.
func (s *solo) wants(m *mutant) bool {
	if m.Status == notTried {
		return m.number == 0
	}
	return (m.Status == survived || m.Status == notCovered) && len(s.unused) > 0
}

// try tries the i-th mutant.
func (s *solo) try(ctx context.Context, i int, m *mutant) error {
	if m.number == 0 {
		return s.tryWritten(ctx, strconv.Itoa(i), m)
	}
	o, err := s.runSelected(ctx, strconv.Itoa(i), m, m.number)
	if err != nil || o.passed {
		return err
	}
	// What is around the mutant may be all that the tests notice.
	control, err := s.runSelected(ctx, strconv.Itoa(i), m, 0)
	if err == nil && control.passed {
		m.Status, m.By = killed, o.by
	}
	return err
}

// tryWritten runs all tests on the source with the mutant's edit.
func (s *solo) tryWritten(ctx context.Context, name string, m *mutant) error {
	f := s.pkg.file(m.File)
	source := string(f.source[:m.edit.start]) + m.edit.text + string(f.source[m.edit.end:])
	o, err := s.run(ctx, name, map[string][]byte{f.path: []byte(source)}, s.tests)
	var failed *commandError
	switch {
	case errors.As(err, &failed):
		m.Reason = "does not compile: " + failed.message()
		return nil
	case err != nil:
		return err
	case o.passed:
		m.Status, m.Reason = survived, ""
	default:
		m.Status, m.By, m.Reason = killed, o.by, ""
	}
	return nil
}

// runSelected runs the tests that the trial could not use on the package with the
// site of the mutant alone, where the number is selected for good.
func (s *solo) runSelected(ctx context.Context, name string, m *mutant, number int) (outcome, error) {
	f := s.pkg.file(m.File)
	contents := s.pkg.added(number)
	contents[f.path] = f.only(m.site)
	return s.run(ctx, name, contents, s.unused)
}
