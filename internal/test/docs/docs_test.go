// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"flag"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// documents returns the text of every document, by its path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md", "*/*/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.ToSlash(name)] = read(t, name)
		}
	}
	if len(texts) < 10 {
		t.Fatalf("%d documents only", len(texts))
	}
	return texts
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	link         = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchors = regexp.MustCompile("[^a-z0-9 _-]")
)

// Every link within the repository leads to an existing file and heading.
func TestLinks(t *testing.T) {
	links := 0
	for name, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(Prose(text), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			target, anchor, _ := strings.Cut(m[1], "#")
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			} else if anchor != "" && !slices.Contains(anchors(read(t, file)), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", name, m[1])
			}
		}
	}
	if links < 30 {
		t.Errorf("%d links only", links)
	}
}

// anchors returns the names by which a document's headings are linked.
func anchors(document string) []string {
	var names []string
	for _, m := range heading.FindAllStringSubmatch(Prose(document), -1) {
		names = append(names, strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return names
}

var running = flag.Bool("commands", false, "run the commands, long ones in a quick form; it builds Kubernetes")

// command matches a command that runs something of this repository, except for
// the scripts in .ci, which the workflows run.
var command = regexp.MustCompile(`^go (?:-C \S+ )?(?:run|test|vet|tool) `)

// script matches a script in .ci.
var script = regexp.MustCompile(`\.ci/\w+`)

// notRun marks a command that -commands does not run.
const notRun = "not run"

// quick has, for each command, what -commands appends to make it quick.
var quick = map[string]string{
	"go run ./examples/whynot":   "",
	"go run ./examples/whynot -": "<examples/whynot/sample.json",

	// The gate or the nightly workflow runs these as they are.
	"go test ./...": notRun,
	"go -C internal/test/release test -count=1 ./...": notRun,
	"go run -C cluster ./play":                        notRun,
	"go test github.com/seed-0529bac1/taints/...":     notRun, // the rehearsal of a release does

	"go run -C cluster ./record -seed 7 ../internal/test/recorded/testdata/kubernetes-1.38.0": notRun,

	"go test -C cluster -v -run TestMemory ./evictor/internal/controller": notRun,
	"go test -C cluster -v -run TestMemory ./internal/plugin":             notRun,

	"go test ./internal/test/semantics":       "",
	`go test -run '^$' -bench .`:              "-bench Tolerates -benchtime 1x",
	"go test ./internal/test/docs -update":    "-run NoSuchTest",
	"go test -C cluster -timeout 1h ./e2e":    "-list .",
	"go run -C cluster ./perf -check":         "-list",
	"go run -C cmd ./playground":              "-o $TMPDIR/site",
	"go run -C cmd ./playground -addr :9000":  "-o $TMPDIR/site",
	"go run -C cmd ./playground -o /tmp/site": "-o $TMPDIR/site",
	"go test -C cmd ./playground/...":         "-run NoSuchTest",

	"go test -C conformance .":                                   "-rapid.checks=5",
	"go test -C conformance . -timeout 2h -rapid.checks=1000000": "-rapid.checks=5",
	"go test -C conformance/adopters ./...":                      "-rapid.checks=5",
	"go run -C conformance ./ratios":                             "-match count -rounds 1",
	"go run -C conformance ./owntests":                           "-run scheduling/corev1",
	"go -C conformance test ./...":                               notRun,
	"go run -C conformance ./differs 1.36.5 1.37.2":              "",
}

// runElsewhere has the documents whose blocks of commands other tests run.
var runElsewhere = regexp.MustCompile(`^cmd/kubectl-whynot/|^cluster/`)

// Every command of every document is one of quick, and its scripts exist. With
// -commands, as in the gate, the commands are run.
func TestCommands(t *testing.T) {
	ran := map[string]bool{}
	for file, text := range documents(t) {
		for _, name := range script.FindAllString(text, -1) {
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		commands := Code(strings.ReplaceAll(Prose(text), `\|`, "|"))
		if !runElsewhere.MatchString(file) {
			for _, b := range Blocks(t, filepath.Join(root, file), "sh") {
				commands = append(commands, strings.Split(b.Text, "\n")...)
			}
		}
		for _, c := range commands {
			c, _, _ = strings.Cut(c, " #")
			c = strings.TrimSpace(c)
			if ran[c] || !command.MatchString(c) {
				continue
			}
			ran[c] = true
			more, ok := quick[c]
			if !ok {
				t.Errorf("%s: nothing runs %q: add it to quick", file, c)
			}
			if ok && *running && more != notRun {
				t.Run(c, func(t *testing.T) { run(t, c+" "+more) })
			}
		}
	}
}

// run runs the command in the root of the repository.
func run(t *testing.T, command string) {
	output := Block{File: command, Text: command}.Run(t, root, "TMPDIR="+t.TempDir())
	if strings.Contains(output, "no test files") && !strings.Contains(output, "ok  \t") {
		t.Errorf("it tests nothing:\n%s", output)
	}
}

// tables returns the tables of the document, without those that lack a column.
func tables(t *testing.T, name, column string) []Table {
	t.Helper()
	list, err := Tables(read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(x Table) bool { return !slices.Contains(x.Columns, column) })
	if len(list) == 0 {
		t.Fatalf("%s has no table with the column %q", name, column)
	}
	return list
}

// The names of the library in the tables of README.md are exported.
func TestReadmeNames(t *testing.T) {
	names := regexp.MustCompile(`(?:\b[a-z]\w*\.)?\b[A-Z]\w*(?:\.[A-Z]\w*)?`)
	for _, column := range []string{"here", "look at"} {
		for _, table := range tables(t, "README.md", column) {
			for _, row := range table.Rows {
				for _, name := range names.FindAllString(strings.Join(row.Code(column), " "), -1) {
					if !isExported(t, name) {
						t.Errorf("there is no %s: %s", name, row.Line)
					}
				}
			}
		}
	}
}

// isExported reports whether docs/api has the name: "Filter", "Changes.Apply" or
// "lifecycle.Queue".
func isExported(t *testing.T, name string) bool {
	t.Helper()
	module := "taints"
	if before, after, _ := strings.Cut(name, "."); !token.IsExported(before) {
		module, name = before, after
	}
	declared := `(?m)^(func |type |var |const |\t)` + name + `\b`
	if typ, method, ok := strings.Cut(name, "."); ok {
		declared = `(?m)^func \((\w+ )?\*?` + typ + `(\[\w+\])?\) ` + method + `\(`
	}
	return regexp.MustCompile(declared).MatchString(read(t, "docs/api/"+module+".txt"))
}

// Every call in docs/kubernetes.md compiles, with the variables that the page
// declares, and every function of kube and dra that it mentions exists.
func TestKubernetesCalls(t *testing.T) {
	const page = "docs/kubernetes.md"
	program := `package p

import (
	"iter"
	"slices"
	"time"

	. "github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/explain"
	"github.com/seed-0529bac1/taints/lifecycle"
	"github.com/seed-0529bac1/taints/nodeindex"
	"github.com/seed-0529bac1/taints/tolerationset"
)

func use(...any) {}

` + Blocks(t, filepath.Join(root, page), "go")[0].Text + "func _() {\n"
	calls := 0
	for _, table := range tables(t, page, "here") {
		for _, row := range table.Rows {
			for _, call := range row.Code("here") {
				calls++
				if strings.HasPrefix(call, "kube.") { // another module: its name is checked below
					continue
				}
				if !token.IsIdentifier(call) || !token.IsExported(call) {
					program += "use(" + call + ")\n"
				} else if !isExported(t, call) { // it may be a type
					t.Errorf("there is no %s", call)
				}
			}
		}
	}
	if calls < 100 {
		t.Errorf("%d calls only", calls)
	}
	file := filepath.Join(t.TempDir(), "page.go")
	if err := os.WriteFile(file, []byte(program+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-gcflags=-e", file) // -e: all errors
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, code := range Code(Prose(read(t, page))) {
		if name, _, _ := strings.Cut(code, "("); view.MatchString(name) && !isExported(t, name) {
			t.Errorf("there is no %s", name)
		}
	}
}

// view matches a function of kube or dra.
var view = regexp.MustCompile(`^(kube|dra)\.[A-Z]\w*$`)

// The versions of Kubernetes in README.md are the tested ones.
func TestReadmeVersions(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "README.md"), "| what | Kubernetes |\n")
	section, _, _ = strings.Cut(section, "\n\n")
	tested := first(t, "conformance/go.mod", `k8s\.io/kubernetes v(\S+)`)
	compared := append(versionsIn(t, "conformance/versions/*.mod"), tested[:strings.LastIndex(tested, ".")])
	slices.Sort(compared)
	const views = `(v0\.\d+\.\d+[\s/]+to[\s/]+v0\.\d+\.\d+)`
	for _, version := range []string{
		first(t, "CHANGELOG.md", `\*\*(1\.\d+)\*\*`) + ", with its taint feature gates on",
		strings.Join(compared, ", "),
		tested,
		strings.Join(versionsIn(t, "internal/test/recorded/testdata/kubernetes-*"), ", "),
		first(t, "kube/kube.go", views),
		first(t, "dra/dra.go", views),
	} {
		if !strings.Contains(section, "| "+version+" |") {
			t.Errorf("%s is tested, and README.md says\n%s", version, section)
		}
	}
}

// versionsIn returns the versions in the names of the files, in order.
func versionsIn(t *testing.T, pattern string) (versions []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %q, %v", pattern, names, err)
	}
	for _, name := range names {
		version := strings.TrimPrefix(filepath.Base(name), "kubernetes-")
		versions = append(versions, strings.TrimSuffix(version, ".mod"))
	}
	return versions
}

// first returns what the first group of the pattern matches in the file.
func first(t *testing.T, name, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(read(t, name))
	if m == nil {
		t.Fatalf("%s does not have %s", name, pattern)
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(m[1], "//", "")), " ")
}

// README.md shows three examples, with their output, as they stand.
func TestReadmeExamples(t *testing.T) {
	examples := read(t, "example_test.go")
	blocks := Blocks(t, filepath.Join(root, "README.md"), "go")
	for i, name := range []string{"Example", "Example_eviction", "Example_explanation"} {
		_, body, _ := strings.Cut(examples, "func "+name+"() {")
		body, _, _ = strings.Cut(body, "\n}\n")
		if got := strings.TrimSpace(strings.ReplaceAll(body, "\n\t", "\n")); got != strings.TrimSpace(blocks[i].Text) {
			t.Errorf("README.md shows:\n%s\n%s is:\n%s", blocks[i].Text, name, got)
		}
	}
}
