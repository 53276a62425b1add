// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	order "cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-0529bac1/taints"
)

func seconds(s int64) *int64 { return &s }

func TestTolerationString(t *testing.T) {
	type T = taints.Toleration
	for _, tc := range []struct {
		tol   T
		want  string
		valid bool // and so read back
	}{
		{T{Key: "k", Value: "v", Effect: "NoSchedule"}, "k=v:NoSchedule", true},
		{T{Key: "k", Operator: "Equal", Value: "v"}, "k=v", true},
		{T{Key: "k"}, "k", true},
		{T{Key: "k", Effect: "NoSchedule"}, "k:NoSchedule", true},
		{T{Key: "k", Operator: "Exists", Effect: "NoSchedule"}, "k:NoSchedule op=Exists", true},
		{
			T{Key: "k", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: seconds(300)},
			"k:NoExecute op=Exists for 300s", true,
		},
		{
			T{Key: "k", Value: "v", Effect: "NoExecute", TolerationSeconds: seconds(-5)},
			"k=v:NoExecute for -5s", true,
		},
		{
			T{Key: "k", Effect: "NoExecute", TolerationSeconds: seconds(math.MaxInt64)},
			"k:NoExecute for 9223372036854775807s", true,
		},
		{
			T{Key: "k", Effect: "NoExecute", TolerationSeconds: seconds(math.MinInt64)},
			"k:NoExecute for -9223372036854775808s", true,
		},
		{T{Operator: "Exists"}, "op=Exists", true},
		{T{Operator: "Exists", Effect: "NoExecute"}, ":NoExecute op=Exists", true},
		{
			T{Operator: "Exists", Effect: "NoExecute", TolerationSeconds: seconds(0)},
			":NoExecute op=Exists for 0s", true,
		},
		{T{Key: "k", Operator: "Lt", Value: "-9", Effect: "NoSchedule"}, "k=-9:NoSchedule op=Lt", true},
		{T{Key: "k", Operator: "Gt", Value: "5"}, "k=5 op=Gt", true},
		{T{Key: "op", Value: "Exists"}, "op=Exists op=Equal", true},
		{T{Key: "op", Value: "Exists", Effect: "NoSchedule"}, "op=Exists:NoSchedule", true},
		{T{Key: "op", Value: "Lt"}, "op=Lt", true},
		{T{Key: "op", Operator: "Exists"}, "op op=Exists", true},
		{T{}, "", false},
		{T{Key: "k", Operator: "Exists", Value: "v"}, "k=v op=Exists", false},
		{T{Key: "k", Operator: "In", Value: "v"}, "k=v op=In", false},
		{T{Operator: "Lt"}, " op=Lt", false},
		{T{Operator: "Exists", TolerationSeconds: seconds(1)}, "op=Exists for 1s", false},
		{T{Key: "a b", Value: "=", Effect: ":"}, "a b==::", false},
	} {
		t.Run(tc.want, func(t *testing.T) {
			if got := tc.tol.String(); got != tc.want {
				t.Errorf("%+v prints as %q, want %q", tc.tol, got, tc.want)
			}
			if got := string(tc.tol.AppendTo([]byte("x"))); got != "x"+tc.want {
				t.Errorf("%+v appends as %q", tc.tol, got)
			}
			got, err := taints.ParseToleration(tc.want)
			if (err == nil) != tc.valid || tc.valid && !got.Equal(tc.tol) {
				t.Errorf("%q is read as %+v, %v", tc.want, got, err)
			}
		})
	}
}

func TestParseTolerationErrors(t *testing.T) {
	for _, tc := range []struct {
		in     string
		offset int
		field  string
		kind   error
		text   string
	}{
		{
			"", 0, "operator", taints.ErrInvalid,
			`parse toleration "" at offset 0: operator: "" is invalid: ` +
				`must be Exists when the key is empty, which means all keys and values`,
		},
		{":NoSchedule", 0, "operator", taints.ErrInvalid, ""},
		{"=v op=Gt", 6, "operator", taints.ErrInvalid, ""},
		{"k!", 0, "key", taints.ErrInvalid, ""},
		{"k=v!", 2, "value", taints.ErrInvalid, ""},
		{"k=a=b", 2, "value", taints.ErrInvalid, ""},
		{"k:", 2, "effect", taints.ErrRequired, ""},
		{"k: op=Exists", 2, "effect", taints.ErrRequired, ""},
		{"k:noexecute op=Exists", 2, "effect", taints.ErrUnsupported, ""},
		{"k:a:NoExecute", 2, "effect", taints.ErrUnsupported, ""},
		{
			"k op=in", 5, "operator", taints.ErrUnsupported,
			`parse toleration "k op=in" at offset 5: operator: "in" is not supported: must be Exists, Equal, Lt or Gt, or empty for Equal`,
		},
		{"k op=", 5, "operator", taints.ErrUnsupported, ""},
		{"a op=xop=y", 5, "operator", taints.ErrUnsupported, ""},
		{"k=v op=Exists", 2, "value", taints.ErrInvalid, ""},
		{"k=07 op=Lt", 2, "value", taints.ErrInvalid, ""},
		{"k op=Lt", 1, "value", taints.ErrInvalid, ""},
		{"k for 5s", 1, "effect", taints.ErrInvalid, ""},
		{"k:NoSchedule for 5s", 2, "effect", taints.ErrInvalid, ""},
		{"op=Exists for 5s", 9, "effect", taints.ErrInvalid, ""},
		{
			"k:NoExecute for 5m", 12, "", taints.ErrInvalid,
			`parse toleration "k:NoExecute for 5m" at offset 12: "for 5m" is invalid: ` +
				`after the key, value and effect come " op=OPERATOR" and " for SECONDSs", ` +
				`in this order, each at most once`,
		},
		{"k:NoExecute for 05s", 16, "tolerationSeconds", taints.ErrInvalid, ""},
		{"k:NoExecute for 9223372036854775808s", 16, "tolerationSeconds", taints.ErrInvalid, ""},
		{"k:NoExecute for 5s op=Exists", 12, "", taints.ErrInvalid, ""},
		{"k:NoExecute  for 5s", 12, "", taints.ErrInvalid, ""},
		{"k:NoExecute op=Exists op=Exists", 22, "", taints.ErrInvalid, ""},
		{"op=Exists op=Exists", 3, "value", taints.ErrInvalid, ""},
		{"k ", 2, "", taints.ErrInvalid, ""},
		{" k", 1, "", taints.ErrInvalid, ""},
	} {
		t.Run(tc.in, func(t *testing.T) {
			got, err := taints.ParseToleration(tc.in)
			if err == nil || got != (taints.Toleration{}) {
				t.Fatalf("got %+v, %v", got, err)
			}
			checkParseError(t, err, "toleration", tc.in, tc.offset, tc.field, tc.kind, tc.text)
		})
	}
}

// What is said about an option is about that one.
func TestParseTolerationErrorDetails(t *testing.T) {
	for text, want := range map[string]string{
		"a op=":         "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a op= for 5s":  "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a op=In":       "must be Exists, Equal, Lt or Gt, or empty for Equal",
		"a for xs":      "must be a decimal integer within int64, without leading zeros or '+'",
		"a:":            "must be NoSchedule, PreferNoSchedule or NoExecute",
		"a for 5s":      "must be NoExecute when tolerationSeconds is set",
		"a for 5s op=x": `after the key, value and effect come " op=OPERATOR" and " for SECONDSs", in this order, each at most once`,
	} {
		tol, err := taints.ParseToleration(text)
		var field *taints.FieldError
		if !errors.As(err, &field) || field.Detail != want || tol != (taints.Toleration{}) {
			t.Errorf("%q: %v, %+v, want %q", text, tol, field, want)
		}
	}
}

func TestTolerationEqual(t *testing.T) {
	base := taints.Toleration{Key: "k", Value: "v", Effect: "NoExecute", TolerationSeconds: seconds(300)}
	for _, tc := range []struct {
		name   string
		change func(*taints.Toleration)
		want   bool
	}{
		{"the same", func(*taints.Toleration) {}, true},
		{"seconds of the same number", func(t *taints.Toleration) { t.TolerationSeconds = seconds(300) }, true},
		{"Equal spelled out", func(t *taints.Toleration) { t.Operator = taints.OpEqual }, true},
		{"other seconds", func(t *taints.Toleration) { t.TolerationSeconds = seconds(301) }, false},
		{"no seconds", func(t *taints.Toleration) { t.TolerationSeconds = nil }, false},
		{"another operator", func(t *taints.Toleration) { t.Operator = taints.OpExists }, false},
		{"another key", func(t *taints.Toleration) { t.Key = "" }, false},
		{"another value", func(t *taints.Toleration) { t.Value = "V" }, false},
		{"another effect", func(t *taints.Toleration) { t.Effect = "" }, false},
	} {
		u := base
		tc.change(&u)
		if base.Equal(u) != tc.want || u.Equal(base) != tc.want {
			t.Errorf("%s: equal %v, want %v", tc.name, base.Equal(u), tc.want)
		}
	}
	if !(taints.Toleration{}).Equal(taints.Toleration{Operator: taints.OpEqual}) {
		t.Error("two tolerations without seconds differ")
	}
}

// toleration returns what the text says, also where that is not valid.
func toleration(key string, op taints.Operator, value string) taints.Toleration {
	return taints.Toleration{Key: key, Operator: op, Value: value}
}

func TestCovers(t *testing.T) {
	parse := taints.MustParseToleration
	all := taints.Toleration{Operator: "Exists"}
	for _, tc := range []struct {
		t, u taints.Toleration
		want bool
	}{
		{parse("dedicated=ml:NoSchedule"), parse("dedicated=ml:NoSchedule"), true},
		{parse("dedicated=ml:NoSchedule"), parse("dedicated=ml:NoSchedule op=Equal"), true},
		{parse("dedicated=ml:NoSchedule"), parse("dedicated=db:NoSchedule"), false},
		{parse("dedicated=ml:NoSchedule"), parse("dedicated=ML:NoSchedule"), false},
		{parse("dedicated=ml:NoSchedule"), parse("team=ml:NoSchedule"), false},
		{parse("dedicated=ml:NoSchedule"), parse("dedicated=ml:NoExecute"), false},
		{parse("dedicated=ml:NoSchedule"), parse("dedicated=ml"), false},
		{parse("dedicated=ml"), parse("dedicated=ml:NoSchedule"), true},
		{parse("dedicated op=Exists"), parse("dedicated=ml"), true},
		{parse("dedicated=ml"), parse("dedicated op=Exists"), false},
		{parse("dedicated"), parse("dedicated op=Exists"), false}, // an empty value is one value
		{parse("op=Exists"), parse("dedicated=ml:NoExecute for 5s"), true},
		{parse("op=Exists"), parse("op=Exists"), true},
		{parse("dedicated op=Exists"), parse("op=Exists"), false},
		{toleration("", "Equal", "ml"), parse("dedicated=ml"), true}, // not valid, and matches so
		{parse("dedicated=ml"), toleration("", "Equal", "ml"), false},

		{parse("score=5 op=Gt"), parse("score=7 op=Gt"), true},
		{parse("score=5 op=Gt"), parse("score=5 op=Gt"), true},
		{parse("score=7 op=Gt"), parse("score=5 op=Gt"), false},
		{parse("score=5 op=Gt"), parse("score=9"), true},
		{parse("score=5 op=Gt"), parse("score=5"), false},
		{parse("score=5 op=Gt"), parse("score=09"), false},
		{parse("score=5 op=Gt"), parse("score=v"), false},
		{parse("score=5 op=Gt"), parse("score=9 op=Lt"), false},
		{parse("score=5 op=Gt"), parse("score op=Exists"), false},
		{parse("score=9"), parse("score=5 op=Gt"), false},
		{parse("score=5 op=Lt"), parse("score=3 op=Lt"), true},
		{parse("score=5 op=Lt"), parse("score=6 op=Lt"), false},
		{parse("score=5 op=Lt"), parse("score=4"), true},
		{parse("score=5 op=Lt"), parse("score=5"), false},
		{parse("score op=Exists"), parse("score=5 op=Gt"), true},
		{parse("score=9223372036854775807"), parse("score=9223372036854775806 op=Gt"), true},
		{parse("score=9223372036854775807"), parse("score=9223372036854775805 op=Gt"), false},
		{toleration("score", "", "-9223372036854775808"), parse("score=-9223372036854775807 op=Lt"), true},

		// What tolerates nothing is covered by all, and covers only its like.
		{parse("dedicated=ml"), parse("score=9223372036854775807 op=Gt"), true},
		{parse("dedicated=ml"), parse("score=-9223372036854775808 op=Lt"), true},
		{parse("dedicated=ml"), toleration("score", "Gt", "007"), true},
		{parse("dedicated=ml"), toleration("score", "exists", ""), true},
		{toleration("score", "In", ""), toleration("score", "exists", ""), true},
		{toleration("score", "exists", ""), parse("score"), false},
		{toleration("score", "exists", ""), all, false},

		{parse("a:NoExecute op=Exists for 300s"), parse("a:NoExecute op=Exists for 60s"), true},
		{parse("a:NoExecute op=Exists for 300s"), parse("a:NoExecute op=Exists for 301s"), false},
		{parse("a:NoExecute op=Exists for 300s"), parse("a:NoExecute op=Exists"), false},
		{parse("a:NoExecute op=Exists for 9223372036854775807s"), parse("a:NoExecute op=Exists"), false},
		{parse("a:NoExecute op=Exists"), parse("a:NoExecute op=Exists for 300s"), true},
		{parse("a:NoExecute op=Exists for -5s"), parse("a:NoExecute op=Exists for 0s"), true},
		{parse("a:NoExecute op=Exists for 0s"), parse("a:NoExecute op=Exists for -5s"), true},
		{parse("a:NoExecute op=Exists for 0s"), parse("a:NoExecute op=Exists for 1s"), false},
		// Seconds beside an effect that evicts nobody, or all effects, are not valid.
		{
			taints.Toleration{Key: "a", Effect: "NoSchedule", TolerationSeconds: seconds(1)},
			parse("a:NoSchedule"), true,
		},
		{taints.Toleration{Key: "a", TolerationSeconds: seconds(1)}, parse("a:NoSchedule"), true},
		{taints.Toleration{Key: "a", TolerationSeconds: seconds(1)}, parse("a:NoExecute"), false},
		{taints.Toleration{Key: "a", TolerationSeconds: seconds(1)}, parse("a"), false},
		{
			taints.Toleration{Key: "a", TolerationSeconds: seconds(1)},
			taints.Toleration{Key: "a", Operator: "Lt", TolerationSeconds: seconds(2)},
			true,
		},
	} {
		if got := tc.t.Covers(tc.u); got != tc.want {
			t.Errorf("%v covers %v: %v, want %v", tc.t, tc.u, got, tc.want)
		}
	}
}

func TestCoversUnderOptions(t *testing.T) {
	wild := taints.Options{KeyWildcards: true}
	for _, tc := range []struct {
		o    taints.Options
		t, u taints.Toleration
		want bool
	}{
		{
			wild, toleration("readiness.k8s.io/*", "Exists", ""),
			toleration("readiness.k8s.io/network", "Exists", ""), true,
		},
		{
			wild, toleration("readiness.k8s.io/*", "Exists", ""),
			toleration("readiness.k8s.io/net*", "Exists", ""), true,
		},
		{
			wild, toleration("readiness.k8s.io/*", "Exists", ""),
			toleration("readiness.k8s.io/*", "Exists", ""), true,
		},
		{
			wild, toleration("readiness.k8s.io/net*", "Exists", ""),
			toleration("readiness.k8s.io/*", "Exists", ""), false,
		},
		{
			wild, toleration("readiness.k8s.io/network", "Exists", ""),
			toleration("readiness.k8s.io/network*", "Exists", ""), false,
		},
		{wild, toleration("*", "Exists", ""), toleration("", "Exists", ""), true},
		{wild, toleration("", "Exists", ""), toleration("*", "Exists", ""), true},
		{wild, toleration("a*", "Exists", ""), toleration("", "Exists", ""), false},
		{wild, toleration("a*b", "Exists", ""), toleration("acb", "Exists", ""), false},
		{taints.Options{}, toleration("a*", "Exists", ""), toleration("ab", "Exists", ""), false},
		{taints.Options{}, toleration("a*", "Exists", ""), toleration("a*", "Exists", ""), true},
		{taints.Options{}, toleration("*", "Exists", ""), toleration("a", "Exists", ""), false},
		{taints.Options{NoComparison: true}, toleration("a", "", ""), toleration("b", "Lt", "5"), true},
		{taints.Options{NoComparison: true}, toleration("b", "Lt", "5"), toleration("b", "", "4"), false},
	} {
		if got := tc.o.Covers(tc.t, tc.u); got != tc.want {
			t.Errorf("%+v: %v covers %v: %v, want %v", tc.o, tc.t, tc.u, got, tc.want)
		}
	}
}

func TestMerge(t *testing.T) {
	const gpu, shortly = "gpu op=Exists", "not-ready:NoExecute op=Exists for 10s"
	for _, tc := range []struct {
		name        string
		base, extra []string
		added       []string
	}{
		{"nothing", nil, nil, nil},
		{"all of extra", []string{gpu}, []string{shortly, "dedicated=ml"}, []string{shortly, "dedicated=ml"}},
		{"to nothing", nil, []string{gpu, gpu, shortly}, []string{gpu, shortly}},
		{"covered", []string{gpu}, []string{"gpu=a:NoSchedule", "gpu:NoExecute op=Exists", gpu}, nil},
		{"covered by one before it in extra", []string{shortly}, []string{gpu, "gpu=a:NoSchedule"}, []string{gpu}},
		{"broader, behind the narrow one", []string{"gpu=a:NoSchedule"}, []string{gpu}, []string{gpu}},
		{
			"longer than the pod wants",
			[]string{shortly},
			[]string{"not-ready:NoExecute op=Exists for 300s", "not-ready:NoExecute op=Exists"},
			nil,
		},
		{"shorter than the pod wants", []string{"not-ready:NoExecute op=Exists"}, []string{shortly}, nil},
		{
			"several values of a key",
			[]string{"tenant=a:NoSchedule"},
			[]string{"tenant=b:NoSchedule", "tenant=c:NoSchedule"},
			[]string{"tenant=b:NoSchedule", "tenant=c:NoSchedule"},
		},
		{"base is superfluous in itself", []string{gpu, gpu, "gpu=a"}, []string{"gpu=b"}, nil},
		{"nobody needs it", nil, []string{"a=9223372036854775807 op=Gt"}, nil},
		{
			"thresholds",
			[]string{"score=5 op=Gt"},
			[]string{"score=7 op=Gt", "score=4 op=Gt", "score=5"},
			[]string{"score=4 op=Gt"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := taints.Merge(parseTolerations(tc.base...), parseTolerations(tc.extra...))
			if diff := cmp.Diff(append(tc.base, tc.added...), texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMinimize(t *testing.T) {
	const (
		five    = ":NoExecute op=Exists for 300s"
		forever = "maintenance:NoExecute op=Exists"
	)
	for _, tc := range []struct {
		name  string
		given []string
		want  []string
	}{
		{"nothing", nil, nil},
		{"repeated", []string{"gpu", "gpu", "gpu op=Equal"}, []string{"gpu"}},
		{
			"behind a broader one",
			[]string{"gpu op=Exists", "gpu=a:NoSchedule", "team=a"},
			[]string{"gpu op=Exists", "team=a"},
		},
		{
			"before a broader one",
			[]string{"gpu=a:NoSchedule", "team=a", "gpu op=Exists"},
			[]string{"team=a", "gpu op=Exists"},
		},
		{"shadowed, whatever its seconds", []string{five, forever}, []string{five}},
		{"longer, before a shorter one", []string{forever, five}, []string{forever, five}},
		{
			"for the same time, before a broader one",
			[]string{"maintenance:NoExecute op=Exists for 300s", five},
			[]string{five},
		},
		{
			"not at all, in two ways",
			[]string{"maintenance:NoExecute op=Exists for -1s", ":NoExecute op=Exists for 0s"},
			[]string{":NoExecute op=Exists for 0s"},
		},
		{
			"another time comes between",
			[]string{
				"maintenance=a:NoExecute op=Equal",
				"maintenance:NoExecute op=Exists for 60s",
				":NoExecute op=Exists",
			},
			[]string{"maintenance=a:NoExecute", "maintenance:NoExecute op=Exists for 60s", ":NoExecute op=Exists"},
		},
		{
			"another time for other taints comes between",
			[]string{"a:NoExecute", "b:NoExecute for 60s", ":NoExecute op=Exists"},
			[]string{"b:NoExecute for 60s", ":NoExecute op=Exists"},
		},
		{
			"another time for other values comes between",
			[]string{"a=5:NoExecute op=Gt", "a=5:NoExecute op=Lt for 60s", ":NoExecute op=Exists"},
			[]string{"a=5:NoExecute op=Lt for 60s", ":NoExecute op=Exists"},
		},
		{
			"another time for a common value comes between",
			[]string{"a=5:NoExecute op=Gt", "a=7:NoExecute op=Lt for 60s", ":NoExecute op=Exists"},
			[]string{"a=5:NoExecute op=Gt", "a=7:NoExecute op=Lt for 60s", ":NoExecute op=Exists"},
		},
		{
			"the same the other way round",
			[]string{"a=7:NoExecute op=Lt", "a=5:NoExecute op=Gt for 60s", ":NoExecute op=Exists"},
			[]string{"a=7:NoExecute op=Lt", "a=5:NoExecute op=Gt for 60s", ":NoExecute op=Exists"},
		},
		{
			"the same where the later ones are larger",
			[]string{"a=5:NoExecute op=Lt", "a=5:NoExecute op=Gt for 60s", ":NoExecute op=Exists"},
			[]string{"a=5:NoExecute op=Gt for 60s", ":NoExecute op=Exists"},
		},
		{
			"another time for another text comes between",
			[]string{"a=x:NoExecute", "a=y:NoExecute for 60s", ":NoExecute op=Exists"},
			[]string{"a=y:NoExecute for 60s", ":NoExecute op=Exists"},
		},
		{
			"another time for zero comes between",
			[]string{"a:NoExecute", "a=0:NoExecute for 60s", ":NoExecute op=Exists"},
			[]string{"a=0:NoExecute for 60s", ":NoExecute op=Exists"},
		},
		{
			"another time for no value comes between",
			[]string{"a=0:NoExecute", "a:NoExecute for 60s", ":NoExecute op=Exists"},
			[]string{"a:NoExecute for 60s", ":NoExecute op=Exists"},
		},
		{
			"another time for all values comes between",
			[]string{"a=x:NoExecute", "a:NoExecute op=Exists for 60s", ":NoExecute op=Exists"},
			[]string{"a=x:NoExecute", "a:NoExecute op=Exists for 60s", ":NoExecute op=Exists"},
		},
		{
			"no time, of another effect, comes between",
			[]string{"a:NoExecute op=Exists for 300s", "a:NoSchedule op=Exists", five},
			[]string{"a:NoSchedule op=Exists", five},
		},
		{
			"another time counts for NoExecute only",
			[]string{"a:NoSchedule", ":NoExecute op=Exists for 60s", "op=Exists"},
			[]string{":NoExecute op=Exists for 60s", "op=Exists"},
		},
		{"tolerates nothing", []string{"a=9223372036854775807 op=Gt", "b"}, []string{"b"}},
		{
			"only together superfluous",
			[]string{"a=5 op=Gt", "a=9 op=Lt", "a=7 op=Lt", "a op=Exists"},
			[]string{"a op=Exists"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, texts(taints.Minimize(parseTolerations(tc.given...)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Under wildcards a list may shrink more, and without comparisons Lt and Gt go.
func TestMinimizeUnderOptions(t *testing.T) {
	given := []taints.Toleration{
		toleration("example.com/*", "Exists", ""),
		toleration("example.com/gpu", "Exists", ""),
		toleration("score", "Lt", "5"),
	}
	for _, tc := range []struct {
		o    taints.Options
		want []string
	}{
		{taints.Options{}, []string{"example.com/* op=Exists", "example.com/gpu op=Exists", "score=5 op=Lt"}},
		{taints.Options{KeyWildcards: true}, []string{"example.com/* op=Exists", "score=5 op=Lt"}},
		{taints.Options{NoComparison: true}, []string{"example.com/* op=Exists", "example.com/gpu op=Exists"}},
	} {
		for name, got := range map[string][]taints.Toleration{
			"Minimize": tc.o.Minimize(given),
			"Merge":    tc.o.Merge(nil, given),
		} {
			if diff := cmp.Diff(tc.want, texts(got)); diff != "" {
				t.Errorf("%s under %+v (-want +got):\n%s", name, tc.o, diff)
			}
		}
	}
}

// Which of two tolerations for several keys or values is the broader one does not
// matter: they meet, so another time between two for the same time counts.
func TestMinimizeSeesWhatMeets(t *testing.T) {
	wild := taints.Options{KeyWildcards: true}
	for _, tc := range []struct {
		first, second taints.Toleration
		left          int
	}{
		{toleration("a*", "Exists", ""), toleration("ab", "Exists", ""), 3},
		{toleration("ab", "Exists", ""), toleration("a*", "Exists", ""), 3},
		{toleration("a*", "Exists", ""), toleration("ab*", "Exists", ""), 3},
		{toleration("ab*", "Exists", ""), toleration("a*", "Exists", ""), 3},
		{toleration("a*", "Exists", ""), toleration("b", "Exists", ""), 2},
		{toleration("ab*", "Exists", ""), toleration("ac*", "Exists", ""), 2},
		{toleration("a", "Exists", ""), toleration("a", "Equal", "x"), 3},
		{toleration("a", "Equal", "x"), toleration("a", "Exists", ""), 3},
		{toleration("a", "Exists", ""), toleration("a", "Lt", "5"), 3},
		{toleration("a", "Lt", "5"), toleration("a", "Exists", ""), 3},
		{toleration("a", "Equal", "x"), toleration("a", "Lt", "5"), 2},
		{toleration("a", "Equal", "5"), toleration("a", "Lt", "5"), 2},
		{toleration("a", "Equal", "4"), toleration("a", "Lt", "5"), 3},
	} {
		// So the first leaves effects to the second.
		tc.first.Effect, tc.second.TolerationSeconds = taints.NoExecute, seconds(60)
		list := []taints.Toleration{tc.first, tc.second, {Operator: taints.OpExists, Effect: taints.NoExecute}}
		if got := wild.Minimize(list); len(got) != tc.left {
			t.Errorf("of %v are left %v, want %d", list, got, tc.left)
		}
	}
}

func TestValidateAllowed(t *testing.T) {
	const (
		gpu      = "nvidia.com/gpu:NoSchedule op=Exists"
		notReady = "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"
	)
	for _, tc := range []struct {
		name      string
		tols      []string
		allow     []string
		forbidden []int
	}{
		{"nothing asked", nil, []string{gpu}, []int{}},
		{"nothing asked, nothing allowed", nil, nil, []int{}},
		{"nothing allowed", []string{gpu}, nil, []int{0}},
		{"as written", []string{gpu, notReady}, []string{notReady, gpu}, []int{}},
		{
			"less than allowed",
			[]string{"nvidia.com/gpu=a100:NoSchedule", "node.kubernetes.io/not-ready:NoExecute op=Exists for 60s"},
			[]string{notReady, gpu},
			[]int{},
		},
		{
			"too long",
			[]string{gpu, "node.kubernetes.io/not-ready:NoExecute op=Exists for 301s"},
			[]string{notReady, gpu},
			[]int{1},
		},
		{
			"forever",
			[]string{gpu, "node.kubernetes.io/not-ready:NoExecute op=Exists"},
			[]string{notReady, gpu},
			[]int{1},
		},
		{"several", []string{gpu, "a", "b"}, []string{gpu}, []int{1, 2}},
		{"all effects", []string{"nvidia.com/gpu op=Exists"}, []string{gpu}, []int{0}},
		{"everything", []string{"op=Exists"}, []string{gpu, notReady}, []int{0}},
		{"nothing, by nothing", []string{"a=5 op=Lt", "b=-9223372036854775808 op=Lt"}, nil, []int{0, 1}},
		{"what tolerates nothing, by anything", []string{"b=-9223372036854775808 op=Lt"}, []string{gpu}, []int{}},
		{"everything allowed", []string{"op=Exists", gpu}, []string{"op=Exists"}, []int{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			forbidden := []int{}
			err := taints.ValidateAllowed(parseTolerations(tc.tols...), parseTolerations(tc.allow...))
			for _, fault := range faultsIn(err) {
				forbidden = append(forbidden, faultIndex(fault))
			}
			if !slices.Equal(forbidden, tc.forbidden) {
				t.Errorf("got %d", forbidden)
			}
		})
	}
	wild := []taints.Toleration{toleration("readiness.k8s.io/*", "Exists", "")}
	if err := (taints.Options{KeyWildcards: true}).ValidateAllowed(
		parseTolerations("readiness.k8s.io/network"), wild,
	); err != nil {
		t.Errorf("a wildcard does not allow what it matches: %v", err)
	}
}

func TestTolerationCompare(t *testing.T) {
	sorted := []taints.Toleration{
		{},
		{TolerationSeconds: seconds(-1)},
		{TolerationSeconds: seconds(1)},
		{Effect: "NoSchedule"},
		{Value: "v"},
		{Operator: "Exists"},
		{Key: "a", Operator: "Equal"},
		{Key: "b"},
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := a.Compare(b); got != order.Compare(i, j) || a.Equal(b) != (i == j) {
				t.Errorf("%v against %v: %d", a, b, got)
			}
		}
	}
	if a, b := toleration("a", "", "v"), toleration("a", "Equal", "v"); a.Compare(b) != 0 || !b.Equal(a) {
		t.Error("the empty operator is not Equal")
	}
}

func TestSameTolerations(t *testing.T) {
	wild := taints.Options{KeyWildcards: true}
	off := taints.Options{NoComparison: true}
	for _, tc := range []struct {
		name string
		o    taints.Options
		a, b []taints.Toleration
		want bool
	}{
		{"none", taints.Options{}, nil, []taints.Toleration{}, true},
		{"one and none", taints.Options{}, parseTolerations("a"), nil, false},
		{
			"another order",
			taints.Options{},
			parseTolerations("a", "b op=Exists"),
			parseTolerations("b op=Exists", "a"), true,
		},
		{"twice", taints.Options{}, parseTolerations("a", "a"), parseTolerations("a"), true},
		{
			"spelled out",
			taints.Options{},
			parseTolerations("a"),
			[]taints.Toleration{toleration("a", "Equal", "")},
			true,
		},
		{"another value", taints.Options{}, parseTolerations("a=x"), parseTolerations("a=y"), false},
		{
			"another effect",
			taints.Options{},
			parseTolerations("a:NoSchedule"),
			parseTolerations("a:PreferNoSchedule"), false,
		},
		{
			"each known effect and all",
			taints.Options{},
			parseTolerations("a:NoSchedule", "a:PreferNoSchedule", "a:NoExecute"),
			parseTolerations("a"), false,
		},
		{
			"all values and some",
			taints.Options{},
			parseTolerations("a op=Exists"),
			parseTolerations("a=5 op=Lt", "a=4 op=Gt"), false,
		},
		{
			"all integers in two ways",
			taints.Options{},
			parseTolerations("a=5 op=Lt", "a=4 op=Gt"),
			parseTolerations("a=9 op=Lt", "a=-9 op=Gt"), true,
		},
		{
			"a gap between integers",
			taints.Options{},
			parseTolerations("a=5 op=Lt", "a=5 op=Gt"),
			parseTolerations("a=9 op=Lt", "a=-9 op=Gt"), false,
		},
		{
			"a gap that is filled",
			taints.Options{},
			parseTolerations("a=5 op=Lt", "a=5 op=Gt", "a=5"),
			parseTolerations("a=9 op=Lt", "a=-9 op=Gt"), true,
		},
		{"Lt and Gt off", off, parseTolerations("a=5 op=Lt", "b"), parseTolerations("b"), true},
		{
			"the time of the first match",
			taints.Options{},
			parseTolerations("a:NoExecute for 5s", "a:NoExecute for 9s"),
			parseTolerations("a:NoExecute for 9s", "a:NoExecute for 5s"), false,
		},
		{
			"the time of a later match",
			taints.Options{},
			parseTolerations("a:NoExecute for 5s", "a:NoExecute for 9s"),
			parseTolerations("a:NoExecute for 5s"), true,
		},
		{
			"no time and less",
			taints.Options{},
			parseTolerations("a:NoExecute for 0s"),
			parseTolerations("a:NoExecute for -9s"), true,
		},
		{
			"time of another effect",
			taints.Options{},
			[]taints.Toleration{{Key: "a", Effect: "NoSchedule", TolerationSeconds: seconds(5)}},
			parseTolerations("a:NoSchedule"), true,
		},
		{
			"any value and one that looks made up",
			taints.Options{},
			parseTolerations("a=x"),
			parseTolerations("a op=Exists"), false,
		},
		{
			"any value and a longer one",
			taints.Options{},
			parseTolerations("a=xx"),
			parseTolerations("a op=Exists"), false,
		},
		{
			"any effect and some",
			taints.Options{},
			[]taints.Toleration{
				{Key: "a", Operator: "Exists", Effect: "xx"},
				{Key: "a", Operator: "Exists", Effect: "NoExecute"},
			},
			parseTolerations("a op=Exists"), false,
		},
		{
			"any key and one that looks made up",
			taints.Options{},
			parseTolerations("xxx op=Exists"), parseTolerations("op=Exists"), false,
		},
		{"larger by one", taints.Options{}, parseTolerations("a=5 op=Gt"), parseTolerations("a=6 op=Gt"), false},
		{"smaller by one", taints.Options{}, parseTolerations("a=5 op=Lt"), parseTolerations("a=6 op=Lt"), false},
		{
			"all integers but the largest",
			taints.Options{},
			parseTolerations("a=5 op=Lt", "a=4 op=Gt"),
			parseTolerations("a=9223372036854775807 op=Lt"), false,
		},
		{
			"all integers but the smallest",
			taints.Options{},
			parseTolerations("a=5 op=Lt", "a=4 op=Gt"),
			parseTolerations("a=-9223372036854775808 op=Gt"), false,
		},
		{
			"the largest integer in two ways",
			taints.Options{},
			parseTolerations("a=9223372036854775806 op=Gt"),
			parseTolerations("a=9223372036854775807"), true,
		},
		{
			"effects of all keys",
			taints.Options{},
			parseTolerations(":NoSchedule op=Exists"),
			parseTolerations(":PreferNoSchedule op=Exists"), false,
		},
		{
			"effects of all keys, and one key",
			taints.Options{},
			parseTolerations(":NoSchedule op=Exists", "a:NoExecute"),
			parseTolerations(":PreferNoSchedule op=Exists", "a:NoExecute"), false,
		},
		{
			"the time of all effects",
			taints.Options{},
			[]taints.Toleration{{Key: "a", Operator: "Exists", TolerationSeconds: seconds(5)}},
			parseTolerations("a op=Exists"), false,
		},
		{
			"everything and more",
			taints.Options{},
			parseTolerations("op=Exists", "a"),
			parseTolerations("op=Exists"), true,
		},
		{
			"a star that is a star",
			taints.Options{},
			[]taints.Toleration{toleration("a*", "Exists", "")},
			[]taints.Toleration{toleration("a*", "Exists", ""), toleration("ab", "Exists", "")},
			false,
		},
		{
			"a wildcard and more", wild,
			[]taints.Toleration{toleration("a*", "Exists", "")},
			[]taints.Toleration{toleration("a*", "Exists", ""), toleration("ab", "Exists", "")},
			true,
		},
		{
			"a wildcard and its prefix", wild,
			[]taints.Toleration{toleration("a*", "Exists", "")},
			[]taints.Toleration{toleration("a", "Exists", "")},
			false,
		},
		{
			"a wildcard and a longer one", wild,
			[]taints.Toleration{toleration("a*", "Exists", "")},
			[]taints.Toleration{toleration("a", "Exists", ""), toleration("ab*", "Exists", "")},
			false,
		},
		{
			"a lone star and no key", wild,
			[]taints.Toleration{toleration("*", "Exists", "")},
			parseTolerations("op=Exists"), true,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ab, ba := tc.o.SameTolerations(tc.a, tc.b), tc.o.SameTolerations(tc.b, tc.a)
			if ab != tc.want || ba != tc.want {
				t.Errorf("got %v and %v, want %v", ab, ba, tc.want)
			}
		})
	}
}

// Every byte may follow a prefix, and all but one may be named.
func TestSameTolerationsOfAllBytes(t *testing.T) {
	wild := taints.Options{KeyWildcards: true}
	all := []taints.Toleration{toleration("a", "Exists", "")}
	for c := range 256 {
		all = append(all, toleration("a"+string([]byte{byte(c)})+"*", "Exists", ""))
	}
	star := []taints.Toleration{toleration("a*", "Exists", "")}
	if !wild.SameTolerations(all, star) {
		t.Error("all keys with a prefix, byte by byte, are not all keys with the prefix")
	}
	for _, c := range []int{1, 100, 256} {
		but := slices.Delete(slices.Clone(all), c, c+1)
		if wild.SameTolerations(but, star) {
			t.Errorf("without byte %d it is the same", c-1)
		}
		deeper := append(but, toleration("a"+string([]byte{byte(c - 1)}), "Exists", ""))
		if wild.SameTolerations(deeper, star) {
			t.Errorf("with byte %d alone it is the same", c-1)
		}
	}
}

// What differs may be a prefix alone, or behind prefixes that take every byte.
func TestSameTolerationsBehindAllBytes(t *testing.T) {
	wild := taints.Options{KeyWildcards: true}
	star := []taints.Toleration{toleration("a*", "Exists", "")}
	every := func(prefix string, but ...byte) (list []taints.Toleration) {
		for c := range 256 {
			if !slices.Contains(but, byte(c)) {
				list = append(list, toleration(prefix+string([]byte{byte(c)})+"*", "Exists", ""))
			}
		}
		return list
	}
	if wild.SameTolerations(every("a"), star) {
		t.Error("all keys behind a prefix are not the prefix itself")
	}
	a := toleration("a", "Exists", "")
	for _, c := range []byte{0, 'a', 255} {
		but := append(every("a", c), a, toleration("a"+string([]byte{c})+"z*", "Exists", ""))
		if wild.SameTolerations(but, star) {
			t.Errorf("behind byte %d there is more than a z", c)
		}
	}
	deep := append(every("a", 5, 9), a, toleration("a\x05", "Exists", ""), toleration("a\tz*", "Exists", ""))
	deep = append(deep, every("a\x05")...)
	if wild.SameTolerations(deep, star) {
		t.Error("behind byte 9 there is more than a z")
	}
	if !wild.SameTolerations(append(deep, toleration("a\t*", "Exists", "")), star) {
		t.Error("all keys with a prefix are not all keys with the prefix")
	}
}

// Lists too long for a loop have the answers of short ones.
func TestLongLists(t *testing.T) {
	var long, other []taints.Toleration
	for i := range 300 {
		long = append(long, taints.Toleration{
			Key:               "k" + strconv.Itoa(i),
			Operator:          "Exists",
			Effect:            "NoExecute",
			TolerationSeconds: seconds(int64(i)),
		})
		other = append(other, taints.Toleration{
			Key:               "k" + strconv.Itoa(i+150),
			Operator:          "Exists",
			Effect:            "NoExecute",
			TolerationSeconds: seconds(7),
		})
	}
	merged := taints.Merge(long, other)
	if len(merged) != 450 || &taints.Merge(merged, other)[0] != &merged[0] {
		t.Errorf("merged to %d", len(merged))
	}
	if err := taints.ValidateAllowed(long, merged); err != nil {
		t.Error(err)
	}
	faults := faultsIn(taints.ValidateAllowed(merged, long))
	if len(faults) != 150 || faultIndex(faults[0]) != 300 {
		t.Errorf("%d are not allowed", len(faults))
	}
	if err := taints.ValidateAllowed(merged, append(long, taints.Toleration{Operator: "Exists"})); err != nil {
		t.Errorf("everything is allowed, but %v", err)
	}
	if err := taints.ValidateTolerationsUpdate(long, merged); err != nil {
		t.Error(err)
	}
	if faults := faultsIn(taints.ValidateTolerationsUpdate(merged, long)); len(faults) != 150 ||
		faults[0].Value != merged[300].String() {
		t.Errorf("%d are gone", len(faults))
	}
	if !taints.SameTolerations(merged, taints.Minimize(taints.Merge(long, other))) ||
		taints.SameTolerations(long, merged) {
		t.Error("SameTolerations is wrong")
	}
	names := make([]string, 300)
	for i := range names {
		names[i] = "example.com/r" + strconv.Itoa(i)
	}
	if got := taints.AddExtendedResources(nil, names...); len(got) != 300 ||
		len(taints.AddExtendedResources(got, names...)) != 300 {
		t.Errorf("%d added", len(got))
	}
}
