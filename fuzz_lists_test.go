// SPDX-License-Identifier: Apache-2.0

package taints_test

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-0529bac1/taints"
)

// The fuzz targets of this file read lists out of bytes, so that a fuzzer that
// changes some bytes changes some entries.

// Genes are bytes to be read one after the other. After the last come zeros.
type genes []byte

func (g *genes) next() int {
	if len(*g) == 0 {
		return 0
	}
	b := (*g)[0]
	*g = (*g)[1:]
	return int(b)
}

func (g *genes) below(n int) int { return g.next() % n }

func geneOf[T any](g *genes, from []T) T { return from[g.below(len(from))] }

// text returns a text of the pool, or some bytes as they are.
func (g *genes) text(from []string) string {
	i := g.next()
	if i < 224 {
		return from[i%len(from)]
	}
	n := min(i%8, len(*g))
	text := string((*g)[:n])
	*g = (*g)[n:]
	return text
}

var (
	geneKeys = []string{
		"a", "b", "", "*", "a*", "ab", "a/b", "a/*", "A", "dedicated", "dedicatde",
		taints.NodeNotReady, taints.NodeMemoryPressure, taints.NodeRoleMaster, "nvidia.com/gpu",
	}
	geneValues = []string{
		"", "v", "V", "5", "6", "7", "05", "-1", "0", least, most, "-9223372036854775809", "x-",
	}
	geneEffects   = []taints.Effect{"NoExecute", "NoSchedule", "PreferNoSchedule", "", "x", "noexecute"}
	geneOperators = []taints.Operator{"", "Equal", "Exists", "Lt", "Gt", "In", "exists"}
	geneSeconds   = []*int64{nil, seconds(300), seconds(0), seconds(-1), seconds(301), seconds(1<<63 - 1)}
	geneTimes     = []*time.Time{nil, &bruteMoments[3], &bruteMoments[0], &farFuture}
)

func (g *genes) taint() taints.Taint {
	return taints.Taint{
		Key:       g.text(geneKeys),
		Value:     g.text(geneValues),
		Effect:    geneOf(g, geneEffects),
		TimeAdded: geneOf(g, geneTimes),
	}
}

func (g *genes) toleration() taints.Toleration {
	return taints.Toleration{
		Key: g.text(geneKeys), Operator: geneOf(g, geneOperators), Value: g.text(geneValues),
		Effect: geneOf(g, geneEffects), TolerationSeconds: geneOf(g, geneSeconds),
	}
}

func genesList[T any](g *genes, most int, of func() T) []T {
	list := make([]T, g.below(most+1))
	for i := range list {
		list[i] = of()
	}
	return list
}

func (g *genes) taints() []taints.Taint           { return genesList(g, 7, g.taint) }
func (g *genes) tolerations() []taints.Toleration { return genesList(g, 9, g.toleration) }
func (g *genes) options() taints.Options          { return geneOf(g, allOptions) }

// addGenes adds seeds: few bytes, all alike, and rising ones.
func addGenes(f *testing.F) {
	f.Add([]byte{})
	for _, step := range []int{0, 1, 3, 7, 31, 101} {
		seed := make([]byte, 120)
		for i := range seed {
			seed[i] = byte(2 + i*step)
		}
		f.Add(seed)
	}
}

// FuzzForms asks every question in all forms, and holds the answers that have one
// against the reference.
func FuzzForms(f *testing.F) {
	addGenes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		g := genes(data)
		o, tols := g.options(), g.tolerations()
		// These may be more than a block of a Matcher holds.
		tols = append(tols, slices.Repeat(tols, g.below(14))...)
		q := question{
			g.taint(), g.taints(), genesList(&g, 3, g.taints), taints.EffectSet(g.next()),
			*geneTimes[1+g.below(3)],
		}
		m, split := o.Compile(tols), g.below(len(tols)+1)
		parts := o.Compile(tols[:split], tols[split:])
		for _, form := range forms {
			want := form.options(o, q, tols)
			for name, got := range map[string]any{
				"compiled":          form.matcher(m, q),
				"compiled in parts": form.matcher(parts, q),
			} {
				if diff := difference(want, got); diff != "" {
					t.Fatalf("%s, %s (-under Options +got):\n%s", form.name, name, diff)
				}
			}
			if diff := difference(form.function(q, tols), form.options(taints.Options{}, q, tols)); diff != "" {
				t.Fatalf("%s (-function +zero Options):\n%s", form.name, diff)
			}
		}
		var untolerated []int
		for i, taint := range q.taints {
			if matches := refMatches(o, tols, taint); len(matches) == 0 {
				untolerated = append(untolerated, i)
			} else if i, _ := m.Match(taint); i != matches[0] {
				t.Fatalf("Match = %d, want %d", i, matches[0])
			}
		}
		v := m.Filter(q.taints)
		if got := v.NoSchedule + v.PreferNoSchedule + v.NoExecute + v.Other; got != len(untolerated) {
			t.Fatalf("%v, want %v", v, untolerated)
		}
	})
}

// difference returns how the answers differ. It asks cmp, which takes its time,
// only where there is something to say.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, unexported, cmpopts.EquateEmpty())
}

// FuzzEvictionPolicy holds the deadlines of all policies against the reference.
func FuzzEvictionPolicy(f *testing.F) {
	addGenes(f)
	policies := brutePolicies(0, taints.AllEffects, taints.Effects("x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g := genes(data)
		p := geneOf(&g, policies)
		p.Options = g.options()
		now := geneOf(&g, bruteMoments)
		list := append(g.taints(), taints.Taint{})
		checkEviction(t, p, list, g.tolerations(), now)
	})
}

// FuzzValidateLists validates lists, and updates of them, against the reference.
func FuzzValidateLists(f *testing.F) {
	addGenes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		g := genes(data)
		list, old, new := g.taints(), g.tolerations(), g.tolerations()
		if g.below(2) == 0 {
			new = slices.Concat(new, old)
		}
		if err := taints.ValidateTaints(list); (err == nil) != refValidTaints(list) {
			t.Fatalf("%+v: %v", list, err)
		}
		for _, o := range allOptions {
			if err := o.ValidateTolerations(new); (err == nil) != refValidTolerations(o, new) {
				t.Fatalf("under %+v %+v: %v", o, new, err)
			}
			if err := o.ValidateTolerationsUpdate(old, new); (err == nil) != refValidUpdate(o, old, new) {
				t.Fatalf("under %+v from %+v to %+v: %v", o, old, new, err)
			}
		}
	})
}

func refValidTolerations(o taints.Options, list []taints.Toleration) bool {
	return !slices.ContainsFunc(list, func(t taints.Toleration) bool { return !refValidToleration(o, t) })
}

func refValidUpdate(o taints.Options, old, new []taints.Toleration) bool {
	for _, t := range old {
		kept := slices.ContainsFunc(new, func(u taints.Toleration) bool {
			return u.Key == t.Key && u.Operator == t.Operator && u.Value == t.Value && u.Effect == t.Effect
		})
		if !kept {
			return false
		}
		if t.Operator == taints.OpLt || t.Operator == taints.OpGt {
			o.NoComparison = false
		}
	}
	return refValidTolerations(o, new)
}

// FuzzLists holds what compares and shortens lists of tolerations against a world
// that has the keys, values and effects of the lists beside its own.
func FuzzLists(f *testing.F) {
	addGenes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		g := genes(data)
		o, a, b := g.options(), genesList(&g, 3, g.toleration), genesList(&g, 3, g.toleration)
		all := slices.Concat(a, b)
		world := worldOf(all)
		times := timesOf(o, all, world)
		for name, list := range map[string][]taints.Toleration{
			"Merge":    o.Merge(a, b),
			"Minimize": o.Minimize(all),
			"both":     o.Minimize(o.Merge(a, b)),
		} {
			for i, got := range timesOf(o, list, world) {
				if got != times[i] {
					t.Fatalf("%s, under %+v: %v became %v: %v is tolerated %s, want %s",
						name, o, all, list, world[i], got, times[i])
				}
			}
		}
		same := slices.Equal(timesOf(o, a, world), timesOf(o, b, world))
		for i, tol := range all {
			for j, other := range all {
				if o.Covers(tol, other) {
					checkCovered(t, o, tol, other, world)
				} else if i == j {
					t.Fatalf("under %+v %v does not cover itself", o, tol)
				}
			}
		}
		if got := o.SameTolerations(a, b); got && !same {
			t.Fatalf("under %+v %v and %v are the same", o, a, b)
		} else if !got && same && !o.KeyWildcards {
			t.Fatalf("under %+v nothing tells %v from %v", o, a, b)
		}
		if !o.SameTolerations(all, o.Minimize(all)) {
			t.Fatalf("under %+v %v and %v are not the same", o, all, o.Minimize(all))
		}
		if err := o.ValidateAllowed(a, all); err != nil {
			t.Fatalf("under %+v a list does not allow itself: %v", o, err)
		}
		for _, finding := range o.Lint(all) {
			checkFinding(t, o, all, finding)
		}
	})
}

// timesOf returns how long the list tolerates each of the taints.
func timesOf(o taints.Options, list []taints.Toleration, world []taints.Taint) []string {
	times := make([]string, len(world))
	for i, taint := range world {
		times[i] = refTime(o, list, taint)
	}
	return times
}

// checkCovered checks that tol tolerates what other tolerates, as long.
func checkCovered(t *testing.T, o taints.Options, tol, other taints.Toleration, world []taints.Taint) {
	t.Helper()
	for _, taint := range world {
		if refTolerates(o, other, taint) &&
			(!refTolerates(o, tol, taint) ||
				taint.Effect == taints.NoExecute && refLonger(other.TolerationSeconds, tol.TolerationSeconds)) {
			t.Fatalf("under %+v %v covers %v, but not %v", o, tol, other, taint)
		}
	}
}

// worldOf returns taints of the keys, values and effects of the tolerations, of
// integers next to theirs, and of others.
func worldOf(tols []taints.Toleration) []taints.Taint {
	keys := map[string]bool{"no such key": true}
	values := map[string]bool{"no such value": true}
	effects := map[taints.Effect]bool{taints.NoExecute: true, "no such effect": true}
	for _, t := range tols {
		keys[t.Key], values[t.Value] = true, true
		if t.Effect != "" {
			effects[t.Effect] = true
		}
		if n, ok := refInteger(t.Value); ok {
			// Both wrap at the ends.
			values[strconv.FormatInt(n.Int64()-1, 10)] = true
			values[strconv.FormatInt(n.Int64()+1, 10)] = true
		}
	}
	var all []taints.Taint
	for key := range keys {
		for value := range values {
			for effect := range effects {
				all = append(all, taints.Taint{Key: key, Value: value, Effect: effect})
			}
		}
	}
	return all
}

// FuzzChanges makes changes in both manners, and computes them.
func FuzzChanges(f *testing.F) {
	addGenes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		g := genes(data)
		list, c := g.taints(), taints.Changes{Add: g.taints()}
		for _, taint := range slices.Concat(g.taints(), list[:g.below(len(list)+1)]) {
			id := taint.ID()
			if g.below(4) == 0 {
				id.Effect = ""
			}
			c.Remove = append(c.Remove, id)
		}
		checkApply(t, list, c)
		for _, overwrite := range []bool{false, true} {
			checkApplyStrict(t, list, c, overwrite)
		}
		if err := c.Validate(); (err == nil) != refValidChanges(c) {
			t.Fatalf("%v: %v", c, err)
		}
		changeEverything(t, list)
		hard, rest := c.Only(taints.Hard), c.Only(taints.AllEffects&^taints.Hard)
		if len(hard.Add)+len(rest.Add) != len(c.Add) {
			t.Fatalf("%v is not %v and %v", c, hard, rest)
		}
	})
}

// refValidChanges restates which changes some node can take.
func refValidChanges(c taints.Changes) bool {
	for i, id := range c.Remove {
		if !refValidKey(id.Key) || id.Effect != "" && !refKnownEffect(id.Effect) {
			return false
		}
		repeated := slices.ContainsFunc(c.Remove[:i], func(earlier taints.TaintID) bool {
			return refNames(earlier, taints.Taint{Key: id.Key, Effect: id.Effect})
		})
		added := slices.ContainsFunc(c.Add, func(t taints.Taint) bool { return refNames(id, t) })
		if repeated || added {
			return false
		}
	}
	return refValidTaints(c.Add)
}

// FuzzIndex drives an index and its model.
func FuzzIndex(f *testing.F) {
	addGenes(f)
	f.Add(slices.Repeat([]byte{5, 70, 2, 0, 0, 0, 0}, 12))
	f.Fuzz(func(t *testing.T, data []byte) {
		g := genes(data)
		x := newModeledIndex(geneOf(&g, []taints.EffectSet{
			0, taints.AllEffects, taints.Soft, taints.Effects("x"),
		}))
		for steps := 0; len(g) > 0 && steps < 30; steps++ {
			switch g.below(9) {
			case 0, 1:
				x.set(g.below(16), g.taints())
			case 2:
				x.delete(t, g.below(16))
			case 3:
				checkIndex(t, &x.index, &x.model, g.options().Compile(g.tolerations()))
			case 4:
				if len(x.held) < 4 {
					x.hold(t, taints.Compile(g.tolerations()), g.below(2) == 0)
				}
			case 5: // many nodes of a group
				list, n := g.taints(), g.below(140)
				for node := range n {
					x.set(16+node, list)
				}
			case 6: // many groups
				key, n := g.text(geneKeys), g.below(140)
				for node := range n {
					x.set(16+node, []taints.Taint{hard(key, node)})
				}
			case 7:
				for node := range g.below(140) {
					x.delete(t, 16+node)
				}
			case 8:
				list := g.taints()
				x.loop(t, taints.Compile(g.tolerations()), func(node int) {
					if node%2 == 0 {
						x.delete(t, node)
					} else {
						x.set(node+1, list)
					}
				})
			}
		}
		x.check(t)
		x.finish(t)
		for node := range x.model.nodes {
			x.index.Delete(node)
		}
		checkIndexIsEmpty(t, &x.index)
	})
}

var (
	secretTexts = []string{
		"", "secreta", "SecretA", "secretb", "secreta*", "secretcc/secretd", "secret\x1b[31m",
		"secret\n", "*", "secret5", "98761", "-98761", "98700000000", "098761", "secréta",
	}
	// Of the numbers also the differences.
	telling = regexp.MustCompile(`(?i)secr|987|98699901239|98700098761|197522|x1b|\x1b`)
)

// FuzzRedaction looks for secrets in what is redacted.
func FuzzRedaction(f *testing.F) {
	addGenes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		g := genes(data)
		secret := func() string { return geneOf(&g, secretTexts) }
		effects := append(slices.Clone(geneEffects[:4]), "secretEffect", "NoSecretSchedule")
		operators := append(slices.Clone(geneOperators[:5]), "secretOperator", "Secret\n")
		taint := func() taints.Taint {
			return taints.Taint{Key: secret(), Value: secret(), Effect: geneOf(&g, effects)}
		}
		list, nodes := genesList(&g, 5, taint), [][]taints.Taint{genesList(&g, 5, taint)}
		tols := genesList(&g, 6, func() taints.Toleration {
			return taints.Toleration{
				Key:               secret(),
				Operator:          geneOf(&g, operators),
				Value:             secret(),
				Effect:            geneOf(&g, effects),
				TolerationSeconds: geneOf(&g, geneSeconds[:3]),
			}
		})
		o := g.options()
		explained, summary := o.Explain(list, tols), o.Summarize(slices.Values(append(nodes, list)), tols)
		shown := []string{explained.Redact().String(), summary.Redact().String(), summary.Redact().Report()}
		for _, r := range explained {
			shown = append(shown, r.Redact().String(), r.Redact().Why())
		}
		for _, v := range []any{explained.Redact(), summary.Redact(), explained.Redact().Redact()} {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			shown = append(shown, string(text))
		}
		for _, text := range shown {
			if found := telling.FindString(text); found != "" {
				t.Fatalf("%q, of %v and %v, tells %q", text, list, tols, found)
			}
		}
		if strings.Count(explained.Redact().String(), "\n") != max(0, len(list)-1) ||
			explained.Redact().Schedulable() != explained.Schedulable() {
			t.Fatalf("%q of %q", explained.Redact(), explained)
		}
	})
}
