// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhooktest"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	k8stesting "k8s.io/client-go/testing"
)

// In a cluster: it registers, serves what is registered, and ends on SIGTERM,
// leaving the registration to other replicas; then it is unregistered.
func TestServe(t *testing.T) {
	client := newAPI()
	var stdout, stderr webhooktest.Buffer
	p := program{&stdout, &stderr, func(kubeconfig string) (kubernetes.Interface, error) {
		if kubeconfig != "there" {
			t.Errorf("kubeconfig %s", kubeconfig)
		}
		return client, nil
	}}
	code := make(chan int, 1)
	go func() {
		code <- p.run(t.Context(), []string{
			"-kubeconfig", "there", "-addr", "127.0.0.1:0", "-metrics-addr", "127.0.0.1:0",
			"-url", "https://127.0.0.1:1234/x/", "-exempt", "a,b", "-timeout", "30s",
			"-mutate-failure-policy", "Ignore",
		})
	}()
	listening := webhooktest.Eventually(t, &stderr, "listening")
	addr := listening["addr"].(string)
	webhooktest.Eventually(t, &stderr, "certificate in use")

	_, mutating, validating := get(t, client)
	w := mutating.Webhooks[0]
	if *w.ClientConfig.URL != "https://127.0.0.1:1234/x/mutate" ||
		*validating.Webhooks[0].ClientConfig.URL != "https://127.0.0.1:1234/x/validate" || *w.TimeoutSeconds != 30 ||
		*w.FailurePolicy != "Ignore" || *validating.Webhooks[0].FailurePolicy != "Fail" {
		t.Errorf("%+v", w)
	}
	if got := strings.Join(w.NamespaceSelector.MatchExpressions[0].Values, " "); got != "kube-system a b webhooks" {
		t.Errorf("exempt are %s", got)
	}
	trusting := webhooktest.Trusting(t, w.ClientConfig.CABundle)
	if code, text := webhooktest.Get(t, trusting, "https://"+addr+"/healthz"); code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	trusting.CloseIdleConnections()
	checkMetrics(t, "http://"+listening["metrics"].(string)+"/metrics")

	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-code:
		if code != 0 {
			t.Errorf("exit code %d: %s", code, &stderr)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not stop")
	}
	webhooktest.Eventually(t, &stderr, "stopped")
	get(t, client)

	for _, args := range [][]string{{"-unregister", "-kubeconfig", "there"}, {"-audit", "-kubeconfig", "there"}} {
		if code := p.run(t.Context(), args); code != 0 {
			t.Errorf("%s: exit code %d: %s", args, code, &stderr)
		}
	}
	if want := "0 pods: 0 would be refused; 0 tolerations make little sense\n"; stdout.String() != want {
		t.Errorf("stdout %s", &stdout)
	}
	if got := writes(client); len(got) != 6 {
		t.Errorf("writes: %s", got)
	}
}

// checkMetrics checks that Prometheus can read the metrics, and that they know
// the certificate.
func checkMetrics(t *testing.T, url string) {
	t.Helper()
	_, page := webhooktest.Get(t, http.DefaultClient, url)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%v in\n%s", err, page)
	}
	problems, err := promlint.New(strings.NewReader(page)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	if good := families["taints_webhook_registration_good"]; good == nil {
		t.Errorf("no registration in\n%s", page)
	}
	expiry := families["taints_webhook_certificate_expiry_timestamp_seconds"]
	if expiry == nil || time.Until(time.Unix(int64(expiry.Metric[0].Gauge.GetValue()), 0)) < 80*24*time.Hour {
		t.Errorf("the certificate ends %v", expiry)
	}
}

func TestUsage(t *testing.T) {
	broken := webhooktest.WriteFile(t, "rules.json", `{"namespace": {}}`)
	rules := webhooktest.WriteFile(t, "rules.json", `{"cluster": {"allowedTolerations": []}}`)
	busy := webhooktest.Busy(t)
	client := newAPI()
	if err := client.Tracker().Add(newPod("web", "a", "dedicated=ml")); err != nil {
		t.Fatal(err)
	}
	client.PrependReactor("get", "*", func(k8stesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewBadRequest("no sense")
	})
	works := func(string) (kubernetes.Interface, error) { return client, nil }
	run := func(stdout, stderr io.Writer, args []string) int {
		return program{stdout, stderr, works}.run(context.Background(), args)
	}
	webhooktest.CheckExits(t, run, webhooktest.Exits{
		{[]string{"-h"}, 0, "Usage: webhook [flags] "},
		{[]string{"-x"}, 2, "flag provided but not defined: -x"},
		{[]string{"serve"}, 2, `unexpected argument "serve"`},
		{[]string{"-audit", "-unregister"}, 2, "-unregister does not go with -audit"},
		{[]string{"-namespace", "A"}, 2, `-namespace "A" is not the name of a namespace`},
		{[]string{"-service", "a.b"}, 2, `-service "a.b" is not the name of a service`},
		{[]string{"-exempt", "a,,b"}, 2, `"" is not the name of a namespace`},
		{[]string{"-mutate-failure-policy", "fail"}, 2, "want Fail or Ignore"},
		{[]string{"-validate-failure-policy", ""}, 2, "want Fail or Ignore"},
		{[]string{"-timeout", "500ms"}, 2, "-timeout 500ms is not 1 to 30 whole seconds"},
		{[]string{"-timeout", "31s"}, 2, "-timeout 31s"},
		{[]string{"-timeout", "1500ms"}, 2, "-timeout 1.5s"},
		{[]string{"-interval", "0s"}, 2, "-interval 0s is not above zero"},
		{
			[]string{"-certificate-validity", "8m59s"},
			2,
			"-certificate-validity 8m59s is less than nine times the -interval of 1m0s",
		},
		{[]string{"-interval", "300000h"}, 2, "-certificate-validity 2160h0m0s is less than nine times"},
		{[]string{"-certificate-validity", "87601h"}, 2, "-certificate-validity 87601h0m0s is more than 87600h0m0s, ten years"},
		{[]string{"-certificate-validity", "300000h"}, 2, "is more than"},
		{[]string{"-url", "http://127.0.0.1"}, 2, `-url "http://127.0.0.1" is not of the form https://HOST:PORT`},
		{[]string{"-url", "https://"}, 2, "is not of the form"},
		{[]string{"-url", "https://a?b"}, 2, "is not of the form"},
		{[]string{"-url", "https://u@a"}, 2, "is not of the form"},
		{[]string{"-url", "https://a#b"}, 2, "is not of the form"},
		{[]string{"-url", "https://a:b"}, 2, "is not of the form"},
		{[]string{"-rules", "none.json"}, 1, "webhook: open none.json: "},
		{[]string{"-rules", broken}, 1, `rules.json: ["namespace"] is not a field`},
		{[]string{"-metrics-addr", "0", "-addr", busy}, 1, "address already in use"},
		{[]string{"-addr", "127.0.0.1:0", "-metrics-addr", busy}, 1, "address already in use"},
		{[]string{"-addr", "127.0.0.1:0", "-metrics-addr", "0"}, 1, "webhook: registering: no sense"},
		{[]string{"-unregister"}, 1, "webhook: no sense"},
		{[]string{"-audit", "-rules", rules}, 3, ""},
		{[]string{"-audit"}, 0, ""},
	})
	var stderr webhooktest.Buffer
	if code := (program{&webhooktest.Buffer{}, &stderr, connect}).run(context.Background(),
		[]string{"-kubeconfig", "none"}); code != 1 || !strings.Contains(stderr.String(), "stat none: ") {
		t.Errorf("exit code %d, stderr %s", code, &stderr)
	}
}
