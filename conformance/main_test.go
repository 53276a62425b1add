package conformance

import (
	"flag"
	"os"
	"testing"

	"k8s.io/klog/v2"
)

// defaultChecks is how many cases a test runs through unless -rapid.checks says otherwise.
const defaultChecks = "3000"

func TestMain(m *testing.M) {
	klog.SetLogger(quiet)
	if err := flag.Set("rapid.checks", defaultChecks); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
