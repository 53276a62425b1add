// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	taintutils "k8s.io/kubernetes/pkg/util/taints"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-0529bac1/taints/cluster/internal/controlplane"
	"github.com/seed-0529bac1/taints/cluster/internal/rows"
	"github.com/seed-0529bac1/taints/internal/test/docs"
)

// programs are the programs that have manifests under the same name.
var programs = []string{"evictor", "scheduler", "webhook"}

// overlay builds the manifests of a program with one of their components.
func overlay(t *testing.T, program, component string) []client.Object {
	t.Helper()
	return kustomize(t, fmt.Sprintf("resources: [cluster/manifests/%s]\ncomponents: [cluster/manifests/%[1]s/%s]", program, component))
}

// kustomize builds a kustomization in the root of the repository.
func kustomize(t *testing.T, text string) []client.Object {
	t.Helper()
	return must(controlplane.Manifest(kustomization(t, text)))(t)
}

// kustomization returns a folder with a kustomization of the repository.
func kustomization(t *testing.T, text string) string {
	t.Helper()
	folder := must(filepath.EvalSymlinks(t.TempDir()))(t)
	text = strings.ReplaceAll(text, "cluster/", must(filepath.Rel(folder, must(filepath.Abs(".."))(t)))(t)+"/")
	check(t, os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600))
	return folder
}

// TestManifests builds the kustomizations in testdata/manifests.yaml, and checks that
// the expressions about their objects are true.
func TestManifests(t *testing.T) {
	type test struct {
		Name          string
		Programs      []string
		Kustomization string
		Readme        string            // the first YAML block of this file is the kustomization
		Right         map[string]string // expressions, by what they check
	}
	for _, test := range rows.Read[test](t, "manifests.yaml") {
		if test.Readme != "" {
			test.Kustomization = docs.Blocks(t, test.Readme, "yaml")[0].Text
		}
		for _, program := range test.Programs {
			t.Run(test.Name+"/"+program, func(t *testing.T) {
				evaluate := evaluator(t, kustomize(t, strings.ReplaceAll(test.Kustomization, "PROGRAM", program)))
				for what, expression := range test.Right {
					if err := evaluate(strings.ReplaceAll(expression, "PROGRAM", program)); err != nil {
						t.Errorf("%s: %v: %s", what, err, expression)
					}
				}
			})
		}
	}
	must(controlplane.Manifest("../play/workloads"))(t)
}

// evaluator returns a function that returns an error unless a CEL expression about the
// objects is true. Its variables are those in testdata/manifests.yaml.
func evaluator(t *testing.T, objects []client.Object) func(expression string) error {
	t.Helper()
	var all []any
	one := map[string]any{}
	for _, object := range objects {
		fields := must(runtime.DefaultUnstructuredConverter.ToUnstructured(object))(t)
		kind := fields["kind"].(string)
		if _, again := one[kind]; again {
			one[kind] = "there is more than one"
		} else {
			one[kind] = fields
		}
		all = append(all, fields)
	}
	pod, _, _ := unstructured.NestedMap(one, "Deployment", "spec", "template")
	variables := map[string]any{"all": all, "one": one, "pod": pod}
	env := must(cel.NewEnv(ext.Strings(), cel.Variable("all", cel.DynType), cel.Variable("one", cel.DynType), cel.Variable("pod", cel.DynType)))(t)
	return func(expression string) error {
		ast, issues := env.Compile(expression)
		if issues.Err() != nil {
			return issues.Err()
		}
		result, _, err := must(env.Program(ast))(t).Eval(variables)
		if err == nil && result.Value() != true {
			err = errors.New("it is not so")
		}
		return err
	}
}

// TestRestricted checks the pods against the Pod Security Standards.
func TestRestricted(t *testing.T) {
	restricted := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	checks := must(policy.NewEvaluator(policy.DefaultChecks(), nil))(t)
	for _, program := range programs {
		template := only[*appsv1.Deployment](t, must(controlplane.Manifest("../manifests/"+program))(t)).Spec.Template
		if result := policy.AggregateCheckResults(checks.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec)); !result.Allowed {
			t.Errorf("the pods of the %s are not restricted: %s", program, result.ForbiddenDetail())
		}
	}
}

// TestOverABase applies each kustomization that takes rights away over the base that
// gives them. The rights are gone, and come back with the base.
func TestOverABase(t *testing.T) {
	c := start(t, controlplane.Options{})
	c.Install("testdata/cloud") // the kinds of cert-manager
	kubectl := filepath.Join(c.Tools(), "kubectl")
	type test struct {
		Account, Base, Over string
		Rights              []string
	}
	for _, test := range rows.Read[test](t, "over-a-base.yaml") {
		for _, apply := range []string{test.Base, test.Over, test.Base} {
			docs.Block{Text: kubectl + " apply --kubeconfig=" + c.Kubeconfig + " -k " + kustomization(t, apply)}.Run(t, ".")
			if apply == test.Over {
				checkRights(t, c, test.Account, nil, test.Rights)
			} else {
				checkRights(t, c, test.Account, test.Rights, nil)
			}
		}
	}
}

func only[T client.Object](t *testing.T, objects []client.Object) (found T) {
	t.Helper()
	n := 0
	for _, object := range objects {
		if o, ok := object.(T); ok {
			found = o
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%d objects of type %T", n, found)
	}
	return found
}

// checkRights asks the API server what a service account may do, as in NAMESPACE:NAME:
// a verb, a resource, and the name of an object if it matters.
func checkRights(t *testing.T, c *controlplane.Cluster, account string, may, mayNot []string) {
	t.Helper()
	namespace, _, _ := strings.Cut(account, ":")
	for i, right := range slices.Concat(may, mayNot) {
		words := append(strings.Fields(right), "")
		resource, subresource, _ := strings.Cut(words[1], "/")
		kind := schema.ParseGroupResource(resource)
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + account,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: words[0], Name: words[2],
				Group: kind.Group, Resource: kind.Resource, Subresource: subresource,
			},
		}}
		want := i < len(may)
		c.Eventually(fmt.Sprintf("%s may %s: %v", account, right, want), func() error {
			answer := must(c.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{}))(t)
			return unless(answer.Status.Allowed == want, "it is %v", answer.Status.Allowed)
		})
	}
}

func checkLog(t *testing.T, p *controlplane.Process) {
	t.Helper()
	for line := range strings.Lines(p.Log()) {
		if strings.Contains(line, "forbidden") {
			t.Errorf("the manifest gives too few rights: %s", line)
		}
	}
}

// TestSchedulerManifest runs the scheduler with the configuration and the rights
// that its manifest gives it, next to the stock scheduler. Each places the pods
// that name it.
func TestSchedulerManifest(t *testing.T) {
	c := start(t, controlplane.Options{})
	objects := c.Install("../manifests/scheduler")
	c.AddNodes(controlplane.Node("node-1"), controlplane.Node("node-2", mlTaint))

	config := only[*corev1.ConfigMap](t, objects).Data["config.yaml"]
	kubeconfig := c.ServiceAccount("kube-system", "taints-scheduler")
	manifest := fmt.Sprintf("%s\nclientConnection: {kubeconfig: %q}\n", config, kubeconfig)
	monitored := only[*appsv1.Deployment](t, overlay(t, "scheduler", "monitoring")).Spec.Template.Spec.Containers[0].Args
	process := c.StartScheduler("scheduler", manifest, kubeconfig, monitored[len(monitored)-1])
	for page, anybody := range map[string]bool{"/metrics": true, "/configz": false} {
		_, err := controlplane.Get(t.Context(), strings.Replace(process.Metrics, "/metrics", page, 1), "")
		if anybody && err != nil || !anybody && !apierrors.IsForbidden(err) {
			t.Errorf("%s answers anybody: %v", page, err)
		}
	}
	c.RunScheduler("kube-scheduler", "")

	second := controlplane.Pod("second")
	second.Spec.SchedulerName = "taints-scheduler"
	c.Apply(second, controlplane.Pod("first"))
	c.Eventually("both pods are placed", func() error { return settled(c.Pods(metav1.NamespaceDefault), 2) })
	for name, pod := range c.Pods(metav1.NamespaceDefault) {
		if pod.Spec.NodeName != "node-1" {
			t.Errorf("%s is on %q: %s", name, pod.Spec.NodeName, controlplane.Pending(pod))
		}
	}
	checkLog(t, process)
	checkAlerts(t, "scheduler", must(c.Metrics(process.Metrics))(t))
	checkRights(t, c, "kube-system:taints-scheduler",
		[]string{"create pods/binding", "update leases.coordination.k8s.io taints-scheduler"},
		[]string{"update leases.coordination.k8s.io kube-controller-manager", "get secrets any"})
}

// TestEvictorManifest places the evictor's replicas. The nodes of both fail, so that
// nobody evicts them. They are deleted by hand, as its README says, and replaced.
func TestEvictorManifest(t *testing.T) {
	c := start(t, controlplane.Options{ControllerManager: []string{noTaintEviction, "--node-monitor-period=1s", "--node-monitor-grace-period=6s"}})
	c.Apply(overlay(t, "evictor", "priority-and-fairness")...)
	c.Install("testdata/zones")
	c.RunScheduler("kube-scheduler", "")
	restarts := 0
	placed := func(what string, right func(nodes []string) bool) (nodes []string) {
		c.Eventually(what, func() error {
			nodes = nil
			for _, pod := range c.Pods(controlplane.Evictor) {
				if pod.DeletionTimestamp == nil && len(pod.Annotations) == restarts {
					nodes = append(nodes, pod.Spec.NodeName)
				}
			}
			slices.Sort(nodes)
			return unless(right(nodes), "they are on %q", nodes)
		})
		return nodes
	}
	inPlace := func(nodes []string) bool {
		return len(nodes) == 2 && strings.HasPrefix(nodes[0], "control") && nodes[1] == "control-3"
	}
	placed("the replicas are on the control plane, in two zones", inPlace)
	restarts++ // both at once, as none is ever ready; the old ones stay, terminating
	restart := []byte(`{"spec": {"template": {"metadata": {"annotations": {"restarted": ""}}}, "strategy": {"rollingUpdate": {"maxUnavailable": 2}}}}`)
	must(c.Client.AppsV1().Deployments(controlplane.Evictor).Patch(t.Context(), controlplane.Evictor, types.StrategicMergePatchType, restart, metav1.PatchOptions{}))(t)
	failed := placed("new replicas are there too", inPlace)

	e := startLeader(t, c)
	for _, name := range []string{"taints-evictor", "taints-evictor-leader-election"} {
		c.Eventually("the API server uses the FlowSchema "+name, func() error {
			page, err := c.Get(c.Config.Host + "/metrics")
			dispatched := `apiserver_flowcontrol_dispatched_requests_total{flow_schema="` + name + `"`
			return errors.Join(err, unless(strings.Contains(page, dispatched), "for no request"))
		})
	}
	e.stop()

	c.StopHeartbeat(failed...)
	for _, node := range failed {
		c.UntilTainted("it is found unreachable", node, func(list []corev1.Taint) bool {
			return taintutils.TaintExists(list, &corev1.Taint{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute})
		})
	}
	check(t, c.Client.CoreV1().Pods(controlplane.Evictor).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	placed("the replicas are on other nodes", func(nodes []string) bool {
		return len(nodes) == 2 && !slices.ContainsFunc(nodes, func(n string) bool { return n == "" || slices.Contains(failed, n) })
	})
}

// TestRelease releases images with programs that only record what they are to do: see
// testdata/recorders. They are for linux on any host, and the manifests name them by
// their digests.
func TestRelease(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	release := exec.Command("../images/release", "registry.test/team", "v9.8.7")
	release.Env = append(os.Environ(), inPath(t, "testdata/recorders"), "RECORD="+record, "GOOS=windows")
	component, err := release.Output()
	check(t, err)

	did := string(must(os.ReadFile(record))(t))
	for pattern, want := range map[string]int{
		`program\.stamp=v9\.8\.7\n`: 2 * len(programs), `(?m)^go linux amd64 build `: len(programs),
		`(?m)^go linux arm64 build `: len(programs), ` push `: len(programs),
	} {
		if got := len(regexp.MustCompile(pattern).FindAllString(did, -1)); got != want {
			t.Errorf("%d times %s, want %d:\n%s", got, pattern, want, did)
		}
	}
	folder := must(filepath.EvalSymlinks(t.TempDir()))(t)
	check(t, os.CopyFS(folder, os.DirFS("../manifests")))
	check(t, os.WriteFile(filepath.Join(folder, "images", "kustomization.yaml"), component, 0o600))
	for _, program := range programs {
		objects := must(controlplane.Manifest(filepath.Join(folder, program)))(t)
		got := only[*appsv1.Deployment](t, objects).Spec.Template.Spec.Containers[0].Image
		if want := "registry.test/team/taints-" + program + ":v9.8.7@sha256:" + strings.Repeat("0", 63) + "7"; got != want {
			t.Errorf("the image is %s, want %s", got, want)
		}
	}
}
