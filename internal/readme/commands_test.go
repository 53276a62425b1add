// SPDX-License-Identifier: Apache-2.0

package readme

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	running = flag.Bool("commands", false, "run the commands, long ones in a quick form; it builds Kubernetes")
	printed = flag.Bool("printed", false, "run the commands as they are printed, which takes hours")
)

// root is the root of the repository, where the commands of documents run.
const root = "../.."

// A how describes how a command of a document is tested.
type how struct {
	run  bool   // the flag -commands runs it as printed
	more string // what -commands appends to make it quick; -printed omits it
	long bool   // only -printed runs it, because there is no quick form
	calm bool   // -printed omits it, because it needs a machine without other loads
	ends string // what it prints once it may be interrupted, if it does not end by itself
	by   string // what else runs it as printed: a script that has it, or a test, as "FILE TestName"
	why  string // why -commands does not run it as printed, or why nothing runs it
}

const releases = "of a release: TestNextReleases of internal/release rehearses it in a local git"

const installs = "of a release: TestInstall of internal/release rehearses it in a local git"

// commands has every command of every document that is not in scripts.
var commands = map[string]how{
	// README.md
	"git clone https://github.com/seed-0529bac1/taints && cd taints": {why: "needs the forge"},
	"go run ./examples/whynot":                                       {run: true},
	"go run ./examples/whynot -":                                     {why: "reads what kubectl prints; TestRun of the example has it"},
	"go test ./...":                                                  {by: ".ci/run"},
	"go run -C examples/kubernetes ./play":                           {by: "examples/kubernetes/e2e/play_linux_test.go"},
	"go get github.com/seed-0529bac1/taints":                         {by: "internal/release/release_test.go TestRelease"},
	"go run -C conformance ./ratios":                                 {more: "-match count -rounds 1 -repeats 1", why: "5 minutes"},
	"kubectl get nodes,pods -A -o json":                              {why: "needs a cluster: its output is what examples/whynot reads"},
	"kubectl get node NAME -o yaml":                                  {why: "names an input: cmd/playground reads what kubectl prints"},
	"kubectl get pod NAME -o json":                                   {why: "names an input: cmd/playground reads what kubectl prints"},
	"kubectl describe pod":                                           {why: "names an output, which conformance compares"},
	"apt-get install chromium":                                       {why: "installs programs on the machine"},

	// the gate and the night
	".ci/run":  {by: ".github/workflows/ci.yml"},
	".ci/fuzz": {by: ".ci/run"},
	"go test -timeout 5h ./internal/readme -printed": {by: ".github/workflows/nightly.yml"},

	// CONTRIBUTING.md and docs
	"go test -run Semantics .":                   {run: true},
	`go test -run '^$' -bench .`:                 {more: "-bench Tolerates -benchtime 1x", why: "minutes"},
	"go -C internal/release test -count=1 ./...": {by: ".ci/run"},
	"go run -C examples/kubernetes ./perf -check": {
		more: "-list",
		calm: true,
		why:  "45 minutes of a machine that does nothing else",
	},
	"go test -C examples/kubernetes -timeout 1h ./e2e": {more: "-list .", by: ".github/workflows/nightly.yml"},

	"go test ./internal/api -update": {more: "-run NoSuchTest", why: "writes api"},

	// docs/releasing.md: the rehearsal does the same in a local git
	".ci/compatible":                        {by: "internal/release/next_test.go"},
	"git tag -s v1.1.0 -m v1.1.0":           {why: releases},
	"git push origin v1.1.0":                {why: releases},
	"git tag -s kube/v0.2.0 -m kube/v0.2.0": {why: releases},
	"git push origin main kube/v0.2.0":      {why: releases},
	"go -C kube mod edit -require=github.com/seed-0529bac1/taints@v1.1.0": {why: releases},
	"go -C kube mod tidy": {more: "-diff", why: releases},
	"go -C cmd mod edit -dropreplace=github.com/seed-0529bac1/taints -dropreplace=github.com/seed-0529bac1/taints/kube": {
		why: installs,
	},
	"go -C cmd mod edit -require=github.com/seed-0529bac1/taints@v1.1.0 -require=github.com/seed-0529bac1/taints/kube@v0.2.0": {
		why: installs,
	},
	".ci/binaries":                        {by: ".github/workflows/release.yml"},
	"go -C cmd mod tidy":                  {more: "-diff", why: installs},
	"git tag -s cmd/v0.1.0 -m cmd/v0.1.0": {why: installs},
	"git push origin main cmd/v0.1.0":     {why: installs},
	"go mod init example.com/project":     {why: releases},
	"go mod tidy":                         {more: "-diff"},
	"go get github.com/seed-0529bac1/taints@v1.1.0 github.com/seed-0529bac1/taints/kube@v0.2.0": {why: releases},
	"go list -m -u": {more: "pgregory.net/rapid"},

	// conformance
	"go test -C conformance .":                                   {more: "-rapid.checks=5"},
	"go test -C conformance . -timeout 2h -rapid.checks=1000000": {more: "-rapid.checks=5", why: "up to an hour"},
	"go test -C conformance/adopters ./...":                      {more: "-rapid.checks=5"},
	".ci/versions 1000000 1.37":                                  {long: true, why: "20 minutes"},
	".ci/versions next":                                          {by: ".github/workflows/nightly.yml"},
	".ci/versions move 1.38.0":                                   {why: "changes the repository"},
	"go run -C conformance ./differs 1.36.3 1.37.2":              {run: true},
	".ci/versions":                                               {more: "5 1.37", why: "builds four versions of Kubernetes"},
	"go run -C conformance ./owntests":                           {more: "-check", why: "builds Kubernetes once more"},

	// cmd/playground
	"go run -C cmd ./playground":              {more: "-o $TMPDIR/served", ends: "press Ctrl-C to stop"},
	"go run -C cmd ./playground -addr :9000":  {more: "-o $TMPDIR/served", ends: "press Ctrl-C to stop"},
	"go run -C cmd ./playground -o /tmp/site": {run: true},
	"go test -C cmd ./playground/...":         {more: "-run NoSuchTest", why: "part of go test -C cmd ./..."},
}

// scripts are documents whose blocks of a language are run one after the other
// by other tests, which check that no block is new.
var scripts = map[string]string{
	"cmd/kubectl-whynot/README.md sh":               "cmd/kubectl-whynot/main_test.go TestReadmeCommands",
	"cmd/kubectl-whynot/README.md console":          "cmd/kubectl-whynot/main_test.go TestReadme",
	"examples/kubernetes/README.md sh":              "examples/kubernetes/e2e/readme_linux_test.go TestReadmes",
	"examples/kubernetes/evictor/README.md sh":      "examples/kubernetes/e2e/readme_linux_test.go TestReadmes",
	"examples/kubernetes/scheduler/README.md sh":    "examples/kubernetes/e2e/readme_linux_test.go TestReadmes",
	"examples/kubernetes/webhook/README.md sh":      "examples/kubernetes/e2e/readme_linux_test.go TestReadmes",
	"examples/kubernetes/webhook/README.md console": "examples/kubernetes/e2e/readme_linux_test.go TestReadmes",
}

// TestCommands checks that every command of every document is run by something, or
// has a reason why not. With -commands, as in the gate, it runs them, long ones in
// a quick form. With -printed, it runs all that nothing else runs, as printed.
func TestCommands(t *testing.T) {
	shown := map[string]Command{}
	for _, file := range Documents(t, root) {
		for _, command := range Commands(t, filepath.Join(root, file)) {
			command.File = file
			if _, ok := scripts[file+" "+command.Language]; !ok {
				shown[command.Text] = command
			}
		}
	}
	for text, command := range shown {
		if _, ok := commands[text]; !ok {
			t.Errorf("%s:%d: nothing runs %q: add it to commands in commands_test.go",
				command.File, command.Line, text)
		}
	}
	var scratch *scratch
	if *running || *printed {
		scratch = newScratch(t)
	}
	for _, text := range slices.Sorted(maps.Keys(commands)) {
		t.Run(text, func(t *testing.T) {
			h := commands[text]
			if _, ok := shown[text]; !ok {
				t.Fatal("no document shows it")
			}
			h.check(t, text)
			switch {
			case *printed && h.whole():
				scratch.run(t, text, h.ends)
			case *running && h.quick(text) != "":
				scratch.run(t, h.quick(text), "")
			}
		})
	}
}

// TestScripts checks that the tests that run whole documents exist.
func TestScripts(t *testing.T) {
	for document, by := range scripts {
		file, language, _ := strings.Cut(document, " ")
		if len(Blocks(t, filepath.Join(root, file), language)) == 0 {
			t.Errorf("%s has no block of %s", file, language)
		}
		checkBy(t, by, "")
	}
}

// whole reports whether -printed runs the command.
func (h how) whole() bool {
	return h.by == "" && !h.calm && (h.run || h.long || h.more != "")
}

// quick returns the command that -commands runs, or "" if it does not run the
// command.
func (h how) quick(text string) string {
	switch {
	case h.run:
		return text
	case h.more != "":
		return text + " " + h.more
	}
	return ""
}

// check checks that the entry describes how its command is tested, and that the
// file it names has the command.
func (h how) check(t *testing.T, text string) {
	t.Helper()
	if !h.run && h.more+h.by+h.why == "" {
		t.Error("nothing runs it, and nothing says why")
	}
	if h.run && (h.long || h.more+h.ends+h.by+h.why != "") {
		t.Error("it runs as it is printed, and says more")
	}
	if h.by != "" {
		checkBy(t, h.by, text)
	}
}

// checkBy checks that the file has the test that by names, or else the command.
func checkBy(t *testing.T, by, command string) {
	t.Helper()
	file, test, isTest := strings.Cut(by, " ")
	content, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	if isTest {
		command = "func " + test + "("
	}
	if !strings.Contains(string(content), command) {
		t.Errorf("%s does not have %q", file, command)
	}
}

// A scratch is a folder that looks like the root of the repository, in which
// commands may write.
type scratch struct {
	dir string
	env []string
}

func newScratch(t *testing.T) *scratch {
	t.Helper()
	s := &scratch{dir: t.TempDir()}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		path, err := filepath.Abs(filepath.Join(root, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(s.dir, entry.Name())); err != nil {
			t.Skip(err) // Windows, for users who are not administrators
		}
	}
	s.env = []string{"TMPDIR=" + t.TempDir()}
	return s
}

// run runs the command. If ends is set, it interrupts the command, like Ctrl-C,
// after the command has printed ends, and the command must then end. "go run"
// then returns 1, whatever the program returns.
func (s *scratch) run(t *testing.T, command, ends string) {
	if ends != "" {
		command = fmt.Sprintf(`set -m
%s > "$TMPDIR/log" & until grep -q '%s' "$TMPDIR/log"; do kill -0 $!; sleep 0.1; done
kill -INT -- -$!; wait $! || true`, command, ends)
	}
	output := Block{File: "TestCommands", Text: command}.Run(t, s.dir, s.env...)
	if strings.Contains(output, "no test files") && !strings.Contains(output, "ok  \t") {
		t.Errorf("it tests nothing:\n%s", output)
	}
}
