//go:build linux && cgo

package worker

// #include "worker.h"
import "C"

import "time"

// begun is a command that the worker executes while the host does something else.
type begun struct {
	running   bool
	number    C.uint32_t
	operation Operation
	arguments *Arguments
}

// Begin begins a command whose reply End returns, and reports whether it has begun. It begins
// nothing if the worker has ended or if the last reply has not been requested. The arguments must
// not change until End. Log records of the command are delivered only by End, so that their order
// is the same as with Do. Until then no other command may be given.
func (p *Process) Begin(o Operation, a *Arguments) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.memory == nil || p.begun.running || p.write(o, a) != nil {
		return false
	}
	p.log.hold()
	b := begun{running: true, operation: o, arguments: a}
	if C.gw_request(p.control, p.peer, &b.number) != 0 {
		p.log.release()
		return false
	}
	p.begun = b
	return true
}

// End waits for the reply to the command of Begin, for at most limit from now on (0: no limit). Its
// errors are the errors of [Process.Do].
func (p *Process) End(limit time.Duration) (Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.end(limit)
}

func (p *Process) end(limit time.Duration) (Reply, error) {
	b := p.begun
	p.begun = begun{}
	if p.memory == nil || !b.running {
		return Reply{}, &DeathError{Cause: ErrEnded, Group: -1}
	}
	p.log.release()
	return p.answer(b.operation, b.arguments, limit,
		C.gw_await(p.control, p.peer, b.number, C.int64_t(limit)))
}

// answer returns the reply to a command, given the result of waiting for it.
func (p *Process) answer(o Operation, a *Arguments, limit time.Duration, result C.int) (Reply,
	error) {
	switch result {
	case C.GW_TIMED_OUT:
		p.kill(ErrTimeout)
		<-p.ended
		return Reply{}, p.death(a, limit)
	case C.GW_DEAD:
		<-p.ended
		return Reply{}, p.death(a, limit)
	}
	return p.read(o, &p.control.reply)
}
