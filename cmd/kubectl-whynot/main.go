// SPDX-License-Identifier: Apache-2.0

// Kubectl-whynot is a kubectl plugin. It reports why pods are pending, when taints
// evict pods, and how to fix that:
//
//	kubectl whynot
//	kubectl whynot -A -o html > page.html
//	kubectl get nodes,pods -A -o json | kubectl whynot
//	kubectl whynot -f deployment.yaml
//
// It evaluates taints, tolerations, node selectors and required node affinity. For
// a pod that these allow on some node, it shows the scheduler's message.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	texttemplate "text/template"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/seed-0529bac1/taints/cmd/internal/drain"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/start"
)

func main() {
	if os.Getenv("GOGC") == "" { // less memory for a dump of a large cluster, in hardly more time
		debug.SetGCPercent(75)
	}
	p := program{in: os.Stdin, out: os.Stdout, err: os.Stderr, clock: time.Now}
	os.Exit(p.run(os.Args[1:]))
}

// errWaits makes the exit code 3, without a message: the report says why.
var errWaits = errors.New("pods wait for taints")

// run returns the exit code: 1 for failure, 2 for invalid usage, 3 as --exit-code says.
func (p *program) run(args []string) int {
	command := p.command()
	command.SetArgs(append([]string{}, args...)) // nil would mean the arguments of the process
	called, err := command.ExecuteC()
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errWaits):
		return 3
	}
	fmt.Fprintf(p.err, "error: %s\n", say.Clean(say.WithoutPassword(err.Error())))
	usage, isUsage := errors.AsType[usageError](err)
	switch {
	case p.exitCode && manifest.IsInTolerations(err):
		return 3
	case !isUsage:
		return 1
	}
	fmt.Fprintf(p.err, "See '%s --help' for usage.\n", called.CommandPath())
	return usage.code
}

// A usageError is an invalid command line, with the exit code.
type usageError struct {
	error
	code int
}

// invalid returns the error of a command line that is invalid for the program.
func invalid(err error) error { return usageError{err, 2} }

// A program is the command and its environment.
type program struct {
	in       io.Reader // nil: none
	out, err io.Writer
	clock    func() time.Time

	config     *genericclioptions.ConfigFlags
	files      genericclioptions.FileNameFlags
	all        bool
	selector   string
	output     string
	now        string
	exitCode   bool
	asksServer bool     // a flag selects the cluster as the input
	connection []string // the flags that choose the cluster and the user

	client  corev1client.CoreV1Interface // nil: nothing is of a cluster
	drain   *drain.Drain                 // that is previewed; nil: none
	start   *start.Facts                 // about the pod that is asked for; nil: none is
	missing error                        // why the API server does not have the workload that is asked for
}

var outputs = []string{"text", "wide", "json", "yaml", "html"}

func (p *program) command() *cobra.Command {
	p.config = genericclioptions.NewConfigFlags(true)
	kubectl := pflag.NewFlagSet("", pflag.ContinueOnError) // the flags of every command
	p.config.AddFlags(kubectl)
	filenames, recursive := []string{}, false
	p.files = genericclioptions.FileNameFlags{
		Usage: "File, directory or URL with objects to read; - is standard input.", Filenames: &filenames, Recursive: &recursive,
	}
	c := &cobra.Command{
		Use: "kubectl-whynot [POD]", Short: "Say why pods are pending, and when taints evict pods",
		Long: pageText("help.txt"), Example: pageText("examples.txt"),
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl whynot"},
		SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs, ValidArgsFunction: completed(p.podNames),
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("filename") && len(filenames) == 0 {
				return invalid(errors.New("-f needs the name of a file"))
			}
			p.connection = givenFlags(kubectl)
			p.asksServer = p.all || c.Flags().Changed("namespace") || len(p.connection) > 0
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return p.answer(c.Context(), args) },
	}
	c.SetOut(p.out)
	c.SetErr(p.err)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return invalid(err) })
	c.Flags().BoolVarP(&p.all, "all-namespaces", "A", false, "Pods of all namespaces.")
	c.Flags().BoolVar(&p.exitCode, "exit-code", false, "Exit with 3 if a pod waits for taints, or an API server would refuse tolerations.")
	c.Flags().StringVarP(&p.selector, "selector", "l", "", "Only pods that match this label selector.")
	flags := c.PersistentFlags()
	flags.StringVarP(&p.output, "output", "o", "text", "Output format: text, wide, json, yaml or html.")
	flags.StringVar(&p.now, "now", "", "Time to count from, such as 2026-11-21T01:24:00Z. Default is the current time.")
	p.files.AddFlags(flags)
	flags.AddFlagSet(kubectl)
	c.SetUsageFunc(func(c *cobra.Command) error { return writeUsage(c, kubectl) })
	c.RegisterFlagCompletionFunc("namespace", completed(p.namespaces))
	c.RegisterFlagCompletionFunc("context", completed(p.contexts))
	c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp))
	printVersion := func(*cobra.Command, []string) error {
		info, _ := debug.ReadBuildInfo() // of the module that the program was built from
		_, err := fmt.Fprintln(p.out, info.Main.Version)
		return err
	}
	c.AddCommand(&cobra.Command{Use: "version", Short: "Print the version", RunE: printVersion}, p.previewCommand())
	return c
}

// writeUsage writes the usage of the command. The flags of kubectl that choose the
// cluster are apart.
func writeUsage(c *cobra.Command, kubectl *pflag.FlagSet) error {
	own, choosing := pflag.NewFlagSet("", pflag.ContinueOnError), pflag.NewFlagSet("", pflag.ContinueOnError)
	c.InheritedFlags() // adds them to the others
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if kubectl.Lookup(f.Name) == f && f.Name != "namespace" {
			choosing.AddFlag(f)
		} else {
			own.AddFlag(f)
		}
	})
	usage := texttemplate.Must(texttemplate.ParseFS(pages, "page/usage.tmpl"))
	return usage.ExecuteTemplate(c.OutOrStderr(), "usage", map[string]any{"Command": c, "Own": own, "Kubectl": choosing})
}

// previewCommand returns the command that previews commands of kubectl.
func (p *program) previewCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "preview", Short: "Say what a taint, cordon, uncordon or drain would do",
		Long: pageText("preview-help.txt"), Example: pageText("preview-examples.txt"),
		RunE: func(*cobra.Command, []string) error {
			return invalid(errors.New("preview needs a command of kubectl: taint, cordon, uncordon or drain"))
		},
	}
	for verb, use := range map[string]string{"taint": "nodes NAME... SPEC...", "cordon": "NAME...", "uncordon": "NAME...", "drain": "NAME..."} {
		r := &preview.Request{Verb: verb, Drain: drain.New()}
		sub := &cobra.Command{
			Use: verb + " " + use, Short: "Say what kubectl " + verb + " would do",
			ValidArgsFunction: completed(func(ctx context.Context, args []string) []string {
				if verb == "taint" && len(args) == 0 {
					return []string{"nodes"}
				}
				return p.nodeNames(ctx, args)
			}),
			RunE: func(sub *cobra.Command, args []string) error { return p.preview(sub.Context(), r, args) },
		}
		sub.Flags().StringVarP(&r.Selector, "selector", "l", "", "Select nodes by their labels.")
		if verb == "taint" {
			sub.Flags().BoolVar(&r.All, "all", false, "Select all nodes.")
			sub.Flags().BoolVar(&r.Overwrite, "overwrite", false, "Replace the values of taints that the nodes have.")
		}
		if verb == "drain" {
			sub.Flags().AddFlagSet(r.Drain.Flags)
		}
		c.AddCommand(sub)
	}
	return c
}

// givenFlags returns the given flags of kubectl, for commands on the same cluster, without
// those that do not choose it and the user. A token and passwords are secret.
func givenFlags(kubectl *pflag.FlagSet) []string {
	var words []string
	kubectl.VisitAll(func(f *pflag.Flag) {
		if !f.Changed || slices.Contains([]string{"namespace", "request-timeout", "cache-dir", "disable-compression"}, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			switch f.Name {
			case "token":
				value = "TOKEN"
			case "server", "proxy-url":
				value = say.WithoutPassword(value)
			}
			if f.Value.Type() == "bool" {
				words = append(words, "--"+f.Name+"="+value)
			} else {
				words = append(words, "--"+f.Name, value)
			}
		}
	})
	return words
}

// parse returns the time to count from, and a cluster for the pods that are selected.
func (p *program) parse(args []string) (now time.Time, c *cluster.Cluster, err error) {
	namespace, pod, err := names.Argument(args)
	if err != nil {
		return now, nil, err
	}
	if !slices.Contains(outputs, p.output) {
		return now, nil, fmt.Errorf("unknown output format %q; want one of %s", p.output, strings.Join(outputs, ", "))
	}
	now = p.clock()
	if p.now != "" {
		if now, err = time.Parse(time.RFC3339, p.now); err != nil {
			return now, nil, fmt.Errorf("--now is %q; want a time such as 2026-11-21T01:24:00Z", p.now)
		}
	}
	only := cluster.Filter{Namespace: *p.config.Namespace}
	if only.Labels, err = labels.Parse(p.selector); err != nil {
		return now, nil, fmt.Errorf("-l: %w", err)
	}
	switch {
	case p.all && only.Namespace != "":
		return now, nil, errors.New("-n and -A cannot be used together")
	case namespace != "" && only.Namespace != "" && only.Namespace != namespace:
		return now, nil, fmt.Errorf("pod %s/%s is not in namespace %s", namespace, pod, only.Namespace)
	case namespace != "":
		only.Namespace, p.all = namespace, false
	}
	c = cluster.New(only)
	c.Asked = pod
	return now.UTC().Truncate(time.Second), c, nil
}
