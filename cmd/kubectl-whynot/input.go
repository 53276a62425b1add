// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/pager"

	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
)

const inputStdin = "standard input"

func (p *program) answer(ctx context.Context, args []string) error {
	now, c, err := p.parse(args)
	if err != nil {
		return invalid(err)
	}
	if namespace, _, err := p.config.ToRawKubeConfigLoader().Namespace(); err == nil && c.Only.Namespace == "" {
		c.Namespace = namespace
	}
	input, isDump, err := p.read(ctx, c)
	if err != nil {
		return err
	}
	c.Finish()
	q := diagnosis.Question{Now: now, Matrix: p.output == "html", Connection: p.connection}
	if isDump && len(p.connection) == 0 {
		q.Cluster = "the cluster of this dump"
	}
	if c.Asked != "" {
		if q.Pod, err = c.Find(c.Asked, c.Only.Namespace); err != nil {
			return err
		}
	}
	r := diagnosis.New(c, q)
	r.Input, r.Filter = input, c.Only.String()
	return p.writeReport(r, "page")
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

// read fills the cluster. It names the input, and reports whether it has the nodes.
func (p *program) read(ctx context.Context, c *cluster.Cluster) (input string, isDump bool, err error) {
	files := *p.files.Filenames
	switch {
	case len(files) > 0:
	case !p.asksServer && p.isPiped():
		files = []string{"-"}
	default:
		return "the cluster", false, p.readCluster(ctx, c)
	}
	var names []string
	shown := p.progress()
	defer shown.erase()
	add := shown.counted(c.Decode)
	for _, file := range files {
		before, name := shown.objects, say.WithoutPassword(file)
		if file == "-" && p.in != nil {
			name, err = inputStdin, manifest.Read(inputStdin, p.in, add)
		} else {
			err = manifest.ReadPath(file, *p.files.Recursive, add)
		}
		switch names = append(names, name); {
		case err != nil:
			return "", false, err
		case shown.objects > before:
		case name == inputStdin:
			return "", false, errors.New("standard input has no Kubernetes objects; use -n or -A to read the cluster")
		default:
			return "", false, fmt.Errorf("%s has no Kubernetes objects", name)
		}
	}
	if input = say.Joined(names); len(c.Nodes) > 0 {
		return input, true, nil
	}
	if _, err := p.readNodes(ctx, c); err != nil {
		return "", false, fmt.Errorf("no nodes in %s; reading those of the cluster failed: %w", input, err)
	}
	return input + " and the nodes of the cluster", false, nil
}

// progress returns the line that shows what was read, if errors go to a terminal.
func (p *program) progress() *progress {
	shown := &progress{out: io.Discard, clock: time.Now}
	if f, ok := p.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		shown.out = f
	}
	return shown
}

// isPiped reports whether standard input is a pipe or a file.
func (p *program) isPiped() bool {
	f, ok := p.in.(*os.File)
	if !ok {
		return p.in != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// readCluster lists the nodes and the pods of the namespace or of all namespaces.
func (p *program) readCluster(ctx context.Context, c *cluster.Cluster) error {
	if !p.all && c.Only.Namespace == "" {
		namespace, _, err := p.config.ToRawKubeConfigLoader().Namespace()
		if err != nil {
			return err
		}
		c.Only.Namespace = namespace
	}
	client, err := p.readNodes(ctx, c)
	if err != nil {
		return err
	}
	if kind, name, ok := strings.Cut(c.Asked, "/"); ok {
		if err := readWorkload(ctx, client, kind, name, c); err != nil {
			return err
		}
	}
	readDaemonSets(ctx, client, c)
	return inPages(ctx, client.Pods(c.Only.Namespace).List, p.selector, c.ForgetPods, c.AddPod)
}

// inPages lists objects page by page, or at once if the server forgets the pages.
func inPages[L runtime.Object, T any](
	ctx context.Context, list func(context.Context, metav1.ListOptions) (L, error), selector string, forget func(), add func(*T) error,
) error {
	p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return list(ctx, o) })
	p.PageBufferSize = 1
	each := func(o runtime.Object) error { return add(any(o).(*T)) }
	err := p.EachListItem(ctx, metav1.ListOptions{LabelSelector: selector}, each)
	if apierrors.IsResourceExpired(err) {
		forget()
		p.PageSize = 0
		err = p.EachListItem(ctx, metav1.ListOptions{LabelSelector: selector}, each)
	}
	return err
}

// readWorkload reads a workload, such as a Deployment, for its template.
func readWorkload(ctx context.Context, client corev1client.CoreV1Interface, kind, name string, c *cluster.Cluster) error {
	group := "apps"
	if strings.HasSuffix(kind, "job") {
		group = "batch"
	}
	path := []string{"/apis", group, "v1/namespaces", c.Only.Namespace, kind + "s", name}
	object, err := client.RESTClient().Get().AbsPath(path...).SetHeader("Accept", runtime.ContentTypeJSON).DoRaw(ctx)
	if err != nil {
		return err
	}
	return manifest.Read(kind+"/"+name, bytes.NewReader(object), c.Decode)
}

// readDaemonSets lists the DaemonSets, unless one is asked for. Not everybody may do that.
func readDaemonSets(ctx context.Context, client corev1client.CoreV1Interface, c *cluster.Cluster) {
	if strings.HasPrefix(c.Asked, "daemonset/") {
		return
	}
	request := client.RESTClient().Get().AbsPath("/apis/apps/v1").Namespace(c.Only.Namespace).Resource("daemonsets")
	result := request.SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx)
	list, _ := result.Raw()
	if err := cmp.Or(result.Error(), manifest.Read("DaemonSets", bytes.NewReader(list), c.Decode)); err != nil {
		c.Unevaluated.Insert("DaemonSets (" + say.Shortened(err.Error()) + ")")
	}
}

// readNodes lists the nodes of the cluster, and returns a client for more.
func (p *program) readNodes(ctx context.Context, c *cluster.Cluster) (corev1client.CoreV1Interface, error) {
	config, err := p.config.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	config.ContentType = runtime.ContentTypeProtobuf // much faster than JSON
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.QPS, config.Burst = 50, 100
	client, err := corev1client.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	err = inPages(ctx, client.Nodes().List, "", c.ForgetNodes, c.AddNode)
	raw, _ := p.config.ToRawKubeConfigLoader().RawConfig()
	isDefault := client.RESTClient().Get().URL().Host == "localhost:8080" && *p.config.APIServer == ""
	if err != nil && isDefault && len(raw.Clusters) == 0 {
		err = fmt.Errorf("there is no kubeconfig that names a cluster; use --kubeconfig, -f for a file, or a pipe as in --help (%w)", err)
	}
	return client, err
}

func (p *program) completePods(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	c := cluster.New(cluster.Filter{Namespace: *p.config.Namespace})
	if len(args) > 0 || p.readCluster(cmd.Context(), c) != nil {
		return nil, none
	}
	return say.Each(c.Pods, func(p *cluster.Pod) string { return p.Name }), none
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

// A progress is a line on a terminal that counts what was read.
type progress struct {
	out            io.Writer
	clock          func() time.Time
	shown          time.Time // zero: nothing is shown
	objects, bytes int
}

// counted returns add with a line that counts the objects.
func (p *progress) counted(add func(manifest.Object) error) func(manifest.Object) error {
	p.shown = p.clock()
	return func(o manifest.Object) error {
		p.objects, p.bytes = p.objects+1, p.bytes+o.Size()
		if now := p.clock(); now.Sub(p.shown) > 200*time.Millisecond {
			p.shown = now
			message.NewPrinter(language.English).Fprintf(p.out, "\rread %d objects, %d MB", p.objects, p.bytes/1e6)
		}
		return add(o)
	}
}

func (p *progress) erase() { fmt.Fprint(p.out, "\r\x1b[K") }
