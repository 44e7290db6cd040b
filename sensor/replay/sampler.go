package replay

import (
	"encoding/binary"
	"fmt"

	"gosmp/sensor"
	"gosmp/timebase"
)

// Sampler is the consumer: it takes every event of the sensors in its turn and holds the newest sample of each.
type Sampler struct {
	memory
	accelerometer *timebase.Reader[sensor.Accelerometer]
	barometer     *timebase.Reader[sensor.Barometer]
	gps           *timebase.Reader[sensor.GPS]
	gyroscope     *timebase.Reader[sensor.Gyroscope]
	magnetometer  *timebase.Reader[sensor.Magnetometer]
	thermometer   *timebase.Reader[sensor.Thermometer]
}

// memory is what a sampler remembers. It is of fixed size, because it is part of saved states.
type memory struct {
	Samples sensor.Samples
	Newest  timebase.Time // of the newest sample
	Started bool          // there has been a sample
	First   sensor.GPS    // the first fix, origin of the local map
}

// NewSampler makes the sampler of the sensors of a node, as a part of module m. It gets what is written from now on, of the first
// source if there are several.
func NewSampler(m *timebase.Module) *Sampler {
	c := sensor.OpenChannels(m.Node())
	spec := timebase.ReaderSpec{Mode: timebase.ReadAllData, Kind: timebase.Event}
	return &Sampler{
		accelerometer: c.Accelerometer.Reader(m, spec),
		barometer:     c.Barometer.Reader(m, spec),
		gps:           c.GPS.Reader(m, spec),
		gyroscope:     c.Gyroscope.Reader(m, spec),
		magnetometer:  c.Magnetometer.Reader(m, spec),
		thermometer:   c.Thermometer.Reader(m, spec),
	}
}

// Take reads every event stamped at or before until: the newest of each sensor stays, all are counted.
func (s *Sampler) Take(until timebase.Time) {
	n := &s.Samples
	for d, ok := s.accelerometer.Read(until); ok; d, ok = s.accelerometer.Read(until) {
		d.Value.Stamp = s.following(n.Accelerometer.Stamp, d.Span.Start)
		n.Accelerometer = d.Value
	}
	for d, ok := s.barometer.Read(until); ok; d, ok = s.barometer.Read(until) {
		d.Value.Stamp = s.following(n.Barometer.Stamp, d.Span.Start)
		n.Barometer = d.Value
	}
	for d, ok := s.gps.Read(until); ok; d, ok = s.gps.Read(until) {
		d.Value.Stamp = s.following(n.GPS.Stamp, d.Span.Start)
		n.GPS = d.Value
		if !s.First.Known() {
			s.First = d.Value
		}
	}
	for d, ok := s.gyroscope.Read(until); ok; d, ok = s.gyroscope.Read(until) {
		d.Value.Stamp = s.following(n.Gyroscope.Stamp, d.Span.Start)
		n.Gyroscope = d.Value
	}
	for d, ok := s.magnetometer.Read(until); ok; d, ok = s.magnetometer.Read(until) {
		d.Value.Stamp = s.following(n.Magnetometer.Stamp, d.Span.Start)
		n.Magnetometer = d.Value
	}
	for d, ok := s.thermometer.Read(until); ok; d, ok = s.thermometer.Read(until) {
		d.Value.Stamp = s.following(n.Thermometer.Stamp, d.Span.Start)
		n.Thermometer = d.Value
	}
}

// following stamps a sample that comes after the one stamped s.
func (s *Sampler) following(last sensor.Stamp, at timebase.Time) sensor.Stamp {
	if !s.Started || at > s.Newest {
		s.Newest, s.Started = at, true
	}
	return sensor.Stamp{Time: at, Count: last.Count + 1}
}

// AppendState appends what the sampler remembers.
func (s *Sampler) AppendState(b []byte) []byte {
	b, err := binary.Append(b, binary.LittleEndian, &s.memory)
	if err != nil {
		panic(err) // only a field of variable size could be the reason, and memory has none
	}
	return b
}

// RestoreState takes back what AppendState has appended and returns the rest of b.
func (s *Sampler) RestoreState(b []byte) (rest []byte, err error) {
	n, err := binary.Decode(b, binary.LittleEndian, &s.memory)
	if err != nil {
		return nil, fmt.Errorf("newest samples: %w", err)
	}
	return b[n:], nil
}
