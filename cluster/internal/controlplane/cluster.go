// SPDX-License-Identifier: Apache-2.0

// Package controlplane starts a real Kubernetes control plane, for tests and for play:
// etcd, kube-apiserver and kube-controller-manager, built from Go modules, on
// 127.0.0.1 and free ports. It dials nothing else. There are no machines: a node is
// an object with a heartbeat ([Cluster.AddNodes]), and [Options] Kubelets only
// report that pods run.
//
// Everything that a test starts ends with the test, even if the test fails or
// panics. On Linux it also ends when the test process is interrupted or killed.
// When a test fails, the end of each program's output is written to the test's log.
package controlplane

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/test/utils/kubeconfig"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// token is the token of a user with all rights. Only this machine can reach the API
// server.
const token = "taints-e2e"

// egress keeps the API server from dialing services, pods and nodes, which are not on
// 127.0.0.1: it would reach them through a socket that does not exist.
const egress = `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection: {proxyProtocol: HTTPConnect, transport: {uds: {udsName: no-services}}}
`

// Options describe how a control plane differs from the default. The zero Options
// are the default.
type Options struct {
	// APIServer and ControllerManager are additional flags of the programs. If a
	// flag is given twice, the last value counts, but list values add up.
	APIServer, ControllerManager []string
	// Kubelets makes pods with a node run, and deleted pods disappear, as long as
	// their node has a heartbeat.
	Kubelets bool
	// Logs is a folder where the output of the programs is kept, unless Logs is empty.
	Logs string
}

// A Cluster is a running control plane. Its methods fail the test if something does
// not work.
type Cluster struct {
	// Config reaches the API server as a user with all rights. Its limit on the
	// rate of requests is too high for a test to notice.
	Config *rest.Config
	// Client is a client with that configuration.
	Client kubernetes.Interface
	// Kubeconfig is the path of a file with that configuration, for --kubeconfig.
	Kubeconfig string
	// Dir is a folder for files of the test. It is removed at the end of the test.
	Dir string

	api        client.Client // the same for objects of any kind
	tb         testing.TB
	ctx        context.Context // of nodes, which continue while the test cleans up
	options    Options
	heartbeats sync.Map // by node, the function that ends its heartbeat
	apiserver  *Process
}

// Start starts a control plane, and waits until it is ready. It ends with the test.
func Start(tb testing.TB, options Options) *Cluster {
	tb.Helper()
	dir, err := os.MkdirTemp("", "taints-e2e-")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	c := &Cluster{tb: tb, Dir: dir, ctx: ctx, options: options}
	tb.Cleanup(func() {
		cancel()
		c.Must(os.RemoveAll(dir))
	})
	c.etcdAndAPIServer()
	c.controllerManager()
	if options.Kubelets {
		go wait.UntilWithContext(ctx, c.runPods, 100*time.Millisecond)
	}
	return c
}

// Context returns a context that is canceled before the cluster is stopped.
func (c *Cluster) Context() context.Context { return c.tb.Context() }

func (c *Cluster) etcdAndAPIServer() {
	c.tb.Helper()
	etcd, peer := "http://"+FreeAddress(c.tb), "http://"+FreeAddress(c.tb)
	c.Run("etcd",
		"--data-dir="+c.path("etcd"),
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer,
		"--quota-backend-bytes=4294967296", "--log-level=error",
		"--unsafe-no-fsync") // the data does not outlive the test

	key, certificates := c.path("service-account.key"), c.path("certificates")
	_, _, err := keyutil.LoadOrGenerateKeyFile(key)
	c.Must(err)
	tokens := c.WriteFile("tokens.csv", token+`,admin,admin-uid,"system:masters"`+"\n")
	port := FreePort(c.tb)
	apiserver := append([]string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + port,
		"--cert-dir=" + certificates,
		"--token-auth-file=" + tokens,
		"--egress-selector-config-file=" + c.WriteFile("egress.yaml", egress),
		"--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount", // pods need no token
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
		"--feature-gates=TaintTolerationComparisonOperators=true",
	}, c.options.APIServer...)

	c.Config = &rest.Config{
		Host:            "https://127.0.0.1:" + port,
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(certificates, "apiserver.crt")},
		QPS:             5000,
		Burst:           10000,
	}
	c.Config.ContentType = "application/vnd.kubernetes.protobuf"
	c.Config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c.apiserver = c.Run("kube-apiserver", apiserver...)
	c.untilHealthy(c.apiserver, c.Config.Host+"/readyz")
	c.Client, err = kubernetes.NewForConfig(c.Config) // it reads the certificate, which exists now
	c.Must(err)
	log.SetLogger(logr.Discard()) // otherwise it warns that it has none
	c.api, err = client.New(c.Config, client.Options{FieldValidation: metav1.FieldValidationStrict})
	c.Must(err)
	c.Kubeconfig = c.KubeconfigFor("admin", c.Config)
}

// StopAPIServer kills the API server, as when its machine fails. The rest of the
// control plane keeps running.
func (c *Cluster) StopAPIServer() { c.apiserver.Kill() }

// StartAPIServer starts the API server, with the address, keys and data that it had
// before, and waits until it is ready.
func (c *Cluster) StartAPIServer() {
	c.tb.Helper()
	c.apiserver = c.Restart(c.apiserver)
	c.untilHealthy(c.apiserver, c.Config.Host+"/readyz")
}

// untilHealthy waits until the page of the program answers.
func (c *Cluster) untilHealthy(p *Process, url string) {
	c.tb.Helper()
	p.Within(2*time.Minute, url+" answers", func() error {
		_, err := c.Get(url)
		return err
	})
}

func (c *Cluster) controllerManager() {
	c.tb.Helper()
	port := FreePort(c.tb)
	p := c.Run("kube-controller-manager", append([]string{
		"--kubeconfig=" + c.Kubeconfig,
		"--bind-address=127.0.0.1",
		"--secure-port=" + port,
		"--cert-dir=" + c.path("kube-controller-manager"),
		"--leader-elect=false",
		"--use-service-account-credentials", // as in most clusters: each controller is a separate user
		"--service-account-private-key-file=" + c.path("service-account.key"),
		"--controllers=*,-node-ipam-controller",
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--feature-gates=TaintTolerationComparisonOperators=true",
	}, c.options.ControllerManager...)...)
	c.untilHealthy(p, "https://127.0.0.1:"+port+"/healthz")
}

// Run starts a program, named as for [Binary], and returns at once. It ends with the
// test, if not before.
func (c *Cluster) Run(program string, args ...string) *Process {
	c.tb.Helper()
	folder := cmp.Or(c.options.Logs, c.Dir)
	c.Must(os.MkdirAll(folder, 0o755))
	output, err := os.CreateTemp(folder, strings.ReplaceAll(c.tb.Name(), "/", "-")+"-"+program+"-*.log")
	c.Must(err)
	defer output.Close()
	command := exec.Command(Binary(c.tb, program), args...)
	command.Dir = c.Dir
	return StartProcess(c.tb, program, command, output)
}

// Restart starts a program again that has ended, with the same arguments.
func (c *Cluster) Restart(p *Process) *Process {
	c.tb.Helper()
	return c.Run(p.name, p.command.Args[1:]...)
}

// nextPort is the number of the port that FreePort tries next. It begins anywhere,
// because other tests look for ports at the same time.
var nextPort atomic.Uint32

func init() { nextPort.Store(rand.Uint32()) }

// FreePort returns an unused port of 127.0.0.1, a different one each time. By default, a
// kernel gives none of these ports to a client, which would take it first.
func FreePort(tb testing.TB) string {
	tb.Helper()
	for range 1000 {
		port := fmt.Sprint(16_000 + nextPort.Add(1)%16_000)
		if listener, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			listener.Close()
			return port
		}
	}
	tb.Fatal("127.0.0.1 has no free port")
	return ""
}

// FreeAddress returns a free port with the host.
func FreeAddress(tb testing.TB) string { return "127.0.0.1:" + FreePort(tb) }

// Must fails the test if there is an error.
func (c *Cluster) Must(err error) {
	c.tb.Helper()
	if err != nil {
		c.tb.Fatal(err)
	}
}

func (c *Cluster) path(name string) string { return filepath.Join(c.Dir, name) }

// WriteFile writes a file in Dir, and returns its path.
func (c *Cluster) WriteFile(name, content string) string {
	c.tb.Helper()
	path := c.path(name)
	c.Must(os.WriteFile(path, []byte(content), 0o600))
	return path
}

// Eventually calls the condition repeatedly until it returns nil. If it does not
// within two minutes, Eventually fails the test with the last error.
func (c *Cluster) Eventually(what string, condition func() error) {
	c.tb.Helper()
	Within(c.tb, 2*time.Minute, what, condition)
}

// Within is Eventually with the given time limit, for any test.
func Within(tb testing.TB, limit time.Duration, what string, condition func() error) {
	tb.Helper()
	var last error
	poll := func(context.Context) (bool, error) {
		last = condition()
		return last == nil, nil
	}
	err := wait.PollUntilContextTimeout(tb.Context(), 50*time.Millisecond, limit, true, poll)
	if err != nil {
		tb.Fatalf("not within %v: %s: %v", limit, what, last)
	}
}

// KubeconfigFor writes a file for --kubeconfig, with a name that begins like this, and
// returns its path.
func (c *Cluster) KubeconfigFor(name string, config *rest.Config) string {
	c.tb.Helper()
	path := c.path(fmt.Sprintf("%s-%d.kubeconfig", name, rand.Uint32())) // a program may be reading an older one
	c.Must(clientcmd.WriteToFile(*kubeconfig.CreateKubeConfig(config), path))
	return path
}
