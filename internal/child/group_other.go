//go:build !unix

package child

import "os/exec"

func separate(*exec.Cmd) {}

func (p *Process) killAll() { _ = p.command.Process.Kill() }
