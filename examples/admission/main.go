// SPDX-License-Identifier: Apache-2.0

// Admission is a webhook that gives pods tolerations and node selectors when they
// are created, and refuses tolerations that are not allowed, over HTTPS, as an API
// server asks for it (AdmissionReview of admission.k8s.io/v1):
//
//	go run ./examples/admission -self-signed -rules examples/admission/rules.json
//
// README.md has the rules file and how the webhook is registered.
package main

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/seed-0529bac1/taints/examples/internal/webhook"
)

const usage = `Usage: admission -cert file -key file [flags]
       admission -self-signed [flags]

A webhook for pods: POST /mutate gives them tolerations and node selectors, POST /validate
refuses tolerations that are not allowed, GET /healthz answers when it runs. It logs to
standard error and stops on SIGINT and SIGTERM.

Flags:
`

func main() {
	p := program{stdout: os.Stdout, stderr: os.Stderr, drain: 20 * time.Second}
	os.Exit(p.run(context.Background(), os.Args[1:]))
}

// A program is the webhook with all that it gets from outside.
type program struct {
	stdout, stderr io.Writer
	drain          time.Duration // how long requests under way may take when it stops
}

// options are what the command line asks for.
type options struct {
	addr, metricsAddr, cert, key string
	selfSigned                   bool
	policy                       webhook.PolicyFlags
}

// run serves until the context is done or a signal asks to stop, and returns the
// exit code: 1 for failure, 2 for wrong usage.
func (p program) run(ctx context.Context, args []string) int {
	o, err := p.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2 // parse has said why
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := p.serve(ctx, o); err != nil {
		fmt.Fprintf(p.stderr, "admission: %v\n", err)
		return 1
	}
	return 0
}

// parse reads the command line.
func (p program) parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("admission", flag.ContinueOnError)
	flags.SetOutput(p.stderr)
	flags.Usage = func() {
		fmt.Fprint(p.stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8443", "listen on this `address`")
	flags.StringVar(&o.metricsAddr, "metrics-addr", "0", "serve /metrics over HTTP on this `address` (default none)")
	flags.StringVar(&o.cert, "cert", "", "`file` with the certificate in PEM, and those that lead to its authority")
	flags.StringVar(&o.key, "key", "", "`file` with the key of the certificate in PEM")
	flags.BoolVar(&o.selfSigned, "self-signed", false,
		"make a certificate for localhost and print it as a caBundle, to try things out")
	o.policy.Define(flags)
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if err := o.check(flags.Args()); err != nil {
		fmt.Fprintf(p.stderr, "admission: %v\n", err)
		flags.Usage()
		return o, err
	}
	return o, nil
}

// check returns an error if the flags do not go together.
func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case o.selfSigned && (o.cert != "" || o.key != ""):
		return errors.New("-self-signed does not go with -cert and -key")
	case !o.selfSigned && (o.cert == "" || o.key == ""):
		return errors.New("-cert and -key are needed, or -self-signed")
	}
	return nil
}

// serve does what the options ask for until the context is done.
func (p program) serve(ctx context.Context, o options) error {
	log := slog.New(slog.NewJSONHandler(p.stderr, nil))
	policies, err := o.policy.Open()
	if err != nil {
		return err
	}
	config, err := p.certificate(o, log)
	if err != nil {
		return err
	}
	listener, metrics, err := webhook.Listen(o.addr, o.metricsAddr)
	if err != nil {
		return err
	}
	namespaces, dedications := policies.Policy().Rules.Len()
	log.Info("listening", "addr", listener.Addr().String(), "metrics", webhook.Address(metrics),
		"namespaces", namespaces, "dedications", dedications)
	server := &webhook.Server{Policies: policies, TLS: config, Log: log, Version: version(), Drain: p.drain}
	if err = server.Serve(ctx, listener, metrics); err == nil {
		log.Info("stopped")
	}
	return err
}

// version returns what the program was built from.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}

// certificate returns the server's side of TLS, and prints the caBundle of a
// certificate that it made.
func (p program) certificate(o options, log *slog.Logger) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if !o.selfSigned {
		pair := &keyPair{certFile: o.cert, keyFile: o.key, log: log}
		config.GetCertificate = pair.certificate
		return config, pair.load()
	}
	certificate, pem, err := selfSigned(time.Now())
	if err != nil {
		return nil, err
	}
	config.Certificates = []tls.Certificate{certificate}
	_, err = fmt.Fprintln(p.stdout, base64.StdEncoding.EncodeToString(pem))
	return config, err
}
