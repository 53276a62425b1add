// Whynot says why pods are pending, which pods leave their nodes and when, and what keeps whom away, from the JSON that
// kubectl prints:
//
//	kubectl get nodes,pods -A -o json | go run ./examples/whynot
//
// Files can be named instead, and with neither it shows a built-in sample. It answers from taints, tolerations and node
// selectors; what it does not look at it says.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// sample is what kubectl printed for a small cluster.
//
//go:embed sample.json
var sample []byte

// sampleNow is the time at which the sample is looked at, 90 seconds after two of its nodes failed: some pods are
// overdue then, others leave in a few minutes.
var sampleNow = time.Date(2026, 11, 21, 1, 24, 0, 0, time.UTC)

const usage = `Usage: kubectl get nodes,pods -A -o json | whynot [flags] [file ...]

Says why pods are pending, which pods leave their nodes and when, and which taints
keep whom away. A file named - is standard input; without files and input it shows
a built-in sample.

Flags:
`

func main() {
	p := program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, columns: os.Getenv("COLUMNS"), clock: time.Now}
	os.Exit(p.run(os.Args[1:]))
}

// A program is whynot with all that it gets from outside.
type program struct {
	stdin          io.Reader // nil: none
	stdout, stderr io.Writer
	columns        string // the width of the terminal
	clock          func() time.Time
}

// options are what the command line asks for.
type options struct {
	files []string
	pod   podName   // zero: all pods
	now   time.Time // zero: not given
	json  bool
}

// run does what the arguments ask for and returns the exit code: 1 for failure, 2 for wrong usage.
func (p program) run(args []string) int {
	o, err := p.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2 // the flag package has said why
	}
	out, err := p.answer(o)
	if err == nil {
		_, err = p.stdout.Write(out)
	}
	if err != nil {
		fmt.Fprintf(p.stderr, "whynot: %s\n", printable(err.Error()))
		return 1
	}
	return 0
}

// parse reads the command line; flags may follow files.
func (p program) parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("whynot", flag.ContinueOnError)
	flags.SetOutput(p.stderr)
	flags.Usage = func() {
		fmt.Fprint(p.stderr, usage)
		flags.PrintDefaults()
	}
	flags.Func("pod", "show only the pod `namespace/name`; a name alone is in namespace default", o.setPod)
	flags.Func("now", "the `time` to count from, as 2026-11-21T01:24:00Z (default the current time)", o.setNow)
	flags.Func("o", "output `form`: text or json (default text)", o.setForm)
	for {
		if err := flags.Parse(args); err != nil {
			return o, err
		}
		if args = flags.Args(); len(args) == 0 {
			return o, nil
		}
		o.files, args = append(o.files, args[0]), args[1:]
	}
}

func (o *options) setPod(s string) error {
	namespace, name, ok := strings.Cut(s, "/")
	if !ok {
		namespace, name = "default", s
	}
	if namespace == "" || name == "" || strings.Contains(name, "/") {
		return errors.New("want namespace/name")
	}
	o.pod = podName{namespace, name}
	return nil
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
	if s != "text" && s != "json" {
		return errors.New("want text or json")
	}
	o.json = s == "json"
	return nil
}

// answer returns the whole output.
func (p program) answer(o options) ([]byte, error) {
	c := newCluster()
	isSample, err := p.load(c, o.files)
	if err != nil {
		return nil, err
	}
	if len(c.nodes) == 0 {
		return nil, fmt.Errorf("no nodes in the input, only %s; expected the output of kubectl get nodes,pods -A -o json",
			c.contents())
	}
	now := o.now
	if now.IsZero() {
		now = p.clock()
		if isSample {
			now = sampleNow
		}
	}
	r, err := newReport(c, now.UTC().Truncate(time.Second), o.pod)
	if err != nil {
		return nil, err
	}
	r.Sample = isSample
	if !o.json {
		return r.text(p.width()), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err = e.Encode(r)
	return b.Bytes(), err
}

// load reads the files, or standard input, or the sample, and reports whether it was the sample.
func (p program) load(c *cluster, files []string) (isSample bool, err error) {
	progress := newProgress(p.stderr, isTerminal(p.stderr), p.clock)
	defer progress.clear()
	if len(files) == 0 {
		if p.stdin == nil || isTerminal(p.stdin) {
			fmt.Fprintln(p.stderr, "whynot: no input, so this is the built-in sample;"+
				" try: kubectl get nodes,pods -A -o json | whynot")
			return true, load(c, "the sample", bytes.NewReader(sample), progress)
		}
		files = []string{"-"}
	}
	for _, name := range files {
		if err := p.loadFile(c, name, progress); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (p program) loadFile(c *cluster, name string, progress *progress) error {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return load(c, name, f, progress)
	}
	if p.stdin == nil {
		return errNoInput
	}
	return load(c, standardInput, p.stdin, progress)
}

// isTerminal reports whether the stream is a terminal, another device that nobody types JSON on, or closed.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err != nil || info.Mode()&os.ModeCharDevice != 0
}

// width returns the width of the text.
func (p program) width() int {
	if n, err := strconv.Atoi(p.columns); err == nil && n >= 40 && n <= 1000 {
		return n
	}
	return 80
}
