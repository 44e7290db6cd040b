package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"gosmp/model"
	"gosmp/timebase"
)

// imu is the model.
type imu struct {
	seed                     int32
	accelerometer, gyroscope triad
	source                   rand.PCG
}

// Setup starts the random numbers.
func (m *imu) Setup(model.Environment) error {
	m.source.Seed(uint64(m.seed), 0)
	return nil
}

// Step measures.
func (m *imu) Step(span timebase.Span) error {
	random, h := rand.New(&m.source), span.Length().Seconds()
	m.accelerometer.measure(random, h)
	m.gyroscope.measure(random, h)
	return nil
}

// Snapshot implements [model.Snapshotter]: the biases and the state of the random numbers.
func (m *imu) Snapshot(b []byte) ([]byte, error) {
	b, err := binary.Append(b, binary.LittleEndian,
		[2]axes{m.accelerometer.walked, m.gyroscope.walked})
	if err != nil {
		return nil, err
	}
	return m.source.AppendBinary(b)
}

// Restore implements [model.Snapshotter].
func (m *imu) Restore(b []byte) error {
	var walked [2]axes
	n, err := binary.Decode(b, binary.LittleEndian, &walked)
	if err == nil {
		err = m.source.UnmarshalBinary(b[n:])
	}
	if err != nil {
		return fmt.Errorf("state of %d bytes: %w", len(b), err)
	}
	m.accelerometer.walked, m.gyroscope.walked = walked[0], walked[1]
	return nil
}

// axes are a quantity along x, y and z.
type axes [3]float64

// triad is a sensor with three axes.
type triad struct {
	truth, measured, bias, walked                  axes
	scaleError, noise, biasWalk, limit, resolution float64
	saturated                                      bool
}

// declare adds the variables of a sensor, with the values that t has as start values.
func (t *triad) declare(d *model.Declaration, input, output, unit string) {
	const most = 1e4 // in any unit, rules out absurd values
	names := [...]string{".x", ".y", ".z"}
	for k, axis := range names {
		model.PlainInput(d, &t.truth[k], input+axis, t.truth[k], "true value", model.Unit(unit),
			model.Continuous())
	}
	for k, axis := range names {
		model.PlainOutput(d, &t.measured[k], output+axis, "measured value", model.Unit(unit))
	}
	model.PlainOutput(d, &t.saturated, output+".saturated",
		"an axis is held at the limit of the range")
	for k, axis := range names {
		model.Parameter(d, &t.bias[k], output+".bias"+axis, 0, "constant error", model.Unit(unit),
			model.Min(-most), model.Max(most))
	}
	model.Parameter(d, &t.scaleError, output+".scaleError", 0,
		"ratio of measured to true change, less 1", model.Unit("1"), model.Min(-1), model.Max(1))
	for _, p := range []struct {
		at                *float64
		name, description string
		least             float64
	}{
		{&t.noise, "noise", "white noise: its Allan deviation at 1 s", 0},
		{&t.biasWalk, "biasWalk", "random walk of the bias: its standard deviation after 1 s", 0},
		{&t.limit, "range", "largest value that can be measured, in both directions", 1e-6},
		{&t.resolution, "resolution", "step from one value to the next, 0 for none", 0},
	} {
		model.Parameter(d, p.at, output+"."+p.name, *p.at, p.description, model.Unit(unit),
			model.Min(p.least), model.Max(most))
	}
}

// measure takes one sample after h seconds. The conversions round products, so that no platform
// fuses them with additions.
func (t *triad) measure(random *rand.Rand, h float64) {
	t.saturated = false
	for k := range t.measured {
		t.walked[k] += float64(t.biasWalk * math.Sqrt(h) * random.NormFloat64())
		noise := float64(t.noise / math.Sqrt(h) * random.NormFloat64())
		m := float64((1+t.scaleError)*t.truth[k]) + t.bias[k] + t.walked[k] + noise
		if t.resolution > 0 {
			m = math.RoundToEven(m/t.resolution) * t.resolution
		}
		t.saturated = t.saturated || math.Abs(m) > t.limit
		t.measured[k] = max(-t.limit, min(t.limit, m))
	}
}
