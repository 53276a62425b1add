// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
)

// playCommand is the README's command, to be run in the root of the repository.
const playCommand = "go run -C cluster ./play"

// A player is a running play.
type player struct {
	*controlplane.Process
	t         *testing.T
	temporary string // the folder of its temporary files
}

func startPlay(t *testing.T, command string, env ...string) *player {
	t.Helper()
	temporary, bash := t.TempDir(), exec.Command("bash", "-euc", command)
	bash.Dir, bash.Env = root, append(append(os.Environ(), "TMPDIR="+temporary), env...)
	return &player{inBackground(t, bash), t, temporary}
}

func (p *player) line(pattern string) {
	p.t.Helper()
	re := regexp.MustCompile(`(?m)` + pattern)
	p.Within(compiled, pattern, func() error { return unless(re.MatchString(p.Log()), "no such line") })
}

// do runs the command in the guide that has the words, and returns its output.
func (p *player) do(words string, fails bool) string {
	p.t.Helper()
	script := ""
	for _, words := range []string{"export KUBECONFIG", "export PATH", words} {
		command := regexp.MustCompile(`(?m)^  (.*` + regexp.QuoteMeta(words) + `.*\n)`).FindStringSubmatch(p.Log())
		if command == nil {
			p.t.Fatalf("the guide has no %q", words)
		}
		script += command[1]
	}
	text, err := exec.Command("bash", "-euc", script).CombinedOutput()
	if (err != nil) != fails {
		p.t.Fatalf("%s: %v: %s", words, err, text)
	}
	return string(text)
}

func (p *player) end() {
	p.t.Helper()
	if running := p.running(); len(running) < 3 {
		p.t.Errorf("only %v run", running)
	}
	_ = p.Interrupt() // the code is go run's, which is also interrupted
	if left := p.running(); len(left) > 0 {
		p.t.Errorf("%v are left", left)
	}
	if left, err := os.ReadDir(p.temporary); err != nil || len(left) > 0 {
		p.t.Errorf("files are left: %v, %v", left, err)
	}
}

// running returns the programs whose TMPDIR is play's folder for temporary files:
// play and all programs that it starts.
func (p *player) running() (names []string) {
	for _, file := range must(filepath.Glob("/proc/[0-9]*/environ"))(p.t) {
		environment, _ := os.ReadFile(file) // empty if it has ended meanwhile
		if strings.Contains(string(environment), "TMPDIR="+p.temporary) {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
			names = append(names, string(name))
		}
	}
	return names
}

// TestPlay starts a cluster to play with, and does what testdata/play.yaml says.
func TestPlay(t *testing.T) {
	skipShort(t)
	type step struct {
		Do    string // see player.do
		Fails bool
		Says  []string // words in the output
		Tells []string // patterns of lines that play prints
		Since string   // what was done at least so long ago
		Least metav1.Duration
	}
	p := startPlay(t, playCommand)
	p.line(`^Ctrl-C stops everything\.`)
	began := map[string]time.Time{}
	for _, step := range rows.Read[step](t, "play.yaml") {
		began[step.Do] = time.Now()
		output := p.do(step.Do, step.Fails)
		for _, words := range step.Says {
			if !strings.Contains(output, words) {
				t.Errorf("%s: no %q in %s", step.Do, words, output)
			}
		}
		for _, pattern := range step.Tells {
			p.line(`^..:..:.. ` + pattern)
		}
		if after := time.Since(began[step.Since]); after < step.Least.Duration {
			t.Errorf("all of %q came %v after %s", step.Tells, after, step.Since)
		}
	}
	p.end()
	if !strings.HasSuffix(p.Log(), "\neverything is down\n") {
		t.Error("it did not end as it should")
	}
}

// TestPlayInterrupted interrupts the build, with nothing in Go's cache, and one that
// does not end by itself: see testdata/stubborn/go.
func TestPlayInterrupted(t *testing.T) {
	skipShort(t)
	before := must(filepath.Glob("../.bin/go-build*"))(t)
	testPlayInterrupted(t, "GOCACHE="+t.TempDir())
	testPlayInterrupted(t, inPath(t, "testdata/stubborn"))
	if left := must(filepath.Glob("../.bin/go-build*"))(t); len(left) > len(before) {
		t.Errorf("files are left: %v", left)
	}
}

func testPlayInterrupted(t *testing.T, env string) {
	p := startPlay(t, "cd cluster; exec "+controlplane.Binary(t, "play"), env)
	p.line(`^internal/goarch$`) // it prints what it compiles
	var exit *exec.ExitError
	if err := p.Interrupt(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("it ends with %v, want code 130", err)
	}
	if want := "interrupted; what is compiled is kept, run the same command to go on\n"; !strings.HasSuffix(p.Log(), want) {
		t.Errorf("it says %s", p.Log())
	}
	if left := p.running(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
