// SPDX-License-Identifier: Apache-2.0

// Command controlplane is a Kubernetes control plane in one binary, for tests: etcd,
// kube-apiserver, kube-controller-manager and kube-scheduler, and kubectl to talk to
// it, each started by its name as the first argument.
//
//	controlplane etcd DIR CLIENT-URL PEER-URL
//	controlplane kube-apiserver FLAGS...
//	controlplane kube-controller-manager FLAGS...
//	controlplane kube-scheduler FLAGS...
//	controlplane kubectl COMMAND...
package main

import (
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
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
		etcd(os.Args[1:])
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

// etcd serves a single member until it is interrupted. It does not wait for the
// disk: its data does not outlive a test.
func etcd(args []string) {
	if len(args) != 3 {
		fail("want etcd DIR CLIENT-URL PEER-URL")
	}
	client, peer := parse(args[1]), parse(args[2])

	config := embed.NewConfig()
	config.Dir = args[0]
	config.UnsafeNoFsync = true
	config.LogLevel = "error"
	config.QuotaBackendBytes = 4 << 30
	config.ListenClientUrls, config.AdvertiseClientUrls = client, client
	config.ListenPeerUrls, config.AdvertisePeerUrls = peer, peer
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	server, err := embed.StartEtcd(config)
	if err != nil {
		fail("start etcd: %v", err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	select {
	case <-stop:
		server.Close()
	case err := <-server.Err():
		fail("etcd: %v", err)
	}
}

func parse(text string) []url.URL {
	u, err := url.Parse(text)
	if err != nil {
		fail("%v", err)
	}
	return []url.URL{*u}
}

func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "controlplane: "+format+"\n", args...)
	os.Exit(1)
}
