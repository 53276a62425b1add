// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/cmd/internal/manifest"
	"github.com/seed-0529bac1/taints/cmd/internal/names"
	"github.com/seed-0529bac1/taints/cmd/internal/say"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/diagnosis"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/fix"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/preview"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/start"
)

func (p *program) answer(ctx context.Context, args []string) error {
	now, c, err := p.parse(args)
	if err != nil {
		return invalid(err)
	}
	if namespace, _, err := p.config.ToRawKubeConfigLoader().Namespace(); err == nil && c.Only.Namespace == "" {
		c.Namespace = namespace
	}
	if c.Asked != "" && !strings.Contains(c.Asked, "/") {
		p.start = start.New(c.Asked)
		c.OnPod, c.Readers = p.start.AddPod, p.start.Readers()
	}
	input, isDump, err := p.read(ctx, c)
	if err != nil {
		return err
	}
	if p.client != nil {
		p.readStart(ctx, c)
		if c.WantsProvisioners() {
			p.readProvisioners(ctx, c)
		}
	}
	c.Finish()
	q := diagnosis.Question{Start: p.start, Now: now, Matrix: p.output == "html", IsWide: p.output == "wide", Kubectl: fix.Kubectl{Connection: p.connection}}
	if isDump && len(p.connection) == 0 {
		q.Cluster = "the cluster of this dump"
	}
	if c.Asked != "" {
		if q.Pods, err = c.Find(c.Asked); err != nil {
			return p.notFound(ctx, c, input, err)
		}
	}
	r := diagnosis.New(c, q)
	r.Input, r.Filter = input, c.Only.String()
	if err = p.writeReport(r, "page"); err == nil && p.exitCode && r.WaitsForTaints() {
		return errWaits
	}
	return err
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
	if r.Verb == "drain" {
		r.Flags, p.drain, c.OnPod = givenFlags(r.Drain.Flags), r.Drain, r.Drain.AddPod
		c.Readers = cluster.Readers{"PodDisruptionBudget": cluster.Reader(r.Drain.AddBudget)}
	}
	input, _, err := p.read(ctx, c)
	if err != nil {
		return err
	}
	if p.client != nil && (r.Verb == "uncordon" || r.Verb == "taint") { // which may end what these have begun
		p.readProvisioners(ctx, c)
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

const theCluster = "the cluster" // as the only input

// read fills the cluster. It names the input, and reports whether it has the nodes.
func (p *program) read(ctx context.Context, c *cluster.Cluster) (input string, isDump bool, err error) {
	files := *p.files.Filenames
	switch {
	case len(files) > 0:
	case !p.asksServer && p.isPiped():
		files = []string{"-"}
	default:
		return theCluster, false, p.readCluster(ctx, c)
	}
	timeout, err := clientcmd.ParseTimeout(*p.config.Timeout)
	if err != nil {
		return "", false, invalid(err)
	}
	var inputs []string
	for _, file := range files {
		name, hint, isEmpty := say.WithoutPassword(file), "", true
		add := func(o manifest.Object) error {
			isEmpty = false
			return c.Decode(o)
		}
		if file == "-" && p.in != nil {
			name, hint = "standard input", "; use -n or -A to read the cluster"
			err = manifest.Read(name, p.in, add)
		} else {
			err = manifest.ReadPath(file, *p.files.Recursive, timeout, add)
		}
		if err == nil && isEmpty {
			err = fmt.Errorf("%s has no Kubernetes objects%s", name, hint)
		}
		if err != nil {
			return "", false, err
		}
		inputs = append(inputs, name)
	}
	if input = say.Joined(inputs); len(c.Nodes) > 0 {
		return input, true, nil
	}
	if err := p.readNodes(ctx, c); err != nil {
		return "", false, fmt.Errorf("no nodes in %s; reading those of the cluster failed: %w; %s", input, err, manifest.Expected)
	}
	if v, err := discovery.NewDiscoveryClient(p.client.RESTClient()).ServerVersionWithContext(ctx); err == nil {
		c.AddVersion(v.GitVersion) // devices may be in the input
	}
	return input + " and the nodes of the cluster", false, nil
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
	if err := p.readNodes(ctx, c); err != nil {
		return err
	}
	if strings.Contains(c.Asked, "/") {
		if p.missing = p.readNamed(ctx, c, c.Asked, c.Only.Namespace); p.missing != nil && !apierrors.IsNotFound(p.missing) {
			return p.missing
		}
	}
	if !strings.HasPrefix(c.Asked, "daemonset/") {
		p.readOthers(ctx, c, "DaemonSets", "/apis/apps/v1", "", "", c.Only.Namespace) // a device plugin may be in any namespace
	}
	if p.drain != nil {
		p.drain.HasBudgets = p.readOthers(ctx, c, "PodDisruptionBudgets", "/apis/policy/v1", "", "")
	}
	return readTyped(ctx, p.client.Pods(c.Only.Namespace).List, p.selector, c.AddPod)
}

// inPages reads a list by calling page with the token of each of its pages, which returns the
// next token. A server that forgets a page gives a token for the rest as it is now, which must
// work.
func inPages(page func(token string) (next string, err error)) error {
	for token, isRest := "", false; ; {
		next, err := page(token)
		expired, ok := errors.AsType[*apierrors.StatusError](err)
		if isRest = ok && expired.ErrStatus.Continue != "" && !isRest; isRest {
			next, err = expired.ErrStatus.Continue, nil
		}
		if err != nil || next == "" {
			return err
		}
		token = next
	}
}

// readTyped adds the objects of a list, which the client reads as protobuf.
func readTyped[L runtime.Object, T any](
	ctx context.Context, list func(context.Context, metav1.ListOptions) (L, error), selector string, add func(*T) error,
) error {
	return inPages(func(token string) (string, error) {
		page, err := list(ctx, metav1.ListOptions{LabelSelector: selector, Limit: 500, Continue: token})
		if err != nil {
			return "", err
		}
		err = meta.EachListItem(page, func(o runtime.Object) error { return add(any(o).(*T)) })
		return any(page).(metav1.ListInterface).GetContinue(), err
	})
}

// readNamed reads the workload that is asked for, for its template, or all pods or
// workloads with its name if there is no namespace.
func (p *program) readNamed(ctx context.Context, c *cluster.Cluster, asked, namespace string) error {
	kind, name, isWorkload := strings.Cut(asked, "/")
	if !isWorkload {
		kind, name = "pod", kind
	}
	request := p.client.RESTClient().Get()
	if _, group := names.Kind(kind); namespace != "" {
		request.AbsPath(group, "namespaces", namespace, kind+"s", name)
	} else {
		request.AbsPath(group, kind+"s").Param("fieldSelector", "metadata.name="+name)
	}
	_, err := decode(ctx, asked, request, c)
	return err
}

// notFound returns the error for what is asked for, in the API server's words if it has
// some, with the other namespaces of the cluster that have it, if the user may know.
func (p *program) notFound(ctx context.Context, c *cluster.Cluster, input string, err error) error {
	if input == theCluster && p.readNamed(ctx, c, c.Asked, "") == nil {
		for _, kind := range names.Workloads {
			p.readNamed(ctx, c, kind+"/"+path.Base(c.Asked), "") // if that fails, there is less to say
		}
		_, err = c.Find(c.Asked)
	}
	if p.missing != nil {
		return fmt.Errorf("%w%s", p.missing, names.Hint(cluster.PodName{Namespace: c.Only.Namespace, Name: c.Asked}, c.Names()))
	}
	return err
}

// newClient returns a client for the cluster that the flags choose.
func (p *program) newClient() (corev1client.CoreV1Interface, error) {
	config, err := p.config.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100
	return corev1client.NewForConfig(config)
}

// readNodes lists the nodes of the cluster, and keeps the client for more.
func (p *program) readNodes(ctx context.Context, c *cluster.Cluster) error {
	client, err := p.newClient()
	if err != nil {
		return err
	}
	p.client = client
	err = readTyped(ctx, client.Nodes().List, "", c.AddNode)
	raw, _ := p.config.ToRawKubeConfigLoader().RawConfig()
	isDefault := client.RESTClient().Get().URL().Host == "localhost:8080" && *p.config.APIServer == ""
	if err != nil && isDefault && len(raw.Clusters) == 0 {
		err = fmt.Errorf("there is no kubeconfig that names a cluster; use --kubeconfig, -f for a file, or a pipe as in --help (%w)", err)
	}
	return err
}

// decode adds what the API server has to the cluster, and returns what continues its list.
func decode(ctx context.Context, name string, request *rest.Request, c *cluster.Cluster) (next string, err error) {
	result := request.SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx)
	objects, _ := result.Raw()
	var list struct {
		metav1.ListMeta `json:"metadata"`
	}
	err = cmp.Or(result.Error(), manifest.Read(name, bytes.NewReader(objects), c.Decode)) // Raw does not read the server's message
	json.Unmarshal(objects, &list)                                                        // what has no list ends it
	return list.Continue, err
}

// readOthers lists objects that not everybody may list, in the first of the namespaces where
// that works, and reports whether it could. A selector of fields may be empty.
func (p *program) readOthers(ctx context.Context, c *cluster.Cluster, kinds, group, fields string, namespaces ...string) bool {
	var err error
	for i, namespace := range slices.Compact(namespaces) {
		if err = p.readPages(ctx, c, kinds, group, fields, namespace); err == nil {
			if i > 0 {
				c.Unevaluated.Insert(kinds + " of other namespaces")
			}
			return true
		}
	}
	c.Unevaluated.Insert(kinds + " (" + say.Shortened(err.Error()) + ")")
	return false
}

func (p *program) readPages(ctx context.Context, c *cluster.Cluster, kinds, group, fields, namespace string) error {
	return inPages(func(token string) (string, error) {
		request := p.client.RESTClient().Get().AbsPath(group).Namespace(namespace).Resource(strings.ToLower(kinds))
		return decode(ctx, kinds, request.Param("limit", "500").Param("continue", token).Param("fieldSelector", fields), c)
	})
}

// readStart reads what the pods that are asked for may wait for on their nodes.
func (p *program) readStart(ctx context.Context, c *cluster.Cluster) {
	for _, o := range c.Pods {
		claims, waits := p.start.Waits(o)
		if !waits {
			continue
		}
		p.readOthers(ctx, c, "Events", "/api/v1", "involvedObject.kind=Pod,involvedObject.name="+o.Name, o.Namespace)
		for _, claim := range claims {
			p.readOthers(ctx, c, "PersistentVolumeClaims", "/api/v1", "metadata.name="+claim.Name, claim.Namespace)
		}
		if len(claims) > 0 {
			p.readOthers(ctx, c, "VolumeAttachments", "/apis/storage.k8s.io/v1", "", "")
		}
	}
}

// provisioners are the kinds of objects that make nodes, by API group.
var provisioners = map[string][]string{
	"karpenter.sh":                  {"NodePools", "NodeClaims"},
	"cluster.x-k8s.io":              {"MachineDeployments", "MachineSets", "Machines"},
	"bootstrap.cluster.x-k8s.io":    {"KubeadmConfigTemplates"},
	"controlplane.cluster.x-k8s.io": {"KubeadmControlPlanes"},
	"machine.openshift.io":          {"MachineSets", "Machines"},
	"machine.sapcloud.io":           {"MachineDeployments", "MachineSets", "Machines"},
}

// readProvisioners reads what makes nodes, if the cluster has that.
func (p *program) readProvisioners(ctx context.Context, c *cluster.Cluster) {
	raw, err := p.client.RESTClient().Get().AbsPath("/apis").SetHeader("Accept", runtime.ContentTypeJSON).Do(ctx).Raw()
	var apis metav1.APIGroupList
	json.Unmarshal(raw, &apis) // what has no list has no groups
	var missing []string
	for _, group := range apis.Groups {
		for _, kinds := range provisioners[group.Name] {
			if e := p.readPages(ctx, c, kinds, "/apis/"+group.PreferredVersion.GroupVersion, "", ""); e != nil && !apierrors.IsNotFound(e) {
				missing, err = append(missing, kinds), e
			}
		}
	}
	if err != nil && !apierrors.IsNotFound(err) {
		c.Unevaluated.Insert(cmp.Or(say.Joined(missing), "what makes nodes") + " (" + say.Shortened(err.Error()) + ")")
	}
}

// completed returns the function of cobra that completes from the list.
func completed(list func(context.Context, []string) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return list(c.Context(), args), cobra.ShellCompDirectiveNoFileComp
	}
}

func (p *program) podNames(ctx context.Context, args []string) []string {
	c := cluster.New(cluster.Filter{Namespace: *p.config.Namespace})
	if len(args) > 0 || p.readCluster(ctx, c) != nil {
		return nil
	}
	return lists.Each(c.Pods, func(p *cluster.Pod) string { return p.Name })
}

// nodeNames returns the names of the nodes that the arguments lack; none if that fails.
func (p *program) nodeNames(ctx context.Context, args []string) []string {
	c := cluster.New(cluster.Filter{})
	p.readNodes(ctx, c)
	names := lists.Each(c.Nodes, func(n cluster.Node) string { return n.Name })
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(args, name) })
}

func (p *program) namespaces(ctx context.Context, _ []string) (names []string) {
	if client, err := p.newClient(); err == nil {
		add := func(o *corev1.Namespace) error { names = append(names, o.Name); return nil }
		readTyped(ctx, client.Namespaces().List, "", add) // if that fails, there are fewer
	}
	return names
}

func (p *program) contexts(context.Context, []string) []string {
	config, _ := p.config.ToRawKubeConfigLoader().RawConfig()
	return slices.Sorted(maps.Keys(config.Contexts))
}
