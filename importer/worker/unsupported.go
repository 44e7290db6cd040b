//go:build !(linux && cgo) && !(windows && amd64)

package worker

import "time"

// Supported returns nil if FMUs can be run on this platform.
func Supported() error { return ErrUnsupported }

// Arena represents the memory for messages.
type Arena struct{}

// NewArena fails.
func NewArena() (*Arena, error) { return nil, ErrUnsupported }

// Close does nothing.
func (a *Arena) Close() error { return nil }

// Process represents a worker.
type Process struct{}

// Start fails.
func Start(Options) (*Process, error) { return nil, ErrUnsupported }

// Close does nothing.
func (p *Process) Close() error { return nil }

// Hurry does nothing.
func (p *Process) Hurry() {}

// Kill does nothing.
func (p *Process) Kill() {}

// Ended returns true.
func (p *Process) Ended() bool { return true }

// Do fails.
func (p *Process) Do(Operation, *Arguments, time.Duration) (Reply, error) {
	return Reply{}, ErrUnsupported
}

// NewPlan fails.
func (p *Process) NewPlan([]Group) (*Plan, error) { return nil, ErrUnsupported }

// Plan represents a list of groups.
type Plan struct{}

// Number returns 0.
func (l *Plan) Number() int { return 0 }

// Cells returns nothing.
func (l *Plan) Cells() []uint64 { return nil }

// SetBlob fails.
func (l *Plan) SetBlob(int, []byte) error { return ErrUnsupported }

// Blob fails.
func (l *Plan) Blob(int) ([]byte, error) { return nil, ErrUnsupported }

// Batch represents a sequence of steps.
type Batch struct{}

// NewBatch fails.
func (p *Process) NewBatch(int) (*Batch, error) { return nil, ErrUnsupported }

// Wire does nothing.
func (b *Batch) Wire(int, *Plan, int, *Plan, int, int, bool) {}

// Lay fails.
func (b *Batch) Lay() error { return ErrUnsupported }

// Set does nothing.
func (b *Batch) Set(int, *Arguments) {}

// Do fails.
func (b *Batch) Do(_ int, _ time.Duration, replies []Reply) ([]Reply, error) {
	return replies, ErrUnsupported
}
