//go:build !(linux && cgo) && !(windows && amd64)

package worker

import (
	"errors"
	"time"
)

// UpdatesWithin reports whether FMI 3.0 FMUs get a callback for intermediate updates.
const UpdatesWithin = false

// Overlaps reports whether several processes can execute commands at the same time: Begin works.
const Overlaps = false

// Copies reports whether [Process.Copy] works on this platform.
const Copies = false

// ErrUnlike is never reported here.
var ErrUnlike = errors.New("processes cannot be copied on this platform")

// StartOriginal fails.
func StartOriginal(Options) (*Process, error) { return nil, ErrUnsupported }

// Copy fails.
func (p *Process) Copy(Options, time.Duration) (*Process, error) { return nil, ErrUnsupported }

// Supported returns nil if FMUs can be run on this platform.
func Supported() error { return ErrUnsupported }

// Arena stands for the memory of messages.
type Arena struct{}

// NewArena fails.
func NewArena() (*Arena, error) { return nil, ErrUnsupported }

// Close does nothing.
func (a *Arena) Close() error { return nil }

// Process stands for a worker.
type Process struct{}

// Start fails.
func Start(Options) (*Process, error) { return nil, ErrUnsupported }

// Close does nothing.
func (p *Process) Close() error { return nil }

// Kill does nothing.
func (p *Process) Kill() {}

// Rest does nothing.
func (p *Process) Rest() {}

// Wake does nothing.
func (p *Process) Wake() {}

// Ended returns true.
func (p *Process) Ended() bool { return true }

// Do fails.
func (p *Process) Do(Operation, *Arguments, time.Duration) (Reply, error) {
	return Reply{}, ErrUnsupported
}

// Begin begins nothing.
func (p *Process) Begin(Operation, *Arguments) bool { return false }

// End fails.
func (p *Process) End(time.Duration) (Reply, error) { return Reply{}, ErrUnsupported }

// NewPlan fails.
func (p *Process) NewPlan([]Group) (*Plan, error) { return nil, ErrUnsupported }

// Plan stands for a list of groups.
type Plan struct{}

// Number returns 0.
func (l *Plan) Number() int { return 0 }

// Cells returns nothing.
func (l *Plan) Cells() []uint64 { return nil }

// SetBlob fails.
func (l *Plan) SetBlob(int, []byte) error { return ErrUnsupported }

// Blob fails.
func (l *Plan) Blob(int) ([]byte, error) { return nil, ErrUnsupported }

// Batch stands for a sequence of steps.
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

// Stream stands for a row of steps that a worker makes ahead of the host.
type Stream struct{}

// NewStream fails.
func (p *Process) NewStream([]*Arguments) (*Stream, error) { return nil, ErrUnsupported }

// Wire does nothing.
func (s *Stream) Wire(int, *Plan, int, *Plan, int, int, bool) {}

// Lay fails.
func (s *Stream) Lay() error { return ErrUnsupported }

// Start begins nothing.
func (s *Stream) Start(int64, func(int64) (time, length float64)) bool { return false }

// Reply reports no step.
func (s *Stream) Reply(int64, int, time.Duration) (r Reply, cells []uint64, made bool, err error) {
	return r, nil, false, nil
}

// Stop does nothing.
func (s *Stream) Stop(time.Duration) (r Reply, lane int, err error) { return r, 0, nil }

// BlobIn fails.
func (l *Plan) BlobIn([]uint64, int) ([]byte, error) { return nil, ErrUnsupported }
