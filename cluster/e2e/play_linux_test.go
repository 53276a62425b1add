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

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
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
	until(p.t, p.Process, pattern, func() error {
		if !re.MatchString(p.Log()) {
			return errors.New("no such line")
		}
		return nil
	})
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

// TestPlay starts a cluster to play with, runs the commands of its guide, and looks
// for the resulting lines.
func TestPlay(t *testing.T) {
	skipShort(t)
	p := startPlay(t, playCommand)
	p.line(`^Ctrl-C stops everything\.`)
	p.do("play=silent", false) // this takes a while, so it is checked below
	p.do("taint node general-1 maintenance=", false)
	p.line(`^..:..:.. taint    general-1 gets maintenance=now:NoExecute$`)
	p.line(`^..:..:.. evicted  shop/web-\S+ from general-1$`)
	p.line(`^..:..:.. placed   shop/web-\S+ on general-([2-9]|1\d)$`)
	p.do("taint node general-1 maintenance-", false)
	p.line(`^..:..:.. taint    general-1 loses maintenance:NoExecute$`)
	if text := p.do("run sneak", true); !strings.Contains(text, `toleration "dedicated=ml" is not allowed`) {
		t.Errorf("sneak: %s", text)
	}
	p.do("taint node general-5", false)
	p.line(`^..:..:.. taint    general-5 gets maintenance=now:NoExecute$`)
	came := time.Now()
	p.do("run late", false)
	p.do("run typo", false)
	p.line(`^..:..:.. waits    sandbox/typo: 0/36 nodes are available: `)
	if text := p.do("whynot -n sandbox", false); !strings.Contains(text, "sandbox/typo") || !strings.Contains(text, "letter case") {
		t.Errorf("kubectl whynot: %s", text)
	}
	p.do("scale", false)
	p.line(`^..:..:.. waits    ml/train-\S+: 0/36 nodes are available: `)
	p.line(`^..:..:.. silent   spot-1 no longer has a heartbeat$`)
	p.line(`^..:..:.. taint    spot-1 gets node\.kubernetes\.io/unreachable:NoExecute`)
	p.line(`^..:..:.. evicted  sandbox/late from general-5$`)
	if after := time.Since(came); after < 19*time.Second { // the pod's arrival time has whole seconds
		t.Errorf("the pod that tolerates the taint for 20 s is evicted %v after it came", after)
	}
	p.line(`^..:..:.. evicted  shop/batch-\S+ from spot-1$`)
	p.do("play-", false)
	p.line(`^..:..:.. taint    spot-1 loses node\.kubernetes\.io/unreachable:NoExecute$`)
	p.do("general-{6..13}", false)
	p.line(`^..:..:.. taint    general-13 gets maintenance=now:NoExecute$`)
	p.line(`^..:..:.. held     A PodDisruptionBudget holds back the eviction of Pod shop/web-\S+, due since \S+: The disruption budget web (needs 15 healthy pods|does not allow)`)
	p.end()
	if !strings.HasSuffix(p.Log(), "\neverything is down\n") {
		t.Error("it did not end as it should")
	}
}

// stubborn is a go that is not done with a build when it is interrupted.
const stubborn = `#!/bin/sh
[ "$1" = build ] || PATH=${PATH#*:} exec go "$@"
trap '' INT
mkdir "$GOTMPDIR/go-build1"
echo internal/goarch >&2
sleep 300
`

// TestPlayInterrupted interrupts the build, with nothing in Go's cache, and one that
// does not end by itself.
func TestPlayInterrupted(t *testing.T) {
	skipShort(t)
	bin := t.TempDir()
	check(t, os.WriteFile(filepath.Join(bin, "go"), []byte(stubborn), 0o755))
	before := must(filepath.Glob("../.bin/go-build*"))(t)
	testPlayInterrupted(t, "GOCACHE="+t.TempDir())
	testPlayInterrupted(t, "PATH="+bin+":"+os.Getenv("PATH"))
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
