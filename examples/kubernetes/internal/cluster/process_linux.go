// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"os/exec"
	"syscall"
)

// own puts the program into a process group of its own, and has the kernel kill it
// when this process dies, however it does.
func own(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// signalGroup sends a signal to the program and all that it has started.
func signalGroup(command *exec.Cmd, s syscall.Signal) error {
	return syscall.Kill(-command.Process.Pid, s)
}
