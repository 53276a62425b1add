// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// CheckVersion returns an error for a version of Kubernetes that is too old for
// this module: a version without the operators Lt and Gt of tolerations.
func CheckVersion(text string) error {
	const oldest = "1.35"
	v, err := version.ParseGeneric(text)
	if err == nil && v.LessThan(version.MustParseGeneric(oldest)) {
		err = fmt.Errorf("it is Kubernetes %s, and %s is the oldest that works here", text, oldest)
	}
	return err
}

// Connect returns an existing cluster and removes added objects at the end.
func Connect(tb T, kubeconfig string, options Options) *Cluster {
	tb.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		tb.Fatal(err)
	}
	config.QPS, config.Burst = 100, 200
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		tb.Fatal(err)
	}
	info, err := client.Discovery().ServerVersion()
	if err == nil {
		err = CheckVersion(info.GitVersion)
	}
	if err != nil {
		tb.Fatalf("%s: %v", config.Host, err)
	}
	c := newCluster(tb, options)
	c.borrowed, c.Kubeconfig, c.Config, c.Client = true, kubeconfig, config, client
	c.startKubelets()
	return c
}

// takeAway deletes an object at the end if it was added to an existing cluster.
func (c *Cluster) takeAway(what string, remove func(context.Context) error) {
	if !c.borrowed {
		return
	}
	c.tb.Cleanup(func() {
		var last error
		gone := func(ctx context.Context) (bool, error) {
			last = remove(ctx)
			return apierrors.IsNotFound(last), nil
		}
		if wait.PollUntilContextTimeout(c.ctx, 100*time.Millisecond, time.Minute, true, gone) != nil {
			c.tb.Errorf("%s is left: %v", what, last)
		}
	})
}

// Lacks returns the programs that are not in the folder.
func Lacks(folder string, programs ...string) []string {
	return slices.DeleteFunc(programs, func(program string) bool {
		_, err := exec.LookPath(filepath.Join(folder, program))
		return err == nil
	})
}

// Tools returns a folder for the PATH with other programs of this repository, named
// as for [Build], and kubectl. It leaves out kubectl if the cluster existed before,
// or if Programs has no kubectl but the PATH does.
func (c *Cluster) Tools(folders ...string) string {
	c.tb.Helper()
	bin := filepath.Join(c.Dir, "bin")
	c.must(os.MkdirAll(bin, 0o755))
	for _, folder := range folders {
		c.must(os.Symlink(Binary(c.tb, folder), filepath.Join(bin, filepath.Base(folder))))
	}
	_, err := exec.LookPath("kubectl")
	if c.borrowed || err == nil && c.options.Programs != "" && len(Lacks(c.options.Programs, "kubectl")) > 0 {
		return bin
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", strings.Join(c.command("kubectl"), "' '"))
	c.must(os.WriteFile(filepath.Join(bin, "kubectl"), []byte(script), 0o755))
	return bin
}
