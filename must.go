// SPDX-License-Identifier: Apache-2.0

package taints

// Must returns v, and panics if there is an error. It is for tests and constant
// texts, as in Must(ParseTaint("spot:NoSchedule")).
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
