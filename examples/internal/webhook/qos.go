// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// A qosClass is how well the kubelet treats a pod when resources are short.
type qosClass string

const (
	guaranteed qosClass = "Guaranteed"
	burstable  qosClass = "Burstable"
	bestEffort qosClass = "BestEffort"
)

// qos computes the pod's class from its requests and limits of cpu and memory, where
// amounts of zero do not count (ComputePodQOS in Kubernetes 1.36). Those of the pod
// as a whole, where it has any, take the place of those of its containers and init
// containers, even if they are empty.
//
//   - BestEffort: there are none.
//   - Guaranteed: each container, or the pod as a whole, has limits of both, and
//     the sums of requests are those of limits.
//   - Burstable: all others.
//
// Admission in Kubernetes believes a class that the pod's creator wrote into its
// status (GetPodQOS), which is replaced only later; this function does not.
func (p *pod) qos() qosClass {
	parts := p.containers
	if p.resources != nil {
		parts = []resources{*p.resources}
	}
	requests, limits, limited := amounts{}, amounts{}, true
	for _, part := range parts {
		requests.add(part.requests)
		limits.add(part.limits)
		limited = limited && len(part.limits) == 2
	}
	switch {
	case len(requests) == 0 && len(limits) == 0:
		return bestEffort
	case limited && requests.equal(limits):
		return guaranteed
	}
	return burstable
}

// add adds what other has.
func (a amounts) add(other amounts) {
	for name, q := range other {
		sum := new(big.Rat).Set(q)
		if had, ok := a[name]; ok {
			sum.Add(sum, had)
		}
		a[name] = sum
	}
}

func (a amounts) equal(b amounts) bool {
	for name, q := range a {
		if other, ok := b[name]; !ok || q.Cmp(other) != 0 {
			return false
		}
	}
	return len(a) == len(b)
}

// quantity reads a quantity of Kubernetes, such as "500m", "1.5Gi" or "2e3", or a
// plain number; nil if it is missing.
func (r *reader) quantity(v value) *big.Rat {
	var text string
	switch s := v.json.(type) {
	case nil:
		return nil
	case string:
		text = s
	case json.Number:
		text = s.String()
	default:
		r.unexpected(v, "a quantity")
		return nil
	}
	q, ok := parseQuantity(text)
	if !ok {
		r.note(v.path, ": %s is not a quantity as in 500m, 1.5Gi or 2e3", quote(text))
		return nil
	}
	return q
}

// parseQuantity reads a number, with a sign or a decimal point if need be, and a
// suffix. It takes no more than 100 digits and exponents of up to 100, far more than
// an API server writes.
func parseQuantity(s string) (*big.Rat, bool) {
	number, suffix := s, ""
	if i := strings.IndexFunc(s, func(c rune) bool { return !strings.ContainsRune("+-.0123456789", c) }); i >= 0 {
		number, suffix = s[:i], s[i:]
	}
	base, exponent, ok := parseSuffix(suffix)
	if !ok || len(number) > mostDigits {
		return nil, false
	}
	q, ok := new(big.Rat).SetString(number)
	if !ok {
		return nil, false
	}
	power := new(big.Int).Exp(big.NewInt(base), big.NewInt(max(exponent, -exponent)), nil)
	factor := new(big.Rat).SetInt(power)
	if exponent < 0 {
		factor.Inv(factor)
	}
	return q.Mul(q, factor), true
}

const mostDigits = 100 // and the greatest exponent

// parseSuffix returns what the number before the suffix is to be multiplied with.
func parseSuffix(s string) (base, exponent int64, ok bool) {
	if prefix, ok := strings.CutSuffix(s, "i"); ok {
		i := strings.Index("KMGTPE", prefix)
		return 2, int64(10 * (i + 1)), len(prefix) == 1 && i >= 0
	}
	if i := strings.Index("num kMGTPE", s); len(s) == 1 && s != " " && i >= 0 {
		return 10, int64(3 * (i - 3)), true
	}
	if s == "" {
		return 10, 0, true
	}
	exponent, err := strconv.ParseInt(s[1:], 10, 64)
	return 10, exponent, (s[0] == 'e' || s[0] == 'E') && err == nil && -mostDigits <= exponent && exponent <= mostDigits
}
