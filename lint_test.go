// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
)

// finding is a finding without its words.
type finding struct {
	Code              taints.Code
	Toleration, Other int
}

func withoutAdvice(findings []taints.Finding) []finding {
	var list []finding
	for _, f := range findings {
		list = append(list, finding{f.Code, f.Toleration, otherOf(f)})
	}
	return list
}

// otherOf returns the index of the other toleration of a finding, or -1.
func otherOf(f taints.Finding) int {
	i, _ := f.Other()
	return i
}

func TestLint(t *testing.T) {
	const (
		covered    = taints.CodeCovered
		shadowed   = taints.CodeShadowed
		noTime     = taints.CodeNoTime
		everything = taints.CodeEverything
		legacy     = taints.CodeLegacyKey
		misspelled = taints.CodeMisspelledKey
		empty      = taints.CodeEmptyValue
		threshold  = taints.CodeThreshold

		wildcard = ":PreferNoSchedule op=Exists"
		daemon   = "node.kubernetes.io/not-ready:NoExecute op=Exists, " +
			"node.kubernetes.io/unreachable:NoExecute op=Exists, " +
			"node.kubernetes.io/disk-pressure:NoSchedule op=Exists, " +
			"node.kubernetes.io/memory-pressure:NoSchedule op=Exists, " +
			"node.kubernetes.io/pid-pressure:NoSchedule op=Exists"
		cordon = "node.kubernetes.io/unschedulable:NoSchedule op=Exists"
	)
	for _, tc := range []struct {
		name string
		tols string
		want []finding
	}{
		{"nothing", "", nil},
		{
			"as it should be",
			"dedicated=ml:NoSchedule, nvidia.com/gpu op=Exists, score=60 op=Gt, maintenance:NoExecute op=Exists for 60s",
			nil,
		},

		{"repeated", "gpu=a, team=b, gpu=a", []finding{{covered, 2, 0}}},
		{"a broader one before", "gpu op=Exists, gpu=a:NoSchedule", []finding{{covered, 1, 0}}},
		{"a broader one behind", "gpu=a:NoSchedule, gpu op=Exists", []finding{{covered, 0, 1}}},
		{
			"a broader one for the same time",
			"a:NoExecute op=Exists for 60s, a=b:NoExecute for 60s",
			[]finding{{covered, 1, 0}},
		},
		{"one that is covered has no other finding", "a op=Exists, a", []finding{{covered, 1, 0}}},
		{"a chain", "a=1, a=2 op=Lt, a op=Exists", []finding{{covered, 0, 2}, {covered, 1, 2}}},
		{"not by a narrower one", "a=1, a=5 op=Gt", nil},
		{
			"what extended resources bring is left alone",
			"nvidia.com/gpu op=Exists, nvidia.com/gpu:NoSchedule op=Exists",
			nil,
		},
		{"but not of other keys", "a op=Exists, a:NoSchedule op=Exists", []finding{{covered, 1, 0}}},
		{
			"but not in another form",
			"nvidia.com/gpu op=Exists, nvidia.com/gpu=a:NoSchedule",
			[]finding{{covered, 1, 0}},
		},

		{
			"a wildcard before a longer one",
			wildcard + ", a:NoExecute op=Exists for 30s, a=b:NoExecute for 300s",
			[]finding{{shadowed, 2, 1}},
		},
		{"before one forever", "a:NoExecute op=Exists for 300s, a=b:NoExecute", []finding{{shadowed, 1, 0}}},
		{"before a shorter one", "a:NoExecute op=Exists, a=b:NoExecute for 30s", []finding{{shadowed, 1, 0}}},
		{"before one of all effects", "a:NoExecute op=Exists for 300s, a=b", []finding{{shadowed, 1, 0}}},
		{
			"the first of several",
			"a:NoExecute op=Exists for 300s, a:NoExecute op=Exists for 200s, a=b",
			[]finding{{shadowed, 1, 0}, {shadowed, 2, 0}},
		},
		{"the narrower one first is as it should be", "a=b:NoExecute, a:NoExecute op=Exists for 300s", nil},
		{
			"needed, because of one that is shadowed",
			"a=b:NoExecute for 60s, a=b:NoExecute for 300s, a:NoExecute op=Exists for 60s",
			[]finding{{shadowed, 1, 0}},
		},
		{
			"needed, because of one that is shadowed by another than the first",
			"z=1, a=b:NoExecute for 60s, a=b:NoExecute for 300s, a:NoExecute op=Exists for 60s",
			[]finding{{shadowed, 2, 1}},
		},
		{
			"what the DaemonSet controller adds, shadowed",
			"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s, " +
				"node.kubernetes.io/not-ready:NoExecute op=Exists",
			[]finding{{shadowed, 1, 0}},
		},
		{"no NoExecute, no time", "a:NoSchedule op=Exists, a=b", nil},

		{
			"no time",
			"a:NoExecute op=Exists for 0s, b:NoExecute op=Exists for -1s",
			[]finding{{noTime, 0, -1}, {noTime, 1, -1}},
		},
		{"a second", "a:NoExecute op=Exists for 1s", nil},
		{
			"out of a failed node at once",
			"node.kubernetes.io/not-ready:NoExecute op=Exists for 0s, " +
				"node.kubernetes.io/unreachable:NoExecute op=Exists for 0s",
			nil,
		},
		{
			"minus one is not forever",
			"node.kubernetes.io/not-ready:NoExecute op=Exists for -1s",
			[]finding{{noTime, 0, -1}},
		},
		{
			"seconds that never count have one finding",
			"a:NoExecute op=Exists for 300s, a=b:NoExecute for 0s",
			[]finding{{shadowed, 1, 0}},
		},

		{"everything", "op=Exists", []finding{{everything, 0, -1}}},
		{"every NoSchedule", ":NoSchedule op=Exists", []finding{{everything, 0, -1}}},
		{"every NoExecute", ":NoExecute op=Exists for 300s", []finding{{everything, 0, -1}}},
		{"every PreferNoSchedule", wildcard, nil},
		{"a daemon", "op=Exists, " + daemon + ", " + cordon, nil},
		{
			"a daemon with a time",
			"op=Exists, " + daemon + ", " + cordon + ", :NoExecute op=Exists for 5s",
			[]finding{{shadowed, 7, 0}},
		},
		{"not quite a daemon", "op=Exists, " + daemon, []finding{{everything, 0, -1}}},

		{
			"a daemon but for a value",
			"op=Exists, " + daemon + ", node.kubernetes.io/unschedulable:NoSchedule",
			[]finding{{everything, 0, -1}, {covered, 6, 0}},
		},
		{
			"what the DaemonSet controller adds, for a time",
			":NoExecute op=Exists for 5s, node.kubernetes.io/not-ready:NoExecute op=Exists for 5s",
			[]finding{{everything, 0, -1}, {covered, 1, 0}},
		},

		{
			"legacy keys",
			"node.kubernetes.io/out-of-disk op=Exists, " +
				"node-role.kubernetes.io/master:NoSchedule, " +
				"node.alpha.kubernetes.io/notReady:NoExecute op=Exists for 5s, " +
				"node.alpha.kubernetes.io/unreachable op=Exists",
			[]finding{{legacy, 0, -1}, {legacy, 1, -1}, {legacy, 2, -1}, {legacy, 3, -1}},
		},
		{
			"beside its successor",
			"node-role.kubernetes.io/master:NoSchedule op=Exists, node-role.kubernetes.io/control-plane op=Exists",
			nil,
		},
		{
			"beside its successor for another effect",
			"node-role.kubernetes.io/master:NoSchedule op=Exists, node-role.kubernetes.io/control-plane:NoExecute op=Exists",
			[]finding{{legacy, 0, -1}},
		},

		{
			"misspelled keys",
			"node.kubernetes.io/notready:NoExecute op=Exists, " +
				"node.kubernetes.io/Unreachable op=Exists, " +
				"node-role.kubernetes.io/controlplane op=Exists, " +
				"node.kubernetes.io/dsik-pressure op=Exists",
			[]finding{{misspelled, 0, -1}, {misspelled, 1, -1}, {misspelled, 2, -1}, {misspelled, 3, -1}},
		},
		{
			"letter case",
			"node.kubernetes.io/NOT-READY op=Exists, node.kubernetes.io/Out-Of-Service op=Exists",
			[]finding{{misspelled, 0, -1}, {misspelled, 1, -1}},
		},
		{"keys of others", "node.example.com/not-ready op=Exists, node-role.kubernetes.io/worker op=Exists", nil},

		{"an empty value", "dedicated:NoSchedule, team", []finding{{empty, 0, -1}, {empty, 1, -1}}},
		{
			"an empty value where there is none",
			"node-role.kubernetes.io/control-plane:NoSchedule, node.kubernetes.io/not-ready:NoExecute for 5s",
			nil,
		},
		{
			"an empty value where there is one",
			"node.cloudprovider.kubernetes.io/uninitialized:NoSchedule, node.kubernetes.io/out-of-service",
			[]finding{{empty, 0, -1}, {empty, 1, -1}},
		},
		{
			"two things the matter",
			"node.kubernetes.io/notready:NoExecute for 0s",
			[]finding{{noTime, 0, -1}, {misspelled, 0, -1}, {empty, 0, -1}},
		},

		{
			"thresholds out of reach",
			"a=-9223372036854775808 op=Lt, a=-1 op=Lt, a=0 op=Lt, a=9223372036854775807 op=Gt",
			[]finding{{threshold, 0, -1}, {covered, 1, 2}, {threshold, 2, -1}, {threshold, 3, -1}},
		},
		{"thresholds within reach", "a=1 op=Lt, b=9223372036854775806 op=Gt, c=-9223372036854775808 op=Gt", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var specs []string
			if tc.tols != "" {
				specs = strings.Split(tc.tols, ", ")
			}
			if diff := cmp.Diff(tc.want, withoutAdvice(taints.Lint(parseTolerations(specs...)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Every key of Kubernetes is known as it is, and without its last letter as one that
// is misspelled.
func TestLintKnowsTheKeys(t *testing.T) {
	for _, key := range []string{
		taints.NodeNotReady, taints.NodeUnreachable, taints.NodeMemoryPressure, taints.NodeDiskPressure,
		taints.NodePIDPressure, taints.NodeNetworkUnavailable, taints.NodeUnschedulable, taints.NodeOutOfService,
		taints.CloudProviderUninitialized, taints.CloudProviderShutdown, taints.NodeRoleControlPlane,
	} {
		if findings := taints.Lint([]taints.Toleration{exists(key)}); findings != nil {
			t.Errorf("%s: %v", key, findings)
		}
		findings := taints.Lint([]taints.Toleration{exists(key[:len(key)-1])})
		if len(findings) != 1 || findings[0].Code != taints.CodeMisspelledKey ||
			findings[0].Advice != "the key may be misspelled: Kubernetes sets "+key {
			t.Errorf("%s without its last letter: %v", key, findings)
		}
	}
}

func TestLintUnderOptions(t *testing.T) {
	wild := taints.Options{KeyWildcards: true}
	for _, tc := range []struct {
		name string
		o    taints.Options
		tols []taints.Toleration
		want []finding
	}{
		{
			"a lone star is everything",
			wild,
			[]taints.Toleration{toleration("*", "Exists", "")},
			[]finding{{taints.CodeEverything, 0, -1}},
		},
		{
			"a star of one value is not",
			wild,
			[]taints.Toleration{toleration("*", "", "v")},
			nil,
		},
		{
			"a star that covers",
			wild,
			[]taints.Toleration{
				toleration("readiness.k8s.io/*", "Exists", ""),
				toleration("readiness.k8s.io/network", "Exists", ""),
			},
			[]finding{{taints.CodeCovered, 1, 0}},
		},
		{
			"a star that shadows",
			wild,
			[]taints.Toleration{
				{Key: "a*", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: seconds(5)},
				toleration("ab", "Exists", ""),
			},
			[]finding{{taints.CodeShadowed, 1, 0}},
		},
		{
			"a star is not misspelled",
			wild,
			[]taints.Toleration{toleration("node.kubernetes.io/unreachable*", "Exists", "")},
			nil,
		},
		{
			"a star is not a legacy key",
			wild,
			[]taints.Toleration{toleration("node-role.kubernetes.io/master*", "Exists", "")},
			nil,
		},
		{
			"a star is not valid",
			taints.Options{},
			[]taints.Toleration{toleration("*", "Exists", ""), toleration("a*", "", "")},
			nil,
		},
		{
			"without comparison Lt is not valid",
			taints.Options{NoComparison: true},
			[]taints.Toleration{toleration("a", "Lt", "0"), toleration("b", "", "")},
			nil,
		},
		{
			"a list that is not valid has none",
			taints.Options{},
			[]taints.Toleration{
				toleration("a", "Exists", "v"),
				toleration("a", "", "v"),
				toleration("a", "", "v"),
			},
			nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, withoutAdvice(tc.o.Lint(tc.tols))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindingString(t *testing.T) {
	var got []string
	for _, f := range taints.Lint(parseTolerations(
		":NoExecute op=Exists for 300s",
		"maintenance:NoExecute op=Exists for 3600s",
		"gpu=a:NoSchedule",
		"gpu op=Exists",
		":NoSchedule op=Exists",
		"dedicated:NoSchedule",
		"node-role.kubernetes.io/master:NoExecute op=Exists for 5s",
		"score=0:PreferNoSchedule op=Lt",
		"score=9223372036854775807:PreferNoSchedule op=Gt",
		"node.kubernetes.io/unschedulabel:PreferNoSchedule op=Exists",
	)) {
		got = append(got, f.String())
	}
	for _, f := range taints.Lint(parseTolerations("op=Exists", "a:NoExecute op=Exists for 0s")) {
		got = append(got, f.String())
	}
	for _, f := range taints.Lint(parseTolerations(
		"a:NoExecute op=Exists for 0s",
		"b:NoExecute op=Exists for -1s",
	)) {
		got = append(got, f.String())
	}
	want := []string{
		"tolerations[0]: the pod tolerates every NoExecute taint, those of not ready and unreachable nodes too, " +
			"for 300s, which is right for daemons only: name the keys that it needs (everything)",
		"tolerations[1]: tolerations[0] comes first for its NoExecute taints and tolerates them for 300s, " +
			"so that its own time, for 3600s, never counts: put it before tolerations[0] (shadowed)",
		"tolerations[2]: tolerations[3] tolerates all that it tolerates: leave it out (covered)",
		"tolerations[3]: tolerations[0] comes first for its NoExecute taints and tolerates them for 300s, " +
			"so that its own time, forever, never counts: put it before tolerations[0] (shadowed)",
		"tolerations[4]: the pod tolerates every NoSchedule taint, " +
			"those of cordoned nodes and of nodes without memory or disk too, which is right for daemons only: " +
			"name the keys that it needs (everything)",
		"tolerations[5]: tolerations[4] tolerates all that it tolerates: leave it out (covered)",
		"tolerations[6]: tolerations[0] comes first for its NoExecute taints and tolerates them for 300s, " +
			"so that its own time, for 5s, never counts: put it before tolerations[0] (shadowed)",
		"tolerations[7]: no valid taint has an integer less than that, so it tolerates nothing: change the value (threshold)",
		"tolerations[8]: no valid taint has an integer greater than that, so it tolerates nothing: change the value (threshold)",
		"tolerations[9]: the key may be misspelled: Kubernetes sets node.kubernetes.io/unschedulable (misspelled-key)",
		"tolerations[0]: the pod tolerates every taint, those of cordoned, not ready and unreachable nodes too, " +
			"and stays there, which is right for daemons only: name the keys that it needs (everything)",
		"tolerations[1]: tolerations[0] comes first for its NoExecute taints and tolerates them forever, " +
			"so that its own time, for 0s, never counts: put it before tolerations[0] (shadowed)",
		"tolerations[0]: a pod may be placed on a node with such a taint and is evicted at once: " +
			"leave the toleration out to stay away, or tolerationSeconds to stay forever (no-time)",
		"tolerations[1]: negative tolerationSeconds count as zero: a pod on such a node is evicted at once; " +
			"to stay forever leave tolerationSeconds out (no-time)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// lintedTolerations are valid more often than not, and meet Kubernetes' own keys.
var lintedTolerations = rapid.SliceOfN(rapid.OneOf(
	worldToleration,
	anyToleration,
	rapid.Custom(func(t *rapid.T) taints.Toleration {
		tol := taints.Toleration{
			Key: rapid.SampledFrom([]string{
				"", taints.NodeNotReady, taints.NodeMemoryPressure,
				taints.NodeRoleMaster, taints.NodeRoleControlPlane, "nvidia.com/gpu", "a",
			}).Draw(t, "key"),
			Operator: taints.OpExists,
			Effect: rapid.SampledFrom([]taints.Effect{
				"", "NoSchedule", "NoExecute", "PreferNoSchedule",
			}).Draw(t, "effect"),
		}
		if tol.Effect == taints.NoExecute {
			tol.TolerationSeconds = rapid.SampledFrom([]*int64{nil, seconds(0), seconds(300)}).Draw(t, "seconds")
		}
		return tol
	}),
), 0, 6)

func TestLintLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, tols := options.Draw(t, "options"), lintedTolerations.Draw(t, "tolerations")
		if findings := o.Lint(tols); findings != nil && o.ValidateTolerations(tols) != nil {
			t.Fatalf("%v is not valid and has %v", tols, findings)
		}
		tols = slices.DeleteFunc(tols, func(tol taints.Toleration) bool { return !refValidToleration(o, tol) })
		before := slices.Clone(tols)
		findings := o.Lint(tols)
		if diff := cmp.Diff(before, tols); diff != "" {
			t.Fatalf("wrote to the caller's list (-before +after):\n%s", diff)
		}
		if !slices.IsSortedFunc(findings, func(a, b taints.Finding) int { return a.Toleration - b.Toleration }) {
			t.Fatalf("out of order: %v", findings)
		}
		var left []taints.Toleration
		for i, tol := range tols {
			of := findings[:0:0]
			for _, f := range findings {
				if f.Toleration == i {
					of = append(of, f)
				}
			}
			if len(of) == 0 || of[0].Code != taints.CodeCovered {
				left = append(left, tol)
			} else if len(of) > 1 {
				t.Fatalf("%v has more than one finding: %v", tol, of)
			}
			for _, f := range of {
				checkFinding(t, o, tols, f)
			}
		}
		for _, taint := range world {
			if a, b := refTime(o, tols, taint), refTime(o, left, taint); a != b {
				t.Fatalf("under %+v %v is without what is covered %v: %v is tolerated %s, then %s",
					o, tols, left, taint, a, b)
			}
		}
	})
}

// checkFinding checks that the finding is so.
func checkFinding(t fataler, o taints.Options, tols []taints.Toleration, f taints.Finding) {
	tol, wantsOther := tols[f.Toleration], f.Code == taints.CodeCovered || f.Code == taints.CodeShadowed
	if (otherOf(f) >= 0) != wantsOther || otherOf(f) >= len(tols) || otherOf(f) == f.Toleration || f.Advice == "" {
		t.Fatalf("%+v", f)
	}
	switch f.Code {
	case taints.CodeCovered:
		if !refCovers(o, forever(tols[otherOf(f)]), tol) {
			t.Fatalf("%v: %v", tols, f)
		}
	case taints.CodeShadowed:
		for _, taint := range world {
			if taint.Effect == taints.NoExecute && slices.Index(refMatches(o, tols, taint), f.Toleration) == 0 {
				t.Fatalf("%v: %v, but it comes first for %v", tols, f, taint)
			}
		}
	case taints.CodeThreshold:
		for _, taint := range world {
			if taint.Validate() == nil && refTolerates(o, tol, taint) {
				t.Fatalf("%v: %v, but tolerates %v", tols, f, taint)
			}
		}
	}
}

// What Kubernetes gives a pod has no findings: in any order of adding, and beside
// what the pod has.
func TestLintHasNothingToSayOfDefaults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"AddDefaults", "AddDaemonSetDefaults", "AddExtendedResources", "AddMemoryPressure"}
		var tols []taints.Toleration
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 6).Draw(t, "adders") {
			tols = adders[name](tols)
		}
		if findings := taints.Lint(tols); findings != nil {
			t.Fatalf("%v", findings)
		}
		given, name := lintedTolerations.Draw(t, "given"), rapid.SampledFrom(names).Draw(t, "name")
		for _, f := range taints.Lint(adders[name](given)) {
			if f.Toleration >= len(given) && f.Code != taints.CodeShadowed {
				t.Fatalf("%s: %v: %v", name, adders[name](given), f)
			}
		}
	})
	daemon := taints.AddDaemonSetDefaults(parseTolerations("op=Exists"), taints.DaemonSetPod{HostNetwork: true})
	if findings := taints.Lint(daemon); findings != nil {
		t.Errorf("a daemon: %v", findings)
	}
}

func TestLintLongLists(t *testing.T) {
	list := slices.Repeat(parseTolerations("gpu=a"), 1000)
	if findings := taints.Lint(list); len(findings) != 999 || findings[998].Toleration != 999 {
		t.Errorf("%d findings", len(findings))
	}
}
