//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// separate puts a program into a process group of its own.
func separate(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll kills the group of the program, and the processes that have left the group.
func (p *Process) killAll() {
	// On Linux, the id of the group is not reused yet: the program has not been waited for.
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	p.killMarked()
}
