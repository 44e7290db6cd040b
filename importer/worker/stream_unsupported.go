//go:build !(linux && cgo)

package worker

import "time"

// Stream represents a sequence of steps that a worker takes before the host asks for them.
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
