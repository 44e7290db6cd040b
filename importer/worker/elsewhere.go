//go:build !(linux && cgo)

package worker

import (
	"errors"
	"time"
)

// This file has stand-ins for what only workers on Linux can do: copies of processes, and several
// processes at work at the same time.

// UpdatesWithin reports whether FMI 3.0 FMUs receive a callback for intermediate updates.
const UpdatesWithin = false

// Overlaps reports whether several processes can execute commands concurrently, so that Begin
// works.
const Overlaps = false

// Copies reports whether [Process.Copy] works on this platform.
const Copies = false

// ErrUnlike is never reported here.
var ErrUnlike = errors.New("processes cannot be copied on this platform")

// StartOriginal fails.
func StartOriginal(Options) (*Process, error) { return nil, ErrUnsupported }

// Begin begins nothing, because each command is waited for.
func (p *Process) Begin(Operation, *Arguments) bool { return false }

// Copy fails.
func (p *Process) Copy(Options, time.Duration) (*Process, error) { return nil, ErrUnsupported }

// Note fails.
func (p *Process) Note(bool, time.Duration) error { return ErrUnsupported }

// Renew fails.
func (p *Process) Renew(time.Duration) error { return ErrUnsupported }

// Drain does nothing.
func (p *Process) Drain() bool { return false }

// Rest does nothing.
func (p *Process) Rest() {}

// Wake does nothing.
func (p *Process) Wake() {}

// End fails.
func (p *Process) End(time.Duration) (Reply, error) { return Reply{}, ErrUnsupported }
