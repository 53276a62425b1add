// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

// playCommand is that of the README, for the root of the repository.
const playCommand = "go run -C examples/kubernetes ./play"

// TestPlay starts a cluster to play with, does what it says to try, looks for the
// lines that this leads to, and sees that nothing is left of it after Ctrl-C.
func TestPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a control plane: leave out -short")
	}
	for _, folder := range []string{"e2e/controlplane", "scheduler", "evictor", "webhook"} { // with progress
		cluster.Binary(t, folder)
	}
	var output syncBuffer
	command := exec.Command("bash", "-euc", playCommand)
	command.Dir = root
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	temporary := t.TempDir()
	command.Env = append(os.Environ(), "TMPDIR="+temporary)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	interrupt := func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGINT) } // fails where it has ended
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		interrupt()
		if t.Failed() {
			t.Logf("it says:\n%s", &output)
		}
	})

	line := func(pattern string) string {
		t.Helper()
		re := regexp.MustCompile(`(?m)` + pattern)
		deadline := time.Now().Add(9 * time.Minute)
		for ; time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if found := re.FindString(output.String()); found != "" {
				return found
			}
			select {
			case err := <-ended:
				t.Fatalf("it has ended: %v", err)
			default:
			}
		}
		t.Fatalf("no line %s", pattern)
		return ""
	}
	line(`^Ctrl-C takes everything down\.`)
	script := map[string]string{} // the commands of the guide, by what they show
	for text := range strings.Lines(output.String()) {
		if command, ok := strings.CutPrefix(text, "  "); ok {
			for _, key := range []string{
				"export KUBECONFIG", "export PATH",
				"taint node general-1 maintenance=", "taint node general-1 maintenance-",
				"general-2 general-3", "play=silent", "play-", "run sneak", "scale",
			} {
				if strings.Contains(command, key) {
					script[key] = command
				}
			}
		}
	}
	do := func(key string, fails bool) string {
		t.Helper()
		if script[key] == "" {
			t.Fatalf("the guide has no %q", key)
		}
		bash := exec.Command("bash", "-euc", script["export KUBECONFIG"]+script["export PATH"]+script[key])
		text, err := bash.CombinedOutput()
		if (err != nil) != fails {
			t.Fatalf("%s%v: %s", script[key], err, text)
		}
		return string(text)
	}

	do("taint node general-1 maintenance=", false)
	line(`^..:..:.. taint    general-1 gets maintenance=now:NoExecute$`)
	line(`^..:..:.. evicted  default/web-\S+ from general-1$`)
	line(`^..:..:.. placed   default/web-\S+ on general-([2-9]|1\d)$`)
	do("taint node general-1 maintenance-", false)
	line(`^..:..:.. taint    general-1 loses maintenance:NoExecute$`)
	if text := do("run sneak", true); !strings.Contains(text, `toleration "dedicated=ml" is not allowed`) {
		t.Errorf("sneak: %s", text)
	}
	line(`^..:..:.. denied   default/sneak: toleration "dedicated=ml" is not allowed in namespace "default"`)
	do("scale", false)
	line(`^..:..:.. waits    ml/train-\S+: 0/36 nodes are available: `)
	do("play=silent", false)
	line(`^..:..:.. silent   spot-1 no longer has a heartbeat$`)
	line(`^..:..:.. taint    spot-1 gets node\.kubernetes\.io/unreachable:NoExecute`)
	line(`^..:..:.. evicted  default/batch-\S+ from spot-1$`)
	do("play-", false)
	line(`^..:..:.. taint    spot-1 loses node\.kubernetes\.io/unreachable:NoExecute$`)
	do("general-2 general-3", false)
	line(`^..:..:.. taint    general-4 gets maintenance=now:NoExecute$`)
	line(`^..:..:.. held     A PodDisruptionBudget holds back the eviction of Pod default/web-\S+, due since \S+: The disruption budget web (needs 15 healthy pods|does not allow)`)

	children := descendants(t, command.Process.Pid)
	if len(children) < 6 {
		t.Errorf("only %v run", children)
	}
	interrupt()
	select {
	case <-ended: // the code is that of go run, which is interrupted as well
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	if !strings.HasSuffix(output.String(), "\neverything is down\n") {
		t.Error("it did not end as it should")
	}
	for pid, name := range children {
		if _, err := os.Stat(fmt.Sprintf("/proc/%s", pid)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// descendants returns the names of the processes that another one has started, and
// of theirs, by their numbers.
func descendants(t *testing.T, of int) map[string]string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	names, parents := map[string]string{}, map[string]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended meanwhile
		}
		// The name is in parentheses, and may hold anything: "7 (a b) S 1 …".
		end := strings.LastIndex(string(content), ")")
		if fields := strings.Fields(string(content[end+1:])); len(fields) > 1 {
			pid := filepath.Base(filepath.Dir(file))
			names[pid], parents[pid] = string(content[:end+1]), fields[1]
		}
	}
	found := map[string]string{}
	for pid, name := range names {
		for above := parents[pid]; above != "" && found[pid] == ""; above = parents[above] {
			if above == fmt.Sprint(of) {
				found[pid] = name
			}
		}
	}
	return found
}

// A syncBuffer may be written and read at once.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
