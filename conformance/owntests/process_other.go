// SPDX-License-Identifier: Apache-2.0

//go:build !linux && !darwin

package main

import (
	"os"
	"os/exec"
)

// endTogether leaves the end of the tests to the go command, which the end of the
// context ends.
func endTogether(*exec.Cmd) {}

// lock creates the file, which must not exist. Remove the file of a run that did not
// come to an end.
func lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	f.Close()
	return func() { os.Remove(path) }, nil
}
