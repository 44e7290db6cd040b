package replay

import (
	"fmt"

	"gosmp/internal/state"
	"gosmp/sensor"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// Sampler is the consumer: it reads every event of the sensors in order and holds the newest sample
// of each.
type Sampler struct {
	memory
	readers []func(s *Sampler, until timebase.Time) // in the order of [simsensor.Kinds]
}

// memory is the state of a sampler. Its size is fixed, because it is part of saved states.
type memory struct {
	Samples sensor.Samples
	Newest  timebase.Time // of the newest sample
	Started bool          // a sample was received
	First   sensor.GPS    // the first fix, origin of the local map
}

// NewSampler returns a sampler of the sensors of a node, as a part of module m. It reads
// subsequently written events, from the first source if there are several.
func NewSampler(m *activity.Module) *Sampler {
	openChannels(m.Node())
	s := &Sampler{}
	for _, x := range sensors {
		s.readers = append(s.readers, x.reader(m))
	}
	return s
}

// Take reads every event stamped at or before until. It keeps the newest event of each sensor and
// counts all events.
func (s *Sampler) Take(until timebase.Time) {
	for _, read := range s.readers {
		read(s, until)
	}
}

// take reads the events of one sensor into its newest sample, whose stamp is part of it.
func take[T any](
	s *Sampler,
	r *activity.Reader[T],
	newest *T,
	stamp *sensor.Stamp,
	until timebase.Time,
) {
	last := *stamp
	if span, count := r.Drain(until, newest); count > 0 {
		*stamp = s.following(last, span.Start, count)
	}
}

// takeFixes is like take for fixes; it also keeps the first fix with a position.
func takeFixes(s *Sampler, r *activity.Reader[sensor.GPS], until timebase.Time) {
	newest := &s.Samples.GPS
	for !s.First.HasFix() {
		d, ok := r.Read(until)
		if !ok {
			return
		}
		d.Value.Stamp = s.following(newest.Stamp, d.Span.Start, 1)
		if *newest = d.Value; newest.HasFix() {
			s.First = d.Value
		}
	}
	take(s, r, newest, &newest.Stamp, until)
}

// following returns the stamp of the newest of count samples that follow the stamp last.
func (s *Sampler) following(last sensor.Stamp, at timebase.Time, count int) sensor.Stamp {
	if !s.Started || at > s.Newest {
		s.Newest, s.Started = at, true
	}
	return sensor.Stamp{Time: at, Count: last.Count + int64(count)}
}

// Forget drops all samples, as if there had been none.
func (s *Sampler) Forget() { s.memory = memory{} }

// AppendState appends the state of the sampler.
func (s *Sampler) AppendState(b []byte) []byte { return state.AppendFixed(b, &s.memory) }

// RestoreState restores what AppendState appended and returns the remainder of b.
func (s *Sampler) RestoreState(b []byte) (rest []byte, err error) {
	if rest, err = state.DecodeFixed(b, &s.memory); err != nil {
		return nil, fmt.Errorf("newest samples: %w", err)
	}
	return rest, nil
}
