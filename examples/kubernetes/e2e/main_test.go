// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"os"
	"testing"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

var logs = flag.String("logs", "", "keep the output of the programs in this `folder`")

func TestMain(m *testing.M) {
	cluster.KillOnSignal()
	os.Exit(m.Run())
}

// start starts a control plane that ends with the test. A test with -short is skipped.
func start(t *testing.T, options cluster.Options) *cluster.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a control plane: leave out -short")
	}
	options.Logs = *logs
	return cluster.Start(t, options)
}
