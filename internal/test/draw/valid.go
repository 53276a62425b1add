// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/internal/test"
	"github.com/seed-0529bac1/taints/internal/test/reference"
)

// Valid taints and tolerations of few keys and values, so that they meet.
var (
	validKeys     = rapid.SampledFrom([]string{"dedicated", "gpu", "tier", "example.com/gpu", "example.com/score"})
	validValues   = rapid.SampledFrom([]string{"", "a", "007", "4", "5", "6", "10", "9223372036854775807"})
	validIntegers = rapid.SampledFrom([]string{"4", "5", "6", "-5", "-9223372036854775808", "9223372036854775807"})
	validEffects  = rapid.SampledFrom([]taints.Effect{taints.NoSchedule, taints.PreferNoSchedule, taints.NoExecute})
	ValidTaint    = rapid.Custom(func(t *rapid.T) taints.Taint {
		return taints.Taint{Key: validKeys.Draw(t, "key"), Value: validValues.Draw(t, "value"), Effect: validEffects.Draw(t, "effect")}
	})
	ValidTaints = rapid.Map(rapid.SliceOfN(ValidTaint, 0, 3), reference.Firsts)
	Evicting    = rapid.Map(rapid.SliceOfN(ValidTaint, 1, 3), func(list []taints.Taint) []taints.Taint {
		list[0].Effect = taints.NoExecute
		return reference.Firsts(list)
	})
	Statuses = rapid.SampledFrom([]string{"True", "False", "Unknown"})
)

// Any taints and tolerations, with keys and values of any length.
var (
	AnyTaint = rapid.Custom(func(t *rapid.T) taints.Taint {
		taint := Taint.Draw(t, "taint")
		taint.TimeAdded = nil
		if rapid.IntRange(0, 3).Draw(t, "limits") == 0 {
			taint.Key, taint.Value = Limits.Draw(t, "key"), Limits.Draw(t, "value")
		}
		return taint
	})
	AnyToleration = rapid.Custom(func(t *rapid.T) taints.Toleration {
		toleration := Toleration.Draw(t, "toleration")
		if rapid.IntRange(0, 3).Draw(t, "limits") == 0 {
			toleration.Key, toleration.Value = Limits.Draw(t, "key"), Limits.Draw(t, "value")
		}
		return toleration
	})
)

// Like draws valid tolerations, most of them similar to one of the taints, some of
// them for one of the seconds, where Kubernetes allows that.
func Like(list []taints.Taint, seconds ...int64) *rapid.Generator[taints.Toleration] {
	return rapid.Custom(func(t *rapid.T) taints.Toleration {
		model := ValidTaint.Draw(t, "other")
		if len(list) > 0 && rapid.IntRange(0, 4).Draw(t, "like") > 0 {
			model = rapid.SampledFrom(list).Draw(t, "taint")
		}
		toleration := taints.Toleration{Key: model.Key, Effect: model.Effect}
		toleration.Operator = rapid.SampledFrom([]taints.Operator{
			"", taints.OpEqual, taints.OpExists, taints.OpLt, taints.OpGt,
		}).Draw(t, "operator")
		switch toleration.Operator {
		case taints.OpExists:
			toleration.Key = rapid.SampledFrom([]string{model.Key, model.Key, model.Key, ""}).Draw(t, "key")
		case taints.OpLt, taints.OpGt:
			toleration.Value = validIntegers.Draw(t, "integer")
		default:
			toleration.Value = rapid.OneOf(rapid.Just(model.Value), validValues).Draw(t, "value")
		}
		switch rapid.IntRange(0, 3).Draw(t, "effect or seconds") {
		case 0:
			toleration.Effect = ""
		case 1, 2:
			if toleration.Effect == taints.NoExecute {
				toleration.TolerationSeconds = test.Seconds(rapid.SampledFrom(seconds).Draw(t, "seconds"))
			}
		}
		return toleration
	})
}

// Changed draws a list that a user could make of the stored tolerations: with one
// more, one less, one changed, or another order.
func Changed(old []taints.Toleration) *rapid.Generator[[]taints.Toleration] {
	return rapid.Custom(func(t *rapid.T) []taints.Toleration {
		list := slices.Clone(old)
		i := rapid.IntRange(0, len(list)-1).Draw(t, "index") // admission leaves no list empty
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			return append(list, AnyToleration.Draw(t, "any"))
		case 1:
			return append(list, Like(nil, -1, 0, 300).Draw(t, "valid"))
		case 2:
			return slices.Delete(list, i, i+1)
		case 3:
			return rapid.Permutation(list).Draw(t, "order")
		case 4:
			list[i].TolerationSeconds = Seconds.Draw(t, "seconds")
		default:
			list[i].Operator = Operators.Draw(t, "operator")
		}
		return list
	})
}

// Taints of a device, without times: the effect None takes the place of
// PreferNoSchedule.
var (
	DeviceTaint = rapid.Map(ValidTaint, func(taint taints.Taint) taints.Taint {
		taint.Effect = deviceEffect(taint.Effect)
		return taint
	})
	DeviceTaints = rapid.OneOf(rapid.SliceOfN(DeviceTaint, 0, 3), rapid.SliceOfN(DeviceTaint, 1, 3))
)

// DeviceLike is Like for the tolerations of a device: they have two operators, and
// seconds with every effect.
func DeviceLike(list []taints.Taint, seconds ...int64) *rapid.Generator[taints.Toleration] {
	return rapid.Custom(func(t *rapid.T) taints.Toleration {
		toleration := Like(list, seconds...).Draw(t, "toleration")
		toleration.Effect = deviceEffect(toleration.Effect)
		switch toleration.Operator {
		case "":
			toleration.Operator = taints.OpEqual
		case taints.OpLt, taints.OpGt:
			toleration.Operator, toleration.Value = taints.OpExists, ""
		}
		if toleration.Effect != taints.NoExecute && rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			toleration.TolerationSeconds = test.Seconds(rapid.SampledFrom(seconds).Draw(t, "seconds"))
		}
		return toleration
	})
}

func deviceEffect(effect taints.Effect) taints.Effect {
	if effect == taints.PreferNoSchedule {
		return "None"
	}
	return effect
}
