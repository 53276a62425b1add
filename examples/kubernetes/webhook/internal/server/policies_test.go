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

// TestReload sees that rules change as a whole or not at all, through the links of a
// mounted ConfigMap.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "rules.json")
	link := func(text string) { // as the kubelet does it; "-" is no file
		t.Helper()
		folder, err := os.MkdirTemp(dir, "..")
		if err == nil && text != "-" {
			err = os.WriteFile(filepath.Join(folder, "rules.json"), []byte(text), 0o600)
		}
		if err == nil {
			err = os.Symlink(folder, filepath.Join(dir, "..tmp"))
		}
		if err == nil {
			err = os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join("..data", "rules.json"), name); err != nil {
		t.Fatal(err)
	}
	link(allowNothing)
	var log bytes.Buffer
	p, err := OpenPolicies(name, taints.DefaultSeconds{}, logr.FromSlogHandler(slog.NewJSONHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	before := p.Policy()
	failures := testutil.ToFloat64(rulesFailures)
	for _, step := range []struct {
		text   string
		log    string // what it says; nothing where it is empty
		good   bool
		allows int // how many tolerations
	}{
		{allowNothing, "new rules", true, 0}, // of the start
		{allowNothing, "", true, 0},
		{allowSpot, "new rules", true, 1},
		{allowSpot[:40], "unexpected end", false, 1},
		{allowSpot[:40], "", false, 1}, // it is told once
		{`{"cluster": {"allowedTolerations": []}, "namespace": {}}`, `unknown field`, false, 1},
		{"-", "no such file", false, 1},
		{"-", "", false, 1},
		{allowSpot, "new rules", true, 1}, // the same file is back
		{allowNothing, "new rules", true, 0},
	} {
		link(step.text)
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
	link("{")
	if _, err := OpenPolicies(name, taints.DefaultSeconds{}, logr.Discard()); err == nil || !strings.Contains(err.Error(), "rules.json: unexpected end") {
		t.Errorf("bad rules at the start: %v", err)
	}
}
