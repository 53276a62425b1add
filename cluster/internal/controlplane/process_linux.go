// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"os/exec"
	"syscall"
)

// own puts the program into its own process group, and makes the kernel kill it
// when this process dies for any reason. More exactly, the kernel does so when the thread
// that started the program ends, but Go keeps its threads.
func own(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// signalGroup sends a signal to the program and everything that it has started.
func signalGroup(command *exec.Cmd, s syscall.Signal) error {
	return syscall.Kill(-command.Process.Pid, s)
}
