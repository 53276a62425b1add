// SPDX-License-Identifier: Apache-2.0

package viewtest

import (
	"math"
	"strings"
	"time"

	"github.com/seed-0529bac1/taints"
	"pgregory.net/rapid"
)

var (
	texts = rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "example.com/gpu", "é\n\"", "\xff", strings.Repeat("x", 300)}),
		rapid.String(),
	)
	effects = rapid.OneOf(rapid.SampledFrom([]string{"", "None", "NoSchedule", "NoExecute"}), texts)
	times   = rapid.SampledFrom([]*time.Time{
		nil,
		ptr(time.Unix(0, 0).UTC()),
		ptr(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		ptr(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)),
	})
	seconds = rapid.SampledFrom([]*int64{
		nil, ptr(int64(0)), ptr(int64(300)), ptr(int64(-1)), ptr(int64(math.MaxInt64)),
		ptr(int64(math.MinInt64)),
	})
)

func ptr[T any](v T) *T { return &v }

// Taints draws taints, valid or not, with times that Kubernetes can hold.
var Taints = rapid.Custom(func(t *rapid.T) taints.Taint {
	return taints.Taint{
		Key:       texts.Draw(t, "key"),
		Value:     texts.Draw(t, "value"),
		Effect:    taints.Effect(effects.Draw(t, "effect")),
		TimeAdded: times.Draw(t, "time"),
	}
})

// Tolerations draws tolerations, valid or not.
var Tolerations = rapid.Custom(func(t *rapid.T) taints.Toleration {
	return taints.Toleration{
		Key:               texts.Draw(t, "key"),
		Operator:          taints.Operator(texts.Draw(t, "operator")),
		Value:             texts.Draw(t, "value"),
		Effect:            taints.Effect(effects.Draw(t, "effect")),
		TolerationSeconds: seconds.Draw(t, "seconds"),
	}
})
