//go:build !linux

package child

// watch returns when the program has ended.
func (p *Process) watch() { p.waited.Do(func() { p.state = p.command.Wait() }) }

func (p *Process) killMarked() {}
