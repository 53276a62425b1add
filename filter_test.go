// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"testing"

	"github.com/seed-0529bac1/taints"
)

func TestVerdictString(t *testing.T) {
	for want, v := range map[string]taints.Verdict{
		"all tolerated":             {},
		"untolerated: 2 NoSchedule": {NoSchedule: 2},
		"untolerated: 12 NoExecute": {NoExecute: 12},
		"untolerated: 1 NoSchedule, 2 PreferNoSchedule, 3 NoExecute, 4 other": {
			NoSchedule: 1, PreferNoSchedule: 2, NoExecute: 3, Other: 4,
		},
	} {
		if got := v.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if taints.Filter(nil, nil) != (taints.Verdict{}) {
		t.Error("a node without taints has no zero Verdict")
	}
}
