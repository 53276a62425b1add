// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints/examples/internal/webhooktest"
)

// A running is a program that runs.
type running struct {
	stdout, stderr *webhooktest.Buffer
	addr           string
	stop           context.CancelFunc
	code           chan int
}

// start runs the program and waits until it listens.
func start(t *testing.T, drain time.Duration, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	r := &running{stdout: &webhooktest.Buffer{}, stderr: &webhooktest.Buffer{}, stop: stop, code: make(chan int, 1)}
	go func() {
		r.code <- program{r.stdout, r.stderr, drain}.run(ctx, append(args, "-addr", "127.0.0.1:0"))
	}()
	r.addr = webhooktest.Eventually(t, r.stderr, "listening")["addr"].(string)
	return r
}

// wait returns the exit code.
func (r *running) wait(t *testing.T) int {
	t.Helper()
	select {
	case code := <-r.code:
		return code
	case <-time.After(10 * time.Second):
		t.Fatal("it does not stop")
		return -1
	}
}

// caBundle decodes what the program printed.
func (r *running) caBundle(t *testing.T) []byte {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(r.stdout.String(), "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The way of the README: a certificate of its own, a client that trusts it, and
// SIGTERM at the end.
func TestSelfSigned(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process gets SIGTERM there")
	}
	r := start(t, 10*time.Second, "-self-signed",
		"-rules", "rules.json", "-not-ready-seconds", "60", "-metrics-addr", "127.0.0.1:0")
	client := webhooktest.Trusting(t, r.caBundle(t))
	_, port, _ := net.SplitHostPort(r.addr)
	for _, host := range []string{"localhost", "127.0.0.1"} {
		code, text := webhooktest.Post(t, client,
			"https://"+net.JoinHostPort(host, port)+"/mutate", webhooktest.ReadFile(t, "testdata/create.request.json"))
		want := string(webhooktest.ReadFile(t, "testdata/create.response.json"))
		if diff := cmp.Diff(want, webhooktest.Indent(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", host, diff)
		}
		if code != http.StatusOK {
			t.Errorf("%s: code %d", host, code)
		}
	}
	response, err := client.Get("https://" + r.addr + "/healthz")
	if err != nil || response.StatusCode != http.StatusOK || response.ProtoMajor != 1 {
		t.Fatalf("healthz: %v, %v", response, err)
	}
	response.Body.Close()
	metrics := "http://" + webhooktest.Logged(r.stderr.String(), "listening")[0]["metrics"].(string) + "/metrics"
	if _, text := webhooktest.Get(t, http.DefaultClient, metrics); !strings.Contains(text,
		`taints_webhook_reviews_total{webhook="mutate",outcome="patched"} 2`) {
		t.Errorf("metrics: %s", text)
	}
	old := &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11, InsecureSkipVerify: true}
	if c, err := tls.Dial("tcp", r.addr, old); err == nil {
		c.Close()
		t.Error("TLS 1.1 is accepted")
	}
	large, err := http.NewRequest("GET", "https://"+r.addr+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	large.Header.Set("X-Large", strings.Repeat("x", 50<<10))
	if response, err := client.Do(large); err == nil {
		response.Body.Close()
		if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("a large header: %s", response.Status)
		}
	}
	client.CloseIdleConnections()
	block, _ := pem.Decode(r.caBundle(t))
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if err := certificate.VerifyHostname(host); err != nil {
			t.Error(err)
		}
	}
	process, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := r.wait(t); code != 0 {
		t.Errorf("exit code %d: %s", code, r.stderr)
	}
	log := r.stderr.String()
	if len(webhooktest.Logged(log, "stopped")) != 1 || len(webhooktest.Logged(log, "decision")) != 2 {
		t.Errorf("log: %s", log)
	}
	for _, secret := range []string{"registry.example.com", "TOKEN", "epochs", "replicaset-controller"} {
		if strings.Contains(log, secret) {
			t.Errorf("%s is in the log: %s", secret, log)
		}
	}
}

// writePair writes a certificate and its key, and returns the names of the files and
// the certificate in PEM.
func writePair(t *testing.T, dir string) (cert, key string, text []byte) {
	t.Helper()
	pair, text, err := selfSigned(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for name, text := range map[string][]byte{
		cert: text,
		key:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, text
}

// A renewed certificate is used for new connections; one that is gone or broken does
// not stop the server.
func TestCertificateFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key, first := writePair(t, dir)
	r := start(t, 10*time.Second, "-cert", cert, "-key", key)
	get := func(text []byte) error {
		client := webhooktest.Trusting(t, text)
		response, err := client.Get("https://" + r.addr + "/healthz")
		if err == nil {
			response.Body.Close()
		}
		client.CloseIdleConnections()
		return err
	}
	if err := get(first); err != nil {
		t.Fatal(err)
	}
	_, _, second := writePair(t, dir)
	if err := get(first); err == nil {
		t.Error("the old certificate is still in use")
	}
	if err := get(second); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(key, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := get(second); err != nil {
		t.Error(err)
	}
	r.stop()
	code := r.wait(t)
	if code != 0 || r.stdout.String() != "" || !strings.Contains(r.stderr.String(), "the last one stays in use") {
		t.Errorf("exit code %d, stdout %q, stderr %s", code, r.stdout, r.stderr)
	}
}

// A request under way when the program is told to stop gets its answer; one that
// takes too long is cut off.
func TestShutdown(t *testing.T) {
	body := string(webhooktest.ReadFile(t, "testdata/create.request.json"))
	for _, finish := range []bool{true, false} {
		drain := 50 * time.Millisecond
		if finish {
			drain = 5 * time.Second
		}
		r := start(t, drain, "-self-signed")
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(r.caBundle(t))
		c, err := tls.Dial("tcp", r.addr, &tls.Config{RootCAs: pool})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprintf(c, "POST /mutate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
			"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
		const goOn = "HTTP/1.1 100 Continue\r\n\r\n" // the body is being read
		read := make([]byte, len(goOn))
		if _, err := io.ReadFull(c, read); err != nil || string(read) != goOn {
			t.Fatalf("%q, %v", read, err)
		}
		io.WriteString(c, body[:100])
		r.stop()
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
			other, err := net.Dial("tcp", r.addr)
			if err != nil {
				break // it takes no more connections
			}
			other.Close()
			if time.Now().After(deadline) {
				t.Fatal("it still listens")
			}
		}
		if finish {
			io.WriteString(c, body[100:])
		}
		answer := make([]byte, len("HTTP/1.1 200 OK"))
		_, err = io.ReadFull(c, answer)
		code := r.wait(t)
		switch {
		case finish && (err != nil || string(answer) != "HTTP/1.1 200 OK" || code != 0):
			t.Errorf("finished: %q, %v, exit code %d", answer, err, code)
		case !finish && (err == nil || code != 1 ||
			!strings.Contains(r.stderr.String(), "admission: requests were still under way after 50ms, and cut off\n")):
			t.Errorf("cut off: %q, %v, exit code %d, stderr %s", answer, err, code, r.stderr)
		}
	}
}

func TestUsage(t *testing.T) {
	broken := webhooktest.WriteFile(t, "rules.json", `{"dedications": {}, "namespace": {}}`)
	busy := webhooktest.Busy(t)
	run := func(stdout, stderr io.Writer, args []string) int {
		return program{stdout, stderr, 0}.run(context.Background(), args)
	}
	webhooktest.CheckExits(t, run, webhooktest.Exits{
		{[]string{"-h"}, 0, "Usage: admission -cert file -key file"},
		{[]string{"-x"}, 2, "flag provided but not defined: -x"},
		{nil, 2, "admission: -cert and -key are needed, or -self-signed\nUsage"},
		{[]string{"-cert", "c"}, 2, "-cert and -key are needed"},
		{[]string{"-key", "k"}, 2, "-cert and -key are needed"},
		{[]string{"-self-signed", "-key", "k"}, 2, "-self-signed does not go with -cert and -key"},
		{[]string{"-self-signed", "-not-ready-seconds", "5m"}, 2, "invalid value"},
		{[]string{"-self-signed", "serve"}, 2, `unexpected argument "serve"`},
		{[]string{"-cert", "none.crt", "-key", "none.key"}, 1, "admission: open none.crt: "},
		{[]string{"-self-signed", "-rules", "none.json"}, 1, "admission: open none.json: "},
		{
			[]string{"-self-signed", "-rules", broken},
			1,
			"rules.json: 2 problems:\n" +
				"  [\"namespace\"] is not a field; there are cluster, namespaces, dedications, exemptDaemonSets\n" +
				"  dedications is an object, not a list\n",
		},
		{[]string{"-self-signed", "-addr", busy}, 1, "address already in use"},
		{[]string{"-self-signed", "-addr", "nowhere"}, 1, "missing port"},
		{
			[]string{"-self-signed", "-addr", "127.0.0.1:0", "-metrics-addr", busy},
			1, "address already in use",
		},
	})
	var stderr webhooktest.Buffer
	if code := (program{failingWriter{}, &stderr, 0}).run(context.Background(),
		[]string{"-self-signed"}); code != 1 || stderr.String() != "admission: disk full\n" {
		t.Errorf("exit code %d, stderr %s", code, &stderr)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestReadme checks that the README shows the files, and what the webhook answers.
func TestReadme(t *testing.T) {
	readme := string(webhooktest.ReadFile(t, "README.md"))
	var response struct{ Response struct{ Patch []byte } }
	if err := json.Unmarshal(webhooktest.ReadFile(t, "testdata/create.response.json"), &response); err != nil {
		t.Fatal(err)
	}
	var patch []json.RawMessage
	if err := json.Unmarshal(response.Response.Patch, &patch); err != nil {
		t.Fatal(err)
	}
	wants := []string{string(webhooktest.ReadFile(t, "rules.json"))}
	for _, step := range patch {
		wants = append(wants, string(step)+"\n")
	}
	for _, want := range wants {
		if !strings.Contains(readme, want) {
			t.Errorf("the README does not show %s", want)
		}
	}
}
