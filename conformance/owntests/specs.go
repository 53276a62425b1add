// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

// addSpecs replaces the test that ran the suite with the specs of Ginkgo's report.
func addSpecs(run *gotest.Run, report string) error {
	text, err := os.ReadFile(report)
	if err != nil {
		return err
	}
	var suites []struct {
		SuiteDescription string
		SpecReports      []struct {
			ContainerHierarchyTexts           []string
			LeafNodeType, LeafNodeText, State string
			Failure                           struct{ Message string }
		}
	}
	if err := json.Unmarshal(text, &suites); err != nil {
		return fmt.Errorf("%s: %w", report, err)
	}
	outcome := map[string]string{}
	for _, suite := range suites {
		seen := map[string]int{}
		for _, spec := range suite.SpecReports {
			if spec.LeafNodeType != "It" && spec.State == "passed" { // the setup of the suite
				continue
			}
			name := strings.Join(append(append([]string{suite.SuiteDescription}, spec.ContainerHierarchyTexts...),
				spec.LeafNodeText), " ")
			name = strings.ReplaceAll(name, "/", "|") // no subtests
			if seen[name]++; seen[name] > 1 {
				name = fmt.Sprintf("%s (%d)", name, seen[name])
			}
			switch spec.State {
			case "passed":
				outcome[name] = "pass"
			case "pending", "skipped":
				outcome[name] = "skip"
			default:
				outcome[name] = "fail"
				run.Output[name] = []string{spec.Failure.Message + "\n"}
			}
		}
	}
	if len(outcome) == 0 {
		return fmt.Errorf("%s has no specs", report)
	}
	failed := false
	for _, action := range outcome {
		failed = failed || action == "fail"
	}
	for name, action := range run.Outcome {
		if action == "fail" && !failed { // although no spec failed
			outcome[name] = action
		}
	}
	run.Outcome = outcome
	return nil
}
