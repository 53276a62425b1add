// SPDX-License-Identifier: Apache-2.0

// Package version tells which version a program is.
package version

import "runtime/debug"

// stamp is set when an image is built: -ldflags "-X
// github.com/…/examples/kubernetes/internal/version.stamp=v1.2.3".
var stamp string

// String returns the version that was stamped into the program, or else that of the
// module, which has the commit where the program was built from a checkout.
func String() string {
	if stamp != "" {
		return stamp
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
