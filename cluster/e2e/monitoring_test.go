// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/component-base/metrics/testutil"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
)

// TestRunbooks checks that there is a runbook for each alert, and no other.
func TestRunbooks(t *testing.T) {
	var have, want []string
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllSubmatch(must(os.ReadFile("../runbooks.md"))(t), -1) {
		have = append(have, string(m[1]))
	}
	for _, alert := range alertsOf(t, must(controlplane.Manifest("../manifests/example"))(t)) {
		want = append(want, alert["alert"].(string))
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
	alerts := alertsOf(t, must(controlplane.Manifest("../manifests/example"))(t))
	for _, alert := range alerts {
		if !regexp.MustCompile(fmt.Sprintf("alertname: %s,.* exp_alerts", alert["alert"])).Match(tests) {
			t.Errorf("no test lets %s fire", alert["alert"])
		}
		delete(alert, "annotations")
	}
	groups := []any{map[string]any{"name": "all", "rules": alerts}}
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

// alertsOf returns the alerts of the PrometheusRules, with the fields of their YAML.
func alertsOf(t *testing.T, objects []client.Object) (alerts []map[string]any) {
	t.Helper()
	for _, object := range objects {
		if object.GetObjectKind().GroupVersionKind().Kind == "PrometheusRule" {
			var rule struct {
				Spec struct {
					Groups []struct{ Rules []map[string]any }
				}
			}
			check(t, yaml.Unmarshal(must(yaml.Marshal(object))(t), &rule))
			alerts = append(alerts, rule.Spec.Groups[0].Rules...)
		}
	}
	return alerts
}

var (
	metricName = regexp.MustCompile(`\b[a-z]+_[a-z_]+\b`)
	noMetric   = regexp.MustCompile(`\{[^}]*\}|\b(histogram_quantile|clamp_min)\b|\bby \([a-z, ]*\)`)
)

// checkAlerts checks that the alerts of a program, and the dashboard, use metrics that
// the program has.
func checkAlerts(t *testing.T, program string, metrics testutil.Metrics) {
	t.Helper()
	exprs := dashboardOf(t, program)
	for _, alert := range alertsOf(t, overlay(t, program, "monitoring")) {
		exprs = append(exprs, alert["expr"].(string))
	}
	for _, expr := range exprs {
		for _, name := range metricName.FindAllString(noMetric.ReplaceAllString(expr, ""), -1) {
			if metrics[name] == nil {
				t.Errorf("%s looks at %s, and the %s has only %v", expr, name, program, slices.Sorted(maps.Keys(metrics)))
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
