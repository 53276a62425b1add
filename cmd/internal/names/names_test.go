// SPDX-License-Identifier: Apache-2.0

package names

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Names are those that Kubernetes allows.
func TestIsObject(t *testing.T) {
	random, valid := rand.New(rand.NewPCG(1, 2)), 0
	names := []string{"", strings.Repeat("a", 253), strings.Repeat("a", 254), "a\n", "é", "\xff"}
	for range 20000 {
		name := ""
		for range random.IntN(6) {
			name += string("aaz09..--A_/"[random.IntN(12)])
		}
		names = append(names, name)
	}
	for _, name := range names {
		want := len(validation.IsDNS1123Subdomain(name)) == 0
		if IsObject(name) != want {
			t.Errorf("%q: %t, want %t", name, !want, want)
		}
		if want {
			valid++
		}
	}
	if valid < 2000 || valid > 18000 {
		t.Errorf("%d names are valid", valid)
	}
}
