// SPDX-License-Identifier: Apache-2.0

// Command webhook serves an admission webhook for tolerations in a cluster, and
// registers it: it makes the certificates, keeps them in a Secret that its
// replicas share, renews them, and writes both webhook configurations.
//
//	webhook -namespace webhooks -service admission -addr :8443 -rules /etc/admission/rules.json
//
// README.md has the flags, and ../manifests/webhook what a cluster needs.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/version"
	"github.com/seed-0529bac1/taints/examples/kubernetes/internal/webhook"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const usage = `Usage: webhook [flags]              serve, and register
       webhook -unregister [flags]  delete the registration and the certificates
       webhook -audit [flags]       say which pods would be refused

A webhook for pods: it gives them tolerations and node selectors, and refuses tolerations that
are not allowed. It logs to standard error and stops on SIGINT and SIGTERM.

Flags:
`

// Exit codes.
const (
	failure    = 1
	wrongUsage = 2
	refusable  = 3 // the audit found pods that would be refused
)

func main() {
	p := program{stdout: os.Stdout, stderr: os.Stderr, connect: connect}
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// A program is the webhook with all that it gets from outside.
type program struct {
	stdout, stderr io.Writer
	connect        func(kubeconfig string) (kubernetes.Interface, error)
}

// connect returns a client of the cluster that the file says, or of the one that the
// program runs in.
func connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.UserAgent = managedBy
	return kubernetes.NewForConfig(config)
}

// options are what the command line asks for.
type options struct {
	addr, metricsAddr          string
	kubeconfig                 string
	policy                     webhook.PolicyFlags
	unregister, audit, version bool
	interval                   time.Duration
	secret                     string
	issuer                     issuer
	registration               registration
}

// run does what the command line asks for, until the context is done or a signal
// asks to stop, and returns the exit code.
func (p program) run(ctx context.Context, args []string) int {
	o, err := p.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return wrongUsage // parse has said why
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code, err := p.do(ctx, o)
	if err != nil {
		fmt.Fprintf(p.stderr, "webhook: %v\n", err)
		return failure
	}
	return code
}

// parse reads the command line.
func (p program) parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	flags.SetOutput(p.stderr)
	flags.Usage = func() {
		fmt.Fprint(p.stderr, usage)
		flags.PrintDefaults()
	}
	r := &o.registration
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8443", "listen on this `address`; :8443 in a pod")
	flags.StringVar(&o.metricsAddr, "metrics-addr", "127.0.0.1:8080",
		"serve /metrics on this `address`, over HTTP and without authentication; 0 is none")
	flags.StringVar(&o.kubeconfig, "kubeconfig", "",
		"`file` that says how to reach the cluster (default the one it runs in)")
	o.policy.Define(flags)
	flags.StringVar(&r.name, "name", "admission.example.com",
		"`name` of both configurations; with mutate. or validate. before it, of the webhooks")
	flags.StringVar(&r.namespace, "namespace", "webhooks",
		"`namespace` of the service and the Secret; its pods are exempt")
	flags.StringVar(&r.service, "service", "admission",
		"`name` of the service, whose port is 443, that leads to the webhook")
	flags.StringVar(&r.url, "url", "", "`address` of the webhook, as in https://127.0.0.1:8443, instead of a service")
	flags.StringVar(&o.secret, "secret", "admission-tls", "`name` of the Secret with the certificates")
	flags.Func("exempt",
		"more namespaces whose pods are exempt, separated by commas (default kube-system)", r.setExempt)
	flags.Func("mutate-failure-policy",
		"what becomes of pods that /mutate does not answer about: `Fail` or Ignore (default Fail)",
		setPolicy(&r.mutatePolicy))
	flags.Func("validate-failure-policy",
		"the same for /validate: `Fail` or Ignore (default Fail)", setPolicy(&r.validatePolicy))
	flags.DurationVar(&r.timeout, "timeout", 5*time.Second,
		"how long the API server waits for an answer, in whole seconds")
	flags.DurationVar(&o.issuer.validity, "certificate-validity", 90*24*time.Hour,
		"how long a certificate is valid; it is renewed in the last third of that")
	flags.DurationVar(&o.interval, "interval", time.Minute, "how often certificates and registration are looked at")
	flags.BoolVar(&o.unregister, "unregister", false, "delete the configurations and the Secret, and end")
	flags.BoolVar(&o.audit, "audit", false,
		"list pods that the rules would refuse, and tolerations that make little sense, and end")
	flags.BoolVar(&o.version, "version", false, "print the version, and end")
	r.setDefaults()
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if err := o.check(flags.Args()); err != nil {
		fmt.Fprintf(p.stderr, "webhook: %v\n", err)
		flags.Usage()
		return nil, err
	}
	return o, nil
}

func (r *registration) setDefaults() {
	r.exempt = []string{"kube-system"}
	r.mutatePolicy, r.validatePolicy = admissionv1.Fail, admissionv1.Fail
}

func (r *registration) setExempt(s string) error {
	for name := range strings.SplitSeq(s, ",") {
		if !webhook.IsDNSLabel(name) {
			return fmt.Errorf("%q is not the name of a namespace", name)
		}
		r.exempt = append(r.exempt, name)
	}
	return nil
}

func setPolicy(p *admissionv1.FailurePolicyType) func(string) error {
	return func(s string) error {
		*p = admissionv1.FailurePolicyType(s)
		if *p != admissionv1.Fail && *p != admissionv1.Ignore {
			return errors.New("want Fail or Ignore")
		}
		return nil
	}
}

// longestValidity is more than anybody needs, and ten times of it, for which an
// authority is valid, are a duration still.
const longestValidity = 10 * 365 * 24 * time.Hour

// check returns an error if the flags are not right or do not go together, and
// completes the options.
func (o *options) check(rest []string) error {
	r := &o.registration
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case o.unregister && o.audit:
		return errors.New("-unregister does not go with -audit")
	case !webhook.IsDNSLabel(r.namespace):
		return fmt.Errorf("-namespace %q is not the name of a namespace", r.namespace)
	case !webhook.IsDNSLabel(r.service):
		return fmt.Errorf("-service %q is not the name of a service", r.service)
	case r.timeout < time.Second || r.timeout > 30*time.Second || r.timeout%time.Second != 0:
		return fmt.Errorf("-timeout %v is not 1 to 30 whole seconds", r.timeout)
	case o.interval <= 0:
		return fmt.Errorf("-interval %v is not above zero", o.interval)
	case o.issuer.validity > longestValidity:
		return fmt.Errorf("-certificate-validity %v is more than %v, ten years", o.issuer.validity, longestValidity)
	case o.interval > o.issuer.validity/9:
		// Its last third has to be long enough to notice, renew, and show the new one.
		return fmt.Errorf("-certificate-validity %v is less than nine times the -interval of %v",
			o.issuer.validity, o.interval)
	}
	if !slices.Contains(r.exempt, r.namespace) {
		r.exempt = append(r.exempt, r.namespace)
	}
	o.issuer.now = time.Now
	o.issuer.host = r.service + "." + r.namespace + ".svc"
	if r.url == "" {
		return nil
	}
	u, err := url.Parse(r.url)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("-url %q is not of the form https://HOST:PORT", r.url)
	}
	r.url = strings.TrimSuffix(r.url, "/")
	o.issuer.host = u.Hostname()
	return nil
}

// do does what the options ask for, and returns the exit code.
func (p program) do(ctx context.Context, o *options) (int, error) {
	if o.version {
		_, err := fmt.Fprintln(p.stdout, "webhook", version.String())
		return 0, err
	}
	policies, err := o.policy.Open()
	if err != nil {
		return 0, err
	}
	client, err := p.connect(o.kubeconfig)
	if err != nil {
		return 0, err
	}
	switch {
	case o.unregister:
		return 0, unregister(ctx, client, &o.registration, o.secret)
	case o.audit:
		refused, err := audit(ctx, client, policies.Policy(), o.registration.exempt, p.stdout)
		if err == nil && refused > 0 {
			return refusable, nil
		}
		return 0, err
	}
	return 0, p.serve(ctx, o, policies, client)
}

// drain is how long requests under way may take when the program stops. The grace
// period of a pod is 30 seconds, of which a preStop hook may sleep for some.
const drain = 20 * time.Second

// soon is less than an API server takes to start, and does not add to its load.
const soon = 5 * time.Second

// serve serves and keeps certificates and registration in order until the
// context is done.
func (p program) serve(ctx context.Context, o *options, policies *webhook.Policies, client kubernetes.Interface) error {
	log := slog.New(slog.NewJSONHandler(p.stderr, nil))
	listener, metrics, err := webhook.Listen(o.addr, o.metricsAddr)
	if err != nil {
		return err
	}
	k := &keeper{client: client, issuer: &o.issuer, registration: &o.registration, secret: o.secret, log: log, soon: soon}
	config := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: k.certificate}
	server := &webhook.Server{
		Policies: policies, TLS: config, Log: log, Version: version.String(), Drain: drain,
		Registered: k.registered,
	}
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() {
		defer stop()
		served <- server.Serve(ctx, listener, metrics)
	}()
	log.Info("listening", "addr", listener.Addr().String(),
		"metrics", webhook.Address(metrics), "version", version.String())

	err = k.run(ctx, o.interval) // ends before ctx is done only where the first pass fails, and for good
	stop()
	if err = errors.Join(err, <-served); err == nil {
		log.Info("stopped")
	}
	return err
}
