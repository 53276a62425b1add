// SPDX-License-Identifier: Apache-2.0

// Package readme finds the repository's documents, and runs the commands of a
// README exactly as printed, for tests.
package readme

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Documents returns the paths of all documents below the root, relative to it.
func Documents(t testing.TB, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		hidden := strings.HasPrefix(name, ".") && path != root && name != ".github"
		if entry.IsDir() && (hidden || name == "testdata" || name == "node_modules") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			file, err := filepath.Rel(root, path)
			files = append(files, filepath.ToSlash(file))
			return err
		}
		return nil
	})
	if err != nil || len(files) < 10 {
		t.Fatalf("documents are %v, %v", files, err)
	}
	return files
}

// A Block is a fenced block of a README.
type Block struct {
	File     string
	Line     int    // of its first line
	Language string // sh: commands; console: commands after "$ ", each with its output
	Text     string
}

// Blocks returns the blocks of a README with one of the languages, in order. It
// omits all others, which are in other languages or show an output.
func Blocks(t testing.TB, file string, languages ...string) []Block {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []Block
	var open *Block
	indent := ""
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		bare := strings.TrimLeft(line, " ")
		fence, isFence := strings.CutPrefix(bare, "```")
		switch {
		case isFence && open == nil:
			open = &Block{File: file, Line: number + 1, Language: strings.TrimSpace(fence)}
			indent = line[:len(line)-len(bare)]
		case isFence:
			if slices.Contains(languages, open.Language) {
				blocks = append(blocks, *open)
			}
			open = nil
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent)
		}
	}
	return blocks
}

// A Command is a command that a document tells the reader to type.
type Command struct {
	File     string
	Line     int    // where it begins
	Language string // of its block; empty outside a block
	Text     string
}

// programs matches the beginning of a text between backquotes that is a
// command: the name of a program and an argument.
var programs = regexp.MustCompile(`^(?:(?:go|git|kubectl|bash|apt-get|docker|curl|jq) \S|\.ci/\w|examples/\S+/build )`)

// Commands returns the commands of a document: the lines of its sh and console
// blocks, without comments and with continued lines joined, and the texts
// between backquotes that begin with a program. A program and one word, as in
// "kubectl taint", is a name and not a command.
func Commands(t testing.TB, file string) []Command {
	t.Helper()
	var commands []Command
	for _, b := range Blocks(t, file, "sh", "console") {
		commands = append(commands, b.commands()...)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	inBlock, number := false, 0
	for line := range strings.Lines(string(content)) {
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inBlock = !inBlock
			continue
		}
		if inBlock {
			continue
		}
		for i, text := range strings.Split(line, "`") {
			text = strings.ReplaceAll(text, `\|`, "|") // as it is escaped in a table
			if i%2 == 1 && programs.MatchString(text) &&
				(len(strings.Fields(text)) > 2 || strings.HasPrefix(text, ".ci/")) {
				commands = append(commands, Command{File: file, Line: number, Text: text})
			}
		}
	}
	return commands
}

// commands returns the commands of a block of the language sh or console.
func (b Block) commands() []Command {
	var commands []Command
	goesOn := false
	for line := range strings.Lines(b.Text) {
		b.Line++
		text, _, _ := strings.Cut(strings.TrimSpace(line), " #")
		text = strings.TrimSpace(text)
		if b.Language == "console" && !goesOn {
			rest, ok := strings.CutPrefix(text, "$ ")
			if !ok {
				continue
			}
			text = rest
		}
		part, more := strings.CutSuffix(text, "\\")
		if goesOn {
			commands[len(commands)-1].Text += strings.TrimSpace(part)
		} else if part != "" {
			commands = append(commands, Command{b.File, b.Line - 1, b.Language, part})
		}
		goesOn = more
	}
	return commands
}

// Run runs the block in bash in the folder, with more environment variables,
// and returns its output. Bash stops at the first command that fails. The test
// fails if the block fails.
func (b Block) Run(t testing.TB, folder string, env ...string) string {
	t.Helper()
	output, err := b.Command(t, folder, env...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s:%d: %v\n%s\n%s", b.File, b.Line, err, b.Text, output)
	}
	return string(output)
}

// Command returns the command that runs the block, whose language must be sh.
func (b Block) Command(t testing.TB, folder string, env ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", b.Text)
	command.Dir, command.Env = folder, append(os.Environ(), env...)
	return command
}

// Check runs the commands of a console block one after the other, and compares
// the output of each command with the text printed below it. "…" in this text
// matches anything.
func (b Block) Check(t testing.TB, folder string, env ...string) {
	t.Helper()
	const mark = "--- the output of one command ends here ---"
	var script bytes.Buffer
	var commands, wants []string
	for line := range strings.Lines(b.Text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			commands, wants = append(commands, command), append(wants, "")
			fmt.Fprintf(&script, "%secho '%s'\n", command, mark)
		} else if len(wants) > 0 {
			wants[len(wants)-1] += line
		}
	}
	command := exec.CommandContext(t.Context(), "bash", "-c", "exec 2>&1\n"+script.String())
	command.Dir, command.Env = folder, append(os.Environ(), env...)
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%s:%d: %v\n%s", b.File, b.Line, err, output)
	}
	parts := strings.Split(string(output), mark+"\n")
	for i, want := range wants {
		if !matches(parts[i], want) {
			t.Errorf("%s:%d: %ssays\n%s\nand the README\n%s", b.File, b.Line, commands[i], parts[i], want)
		}
	}
}

// matches reports whether the text matches the pattern, in which "…" is anything.
func matches(text, pattern string) bool {
	pattern = strings.ReplaceAll(regexp.QuoteMeta(pattern), "…", ".*")
	return regexp.MustCompile("(?s)^" + pattern + "$").MatchString(text)
}
