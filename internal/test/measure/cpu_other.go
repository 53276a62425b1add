// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package measure

import "time"

var start = time.Now()

// CPU returns how long the process has run, because the system does not report
// its time on processors.
func CPU() time.Duration { return time.Since(start) }
