//go:build linux && cgo

package worker

// #include "worker.h"
import "C"

import (
	"errors"
	"fmt"
	"time"
)

// Note notes the state of a worker that has loaded a library, so that [Process.Renew] can compare
// it with the state after an instance. If the library contains a language runtime, its variables,
// threads and, after the first instance, open files are not compared.
func (p *Process) Note(runtime bool, limit time.Duration) error {
	a := Arguments{}
	if runtime {
		a.Count = 1
	}
	r, err := p.Do(C.GW_NOTE, &a, limit)
	if err == nil && r.Status != 0 {
		err = fmt.Errorf("%w: %s", ErrUnlike, r.Reason)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mark = p.next
	return err
}

// Renew prepares a worker for another instance after [Free]: all plans become invalid. It fails
// with [ErrUnlike] if the instance has left something behind.
func (p *Process) Renew(limit time.Duration) error {
	r, err := p.Do(C.GW_RENEW, &Arguments{}, limit)
	switch {
	case err != nil:
		return err
	case r.Status != 0:
		return fmt.Errorf("%w: %s", ErrUnlike, r.Reason)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream != nil || p.begun.running {
		return errors.New("a command of the previous instance is running")
	}
	p.next, p.plans, p.texts = p.mark, 0, nil
	return nil
}

// Drain delivers everything that the worker has printed so far, including an incomplete last line.
// It reports whether this is possible, as it is for copies.
func (p *Process) Drain() bool {
	if p.shown == nil {
		return false
	}
	p.shown.deliver()
	p.printed.flush()
	p.printed.forget()
	return true
}
