// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
)

// TestCluster runs the program on an API server. Each case has its objects, and more lines:
// "< LINE" is in standard input, "refuse PATH" is what the user may not read, "expire PATH" is
// a list whose next page is gone, once, and "version VERSION" is the server's. The output ends with
// what was asked.
func TestCluster(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	cases.Run(t, "testdata/cluster.txt", func(t *testing.T, lines []string) []string {
		s := newAPIServer(t)
		var objects, given []string
		last := len(lines) - 1
		for _, line := range lines[:last] {
			switch word, rest, _ := strings.Cut(line, " "); word {
			case "<":
				given = append(given, rest)
			case "refuse":
				s.refused = append(s.refused, rest)
			case "expire":
				s.expired = append(s.expired, rest)
			case "version":
				s.version = rest
			default:
				objects = append(objects, line)
			}
		}
		s.store, _ = readStore(objectsOf(objects), nil)
		stdin := strings.NewReader(objectsOf(given))
		host := strings.TrimPrefix(s.url, "http://")
		args := shellWords(t, strings.ReplaceAll(strings.TrimPrefix(lines[last], "$ kubectl "), "HOST", host))[1:]
		code, stdout, stderr := runOn(stdin, args...)
		output := outputOf(code, strings.ReplaceAll(stdout+stderr, host, "HOST"))
		if stdin.Len() > 0 {
			output = append(output, "standard input is not read") // a loop of a shell may read from it
		}
		for _, request := range s.requests {
			output = append(output, "asked "+request)
		}
		return output
	})
}

// A URL that does not answer is given up.
func TestTimeout(t *testing.T) {
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-done }))
	defer server.Close()
	defer close(done)
	if code, _, stderr := runOn(nil, "-f", server.URL, "--request-timeout", "10ms"); code != 1 || !strings.Contains(stderr, "Timeout exceeded") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// The script that kubectl runs for completions passes the arguments on.
func TestCompletionScript(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	fake := "#!" + sh + "\nprintf '<%s>' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "kubectl-whynot"), []byte(fake), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	out, err := exec.Command(sh, "kubectl_complete-whynot", "-o", "").CombinedOutput()
	if string(out) != "<__complete><-o><>" || err != nil {
		t.Errorf("%s, %v", out, err)
	}
}
