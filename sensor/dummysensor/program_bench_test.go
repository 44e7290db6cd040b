package dummysensor

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/sensor"
	"gosmp/sensor/replay"
	"gosmp/sensor/simsensor"
	"gosmp/sensor/simsensor/demodrive"
	"gosmp/timebase"
)

const benchStep = 20 * timebase.Millisecond

// BenchmarkClock shows the overhead of the clock, its channels and triggers compared with an
// equivalent hand-written loop: play the rows of a step, hold the newest sample of each sensor, and
// trigger the output.
func BenchmarkClock(b *testing.B) {
	name := filepath.Join(b.TempDir(), "demo.csv")
	var demo bytes.Buffer
	require.NoError(b, demodrive.Write(&demo))
	// Without its end row the demo loops, so that every step has its rows.
	require.NoError(b, os.WriteFile(name, bytes.TrimSuffix(demo.Bytes(), []byte("0\n")), 0o600))
	open := func(b *testing.B) *simsensor.Player {
		player, err := simsensor.Open(name, simsensor.Options{Loop: true})
		require.NoError(b, err)
		b.Cleanup(func() { _ = player.Close() })
		return player
	}
	ways := []func(testing.TB, *simsensor.Player) func(){programSteps, byHandSteps}
	for k, name := range []string{"gosmp", "byhand"} {
		b.Run(name, func(b *testing.B) {
			step := ways[k](b, open(b))
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
	b.Run("difference", func(b *testing.B) {
		benchDifference(b, ways[0](b, open(b)), ways[1](b, open(b)))
	})
}

// benchDifference alternates between the two, so that other load on the computer affects both
// equally. The metric more-ns is the extra cost of a step with the clock, each measured in its
// fastest stretch.
func benchDifference(b *testing.B, ours, byHand func()) {
	const stretch = 3000 // steps: one round of the demo
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	steps := 0
	for b.Loop() {
		if steps++; steps%stretch != 0 {
			continue
		}
		for k, step := range []func(){ours, byHand} {
			began := time.Now()
			for range stretch {
				step()
			}
			best[k] = min(best[k], time.Since(began))
		}
	}
	b.ReportMetric(float64(best[0]-best[1])/stretch, "more-ns")
	b.ReportMetric(0, "ns/op") // would cover both
}

// programSteps performs steps of the program that the FMU runs.
func programSteps(t testing.TB, player *simsensor.Player) func() {
	p, err := newProgram(0, player, nil, handlers{
		detect: func(timebase.Span, []byte) bool { return true },
		emit:   func(timebase.Span, []byte) error { return nil },
	})
	require.NoError(t, err)
	view := []byte{0}
	span := timebase.Span{End: benchStep}
	step := func() {
		if err := p.step(span, view); err != nil {
			t.Fatal(err)
		}
		span.Start, span.End = span.End, span.End+benchStep
	}
	for range 4000 { // one round of the demo, until all stores have reached their final size
		step()
	}
	return step
}

// byHandSteps performs steps of a minimal hand-written loop.
func byHandSteps(t testing.TB, player *simsensor.Player) func() {
	var s replay.Sampler
	var row simsensor.Row
	emit := func(timebase.Span, []byte) error { return nil }
	span := timebase.Span{End: benchStep}
	view := []byte{0}
	return func() {
		for {
			at, ok, err := player.Next(span.End, &row)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			s.Newest, s.Started = at, true
			hold(&s.Samples, &row, at)
		}
		if err := emit(span, view); err != nil {
			t.Fatal(err)
		}
		span.Start, span.End = span.End, span.End+benchStep
	}
}

func hold(s *sensor.Samples, row *simsensor.Row, at timebase.Time) {
	f := func(n int, unit float64) frames.Vector {
		return frames.Vector{X: float64(row.Fields[n]) / unit, Y: float64(row.Fields[n+1]) / unit,
			Z: float64(row.Fields[n+2]) / unit}
	}
	switch row.Kind {
	case simsensor.Accelerometer:
		s.Accelerometer = sensor.Accelerometer{Stamp: sensor.Stamp{Time: at,
			Count: s.Accelerometer.Count + 1}, Vector: f(0, 1e3)}
	case simsensor.Gyroscope:
		s.Gyroscope = sensor.Gyroscope{Stamp: sensor.Stamp{Time: at, Count: s.Gyroscope.Count + 1},
			Rate: f(0, 1e3), DeltaAngle: f(3, 1e6)}
	case simsensor.Magnetometer:
		s.Magnetometer = sensor.Magnetometer{Stamp: sensor.Stamp{Time: at,
			Count: s.Magnetometer.Count + 1}, Vector: f(0, 1e7)}
	case simsensor.Barometer:
		s.Barometer = sensor.Barometer{
			Stamp:    sensor.Stamp{Time: at, Count: s.Barometer.Count + 1},
			Pressure: float64(row.Fields[0]), Temperature: float64(row.Fields[1]),
		}
	case simsensor.Thermometer:
		s.Thermometer = sensor.Thermometer{Stamp: sensor.Stamp{Time: at,
			Count: s.Thermometer.Count + 1}, Temperature: float64(row.Fields[0])}
	case simsensor.GPS:
		s.GPS = sensor.GPS{
			Stamp: sensor.Stamp{Time: at, Count: s.GPS.Count + 1},
			Fix: sensor.Fix{Latitude: float64(row.Fields[1]) / 1e9,
				Longitude: float64(row.Fields[2]) / 1e9, Altitude: float64(row.Fields[0]) / 1e3,
				Velocity: f(8, 1e3), Heading: float64(row.Fields[14]) / 1e3,
				HeadingAccuracy: float64(row.Fields[16]) / 1e3},
		}
	}
}
