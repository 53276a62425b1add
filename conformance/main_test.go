// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"flag"
	"os"
	"reflect"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/klog/v2"
	"pgregory.net/rapid"
)

// defaultChecks is the number of cases per test unless -rapid.checks sets another.
const defaultChecks = "3000"

func TestMain(m *testing.M) {
	klog.SetLogger(quiet)
	if err := flag.Set("rapid.checks", defaultChecks); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// checkAtMost is rapid.Check with at most the given number of cases. It is for
// tests in which one case takes milliseconds.
func checkAtMost(t *testing.T, most int, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	asked := checks.Value.String()
	if n, err := strconv.Atoi(asked); err != nil || n > most {
		setChecks(t, strconv.Itoa(most))
		defer setChecks(t, asked)
	}
	rapid.Check(t, property)
}

func setChecks(t *testing.T, n string) {
	if err := flag.Set("rapid.checks", n); err != nil {
		t.Fatal(err)
	}
}

// same fails the test unless both answers are equal. A nil list equals an empty one.
//
// Most tests draw input and compare the library's answer with that of Kubernetes;
// rapid prints the input. Each TestDifference test shows both answers where the
// library differs from Kubernetes on purpose. The README has a row for each.
func same[T any](t rapid.TB, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(got, want) { // fast
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
