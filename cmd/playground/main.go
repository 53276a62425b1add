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
	"net/http"
	"os"
	"os/signal"
	"time"
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

// run runs the program with the arguments and returns the exit code: 1 for
// failure, 2 for invalid usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	addr := flags.String("addr", "127.0.0.1:8080", "serve on this `address`; port 0 picks a free port")
	dir := flags.String("o", "", "write the page to this `folder` instead of serving it")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2 // Parse has reported the error
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "playground: unexpected argument %q\n", flags.Arg(0))
		flags.Usage()
		return 2
	case *dir != "":
		if err = build(ctx, *dir); err == nil {
			fmt.Fprintf(stdout, "wrote the page to %s\n", *dir)
		}
	default:
		err = listen(ctx, *addr, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "playground: %v\n", err)
		return 1
	}
	return 0
}

// listen serves the page at the address until the context is done.
func listen(ctx context.Context, addr string, stdout io.Writer) error {
	listener, err := net.Listen("tcp", addr) // before the build, which takes longer
	if err != nil {
		return err
	}
	defer listener.Close()
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(ctx, dir); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "http://%s/; press Ctrl-C to stop\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
