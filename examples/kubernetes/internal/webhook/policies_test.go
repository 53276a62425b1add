// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhooktest"
)

const (
	allowNothing = `{"cluster": {"allowedTolerations": []}}`
	allowSpot    = `{"cluster": {"allowedTolerations": [{"key": "spot"}]}}`
)

// A rulesFile is one that a test changes.
type rulesFile struct {
	t    *testing.T
	name string
}

func newRulesFile(t *testing.T, text string) rulesFile {
	f := rulesFile{t, filepath.Join(t.TempDir(), "rules.json")}
	f.write(text)
	return f
}

func (f rulesFile) write(text string) {
	f.t.Helper()
	if err := os.WriteFile(f.name, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// allows reports whether spot is allowed now.
func allows(p *Policies) bool {
	return taints.Toleration{Key: "spot"}.Equal(append(p.Policy().Rules.allowedIn("web"), taints.Toleration{})[0])
}

// Rules change as a whole or not at all.
func TestReload(t *testing.T) {
	f := newRulesFile(t, allowNothing)
	p, err := OpenPolicies(f.name, taints.DefaultSeconds{})
	if err != nil {
		t.Fatal(err)
	}
	before := p.Policy()
	for _, step := range []struct {
		text    string // "-" takes the file away
		changed bool
		problem string
		allows  bool
	}{
		{allowNothing, false, "", false},
		{allowSpot, true, "", true},
		{allowSpot[:40], true, "the JSON ends too early", true}, // while somebody writes it
		{allowSpot[:40], false, "", true},                       // it is told once
		{"", true, "no JSON at all", true},
		// Not even the half that is right.
		{`{"cluster": {"allowedTolerations": []}, "namespace": {}}`, true, `["namespace"] is not a field`, true},
		{"-", true, "no such file", true},
		{"-", false, "no such file", true},
		{allowSpot, true, "", true}, // what is in use, but it is good again
		{"-", true, "no such file", true},
		{allowSpot, true, "", true}, // and so it is when the same file comes back
		{allowNothing, true, "", false},
		{"{}", true, "", false},
	} {
		if step.text == "-" {
			os.Remove(f.name)
		} else {
			f.write(step.text)
		}
		changed, err := p.reload()
		if changed != step.changed || (err == nil) != (step.problem == "") ||
			err != nil && !strings.Contains(err.Error(), step.problem) {
			t.Errorf("%q: changed %v, %v", step.text, changed, err)
		}
		if _, good, _ := p.state(); good == (step.problem != "") && step.changed {
			t.Errorf("%q: good is %v", step.text, good)
		}
		if got := allows(p); got != step.allows {
			t.Errorf("%q: it allows spot: %v", step.text, got)
		}
	}
	if _, _, failures := p.state(); failures != 6 {
		t.Errorf("%d failures", failures)
	}
	if before.Rules.allowedIn("web") == nil || p.Policy().Rules.allowedIn("web") != nil {
		t.Error("a policy that somebody has was changed")
	}
}

// A ConfigMap comes as a folder behind a link, which is set to another folder.
func TestReloadThroughALink(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"..1": allowNothing, "..2": allowSpot} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		rulesFile{t, filepath.Join(dir, name, "rules.json")}.write(text)
	}
	link := func(old, new string) {
		t.Helper()
		if err := os.Symlink(old, filepath.Join(dir, new)); err != nil {
			t.Fatal(err)
		}
	}
	link("..1", "..data")
	link("..data/rules.json", "rules.json")
	p, err := OpenPolicies(filepath.Join(dir, "rules.json"), taints.DefaultSeconds{})
	if err != nil || allows(p) {
		t.Fatalf("%v", err)
	}
	link("..2", "..data_tmp")
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	if changed, err := p.reload(); !changed || err != nil || !allows(p) {
		t.Errorf("changed %v, %v", changed, err)
	}
}

func TestOpenPoliciesRefuses(t *testing.T) {
	f := newRulesFile(t, "{")
	_, err := OpenPolicies(f.name, taints.DefaultSeconds{})
	if err == nil || !strings.Contains(err.Error(), "rules.json: line 1") {
		t.Errorf("got %v", err)
	}
	if p, err := OpenPolicies("", taints.DefaultSeconds{}); err != nil || p.Policy().Rules.allowedIn("web") != nil {
		t.Errorf("no file: %v", err)
	}
}

func TestWatch(t *testing.T) {
	f := newRulesFile(t, allowNothing)
	p, err := OpenPolicies(f.name, taints.DefaultSeconds{})
	if err != nil {
		t.Fatal(err)
	}
	var log webhooktest.Buffer
	go p.watch(t.Context(), time.Millisecond, slog.New(slog.NewJSONHandler(&log, nil)))
	f.write("{")
	line := webhooktest.Eventually(t, &log, "the rules cannot be read again; the last ones stay in use")
	if !strings.HasSuffix(line["error"].(string), "the JSON ends too early") {
		t.Errorf("log: %v", line)
	}
	f.write(`{"namespaces": {"ml": {}}}`)
	if line := webhooktest.Eventually(t, &log, "new rules"); line["namespaces"] != 1.0 || line["dedications"] != 0.0 {
		t.Errorf("log: %v", line)
	}
}
