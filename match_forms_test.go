package taints

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The forms that a Matcher could have, the one that it has among them. Each finds the first toleration that tolerates a taint;
// BenchmarkForms compares them. Only the Matcher knows tolerations of more than one key.
func forms(tolerations []Toleration) map[string]func(*Taint) int {
	m := Compile(tolerations)
	prints, blocks, byKey := printsOf(m.rules), blocksOf(m.rules), map[string][]int{}
	for i := range m.rules {
		byKey[m.rules[i].Key] = append(byKey[m.rules[i].Key], i)
	}
	return map[string]func(*Taint) int{
		"tolerations": func(t *Taint) int { return next(tolerations, t, -1) },
		"rules": func(t *Taint) int {
			for i := range m.rules {
				if m.rules[i].matches(t) {
					return i
				}
			}
			return -1
		},
		"fingerprints": func(t *Taint) int { return prints.find(m.rules, t) },
		"bits":         func(t *Taint) int { return blocks.find(m.rules, t) },
		"map": func(t *Taint) int {
			for _, i := range byKey[t.Key] {
				if m.rules[i].matches(t) {
					return i
				}
			}
			return -1
		},
		"table": func(t *Taint) int { return m.next(t, -1) },
	}
}

func (r *rule) matches(t *Taint) bool {
	return r.effectMatches(t.Effect, effectBit(t.Effect)) && r.keyMatches(t.Key) && (r.op == opExists || r.valueMatches(t.Value))
}

// A printForm compares the fingerprints of eight rules at a time.
type printForm []uint64

const eachByte = 0x0101010101010101

func printsOf(rules []rule) printForm {
	p := make(printForm, (len(rules)+7)/8)
	for i := range p {
		p[i] = 0xff * eachByte // the fingerprint of no key
	}
	for i := range rules {
		p[i/8] ^= (0xff ^ uint64(fingerprint(rules[i].Key))) << (i % 8 * 8)
	}
	return p
}

func (p printForm) find(rules []rule, t *Taint) int {
	print := uint64(fingerprint(t.Key)) * eachByte
	for word := range p {
		x := p[word] ^ print
		for equal := (x - eachByte) &^ x & (0x80 * eachByte); equal != 0; equal &= equal - 1 {
			if i := word*8 + bits.TrailingZeros64(equal)/8; i < len(rules) && rules[i].matches(t) {
				return i
			}
		}
	}
	return -1
}

// A bitForm says for 64 rules, a bit each, which can match a fingerprint and which an effect.
type bitForm []struct {
	byKey    [fingerprints]uint64
	byEffect [effectIndexes]uint64
}

func blocksOf(rules []rule) bitForm {
	b := make(bitForm, (len(rules)+63)/64)
	for i := range rules {
		block, bit := &b[i/64], uint64(1)<<(i%64)
		block.byKey[fingerprint(rules[i].Key)] |= bit
		for e := range block.byEffect {
			if rules[i].effects&(1<<e) != 0 {
				block.byEffect[e] |= bit
			}
		}
	}
	return b
}

func (b bitForm) find(rules []rule, t *Taint) int {
	effect, print := effectIndex(t.Effect), fingerprint(t.Key)
	for block := range b {
		for left := b[block].byKey[print] & b[block].byEffect[effect]; left != 0; left &= left - 1 {
			if i := block*64 + bits.TrailingZeros64(left); rules[i].matches(t) {
				return i
			}
		}
	}
	return -1
}

func TestFormsAgree(t *testing.T) {
	keys := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "gpu"}), rapid.StringMatching(`[a-c]{1,3}`))
	effects := rapid.SampledFrom([]Effect{NoSchedule, NoExecute, PreferNoSchedule, "x", "y", ""})
	values := rapid.SampledFrom([]string{"", "5", "6", "v"})
	toleration := rapid.Custom(func(t *rapid.T) Toleration {
		return Toleration{Key: keys.Draw(t, "key"), Value: values.Draw(t, "value"), Effect: effects.Draw(t, "effect"),
			Operator: rapid.SampledFrom([]Operator{OpEqual, OpExists, OpLt, OpGt, "x"}).Draw(t, "operator")}
	})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.OneOf(rapid.SliceOfN(toleration, 0, 6), rapid.SliceOfN(toleration, 60, 140)).Draw(t, "tolerations")
		taint := Taint{Key: keys.Draw(t, "key"), Value: values.Draw(t, "value"), Effect: effects.Draw(t, "effect")}
		want := slices.IndexFunc(list, func(tol Toleration) bool { return Options{}.check(&tol, &taint) == 0 })
		for name, find := range forms(list) {
			if got := find(&taint); got != want {
				t.Fatalf("%s: %d, want %d", name, got, want)
			}
		}
	})
}

// BenchmarkForms sets the form of the Matcher.
func BenchmarkForms(b *testing.B) {
	marks := []Taint{
		{Key: "dedicated", Value: "ml", Effect: NoSchedule},
		{Key: "nvidia.com/gpu", Value: "present", Effect: NoSchedule},
		{Key: "sla.example.com/failure-score", Value: "40", Effect: NoSchedule},
	}
	pod := []Toleration{
		{Key: NodeNotReady, Operator: OpExists, Effect: NoExecute},
		{Key: NodeUnreachable, Operator: OpExists, Effect: NoExecute},
		{Key: NodeMemoryPressure, Operator: OpExists, Effect: NoSchedule},
		{Key: "sla.example.com/failure-score", Operator: OpLt, Value: "60", Effect: NoSchedule},
		{Key: "team", Operator: OpEqual, Value: "vision", Effect: NoSchedule},
		{Key: "dedicated", Operator: OpEqual, Value: "ml", Effect: NoSchedule},
		{Key: "example.com/fpga", Operator: OpExists, Effect: NoSchedule},
		{Key: "nvidia.com/gpu", Operator: OpExists, Effect: NoSchedule},
	}
	for _, size := range []struct{ taints, tolerations int }{{1, 1}, {3, 8}, {8, 64}, {8, 1000}} {
		list := pod[8-min(8, size.tolerations):]
		if more := size.tolerations - 8; more > 0 { // of other tenants, before those that match
			var others []Toleration
			for i := range more {
				others = append(others, Toleration{Key: fmt.Sprintf("tenant-%d.example.com/pool", i), Operator: OpExists, Effect: NoSchedule})
			}
			list = append(others, list...)
		}
		var node []Taint
		for i := range size.taints {
			node = append(node, marks[(i+1)%3])
		}
		forms := forms(list)
		for _, name := range []string{"tolerations", "rules", "fingerprints", "bits", "map", "table"} {
			find := forms[name]
			b.Run(fmt.Sprintf("%dx%d/%s", size.taints, size.tolerations, name), func(b *testing.B) {
				for b.Loop() {
					for i := range node {
						find(&node[i])
					}
				}
			})
		}
	}
}
