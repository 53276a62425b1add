// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
)

// checkMonitoring checks that the ServiceMonitor leads to the pods' metrics, and
// that the NetworkPolicy allows that.
func checkMonitoring(t *testing.T, objects []client.Object) {
	t.Helper()
	template := only[*appsv1.Deployment](t, objects).Spec.Template
	ports := sets.New[string]()
	for _, port := range template.Spec.Containers[0].Ports {
		ports.Insert(port.Name)
	}
	policy, open := only[*networkingv1.NetworkPolicy](t, objects), sets.New[string]()
	for _, rule := range policy.Spec.Ingress {
		for _, port := range rule.Ports {
			open.Insert(port.Port.String())
		}
	}
	if !open.Equal(ports) || !selects(t, &policy.Spec.PodSelector, template.Labels) {
		t.Errorf("the NetworkPolicy is for the ports %v, and the pods have %v", open, ports)
	}

	var monitor struct {
		Spec struct {
			Selector  metav1.LabelSelector
			Endpoints []struct {
				Port, BearerTokenFile string
				Authorization         any
				TLSConfig             struct{ InsecureSkipVerify bool }
			}
		}
	}
	decodeCustom(t, objects, "ServiceMonitor", &monitor)
	for _, e := range monitor.Spec.Endpoints {
		if e.TLSConfig.InsecureSkipVerify && (e.BearerTokenFile != "" || e.Authorization != nil) {
			t.Errorf("Prometheus sends its token to whoever answers at port %s", e.Port)
		}
	}
	found := 0
	for _, object := range objects {
		service, ok := object.(*corev1.Service)
		if !ok {
			continue
		}
		if !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(template.Labels)) {
			t.Errorf("the service %s is not for the pods", service.Name)
		}
		port := service.Spec.Ports[0]
		if selects(t, &monitor.Spec.Selector, service.Labels) && port.Name == monitor.Spec.Endpoints[0].Port && ports.Has(port.TargetPort.StrVal) {
			found++
		}
	}
	if found != 1 {
		t.Errorf("the ServiceMonitor leads to %d services", found)
	}
	for _, alert := range alertsOf(t, objects) {
		if alert.Alert == "" || alert.For == "" || alert.Annotations["summary"] == "" ||
			alert.Annotations["runbook_url"] != runbooks+"#"+strings.ToLower(alert.Alert) ||
			!slices.Contains([]string{"critical", "warning", "info"}, alert.Labels["severity"]) {
			t.Errorf("the alert is not complete: %+v", alert)
		}
	}
}

const runbooks = "https://github.com/seed-0529bac1/taints/blob/main/cluster/runbooks.md"

// TestRunbooks checks that there is a runbook for each alert, and no other.
func TestRunbooks(t *testing.T) {
	var have, want []string
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllSubmatch(must(os.ReadFile("../runbooks.md"))(t), -1) {
		have = append(have, string(m[1]))
	}
	for _, alert := range alertsOf(t, must(controlplane.Manifest("example"))(t)) {
		want = append(want, alert.Alert)
	}
	if slices.Sort(have); !slices.Equal(have, slices.Sorted(slices.Values(want))) {
		t.Errorf("there are runbooks for %q, and the alerts %q", have, want)
	}
}

// TestAlerts lets promtool say when each alert fires.
func TestAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skipf("Debian's package prometheus has it: %v", err)
	}
	tests := must(os.ReadFile("testdata/alerts.yaml"))(t)
	var groups []any
	for _, alert := range alertsOf(t, must(controlplane.Manifest("example"))(t)) {
		if !regexp.MustCompile(`alertname: ` + alert.Alert + `,.* exp_alerts`).Match(tests) {
			t.Errorf("no test lets %s fire", alert.Alert)
		}
		alert.Annotations = nil
		groups = append(groups, map[string]any{"name": alert.Alert, "rules": []any{alert}})
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "tests.yaml")
	check(t, os.WriteFile(file, tests, 0o600))
	check(t, os.WriteFile(filepath.Join(folder, "rules.yaml"), must(yaml.Marshal(map[string]any{"groups": groups}))(t), 0o600))
	if output, err := exec.Command(promtool, "test", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
}

// TestFolders checks that the README names each folder.
func TestFolders(t *testing.T) {
	readme := string(must(os.ReadFile("../README.md"))(t))
	for _, entry := range must(os.ReadDir(".."))(t) {
		name := entry.Name()
		if entry.IsDir() && name != "internal" && name[0] != '.' && !strings.Contains(readme, "\n| ["+name+"]("+name+") |") {
			t.Errorf("the README does not name %s", name)
		}
	}
}

// An alert is an alert of a PrometheusRule.
type alert struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

func alertsOf(t *testing.T, objects []client.Object) (alerts []alert) {
	t.Helper()
	for i, object := range objects {
		if object.GetObjectKind().GroupVersionKind().Kind == "PrometheusRule" {
			var rule struct {
				Spec struct{ Groups []struct{ Rules []alert } }
			}
			decodeCustom(t, objects[i:], "PrometheusRule", &rule)
			alerts = append(alerts, rule.Spec.Groups[0].Rules...)
		}
	}
	return alerts
}

// decodeCustom decodes the object of a kind that is not built into the API server.
func decodeCustom(t *testing.T, objects []client.Object, kind string, into any) {
	t.Helper()
	at := slices.IndexFunc(objects, func(o client.Object) bool { return o.GetObjectKind().GroupVersionKind().Kind == kind })
	if at < 0 {
		t.Fatalf("there is no %s", kind)
	}
	check(t, yaml.Unmarshal(must(yaml.Marshal(objects[at]))(t), into))
}

var (
	metricName = regexp.MustCompile(`\b[a-z]+_[a-z_]+\b`)
	noMetric   = regexp.MustCompile(`\{[^}]*\}|\b(histogram_quantile|clamp_min)\b|\bby \([a-z, ]*\)`)
)

// checkAlerts checks that the alerts of a program, and the dashboard, use metrics that
// the program has.
func checkAlerts(t *testing.T, program string, families map[string]*dto.MetricFamily) {
	t.Helper()
	exprs := dashboardOf(t, program)
	for _, alert := range alertsOf(t, overlay(t, program, program+"/monitoring")) {
		exprs = append(exprs, alert.Expr)
	}
	for _, expr := range exprs {
		for _, name := range metricName.FindAllString(noMetric.ReplaceAllString(expr, ""), -1) {
			if families[strings.TrimSuffix(name, "_bucket")] == nil {
				t.Errorf("%s looks at %s, and the %s has only %v", expr, name, program, slices.Sorted(maps.Keys(families)))
			}
		}
	}
}

// dashboardOf returns the expressions in the program's row of the dashboard.
func dashboardOf(t *testing.T, program string) (exprs []string) {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Type, Title string
			Targets     []struct{ Expr string }
		}
	}
	check(t, json.Unmarshal(must(os.ReadFile("../dashboard.json"))(t), &dashboard))
	row := ""
	for _, panel := range dashboard.Panels {
		if panel.Type == "row" {
			row = panel.Title
		}
		for _, target := range panel.Targets {
			if row == program {
				exprs = append(exprs, target.Expr)
			}
		}
	}
	if len(exprs) == 0 {
		t.Errorf("the dashboard has nothing about the %s", program)
	}
	return exprs
}
