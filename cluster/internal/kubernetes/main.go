// SPDX-License-Identifier: Apache-2.0

// Command kubernetes is a Kubernetes control plane in one binary, for tests and play:
// etcd, kube-apiserver, kube-controller-manager and kube-scheduler, and kubectl to
// talk to it. The first argument is the name of the program to run.
//
//	kubernetes etcd FLAGS...
//	kubernetes kube-apiserver FLAGS...
//	kubernetes kube-controller-manager FLAGS...
//	kubernetes kube-scheduler FLAGS...
//	kubernetes kubectl COMMAND...
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // the metrics of client-go
	_ "k8s.io/component-base/metrics/prometheus/version"  // the metric of the build
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) < 2 {
		fail("want etcd, kube-apiserver, kube-controller-manager, kube-scheduler or kubectl as the first argument")
	}
	component := os.Args[1]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	switch component {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		run(apiserver.NewAPIServerCommand())
	case "kube-controller-manager":
		run(controllermanager.NewControllerManagerCommand())
	case "kube-scheduler":
		run(scheduler.NewSchedulerCommand())
	case "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	default:
		fail("unknown component %q", component)
	}
}

func run(command *cobra.Command) { os.Exit(cli.Run(command)) }

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "kubernetes: "+format+"\n", args...)
	os.Exit(1)
}
