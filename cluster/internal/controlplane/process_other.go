// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package controlplane

import (
	"os/exec"
	"syscall"
)

// own leaves the program in the process group of this process: a Ctrl-C in the
// terminal reaches both.
func own(*exec.Cmd) {}

func signalGroup(command *exec.Cmd, s syscall.Signal) error { return command.Process.Signal(s) }
