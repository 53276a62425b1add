// SPDX-License-Identifier: Apache-2.0

// Playground serves a page where you type taints and tolerations and see what
// Kubernetes does with them. The library runs in the browser, as WebAssembly:
//
//	go run -C cmd ./playground
//
// With -o it writes the page as files, for any server of static files to publish.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
)

const usage = `Usage: playground [flags]

Serves a page where you type taints and tolerations and see what Kubernetes
does with them. It needs the Go toolchain to build the WebAssembly.

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options are what the command line asks for.
type options struct {
	addr string
	dir  string // empty: serve
}

// run does what the arguments ask for and returns the exit code: 1 for failure, 2
// for wrong usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2 // parse has said why
	}
	if err := o.run(ctx, stdout); err != nil {
		fmt.Fprintf(stderr, "playground: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "serve on this `address`; port 0 picks a free port")
	flags.StringVar(&o.dir, "o", "", "write the page to this `folder` instead of serving it")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "playground: unexpected argument %q\n", flags.Arg(0))
		flags.Usage()
		return o, errors.New("wrong usage")
	}
	return o, nil
}

func (o options) run(ctx context.Context, stdout io.Writer) error {
	if o.dir != "" {
		files, err := buildFiles(ctx)
		if err != nil {
			return err
		}
		if err := writeFiles(o.dir, files); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "wrote %d files to %s, with a .gz copy of each file that compresses: %s\n",
			len(files), o.dir, sizesOf(files))
		return nil
	}
	listener, err := net.Listen("tcp", o.addr) // before the build, which takes longer to fail
	if err != nil {
		return err
	}
	defer listener.Close()
	files, err := buildFiles(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "http://%s/ loads %s; press Ctrl-C to stop\n", listener.Addr(), sizesOf(files))
	return serve(ctx, listener, files)
}
