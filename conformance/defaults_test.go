// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/conformance/internal/linked"
	"github.com/seed-0529bac1/taints/kube"
	"github.com/seed-0529bac1/taints/tolerationset"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/apis/core"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
	"k8s.io/kubernetes/pkg/util/tolerations"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration"
	"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction"
	restriction "k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
	"pgregory.net/rapid"
)

// admit returns the tolerations of the pod after the admission plugin has seen its
// creation.
func admit(t *rapid.T, plugin admission.MutationInterface, pod *core.Pod) []corev1.Toleration {
	same(t, "Admit fails", plugin.Admit(context.Background(), creation(pod), nil), nil)
	return convert.FromCoreTolerations(pod.Spec.Tolerations)
}

func creation(pod *core.Pod) admission.Attributes {
	return admission.NewAttributesRecord(pod, nil, core.Kind("Pod").WithVersion("version"), "default", "pod",
		core.Resource("pods").WithVersion("version"), "", admission.Create, nil, false, nil)
}

func TestDefaultTolerationSeconds(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	defaulttolerationseconds.RegisterFlags(flags)
	setFlag := func(name string, seconds *int64) {
		value := int64(300)
		if seconds != nil {
			value = *seconds
		}
		if err := flags.Set(name, strconv.FormatInt(value, 10)); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		tolerations := drawTolerations(t)
		d := taints.DefaultTolerationSeconds{NotReady: drawSeconds(t), Unreachable: drawSeconds(t)}
		setFlag("default-not-ready-toleration-seconds", d.NotReady)
		setFlag("default-unreachable-toleration-seconds", d.Unreachable)
		plugin := defaulttolerationseconds.NewDefaultTolerationSeconds()
		plugin.InspectFeatureGates(utilfeature.DefaultFeatureGate)
		want := admit(t, plugin, &core.Pod{Spec: core.PodSpec{Tolerations: convert.ToCoreTolerations(tolerations)}})
		same(t, "AddDefaultTolerations", kube.CoreTolerations(taints.AddDefaultTolerations(kube.Tolerations(tolerations), d)), want)
		if d.NotReady == nil && d.Unreachable == nil {
			got := taints.AddDefaultTolerations(kube.Tolerations(tolerations), taints.DefaultTolerationSeconds{})
			same(t, "AddDefaultTolerations by default", kube.CoreTolerations(got), want)
		}
	})
}

func TestExtendedResourceToleration(t *testing.T) {
	registry := admission.NewPlugins()
	extendedresourcetoleration.Register(registry)
	found, err := registry.InitPlugin(extendedresourcetoleration.PluginName, nil, admission.PluginInitializers{})
	if err != nil {
		t.Fatal(err)
	}
	plugin := found.(admission.MutationInterface)
	rapid.Check(t, func(t *rapid.T) {
		tolerations := drawDefaulted(t)
		names := draws(t, "resources", 4, func(t *rapid.T) string { return keys.Draw(t, "resource") })
		pod := &core.Pod{Spec: core.PodSpec{Tolerations: convert.ToCoreTolerations(tolerations)}}
		for i, name := range names {
			container := core.Container{Resources: core.ResourceRequirements{
				Requests: core.ResourceList{core.ResourceName(name): resource.MustParse("1")},
			}}
			if i%2 == 0 {
				pod.Spec.Containers = append(pod.Spec.Containers, container)
			} else {
				pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
			}
		}
		want := admit(t, plugin, pod)
		got := taints.AddExtendedResourceTolerations(kube.Tolerations(tolerations), names...)
		same(t, "AddExtendedResourceTolerations", kube.CoreTolerations(got), want)
	})
}

// drawDefaulted returns tolerations, some of them like those that Kubernetes adds.
func drawDefaulted(t *rapid.T) []corev1.Toleration {
	list := drawTolerations(t)
	for i := range list {
		if rapid.Bool().Draw(t, "like") {
			list[i].Operator, list[i].Value = corev1.TolerationOpExists, ""
		}
	}
	return list
}

func TestIsExtendedResourceName(t *testing.T) {
	names := rapid.OneOf(keys, rapid.Map(keys, func(s string) string { return "requests." + s }))
	rapid.Check(t, func(t *rapid.T) {
		name := corev1.ResourceName(names.Draw(t, "name"))
		want := v1helper.IsExtendedResourceName(name)
		same(t, "IsExtendedResourceName", kube.IsExtendedResource(name), want)
	})
}

func TestAddOrUpdateDaemonPodTolerations(t *testing.T) {
	daemonKeys := rapid.OneOf(keys, rapid.SampledFrom([]string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
		corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure, corev1.TaintNodePIDPressure,
		corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable,
	}))
	rapid.Check(t, func(t *rapid.T) {
		tolerations := drawDefaulted(t)
		for i := range tolerations {
			tolerations[i].Key = daemonKeys.Draw(t, "key")
		}
		spec := corev1.PodSpec{Tolerations: slices.Clone(tolerations), HostNetwork: rapid.Bool().Draw(t, "hostNetwork")}
		got := taints.AddDaemonSetTolerations(kube.Tolerations(tolerations), taints.DaemonSetPod{})
		if spec.HostNetwork {
			got = taints.AddDaemonSetTolerations(kube.Tolerations(tolerations), taints.DaemonSetPod{HostNetwork: true})
		}
		daemonutil.AddOrUpdateDaemonPodTolerations(&spec)
		same(t, "AddDaemonSetTolerations", kube.CoreTolerations(got), spec.Tolerations)
	})
}

// restricted returns the PodTolerationRestriction plugin with the configuration.
func restricted(c restriction.Configuration) *podtolerationrestriction.Plugin {
	plugin, client := podtolerationrestriction.NewPodTolerationsPlugin(&c), newClient()
	factory := informers.NewSharedInformerFactory(client, 0)
	plugin.SetExternalKubeClientSet(client)
	plugin.SetExternalKubeInformerFactory(factory)
	plugin.SetReadyFunc(func() bool { return true })
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	factory.Core().V1().Namespaces().Informer().GetIndexer().Add(namespace)
	return plugin
}

// TestPodTolerationRestriction admits a pod that is not BestEffort.
func TestPodTolerationRestriction(t *testing.T) {
	checkAtMost(t, 50_000, func(t *rapid.T) {
		tolerations, more := drawMerge(t)
		p := pod(tolerations)
		p.Spec.Containers[0].Resources.Requests = core.ResourceList{core.ResourceCPU: resource.MustParse("1")}
		theirs := admit(t, restricted(restriction.Configuration{Default: convert.ToCoreTolerations(more)}), p)
		got := taints.AddMemoryPressureToleration(tolerationset.Merge(kube.Tolerations(tolerations), kube.Tolerations(more), taints.Options{}))
		sameMerge(t, theirs, got, tolerations, more, tols("node.kubernetes.io/memory-pressure:NoSchedule op=Exists"))
	})
}

func TestValidateRestriction(t *testing.T) {
	checkAtMost(t, 50_000, func(t *rapid.T) {
		sameAllowed(t, func(tolerations, allowed []corev1.Toleration) bool {
			plugin := restricted(restriction.Configuration{Whitelist: convert.ToCoreTolerations(allowed)})
			return plugin.Validate(context.Background(), creation(pod(tolerations)), nil) == nil
		})
	})
}

func TestRuntimeClass(t *testing.T) {
	checkAtMost(t, 50_000, func(t *rapid.T) {
		tolerations, more := drawMerge(t)
		plugin, factory := runtimeclass.NewRuntimeClass(), informers.NewSharedInformerFactory(newClient(), 0)
		plugin.SetExternalKubeInformerFactory(factory)
		factory.Node().V1().RuntimeClasses().Informer().GetIndexer().Add(&nodev1.RuntimeClass{
			ObjectMeta: metav1.ObjectMeta{Name: "class"},
			Scheduling: &nodev1.Scheduling{Tolerations: more},
		})
		p, class := pod(tolerations), "class"
		p.Spec.RuntimeClassName = &class
		got := tolerationset.Minimize(tolerationset.Merge(kube.Tolerations(tolerations), kube.Tolerations(more), taints.Options{}), taints.Options{})
		sameMerge(t, admit(t, plugin, p), got, tolerations, more)
	})
}

// merged returns the list after the PodTolerationRestriction plugin has merged
// the others into it.
func merged(list, others []corev1.Toleration) []corev1.Toleration {
	all := tolerations.MergeTolerations(convert.ToCoreTolerations(list), convert.ToCoreTolerations(others))
	return convert.FromCoreTolerations(all)
}

// drawPlain returns a toleration for which isSuperset is exact: its operator is
// explicitly Equal or Exists, its value and seconds are set only where
// validation allows them, and its seconds are not negative.
func drawPlain(t *rapid.T) corev1.Toleration {
	toleration := drawToleration(t)
	toleration.Operator = corev1.TolerationOpExists
	if toleration.Key != "" && rapid.Bool().Draw(t, "equal") {
		toleration.Operator = corev1.TolerationOpEqual
	} else {
		toleration.Value = ""
	}
	if s := toleration.TolerationSeconds; s != nil && (*s < 0 || toleration.Effect != corev1.TaintEffectNoExecute) {
		toleration.TolerationSeconds = nil
	}
	return toleration
}

func superset(a, b corev1.Toleration) bool {
	pair := convert.ToCoreTolerations([]corev1.Toleration{a, b})
	return linked.IsSuperset(pair[0], pair[1])
}

func verified(list, whitelist []corev1.Toleration) bool {
	return tolerations.VerifyAgainstWhitelist(convert.ToCoreTolerations(list), convert.ToCoreTolerations(whitelist))
}

func covers(toleration, second corev1.Toleration) bool {
	return tolerationset.Covers(kube.Toleration(toleration), kube.Toleration(second), taints.Options{})
}

func TestVerifyAgainstWhitelist(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { sameAllowed(t, verified) })
}

// sameAllowed compares the result of ValidateAllowed for a list that is not empty.
func sameAllowed(t *rapid.T, verify func(tolerations, allowed []corev1.Toleration) bool) {
	tolerations, allowed := draws(t, "tolerations", 4, drawPlain), draws(t, "allowed", 4, drawPlain)
	if len(allowed) == 0 {
		allowed = append(allowed, drawPlain(t))
	}
	err := tolerationset.ValidateAllowed(kube.Tolerations(tolerations), kube.Tolerations(allowed), taints.Options{})
	same(t, "ValidateAllowed", err == nil, verify(tolerations, allowed))
	var all taints.ErrorList
	errors.As(err, &all)
	got, want := []int{}, []int{} // who is refused
	for _, f := range all {
		got = append(got, f.Index)
	}
	for i := range tolerations {
		if !verify(tolerations[i:i+1], allowed) {
			want = append(want, i)
		}
	}
	same(t, "the errors of ValidateAllowed", got, want)
}

// TestIsSuperset asks Kubernetes about every taint of the universe, because its
// isSuperset is exact only for plain tolerations.
func TestIsSuperset(t *testing.T) {
	all := universe()
	rapid.Check(t, func(t *rapid.T) {
		toleration, second := drawSmallToleration(t), drawSmallToleration(t)
		exact := true
		for i := range all {
			exact = exact && stays(toleration, &all[i]) >= stays(second, &all[i])
		}
		got := tolerationset.Covers(kube.Toleration(toleration), kube.Toleration(second), modes[0].options)
		same(t, "Covers", got, exact)
		toleration, second = drawPlain(t), drawPlain(t)
		same(t, "Covers a plain one", covers(toleration, second), superset(toleration, second))
	})
}

// stays returns how long a pod with the toleration stays beside the taint in
// Kubernetes: -1 without a match, and very long for ever or where time does not
// matter.
func stays(toleration corev1.Toleration, taint *corev1.Taint) time.Duration {
	if !gated.Tolerates(&toleration, taint, modes[0].comparison) {
		return -1
	}
	if after := linked.MinTolerationTime([]corev1.Toleration{toleration}); after >= 0 && taint.Effect == corev1.TaintEffectNoExecute {
		return after
	}
	return math.MaxInt64
}

// drawMerge returns the tolerations of a pod, and those to merge into them. Kubernetes
// without the feature gate has no Lt and Gt.
func drawMerge(t *rapid.T) (tolerations, more []corev1.Toleration) {
	draw := func(t *rapid.T) corev1.Toleration {
		toleration := drawSmallToleration(t)
		if rapid.IntRange(0, 3).Draw(t, "pressure") == 0 {
			toleration.Key = corev1.TaintNodeMemoryPressure
		}
		if !gated.Comparison && (toleration.Operator == opLt || toleration.Operator == opGt) {
			toleration.Operator = corev1.TolerationOpExists
		}
		return toleration
	}
	return draws(t, "tolerations", 4, draw), draws(t, "more", 4, draw)
}

// sameMerge compares what a merged list tolerates with what Kubernetes' tolerates.
// In the library's, the first toleration that matches keeps its seconds. The
// entries and their order differ, see TestDifferenceMerge.
func sameMerge(t *rapid.T, theirs []corev1.Toleration, ours []taints.Toleration, lists ...[]corev1.Toleration) {
	all, comparison := universe(corev1.TaintNodeMemoryPressure), modes[0].comparison
	got := answers(kube.CoreTolerations(ours), all, comparison)
	same(t, "what the merged list tolerates", got, answers(slices.Concat(lists...), all, comparison))
	for i := range all {
		same(t, "tolerated after the merge", got[i] != "not tolerated", gated.TolerationsTolerate(theirs, &all[i], comparison))
	}
}

func TestMergeTolerates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tolerations, more := drawMerge(t)
		got := tolerationset.Minimize(tolerationset.Merge(kube.Tolerations(tolerations), kube.Tolerations(more), taints.Options{}), taints.Options{})
		sameMerge(t, merged(tolerations, more), got, tolerations, more)
	})
}
