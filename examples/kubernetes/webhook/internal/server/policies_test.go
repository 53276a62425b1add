// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/seed-0529bac1/taints"
)

const (
	allowNothing = `{"cluster": {"allowedTolerations": []}}`
	allowSpot    = `{"cluster": {"allowedTolerations": [{"key": "spot"}]}}`
)

// TestReload checks that rules change as a whole or not at all.
func TestReload(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rules.json")
	write := func(text string) { // "-" removes the file
		t.Helper()
		err := os.WriteFile(name, []byte(text), 0o600)
		if text == "-" {
			err = os.Remove(name)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(allowNothing)
	var log bytes.Buffer
	p, err := OpenPolicies(name, taints.DefaultSeconds{}, logr.FromSlogHandler(slog.NewJSONHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	before := p.Policy()
	failures := testutil.ToFloat64(rulesFailures)
	for _, step := range []struct {
		text   string
		log    string // part of the log; empty if nothing is logged
		good   bool
		allows int // how many tolerations are allowed
	}{
		{allowNothing, "new rules", true, 0}, // logged at the start
		{allowNothing, "", true, 0},
		{allowSpot, "new rules", true, 1},
		{allowSpot[:40], "unexpected end", false, 1},
		{allowSpot[:40], "", false, 1}, // it is logged once
		{`{"cluster": {"allowedTolerations": []}, "namespace": {}}`, `unknown field`, false, 1},
		{"-", "no such file", false, 1},
		{"-", "", false, 1},
		{allowSpot, "new rules", true, 1}, // the same file is back
		{allowNothing, "new rules", true, 0},
	} {
		write(step.text)
		p.update(t.Context())
		if got := log.String(); !strings.Contains(got, step.log) || (got == "") != (step.log == "") {
			t.Errorf("%s: log %q, want %q", step.text, got, step.log)
		}
		log.Reset()
		if good := testutil.ToFloat64(rulesGood) == 1; good != step.good {
			t.Errorf("%s: good is %v", step.text, good)
		}
		if got := len(p.Policy().Rules.Cluster.AllowedTolerations); got != step.allows {
			t.Errorf("%s: %d tolerations are allowed", step.text, got)
		}
	}
	if got := testutil.ToFloat64(rulesFailures) - failures; got != 4 {
		t.Errorf("%v failures", got)
	}
	if before == p.Policy() {
		t.Error("a policy that somebody has was changed")
	}
	write("{")
	if _, err := OpenPolicies(name, taints.DefaultSeconds{}, logr.Discard()); err == nil || !strings.Contains(err.Error(), "rules.json: unexpected end") {
		t.Errorf("bad rules at the start: %v", err)
	}
}
