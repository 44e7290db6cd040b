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
	accelerometer *activity.Reader[sensor.Accelerometer]
	barometer     *activity.Reader[sensor.Barometer]
	gps           *activity.Reader[sensor.GPS]
	gyroscope     *activity.Reader[sensor.Gyroscope]
	magnetometer  *activity.Reader[sensor.Magnetometer]
	thermometer   *activity.Reader[sensor.Thermometer]
}

// memory is the state of a sampler. Its size is fixed, because it is part of saved states.
type memory struct {
	Samples sensor.Samples
	Newest  timebase.Time // of the newest sample
	Started bool          // there has been a sample
	First   sensor.GPS    // the first fix, origin of the local map
}

// NewSampler returns a sampler of the sensors of a node, as a part of module m. It reads what is
// written from now on, from the first source if there are several.
func NewSampler(m *activity.Module) *Sampler {
	c := sensor.OpenChannels(m.Node())
	spec := activity.ReaderSpec{Mode: activity.ReadAllData, Kind: activity.Event}
	return &Sampler{
		accelerometer: c.Accelerometer.Reader(m, spec),
		barometer:     c.Barometer.Reader(m, spec),
		gps:           c.GPS.Reader(m, spec),
		gyroscope:     c.Gyroscope.Reader(m, spec),
		magnetometer:  c.Magnetometer.Reader(m, spec),
		thermometer:   c.Thermometer.Reader(m, spec),
	}
}

// Take reads every event stamped at or before until. It keeps the newest of each sensor and counts
// all.
func (s *Sampler) Take(until timebase.Time) {
	n := &s.Samples
	take(s, s.accelerometer, &n.Accelerometer, &n.Accelerometer.Stamp, until)
	take(s, s.barometer, &n.Barometer, &n.Barometer.Stamp, until)
	s.takeFixes(until)
	take(s, s.gyroscope, &n.Gyroscope, &n.Gyroscope.Stamp, until)
	take(s, s.magnetometer, &n.Magnetometer, &n.Magnetometer.Stamp, until)
	take(s, s.thermometer, &n.Thermometer, &n.Thermometer.Stamp, until)
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

// takeFixes is take for fixes; it also keeps the first fix with a position.
func (s *Sampler) takeFixes(until timebase.Time) {
	newest := &s.Samples.GPS
	for !s.First.HasFix() {
		d, ok := s.gps.Read(until)
		if !ok {
			return
		}
		d.Value.Stamp = s.following(newest.Stamp, d.Span.Start, 1)
		if *newest = d.Value; newest.HasFix() {
			s.First = d.Value
		}
	}
	take(s, s.gps, newest, &newest.Stamp, until)
}

// following returns the stamp of the newest of count samples that follow the stamp last.
func (s *Sampler) following(last sensor.Stamp, at timebase.Time, count int) sensor.Stamp {
	if !s.Started || at > s.Newest {
		s.Newest, s.Started = at, true
	}
	return sensor.Stamp{Time: at, Count: last.Count + int64(count)}
}

// AppendState appends the state of the sampler.
func (s *Sampler) AppendState(b []byte) []byte { return state.AppendFixed(b, &s.memory) }

// RestoreState restores what AppendState has appended and returns the rest of b.
func (s *Sampler) RestoreState(b []byte) (rest []byte, err error) {
	if rest, err = state.DecodeFixed(b, &s.memory); err != nil {
		return nil, fmt.Errorf("newest samples: %w", err)
	}
	return rest, nil
}
