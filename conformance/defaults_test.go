// SPDX-License-Identifier: Apache-2.0

//go:build !staging

package conformance

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/conformance/internal/convert"
	"github.com/seed-0529bac1/taints/conformance/internal/gated"
	"github.com/seed-0529bac1/taints/tolerationset"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/apis/core"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
	"k8s.io/kubernetes/pkg/util/tolerations"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration"
	"pgregory.net/rapid"
)

// admit runs the admission plugin on the creation of the pod.
func admit(t *rapid.T, plugin admission.MutationInterface, pod *core.Pod) []corev1.Toleration {
	attributes := admission.NewAttributesRecord(pod, nil, core.Kind("Pod").WithVersion("version"), "default", "pod",
		core.Resource("pods").WithVersion("version"), "", admission.Create, nil, false, nil)
	if err := plugin.Admit(context.Background(), attributes, nil); err != nil {
		t.Fatal(err)
	}
	return convert.Each(pod.Spec.Tolerations, convert.FromCoreToleration)
}

// sameTolerations fails the test unless both lists hold the same tolerations in
// the same order. A nil list equals an empty one.
func sameTolerations(t *rapid.T, name string, got []taints.Toleration, want []corev1.Toleration) {
	list := convert.Each(got, convert.ToToleration)
	if len(list) == 0 && len(want) == 0 || reflect.DeepEqual(list, want) {
		return
	}
	t.Fatalf("%s differs (-Kubernetes +library):\n%s", name, cmp.Diff(want, list))
}

func TestDefaultTolerationSeconds(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	defaulttolerationseconds.RegisterFlags(flags)
	setFlag := func(name string, seconds *int64) {
		value := taints.DefaultTolerationSeconds
		if seconds != nil {
			value = *seconds
		}
		if err := flags.Set(name, strconv.FormatInt(value, 10)); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		before := drawTolerations(t)
		d := taints.DefaultSeconds{NotReady: drawSeconds(t), Unreachable: drawSeconds(t)}
		setFlag("default-not-ready-toleration-seconds", d.NotReady)
		setFlag("default-unreachable-toleration-seconds", d.Unreachable)
		plugin := defaulttolerationseconds.NewDefaultTolerationSeconds()
		plugin.InspectFeatureGates(utilfeature.DefaultFeatureGate)
		pod := &core.Pod{Spec: core.PodSpec{Tolerations: convert.Each(before, convert.ToCoreToleration)}}
		want := admit(t, plugin, pod)
		sameTolerations(t, "AddDefaults", taints.AddDefaults(convert.Each(before, convert.FromToleration), d), want)
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
		before := drawDefaulted(t)
		names := draws(t, "resources", 4, func(t *rapid.T) string { return keys.Draw(t, "resource") })
		pod := &core.Pod{Spec: core.PodSpec{Tolerations: convert.Each(before, convert.ToCoreToleration)}}
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
		got := taints.AddExtendedResources(convert.Each(before, convert.FromToleration), names...)
		sameTolerations(t, "AddExtendedResources", got, want)
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
	name := rapid.OneOf(keys, rapid.Map(keys, func(s string) string { return "requests." + s }))
	rapid.Check(t, func(t *rapid.T) {
		s := name.Draw(t, "name")
		got, want := taints.IsExtendedResourceName(s), v1helper.IsExtendedResourceName(corev1.ResourceName(s))
		if got != want {
			t.Fatalf("IsExtendedResourceName(%q) = %v, Kubernetes %v", s, got, want)
		}
	})
}

func TestAddOrUpdateDaemonPodTolerations(t *testing.T) {
	daemonKeys := rapid.OneOf(keys, rapid.SampledFrom([]string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
		corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure, corev1.TaintNodePIDPressure,
		corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable,
	}))
	rapid.Check(t, func(t *rapid.T) {
		before := drawDefaulted(t)
		for i := range before {
			before[i].Key = daemonKeys.Draw(t, "key")
		}
		spec := corev1.PodSpec{Tolerations: before, HostNetwork: rapid.Bool().Draw(t, "hostNetwork")}
		got := taints.AddDaemonSetDefaults(convert.Each(before, convert.FromToleration))
		if spec.HostNetwork {
			got = taints.AddNetworkUnavailable(got)
		}
		daemonutil.AddOrUpdateDaemonPodTolerations(&spec)
		sameTolerations(t, "AddDaemonSetDefaults", got, spec.Tolerations)
	})
}

// memoryPressure is the toleration that the PodTolerationRestriction plugin
// merges into every pod that is not BestEffort.
var memoryPressure = core.Toleration{
	Key:      corev1.TaintNodeMemoryPressure,
	Operator: core.TolerationOpExists,
	Effect:   core.TaintEffectNoSchedule,
}

// TestMergeTolerations merges the memory-pressure toleration as the
// PodTolerationRestriction plugin does. The plugin also drops tolerations that
// another one covers, so the library's list goes through the same step before
// the comparison. Seconds and values are set only where validation allows them.
func TestMergeTolerations(t *testing.T) {
	memoryKeys := rapid.OneOf(keys, rapid.Just(corev1.TaintNodeMemoryPressure))
	rapid.Check(t, func(t *rapid.T) {
		before := drawDefaulted(t)
		for i := range before {
			before[i].Key = memoryKeys.Draw(t, "key")
			if before[i].Effect != corev1.TaintEffectNoExecute {
				before[i].TolerationSeconds = nil
			}
			if before[i].Operator == corev1.TolerationOpExists {
				before[i].Value = ""
			}
		}
		want := merged(before, memoryPressure)
		ours := taints.AddMemoryPressure(convert.Each(before, convert.FromToleration))
		got := merged(convert.Each(ours, convert.ToToleration))
		sameTolerations(t, "AddMemoryPressure", convert.Each(got, convert.FromToleration), want)
	})
}

// merged returns the list after the PodTolerationRestriction plugin has merged
// the others into it.
func merged(list []corev1.Toleration, others ...core.Toleration) []corev1.Toleration {
	all := tolerations.MergeTolerations(convert.Each(list, convert.ToCoreToleration), others)
	return convert.Each(all, convert.FromCoreToleration)
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

// TestIsSuperset compares single tolerations through VerifyAgainstWhitelist,
// which calls isSuperset for each pair.
func TestIsSuperset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPlain(t), drawPlain(t)
		want := tolerations.VerifyAgainstWhitelist([]core.Toleration{convert.ToCoreToleration(b)},
			[]core.Toleration{convert.ToCoreToleration(a)})
		if got := covers(a, b, taints.Options{}); got != want {
			t.Fatalf("%+v covers %+v: %v, Kubernetes %v", a, b, got, want)
		}
	})
}

func covers(a, b corev1.Toleration, o taints.Options) bool {
	return tolerationset.Covers(convert.FromToleration(a), convert.FromToleration(b), o)
}

func TestVerifyAgainstWhitelist(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, allow := draws(t, "tolerations", 4, drawPlain), draws(t, "whitelist", 4, drawPlain)
		if len(allow) == 0 {
			allow = append(allow, drawPlain(t))
		}
		whitelist := convert.Each(allow, convert.ToCoreToleration)
		want := tolerations.VerifyAgainstWhitelist(convert.Each(list, convert.ToCoreToleration), whitelist)
		err := tolerationset.ValidateAllowed(convert.Each(list, convert.FromToleration),
			convert.Each(allow, convert.FromToleration), taints.Options{})
		if (err == nil) != want {
			t.Fatalf("ValidateAllowed = %v, Kubernetes %v", err, want)
		}
		var offenders []int // one at a time
		for i := range list {
			if !tolerations.VerifyAgainstWhitelist([]core.Toleration{convert.ToCoreToleration(list[i])}, whitelist) {
				offenders = append(offenders, i)
			}
		}
		if got := faultIndexes(err); !slices.Equal(got, offenders) {
			t.Fatalf("ValidateAllowed = %v, Kubernetes refuses %v", err, offenders)
		}
	})
}

// faultIndexes returns the index of each fault.
func faultIndexes(err error) []int {
	var all taints.ErrorList
	if !errors.As(err, &all) {
		return nil
	}
	return convert.Each(all, func(f *taints.FieldError) int { return f.Index })
}

// TestMergeTolerates compares what the merged lists tolerate. Their entries and
// order differ, see TestDifferenceMerge.
func TestMergeTolerates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, extra := draws(t, "base", 4, drawPlain), draws(t, "extra", 4, drawPlain)
		theirs := merged(base, convert.Each(extra, convert.ToCoreToleration)...)
		ours := tolerationset.Merge(convert.Each(base, convert.FromToleration),
			convert.Each(extra, convert.FromToleration), taints.Options{})
		small := tolerationset.Minimize(ours, taints.Options{})
		for _, taint := range append(tolerated(base), tolerated(extra)...) {
			mark := convert.FromTaint(taint)
			want := gated.TolerationsTolerate(theirs, &taint, false)
			if _, got := taints.Match(mark, ours); got != want {
				t.Fatalf("%v is tolerated: %v, in Kubernetes %v", taint, got, want)
			}
			if _, got := taints.Match(mark, small); got != want {
				t.Fatalf("%v is tolerated by %v: %v, in Kubernetes %v", taint, small, got, want)
			}
		}
	})
}

// tolerated returns, for each toleration, a taint that it may tolerate.
func tolerated(list []corev1.Toleration) []corev1.Taint {
	return convert.Each(list, func(t corev1.Toleration) corev1.Taint {
		return corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}
	})
}
