// SPDX-License-Identifier: Apache-2.0

// Package program has what the programs share: how they start, log and end, and
// their version. Their log and its flags are those of the programs of Kubernetes.
package program

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	logs "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // -logging-format=json
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/config"
)

// Options are the command-line options of a program.
type Options interface {
	// Register registers flags that set the options.
	Register(*flag.FlagSet)

	// Run runs the program until the context ends, and returns its exit code. With
	// an error, 0 means 1.
	Run(ctx context.Context, stdout, stderr io.Writer) (code int, err error)
}

// Main runs the program with the given name, until it is asked to stop, and exits.
func Main(name string, o Options) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(Run(ctx, name, o, os.Args[1:], os.Stdout, os.Stderr))
}

// Run runs the program with the given name and arguments, and returns its exit code:
// 1 for failure, and 2 for wrong usage.
func Run(ctx context.Context, name string, o Options, args []string, stdout, stderr io.Writer) int {
	code := 2
	logging := logs.NewLoggingConfiguration()
	version, err := parse(name, o, logging, args, stderr)
	if err == nil {
		logs.ReapplyHandling = logs.ReapplyHandlingIgnoreUnchanged // tests run several programs
		err = logs.ValidateAndApply(logging, nil)
	}
	if err == nil && !version {
		ctrl.SetLogger(klog.Background())
		code, err = o.Run(ctx, stdout, stderr)
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return cmp.Or(code, 1)
	case version:
		fmt.Fprintln(stdout, name, Version())
		return 0
	}
	return code
}

// Parse reads the options from the arguments, and reports whether the program
// should only print its version. If the usage is requested, it is written to w.
func Parse(name string, o Options, args []string, w io.Writer) (version bool, err error) {
	return parse(name, o, logs.NewLoggingConfiguration(), args, w)
}

func parse(
	name string, o Options, logging *logs.LoggingConfiguration, args []string, w io.Writer,
) (version bool, err error) {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {
		fs.SetOutput(w)
		fs.PrintDefaults()
	}
	config.RegisterFlags(fs)
	logs.AddGoFlags(logging, fs)
	fs.BoolVar(&version, "version", false, "print the version and exit")
	o.Register(fs)
	err = fs.Parse(args)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q: there are only flags", fs.Arg(0))
	}
	return version, err
}

// stamp is set when an image is built: -ldflags "-X
// github.com/…/examples/kubernetes/internal/program.stamp=v1.2.3".
var stamp string

// Version returns the version that was stamped into the program, or else the
// module's version, which has the commit if the program was built from a checkout.
func Version() string {
	if stamp != "" {
		return stamp
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
