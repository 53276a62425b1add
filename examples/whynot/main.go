// SPDX-License-Identifier: Apache-2.0

// Whynot says why pods are pending, which pods leave their nodes and when, and
// what keeps whom away, from the JSON that kubectl prints, or as a plugin of
// kubectl from a cluster:
//
//	kubectl get nodes,pods -A -o json | go run ./examples/whynot
//	kubectl whynot -A
//
// It answers from taints, tolerations, node selectors and required node
// affinity; what it does not evaluate it says.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints/examples/internal/labels"
	"github.com/seed-0529bac1/taints/examples/internal/terminal"
)

const usage = `Usage: kubectl whynot [POD] [flags]
       kubectl get nodes,pods -A -o json | whynot [POD] [flags]

Says why pods are pending, which pods leave their nodes and when, and which taints
keep whom away. It reads what comes on a pipe or from the files of -f. With neither
it asks the cluster, if it is called kubectl-whynot or one of the flags -A, -n, -l,
--context and --kubeconfig is there, and else it shows a built-in sample.

Flags:
`

func main() {
	p := program{
		name: filepath.Base(os.Args[0]), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		columns: os.Getenv("COLUMNS"), clock: time.Now,
	}
	os.Exit(p.run(os.Args[1:]))
}

// A program is whynot with all that it gets from outside.
type program struct {
	name           string    // that it was called by
	stdin          io.Reader // nil: none
	stdout, stderr io.Writer
	columns        string // the variable COLUMNS
	clock          func() time.Time
}

// A form is what the output looks like.
type form string

const (
	formText form = "text"
	formJSON form = "json"
	formHTML form = "html"
)

// options are what the command line asks for.
type options struct {
	files   []string
	pod     string    // empty: all pods
	now     time.Time // zero: not given
	form    form
	verbose bool
	only    filter
	cluster clusterFlags
}

// run does what the arguments ask for and returns the exit code: 1 for failure,
// 2 for wrong usage.
func (p program) run(args []string) int {
	o, err := p.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2 // which has been explained
	}
	r, err := p.answer(o)
	if err == nil {
		err = r.write(p.stdout, o, terminal.Width(p.stdout, p.columns))
	}
	if err != nil {
		fmt.Fprintf(p.stderr, "whynot: %s\n", oneLine(err))
		return 1
	}
	return 0
}

// oneLine is the error in a line that does nothing to a terminal.
func oneLine(err error) string {
	return strings.ReplaceAll(terminal.Printable(strings.TrimSpace(err.Error())), "\n", "; ")
}

// parse reads the command line; flags may follow the pod.
func (p program) parse(args []string) (options, error) {
	o := options{form: formText}
	flags := flag.NewFlagSet("whynot", flag.ContinueOnError)
	flags.SetOutput(p.stderr)
	flags.Usage = func() {
		fmt.Fprint(p.stderr, usage)
		flags.PrintDefaults()
	}
	o.define(flags)
	var pods []string
	for {
		if err := flags.Parse(args); err != nil {
			return o, err
		}
		if args = flags.Args(); len(args) == 0 {
			break
		}
		pods, args = append(pods, args[0]), args[1:]
	}
	err := o.setPods(pods)
	if err != nil {
		fmt.Fprintf(p.stderr, "whynot: %s\n", oneLine(err))
	}
	return o, err
}

func (o *options) define(flags *flag.FlagSet) {
	both := func(short, long, usage string, set func(string) error) {
		flags.Func(short, usage, set)
		flags.Func(long, "the same as -"+short, set)
	}
	both("f", "filename", "read this `file`, - for standard input; may be repeated", func(s string) error {
		o.files = append(o.files, s)
		return nil
	})
	both("n", "namespace", "only pods of this `namespace`", o.setNamespace)
	both("l", "selector", "only pods with these `labels`, as kubectl takes them", o.setLabels)
	both("o", "output", "the `form` of the output: text, json or html (default text)", o.setForm)
	flags.BoolVar(&o.cluster.all, "A", false, "pods of all namespaces")
	flags.BoolVar(&o.cluster.all, "all-namespaces", false, "the same as -A")
	flags.StringVar(&o.cluster.context, "context", "", "the `context` of the kubeconfig to use")
	flags.StringVar(&o.cluster.kubeconfig, "kubeconfig", "", "the kubeconfig `file` to use")
	flags.BoolVar(&o.verbose, "v", false, "all details, not only a page")
	flags.Func("pod", "the same as the argument POD: `namespace/name`, or a name in the namespace of -n or default",
		o.setPod)
	flags.Func("now", "the `time` to count from, as 2026-11-21T01:24:00Z (default the current time)", o.setNow)
}

func (o *options) setNamespace(s string) error {
	o.only.namespace, o.cluster.namespace = s, s
	return nil
}

func (o *options) setLabels(s string) (err error) {
	o.only.labels, err = labels.Parse(s)
	o.cluster.labels = s
	return err
}

func (o *options) setNow(s string) error {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return errors.New("want a time as in 2026-11-21T01:24:00Z")
	}
	o.now = t
	return nil
}

func (o *options) setForm(s string) error {
	switch o.form = form(s); o.form {
	case formText, formJSON, formHTML:
		return nil
	}
	return errors.New("want text, json or html")
}

func (o *options) setPod(s string) error {
	if s == "" {
		return errors.New("the name of the pod is empty")
	}
	o.pod = s
	return nil
}

// setPods takes the arguments that are no flags: the pod, before which its kind
// may stand.
func (o *options) setPods(args []string) error {
	if len(args) > 1 && isResource(args[0]) {
		args = args[1:]
	}
	if len(args) == 1 && o.pod == "" {
		if err := o.setPod(args[0]); err != nil {
			return err
		}
	} else if len(args) > 0 {
		return fmt.Errorf("one pod at a time, not %q too; name files with -f", args[len(args)-1])
	}
	if len(o.files) > 0 && (o.cluster.context != "" || o.cluster.kubeconfig != "") {
		return errors.New("-f reads files, and --context and --kubeconfig are for asking the cluster")
	}
	if o.only.namespace != "" && o.cluster.all {
		return errors.New("-n and -A exclude each other")
	}
	if o.form == formHTML && o.pod != "" {
		return fmt.Errorf("the page of -o html is of all pods, not only of %s", o.pod)
	}
	for _, kind := range []string{"pod/", "pods/", "po/"} {
		o.pod = strings.TrimPrefix(o.pod, kind)
	}
	if namespace, name, ok := strings.Cut(o.pod, "/"); ok {
		switch {
		case namespace == "" || name == "" || strings.Contains(name, "/"):
			return fmt.Errorf("%q is not a pod; want a name or namespace/name", o.pod)
		case o.only.namespace != "" && o.only.namespace != namespace:
			return fmt.Errorf("the pod %s is not in the namespace %s", o.pod, o.only.namespace)
		}
		o.cluster.podNamespace = namespace
	}
	return nil
}

// isResource reports whether s is what kubectl calls pods.
func isResource(s string) bool { return s == "pod" || s == "pods" || s == "po" }

// answer reads the input and returns what is to be written.
func (p program) answer(o options) (*report, error) {
	c := newCluster(o.only)
	c.asked = o.pod[strings.LastIndexByte(o.pod, '/')+1:]
	in, err := p.load(c, &o)
	if err != nil {
		return nil, err
	}
	if len(c.nodes) == 0 {
		return nil, fmt.Errorf("%s: no nodes, only %s; expected the output of kubectl get nodes,pods -A -o json",
			in, c.contents())
	}
	q := question{
		now:    p.now(&o, in).UTC().Truncate(time.Second),
		matrix: o.form == formHTML,
		lint:   o.form == formJSON || o.form == formText && o.verbose,
	}
	if o.pod != "" {
		if q.pod, err = c.find(o.pod, o.only.namespace); err != nil {
			return nil, fmt.Errorf("%s: %w", in, err)
		}
	}
	progress := p.progress()
	defer progress.Clear()
	progress.Show("read %d objects, answering", c.objects)
	r, err := newReport(c, q)
	if err != nil {
		return nil, err
	}
	r.Input, r.Filter, r.noPods = in, c.only.String(), c.whyNoPods(in)
	return r, nil
}

// now returns the time to count from.
func (p program) now(o *options, in string) time.Time {
	switch {
	case !o.now.IsZero():
		return o.now
	case in == inputSample:
		return sampleNow
	}
	return p.clock()
}

// write writes the report in the form that is asked for.
func (r *report) write(w io.Writer, o options, width int) error {
	if o.form == formJSON {
		return r.writeJSON(w)
	}
	if o.form == formText {
		_, err := w.Write(r.text(width, o.verbose))
		return err
	}
	page, err := r.html()
	if err == nil {
		_, err = w.Write(page)
	}
	return err
}
