//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func signalGroup(c *exec.Cmd, name string) error {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM,
		"KILL": syscall.SIGKILL}
	return syscall.Kill(-c.Process.Pid, signals[name])
}
