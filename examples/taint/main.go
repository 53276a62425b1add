// SPDX-License-Identifier: Apache-2.0

// Taint is "kubectl taint" for files: it changes the taints of nodes in the
// JSON that kubectl prints, and leaves every other byte as it is, but for a byte
// order mark, which it drops.
//
//	kubectl get nodes -o json | go run ./examples/taint nodes gpu-1 dedicated=ml:NoSchedule spot-
//
// Arguments, outcome and messages are kubectl's. The JSON goes to standard
// output, the messages go to standard error.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/examples/internal/kubejson"
	"github.com/seed-0529bac1/taints/examples/internal/labels"
	"github.com/seed-0529bac1/taints/examples/internal/terminal"
)

// sample is what kubectl prints for three nodes.
//
//go:embed sample.json
var sample string

const usage = `Usage: kubectl get nodes -o json | taint [flags] [nodes] NODE ... CHANGE ...

Changes the taints of nodes in JSON, as "kubectl taint" does in a cluster, and leaves
all else as it is. Without -f, and with a terminal or /dev/null as standard input, it
changes a built-in sample of the nodes cp-1, gpu-1 and gpu-2; try:

  taint gpu-1 dedicated=ml:NoSchedule spot-

A CHANGE is one of
  key=value:Effect  key:Effect    adds a taint; Effect is NoSchedule,
                                  PreferNoSchedule or NoExecute
  key:Effect-                     removes the taint of this key and effect
  key-                            removes the key under every effect

Flags:
`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// options are what the command line asks for.
type options struct {
	file           string // empty: standard input, or the sample
	nodes          []string
	all, overwrite bool
	selector       labels.Selector
	changes        taints.Changes
}

// run does what the arguments ask for and returns the exit code: 1 where a node
// could not be changed or the input cannot be read, 2 for wrong usage. A nil
// stdin stands for none.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o options
	flags := o.flags(stderr)
	if len(args) == 0 {
		flags.SetOutput(stdout)
		flags.Usage()
		return 0
	}
	arguments, err := parseFlags(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2 // the flag package has said why
	}
	if err := o.setArguments(arguments); err != nil {
		report(stderr, "", err)
		return 2
	}
	name, text, err := o.read(stdin, stderr)
	if err != nil {
		report(stderr, "", err)
		return 1
	}
	d, err := parseDocument(name, text)
	if err != nil {
		report(stderr, "", err)
		return 1
	}
	after, err := o.change(d, stderr)
	if _, failed := io.WriteString(stdout, after); failed != nil {
		err = errors.Join(err, failed)
	}
	if err != nil {
		report(stderr, name+": ", err)
		return 1
	}
	return 0
}

// report prints the lines of the error.
func report(w io.Writer, prefix string, err error) {
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintf(w, "taint: %s\n", terminal.Printable(prefix+line))
	}
}

func (o *options) flags(stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet("taint", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	flags.Func("f", "the `file` to read, - for standard input (default standard input)", o.setFile)
	flags.BoolVar(&o.all, "all", false, "change every node")
	flags.BoolVar(&o.overwrite, "overwrite", false, "let a taint take the place of one of its key and effect")
	flags.Func("filename", "the same as -f `file`", o.setFile)
	flags.Func("l", "change the nodes with the `labels`, as kubectl takes them: pool=gpu,zone!=a,!old", o.setSelector)
	flags.Func("selector", "the same as -l `labels`", o.setSelector)
	return flags
}

func (o *options) setFile(s string) error {
	if o.file != "" {
		return errors.New("one file at a time, because the output is one document")
	}
	o.file = s
	return nil
}

func (o *options) setSelector(s string) (err error) {
	o.selector, err = labels.Parse(s)
	return err
}

// parseFlags returns the arguments that are no flags; flags may follow them.
func parseFlags(flags *flag.FlagSet, args []string) (arguments []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if args = flags.Args(); len(args) == 0 {
			return arguments, nil
		}
		arguments, args = append(arguments, args[0]), args[1:]
	}
}

// setArguments takes the names of nodes and, after them, the changes.
func (o *options) setArguments(arguments []string) error {
	first := slices.IndexFunc(arguments, isChange)
	if first < 0 {
		return errors.New("no change; want key=value:Effect, key:Effect, key:Effect- or key- after the names of the nodes")
	}
	specs := arguments[first:]
	if i := slices.IndexFunc(specs, func(s string) bool { return !isChange(s) }); i >= 0 {
		return fmt.Errorf("%q follows a change and is not one; name the nodes first, then the changes", specs[i])
	}
	if o.nodes = arguments[:first]; first > 0 && isResource(arguments[0]) {
		o.nodes = arguments[1:first]
	}
	switch o.ways() {
	case 0:
		return errors.New("no node; name nodes before the changes, or choose them with --all or -l")
	case 1:
	default:
		return errors.New("more than one of names, --all and -l; choose the nodes in one way")
	}
	changes, err := taints.ParseChanges(specs...)
	if err != nil {
		return explainSpecs(err)
	}
	o.changes = changes
	return explainConflicts(changes)
}

// ways returns in how many ways the nodes are chosen.
func (o *options) ways() int {
	n := 0
	for _, way := range []bool{o.all, len(o.selector) > 0, len(o.nodes) > 0} {
		if way {
			n++
		}
	}
	return n
}

// isChange tells a change from the name of a node, as kubectl does.
func isChange(s string) bool {
	return strings.ContainsAny(s, "=:") || strings.HasSuffix(s, "-")
}

// isResource reports whether s is what kubectl calls nodes.
func isResource(s string) bool {
	return slices.Contains([]string{"node", "nodes", "no"}, strings.ToLower(s))
}

// explainSpecs has a line for each faulty change.
func explainSpecs(err error) error {
	var lines []error
	for _, fault := range err.(*taints.ErrorList).Errors {
		lines = append(lines, fmt.Errorf("change %q: %s", fault.Input, inWords(fault)))
	}
	return errors.Join(lines...)
}

// explainConflicts finds what is both added and removed, which is wrong for every node.
func explainConflicts(c taints.Changes) error {
	_, err := c.ApplyStrict(nil, true)
	var faults *taints.ErrorList
	if !errors.As(err, &faults) {
		return nil
	}
	var lines []error
	for _, fault := range faults.Of(taints.ErrConflict) {
		lines = append(lines, errors.New(inWords(fault)))
	}
	return errors.Join(lines...)
}

// inWords is the fault without its place in a list that nobody sees, and with
// the flag's name for what the library calls overwrite.
func inWords(fault *taints.FieldError) string {
	detail := strings.ReplaceAll(fault.Detail, "with overwrite", "with --overwrite")
	return (&taints.FieldError{Field: fault.Field, Value: fault.Value, Kind: fault.Kind, Detail: detail}).Error()
}

// read returns what is to be changed, and where it comes from.
func (o *options) read(stdin io.Reader, stderr io.Writer) (name, text string, err error) {
	var b []byte
	switch {
	case o.file != "" && o.file != "-":
		name = o.file
		b, err = os.ReadFile(name)
	case stdin == nil || o.file == "" && terminal.Is(stdin):
		fmt.Fprintln(stderr,
			"taint: no input, so this is the built-in sample; try: kubectl get nodes -o json | taint ...")
		return "the sample", sample, nil
	default:
		name = kubejson.StandardInput
		b, err = io.ReadAll(stdin)
	}
	return name, strings.TrimPrefix(string(b), "\uFEFF"), err
}

// change returns the text of the document with the changes made to the chosen
// nodes, and says on stderr what became of each. A node that cannot be changed
// does not keep the others from it. The error has a line for everything that
// went wrong; the text is empty where nothing else happened.
func (o *options) change(d *document, stderr io.Writer) (after string, err error) {
	var failed []error
	missing, changed := slices.Clone(o.nodes), 0
	for _, n := range d.nodes {
		if !o.chosen(n) {
			continue
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == n.name })
		if err := n.change(o.changes, o.overwrite); err != nil {
			failed = append(failed, onNode(n.name, err))
			continue
		}
		changed++
		fmt.Fprintf(stderr, "node/%s %s\n", terminal.Line(n.name), o.operation())
	}
	for _, name := range missing {
		failed = append(failed, onNode(name, errors.New("not found")))
	}
	if changed == 0 && failed != nil {
		return "", errors.Join(failed...)
	}
	if changed == 0 {
		fmt.Fprintln(stderr, "taint: no node has these labels, so nothing changed")
	}
	return d.text(), errors.Join(failed...)
}

// onNode names the node in each line of the error.
func onNode(name string, err error) error {
	prefix := "node/" + terminal.Line(name) + ": "
	return errors.New(prefix + strings.ReplaceAll(err.Error(), "\n", "\n"+prefix))
}

func (o *options) chosen(n *node) bool {
	return o.all || slices.Contains(o.nodes, n.name) || len(o.selector) > 0 && o.selector.Matches(n.labels)
}

// operation is kubectl's word for what was done.
func (o *options) operation() string {
	switch adds, removes := len(o.changes.Add) > 0, len(o.changes.Remove)+len(o.changes.RemoveKeys) > 0; {
	case o.overwrite || adds && removes:
		return "modified"
	case adds:
		return "tainted"
	}
	return "untainted"
}
