// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"flag"

	"github.com/seed-0529bac1/taints"
)

// PolicyFlags are the flags of a program that say which policy it follows.
type PolicyFlags struct {
	rules                 string
	notReady, unreachable int64
}

// Define defines the flags.
func (f *PolicyFlags) Define(flags *flag.FlagSet) {
	flags.StringVar(&f.rules, "rules", "", "`file` with the rules (default none)")
	flags.Int64Var(&f.notReady, "not-ready-seconds", taints.DefaultTolerationSeconds,
		"how long pods stay on a node that is not ready")
	flags.Int64Var(&f.unreachable, "unreachable-seconds", taints.DefaultTolerationSeconds,
		"how long pods stay on a node that is unreachable")
}

// Open opens the policies that the flags ask for.
func (f *PolicyFlags) Open() (*Policies, error) {
	return OpenPolicies(f.rules, taints.DefaultSeconds{NotReady: &f.notReady, Unreachable: &f.unreachable})
}
