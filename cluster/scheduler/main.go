// SPDX-License-Identifier: Apache-2.0

// Command scheduler is the kube-scheduler with the plugin [plugin.Taints], which
// replaces TaintToleration if the configuration says so: see README.md. It has the
// flags of the kube-scheduler.
package main

import (
	"os"

	"github.com/seed-0529bac1/taints/cluster/internal/plugin"
	"github.com/seed-0529bac1/taints/cluster/internal/program"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // the metrics of client-go
	_ "k8s.io/component-base/metrics/prometheus/version"  // the metric of the build
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	program.LimitMemory()
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(plugin.Name, plugin.New))))
}
