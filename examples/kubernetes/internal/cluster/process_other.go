// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package cluster

import "os/exec"

// own leaves the program in the group of this process: a Ctrl-C in the terminal
// reaches both.
func own(*exec.Cmd) {}

func killGroup(command *exec.Cmd) error { return command.Process.Kill() }
