// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints"
)

func TestValidateKeysAndValues(t *testing.T) {
	long := func(n int) string { return strings.Repeat("a", n) }
	for _, tc := range []struct {
		key, value error
		texts      []string
	}{
		{nil, nil, []string{"a", "0", "A-b_c.d", "AZaz09", long(63)}},
		{taints.ErrRequired, nil, []string{""}},
		{nil, taints.ErrInvalid, []string{"example.com/a", "a/b", "0.a-b.9/X", "az.09/AZaz09", "node.kubernetes.io/" + long(63), long(253) + "/" + long(63)}},
		{taints.ErrInvalid, taints.ErrInvalid, []string{
			long(64), long(254) + "/a", "a/" + long(64),
			"-a", "a-", ".a", "a_", "-", "a b", "a\n", "a\x00", "é", "\xff", "a@b", "a[b", "a`b", "a{b", "a:b", "a*",
			"/a", "a/", "a//b", "a/b/c", "A.com/b", "a_b/c", "-a/b", "a-/b", "a..b/c", "a.-b/c", "a-.b/c", ".a/b", "a./b",
			"a`b/c", "a{b/c", "a:b/c", "a,b/c", "node.kubernetes.io/", "node.kubernetes.io/a/b", "node.kubernetes.io/" + long(64),
		}},
	} {
		for _, text := range tc.texts {
			key := taints.Taint{Key: text, Effect: taints.NoSchedule}.Validate()
			value := taints.Taint{Key: "k", Value: text, Effect: taints.NoSchedule}.Validate()
			if !errors.Is(key, tc.key) || !errors.Is(value, tc.value) {
				t.Errorf("%q as a key: %v, as a value: %v", text, key, value)
			}
			if text == "" {
				continue // an empty key is another thing for a toleration
			}
			key = taints.Toleration{Key: text, Operator: taints.OpExists}.Validate()
			value = taints.Toleration{Key: "k", Value: text}.Validate()
			if !errors.Is(key, tc.key) || !errors.Is(value, tc.value) {
				t.Errorf("%q as a toleration's key: %v, as its value: %v", text, key, value)
			}
		}
	}
}

// An effect that Kubernetes does not know is wrong by itself, and beside seconds.
func TestValidateUnknownEffectWithSeconds(t *testing.T) {
	seconds := int64(5)
	err := taints.Toleration{Key: "k", Effect: "x", TolerationSeconds: &seconds}.Validate()
	var list taints.ErrorList
	if !errors.As(err, &list) || len(list) != 2 || list[0].Kind != taints.ErrNotSupported || list[1].Kind != taints.ErrInvalid ||
		list[0].Field != "effect" || list[1].Field != "effect" {
		t.Errorf("got %v", err)
	}
}

func TestValidateWildcards(t *testing.T) {
	long := strings.Repeat("a", 62)
	for want, keys := range map[error][]string{
		nil: {
			"*", "readiness.k8s.io/*", "readiness.k8s.io/gpu-*", "gpu*", "gpu", long + "*", long + "a*", long[1:] + "-*",
		},
		taints.ErrInvalid: {
			long + "-*", "gpu-", "**", "a*b", "a/*/b", "a/b/*", "/*", "A/*", "-*", "a/.*", "a b*",
			long + "aa*", "a/" + long + "aa*", strings.Repeat("a", 254) + "/*",
		},
	} {
		for _, key := range keys {
			toleration := taints.Toleration{Key: key, Operator: taints.OpExists}
			list := []taints.Toleration{toleration, toleration} // which may repeat
			if err := (taints.Options{KeyWildcards: true}).ValidateTolerations(list); !errors.Is(err, want) {
				t.Errorf("%q with wildcards: %v, want %v", key, err, want)
			}
			if err := taints.ValidateTolerations(list); (err == nil) != (key == "gpu") {
				t.Errorf("%q without wildcards: %v", key, err)
			}
		}
	}
}
