// SPDX-License-Identifier: Apache-2.0

package diagnosis

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/cluster"
	"github.com/seed-0529bac1/taints/cmd/kubectl-whynot/internal/say"
	"github.com/seed-0529bac1/taints/explain"
)

// The reasons of a profile describe why taints reject its pods.
type reasons map[taints.Taint]reason

// A reason is the library's reason, with a check that the library does not make.
type reason struct {
	explain.Reason
	at          int  // the index of the closest toleration among all, or -1 if none is close
	lacksPrefix bool // the closest toleration's key is the taint's key without its prefix
}

// reasonsOf returns the reasons why the hard taints of the shares reject the pods.
func (a *analyst) reasonsOf(p *cluster.Profile, shares []cluster.Share) reasons {
	own := a.ownTolerations(p)
	lists := func(yield func([]taints.Taint) bool) {
		for _, s := range shares {
			if !yield(s.Group.Taints) {
				return
			}
		}
	}
	m := make(reasons)
	for _, r := range explain.Nodes(own.matcher, taints.Hard, lists, math.MaxInt).Reasons {
		if _, ok := p.Matcher.Match(r.Reason.Taint); !ok {
			m[r.Reason.Taint] = own.reason(r.Reason)
		}
	}
	return m
}

// reasonOf returns the reason why the pods do not tolerate the taint.
func (a *analyst) reasonOf(p *cluster.Profile, t taints.Taint) reason {
	own := a.ownTolerations(p)
	return own.reason(explain.Node(own.matcher, []taints.Taint{t})[0])
}

// ownTolerations are a profile's tolerations without those that every pod gets,
// which are never meant for the taint.
type ownTolerations struct {
	list    []taints.Toleration
	at      []int // their indexes among all
	matcher *taints.Matcher
}

func (a *analyst) ownTolerations(p *cluster.Profile) *ownTolerations {
	own, ok := a.own[p.Matcher]
	if !ok {
		own = &ownTolerations{}
		for i, t := range p.Tolerations {
			if !isEverybodys(t) {
				own.list, own.at = append(own.list, t), append(own.at, i)
			}
		}
		own.matcher = taints.Compile(own.list)
		a.own[p.Matcher] = own
	}
	return own
}

// reason completes the library's reason. It finds a toleration whose key is the
// taint's key without its prefix, such as "dedicated" for "example.com/dedicated".
func (own *ownTolerations) reason(r explain.Reason) reason {
	if r.HasClosest() {
		return reason{r, own.at[r.Toleration], false}
	}
	name := cluster.WithoutPrefix(r.Taint.Key)
	if name == r.Taint.Key {
		return reason{r, -1, false}
	}
	i := slices.IndexFunc(own.list, func(t taints.Toleration) bool { return t.Key == name })
	if i < 0 {
		return reason{r, -1, false}
	}
	with := own.list[i]
	with.Key = r.Taint.Key
	r.Closest, r.Toleration = own.list[i], i
	r.Differences = append([]explain.Difference{{Mismatch: explain.MismatchKey}},
		explain.Node(taints.Compile([]taints.Toleration{with}), []taints.Taint{r.Taint})[0].Differences...)
	return reason{r, own.at[i], true}
}

// closest returns the closest toleration, or nil if there is none.
func (r *reason) closest() *taints.Toleration {
	if r.at < 0 {
		return nil
	}
	return &r.Closest
}

// words names the toleration that is closest to the taint and describes how it
// differs. All outputs use these words.
func (r *reason) words() string {
	if r.at < 0 {
		return "no toleration has this key"
	}
	text := "closest toleration " + tolerationText(r.Closest) + ", " + r.Why()
	if r.lacksPrefix {
		text += " as it lacks the prefix " + strings.TrimSuffix(r.Taint.Key, r.Closest.Key)
	}
	isValue := func(d explain.Difference) bool { return d.Mismatch == explain.MismatchValue }
	if r.Taint.Value == "" && slices.ContainsFunc(r.Differences, isValue) {
		text += " as the taint has no value"
	}
	return text
}

// reasonsText names the taints and describes how the closest tolerations differ.
// It combines taints with the same description.
func reasonsText(why reasons, list []taints.Taint) string {
	type clause struct {
		words  string
		taints []taints.Taint
	}
	var clauses []clause
	for _, t := range list {
		words := ""
		if r, ok := why[t]; ok && r.at >= 0 {
			words = " (" + r.words() + ")"
		}
		i := slices.IndexFunc(clauses, func(c clause) bool { return c.words == words })
		if i < 0 {
			i = len(clauses)
			clauses = append(clauses, clause{words: words})
		}
		clauses[i].taints = append(clauses[i].taints, t)
	}
	slices.SortStableFunc(clauses, func(a, b clause) int { // those without a close toleration last
		return boolOrder(a.words == "") - boolOrder(b.words == "")
	})
	var words []string
	for _, c := range clauses {
		noun := "untolerated taint "
		if len(c.taints) > 1 {
			noun = "untolerated taints "
		}
		words = append(words, noun+say.TaintsText(c.taints)+c.words)
	}
	return strings.Join(say.FirstOf(words, 3), "; ")
}

func taintsOf(why reasons) []taints.Taint {
	return slices.SortedFunc(maps.Keys(why), taints.Taint.Compare)
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// tolerationText returns the text of the toleration, in quotes if the spaces in it
// would not be seen.
func tolerationText(t taints.Toleration) string {
	for _, s := range []string{t.Key, t.Value, string(t.Operator), string(t.Effect)} {
		if s != strings.TrimSpace(s) {
			return strconv.Quote(t.String())
		}
	}
	return t.String()
}
