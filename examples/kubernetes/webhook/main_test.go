// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/util/cert"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/program"
	"github.com/seed-0529bac1/taints/examples/kubernetes/webhook/internal/policy"
)

func TestExits(t *testing.T) {
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.json")
	if err := os.WriteFile(rules, []byte(`{"namespace": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"-version", 0, "webhook " + program.Version() + "\n", ""},
		{"-h", 0, "", "-not-ready-seconds"},
		{"-no-such-flag", 2, "", "not defined: -no-such-flag"},
		{"now", 2, "", `unexpected argument "now"`},
		{"-rotate admission-tls", 2, "", "want NAMESPACE/SECRET"},
		{"-rotate a/b/c", 2, "", "want NAMESPACE/SECRET"},
		{"-rules " + rules, 1, "", `unknown field "namespace"`},
		{"-rules " + dir, 1, "", "is a directory"},
		{"-addr here", 1, "", "-addr: address here: missing port"},
		{"-addr :https", 1, "", `-addr: strconv.Atoi`},
		{"-audit -kubeconfig /does/not/exist", 1, "", "/does/not/exist"},
		{"-rotate a/b -kubeconfig /does/not/exist", 1, "", "/does/not/exist"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"-metrics-addr=0", "-health-addr=0", "-kubeconfig="}, strings.Fields(test.args)...)
		code := program.Run(t.Context(), "webhook", &options{}, args, &stdout, &stderr)
		if code != test.code || stdout.String() != test.stdout || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%s: code %d, %s%s", test.args, code, &stdout, &stderr)
		}
	}
}

// running is a running webhook, and how to reach it.
type running struct {
	addr, health, metrics, certDir string

	stop context.CancelFunc
	code chan int
}

// start starts a webhook in a folder with or without a certificate.
func start(t *testing.T, certDir string, flags ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	w := &running{cluster.FreeAddress(t), cluster.FreeAddress(t), cluster.FreeAddress(t), certDir, stop, make(chan int, 1)}
	args := append([]string{
		"-addr=" + w.addr, "-health-addr=" + w.health, "-metrics-addr=" + w.metrics, "-cert-dir=" + certDir, "-rules=rules.json",
	}, flags...)
	go func() { w.code <- program.Run(ctx, "webhook", &options{}, args, io.Discard, t.Output()) }()
	t.Cleanup(stop)
	return w
}

// end asks the webhook to stop, and checks that it does.
func (w *running) end(t *testing.T) {
	t.Helper()
	w.stop()
	select {
	case code := <-w.code:
		if code != 0 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(drain):
		t.Error("it does not end")
	}
}

// newCertificate writes a new certificate to dir, and returns a config that trusts it.
func newCertificate(t *testing.T, dir string) *tls.Config {
	t.Helper()
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	for name, text := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certificate)
	return &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"h2", "http/1.1"}}
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

// get returns the code and the text of a page. The code is 0 if no server answers.
func get(t *testing.T, url string) (code int, text string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// ready waits until the webhook is ready, and returns a connection.
func (w *running) ready(t *testing.T, trusted *tls.Config) *tls.Conn {
	t.Helper()
	eventually(t, "ready", func() bool {
		code, _ := get(t, "http://"+w.health+"/readyz")
		return code == http.StatusOK
	})
	var conn *tls.Conn
	eventually(t, "the certificate is shown", func() (ok bool) {
		var err error
		conn, err = tls.Dial("tcp", w.addr, trusted)
		return err == nil
	})
	t.Cleanup(func() { conn.Close() })
	return conn
}

// shows waits until the metrics have the line.
func (w *running) shows(t *testing.T, line string) {
	t.Helper()
	eventually(t, line, func() bool {
		_, page := get(t, "http://"+w.metrics+"/metrics")
		return strings.Contains(page, line)
	})
}

const review = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",` +
	`"resource":{"version":"v1","resource":"pods"},"namespace":"web","object":{"apiVersion":"v1","kind":"Pod","spec":{}}}}`

// begin sends a review without its last byte; finish sends it, and reads the answer.
func begin(t *testing.T, conn *tls.Conn) {
	t.Helper()
	_, err := fmt.Fprintf(conn, "POST /mutate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		len(review), review[:len(review)-1])
	if err != nil {
		t.Fatal(err)
	}
}

func finish(t *testing.T, conn *tls.Conn) {
	t.Helper()
	var answer struct {
		Response struct {
			UID     string
			Allowed bool
			Patch   []byte
		}
	}
	_, err := conn.Write([]byte(review[len(review)-1:]))
	if err == nil {
		var response *http.Response
		if response, err = http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
			err = json.NewDecoder(response.Body).Decode(&answer)
		}
	}
	if r := answer.Response; err != nil || r.UID != "u" || !r.Allowed || len(r.Patch) == 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestServe starts without a certificate and without an API server. The webhook
// answers as soon as a certificate exists, switches to a new certificate, and
// answers in-flight requests before it ends.
func TestServe(t *testing.T) {
	w := start(t, t.TempDir())
	eventually(t, "healthy", func() bool {
		code, _ := get(t, "http://"+w.health+"/healthz")
		return code == http.StatusOK
	})
	if code, text := get(t, "http://"+w.health+"/readyz"); code != http.StatusInternalServerError {
		t.Errorf("ready without a certificate: %d %s", code, text)
	}
	first := newCertificate(t, w.certDir)
	conn := w.ready(t, first)
	if protocol := conn.ConnectionState().NegotiatedProtocol; protocol != "http/1.1" {
		t.Errorf("it speaks %s", protocol)
	}
	begin(t, conn)
	finish(t, conn)

	conn = w.ready(t, newCertificate(t, w.certDir))
	leaf := conn.ConnectionState().PeerCertificates[0]
	lifetime := leaf.NotAfter.Sub(leaf.NotBefore).Seconds()
	for _, want := range []string{
		`controller_runtime_webhook_requests_total{code="200",webhook="/mutate"} 1`,
		`taints_webhook_reviews_total{outcome="patched",webhook="mutate"} 1`,
		`taints_webhook_denials_total{reason="not-allowed",webhook="validate"} 0`,
		`taints_webhook_rules_good 1`,
		`taints_webhook_build_info{version=`,
		"taints_webhook_certificate_lifetime_seconds " + strconv.FormatFloat(lifetime, 'g', -1, 64),
	} {
		w.shows(t, want)
	}

	begin(t, conn)
	w.shows(t, `controller_runtime_webhook_requests_in_flight{webhook="/mutate"} 1`)
	w.stop()
	eventually(t, "it takes nothing more", func() bool {
		conn, err := net.Dial("tcp", w.addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	finish(t, conn)
	w.end(t)
}

func TestAudit(t *testing.T) {
	rules, err := policy.ParseRules([]byte(`{"cluster": {"allowedTolerations": []}}`))
	if err != nil {
		t.Fatal(err)
	}
	pod := func(namespace, name string, tolerations ...corev1.Toleration) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec:       corev1.PodSpec{Tolerations: tolerations},
		}
	}
	a, everything := corev1.Toleration{Key: "a"}, corev1.Toleration{Operator: corev1.TolerationOpExists}
	many := slices.Repeat([]corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64)}}, mostLinted+1)
	pods := []runtime.Object{
		pod("kube-system", "exempt", everything), pod("web", "fine"), pod("web", "many", many...), pod("web", "two", a, everything),
	}
	registration := &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "registered"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{NamespaceSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: corev1.LabelMetadataName, Operator: "NotIn", Values: []string{"web"}}},
		}}},
	}
	client := fake.NewClientset(append(pods, registration)...)
	for _, test := range []struct{ registration, begins, ends string }{
		{
			"none", "web/many: 101 tolerations, more than 100, are not checked for sense\n" +
				"web/two: tolerations[0]: a would be refused (not-allowed)\n",
			"\n3 pods: 1 would be refused; 2 tolerations make little sense\n",
		},
		{
			"registered", "kube-system/exempt: tolerations[0]: op=Exists would be refused (not-allowed)\n",
			"\n1 pods: 1 would be refused; 1 tolerations make little sense\n",
		},
	} {
		var out strings.Builder
		refused, err := audit(t.Context(), client, &policy.Policy{Rules: *rules}, test.registration, &out)
		if text := out.String(); err != nil || refused != 1 || !strings.HasPrefix(text, test.begins) || !strings.HasSuffix(text, test.ends) {
			t.Errorf("%s: %d would be refused, %v: %s", test.registration, refused, err, text)
		}
	}
}
