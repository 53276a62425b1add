// SPDX-License-Identifier: Apache-2.0

// Package webhooktest has what the tests of the webhooks share: requests,
// certificates to trust, and logs.
package webhooktest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// ReadFile returns the content of a file that must be there.
func ReadFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// WriteFile writes a file of the base name in a folder of the test's own, and returns
// its name.
func WriteFile(t testing.TB, base, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), base)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Busy returns an address at which somebody else listens.
func Busy(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener.Addr().String()
}

// Exits are how a program ends that is called with arguments: with a code, and with a
// text in what it says.
type Exits = []struct {
	Args   []string
	Code   int
	Stderr string
}

// CheckExits checks how a program ends.
func CheckExits(t *testing.T, run func(stdout, stderr io.Writer, args []string) int, exits Exits) {
	t.Helper()
	for _, want := range exits {
		var stderr Buffer
		code := run(io.Discard, &stderr, want.Args)
		if code != want.Code || !strings.Contains(stderr.String(), want.Stderr) {
			t.Errorf("%q: exit code %d, stderr %s", want.Args, code, &stderr)
		}
	}
}

// Indent returns the JSON text as golden files have it.
func Indent(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return b.String() + "\n"
}

// Trusting returns a client that trusts only the certificates in the PEM text.
func Trusting(t testing.TB, text []byte) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("no certificate in %q", text)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Post posts JSON, and returns the code and the text of the answer.
func Post(t testing.TB, client *http.Client, url string, body []byte) (code int, text string) {
	t.Helper()
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	return answer(t, response, err)
}

// Get returns the code and the text of a page.
func Get(t testing.TB, client *http.Client, url string) (code int, text string) {
	t.Helper()
	response, err := client.Get(url)
	return answer(t, response, err)
}

func answer(t testing.TB, response *http.Response, err error) (code int, text string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A Buffer is the output of a program: it may be written and read at once.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements [io.Writer].
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns all that was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// Logged decodes the lines of a log with the message. A line that is no JSON, such
// as the last one where a program failed to start, is passed over.
func Logged(log, message string) []map[string]any {
	var list []map[string]any
	for line := range strings.Lines(log) {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) == nil && m["msg"] == message {
			list = append(list, m)
		}
	}
	return list
}

// Eventually waits until the log has a line with the message, and returns the
// first such line.
func Eventually(t testing.TB, log *Buffer, message string) map[string]any {
	t.Helper()
	var found []map[string]any
	Wait(t, func() bool {
		found = Logged(log.String(), message)
		return len(found) > 0
	}, func() string { return "no " + message + " in " + log.String() })
	return found[0]
}

// Wait waits until the condition holds, and fails the test where it does not
// within a minute.
func Wait(t testing.TB, condition func() bool, otherwise func() string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(otherwise())
		}
	}
}
