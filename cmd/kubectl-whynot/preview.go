// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
)

//go:embed page/preview-help.txt
var previewLong string

//go:embed page/preview-examples.txt
var previewExamples string

// previewCommand returns the command that previews commands of kubectl.
func (p *program) previewCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "preview", Short: "Say what a taint, cordon or uncordon would do",
		Long: previewLong, Example: strings.TrimSuffix(previewExamples, "\n"), SuggestFor: []string{"taint", "cordon", "uncordon"},
		RunE: func(*cobra.Command, []string) error {
			return invalid(errors.New("preview needs a command of kubectl: taint, cordon or uncordon"))
		},
	}
	for verb, use := range map[string]string{"taint": "nodes NAME... SPEC...", "cordon": "NAME...", "uncordon": "NAME..."} {
		r := &preview.Request{Verb: verb}
		sub := &cobra.Command{
			Use: verb + " " + use, Short: "Say what kubectl " + verb + " would do",
			Args: cobra.ArbitraryArgs, ValidArgsFunction: p.completeNodes,
		}
		dryRun := sub.Flags().String("dry-run", "none", "Ignored: a preview changes nothing.")
		sub.Flags().Lookup("dry-run").NoOptDefVal = "client"
		sub.RunE = func(sub *cobra.Command, args []string) error {
			if err := p.ignore(*dryRun); err != nil {
				return err
			}
			return p.preview(sub.Context(), r, args)
		}
		sub.Flags().StringVarP(&r.Selector, "selector", "l", "", "Select nodes by their labels.")
		if verb == "taint" {
			sub.Flags().BoolVar(&r.All, "all", false, "Select all nodes.")
			sub.Flags().BoolVar(&r.Overwrite, "overwrite", false, "Replace the values of taints that the nodes have.")
		}
		c.AddCommand(sub)
	}
	return c
}

// ignore says that the value of --dry-run has no effect, if it is one of kubectl's.
func (p *program) ignore(dryRun string) error {
	_, err := strconv.ParseBool(dryRun)
	switch dryRun {
	case "none":
		return nil
	case "client", "server", "unchanged":
		err = nil
	}
	if err != nil {
		return usageError{fmt.Errorf("--dry-run is %q; want one of none, client, server", dryRun), 1}
	}
	fmt.Fprintln(p.err, "--dry-run is ignored: a preview changes nothing, and its commands are without it.")
	return nil
}

// preview writes what the request would do. The error is what kubectl would refuse.
func (p *program) preview(ctx context.Context, r *preview.Request, args []string) error {
	now, c, err := p.parse(nil)
	if err != nil {
		return invalid(err)
	}
	if err := r.Parse(args); err != nil {
		return usageError{err, 1} // as in kubectl
	}
	c.Only, p.all = cluster.Filter{}, true // pods of all namespaces are on the nodes
	input, _, err := p.read(ctx, c)
	if err != nil {
		return err
	}
	c.Finish()
	report := preview.New(c, r, now, p.connection)
	report.Input = input
	isRefused := len(report.Refused) > 0 && len(report.Changed)+len(report.Brief)+len(report.Unchanged) == 0
	if !isRefused || p.output == "json" || p.output == "yaml" {
		err = p.writeReport(report, "preview")
	}
	return cmp.Or(err, report.Refusal())
}

// completeNodes completes the names of nodes from the cluster.
func (p *program) completeNodes(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if cmd.Name() == "taint" && len(args) == 0 {
		return []string{"nodes"}, none
	}
	c := cluster.New(cluster.Filter{})
	p.readNodes(cmd.Context(), c) // if that fails, there are none
	names := say.Each(c.Nodes, func(n cluster.Node) string { return n.Name })
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(args, name) }), none
}
