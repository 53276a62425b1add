// SPDX-License-Identifier: Apache-2.0

// Package program has what the programs share: how they start, log and end, and
// their version. Their log and its flags are those of the programs of Kubernetes.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"k8s.io/client-go/util/exec"
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

	// Run runs the program until the context ends.
	Run(ctx context.Context, stdout io.Writer) error
}

// An ExitError ends the program with the exit code, where that is not 1: with 2 for
// an error in the options.
type ExitError = exec.CodeExitError

// Main runs the program with the given name, until it is asked to stop, and exits. A
// second signal ends it at once.
func Main(name string, o Options) {
	os.Exit(Run(ctrl.SetupSignalHandler(), name, o, os.Args[1:], os.Stdout, os.Stderr))
}

// LimitMemory makes the garbage collector keep the program within nine tenths of the
// memory that its container may have: what is not on the heap needs the rest. Without
// a limit, memory grows to twice of what is in use before it is collected.
func LimitMemory() {
	if _, err := memlimit.Set(); err != nil {
		klog.InfoS("The garbage collector has no limit", "reason", err)
	}
}

// Run runs the program with the given name and arguments, and returns its exit code:
// 1 for failure, 2 for wrong usage, and that of an [ExitError].
func Run(ctx context.Context, name string, o Options, args []string, stdout, stderr io.Writer) int {
	version, err := parse(name, o, args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		err = ExitError{Code: 2, Err: err}
	case version:
		fmt.Fprintln(stdout, name, Version())
	default:
		ctrl.SetLogger(klog.Background())
		LimitMemory()
		err = o.Run(ctx, stdout)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "%s: %v\n", name, err)
	if exit := (ExitError{}); errors.As(err, &exit) {
		return exit.Code
	}
	return 1
}

// parse reads the options and those of the log from the arguments. If the usage is
// requested, it is written to w.
func parse(name string, o Options, args []string, w io.Writer) (version bool, err error) {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {
		fs.SetOutput(w)
		fs.PrintDefaults()
	}
	config.RegisterFlags(fs)
	logging := logs.NewLoggingConfiguration()
	logs.AddGoFlags(logging, fs)
	fs.BoolVar(&version, "version", false, "print the version and exit")
	o.Register(fs)
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	if fs.NArg() > 0 {
		return false, fmt.Errorf("unexpected argument %q: there are only flags", fs.Arg(0))
	}
	logs.ReapplyHandling = logs.ReapplyHandlingIgnoreUnchanged // tests run several programs
	return version, logs.ValidateAndApply(logging, nil)
}

// stamp is set when an image is built: -ldflags "-X
// github.com/…/cluster/internal/program.stamp=v1.2.3".
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
