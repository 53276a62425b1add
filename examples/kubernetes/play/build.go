// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/cluster"
)

const whynot = "../../cmd/kubectl-whynot"

// build builds the programs that the options require.
func build(s *session, o options) {
	programs := []string{"scheduler", "evictor", whynot}
	if o.kubeconfig == "" {
		programs = append(programs, "webhook")
	}
	if o.controlPlane != "" {
		version, err := exec.Command(filepath.Join(o.controlPlane, "kube-apiserver"), "--version").Output()
		if err == nil {
			err = cluster.CheckVersion(strings.TrimPrefix(strings.TrimSpace(string(version)), "Kubernetes "))
		}
		if err != nil {
			s.Fatalf("%s/kube-apiserver: %v", o.controlPlane, err)
		}
		if lacks := cluster.Lacks(o.controlPlane, "etcd", "kube-apiserver", "kube-controller-manager"); len(lacks) > 0 {
			s.printf("%s lacks %s: play builds its own", o.controlPlane, strings.Join(lacks, ", "))
			programs = append(programs, cluster.ControlPlane)
		}
	} else if o.kubeconfig == "" {
		programs = append(programs, cluster.ControlPlane)
	}
	cluster.Build(s, func(download bool, packages int) { s.announce(o, download, packages) }, programs...)
}

// announce prints what a build takes, and the alternatives to it.
func (s *session) announce(o options, download bool, packages int) {
	caches, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		s.Fatal(err)
	}
	modules, compiled, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	programs, err := cluster.Cache()
	if err != nil {
		s.Fatal(err)
	}
	text := "play builds its programs from source. All of it takes about 10 minutes on two idle cores.\n"
	if download {
		text += fmt.Sprintf("  Go downloads modules to %s: at most 100 MB, 640 MB when unpacked\n", modules)
		text += fmt.Sprintf("  Go compiles them to its build cache, %s\n", compiled)
	} else {
		text += fmt.Sprintf("  Go compiles %d packages to its build cache, %s\n", packages, compiled)
	}
	text += fmt.Sprintf("  The programs stay in %s: 300 MB; -clean removes them\n", programs)
	text += "Everything else is in a temporary folder that is deleted at the end. After Ctrl-C, the same command continues.\n"
	if found := alternatives(); o == (options{logs: o.logs}) && len(found) > 0 {
		text += "Instead, you can use\n  " + strings.Join(found, "\n  ") + "\n"
	}
	s.printf("%s", text)
}

// alternatives returns flags to use something on this machine instead of a built
// control plane.
func alternatives() (flags []string) {
	for _, folder := range []string{os.Getenv("KUBEBUILDER_ASSETS"), "/usr/local/kubebuilder/bin"} {
		if folder != "" && len(cluster.Lacks(folder, "etcd", "kube-apiserver")) == 0 {
			flags = append(flags, "-control-plane "+folder)
		}
	}
	home, _ := os.UserHomeDir() // without a home folder, it has no file either
	for _, file := range []string{os.Getenv("KUBECONFIG"), filepath.Join(home, ".kube", "config")} {
		if _, err := os.Stat(file); err == nil {
			flags = append(flags, "-kubeconfig "+file)
		}
	}
	for program, command := range map[string]string{
		"kind":     "kind create cluster --kubeconfig FILE",
		"minikube": "KUBECONFIG=FILE minikube start",
	} {
		if _, err := exec.LookPath(program); err == nil {
			flags = append(flags, "-kubeconfig FILE, after "+command)
		}
	}
	return flags
}
