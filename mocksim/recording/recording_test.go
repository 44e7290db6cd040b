package recording_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/recording"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

const ms = timebase.Millisecond

func world(t testing.TB) *mocksim.World {
	m, err := opendrive.ReadFile("../testdata/ring.xodr")
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// drive records a drive around the ring, and returns the true state at each step.
func drive(t testing.TB, o recording.Options, seconds int) (file []byte, truth []mocksim.State) {
	w := world(t)
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: mocksim.OnRoad("1", -1, 20)}))
	require.NoError(t, w.SetController("ego", mocksim.Controller{Driver: mocksim.Driver{Speed: 9}}))
	o.Host = "ego"
	var b bytes.Buffer
	r, err := recording.New(w, o, &b)
	require.NoError(t, err)
	ego, err := w.Actor("ego")
	require.NoError(t, err)
	truth = append(truth, ego.State())
	for range seconds * 100 {
		_, err := w.Step(10 * ms)
		require.NoError(t, err)
		require.NoError(t, r.Sample())
		truth = append(truth, ego.State())
	}
	require.NoError(t, r.Close())
	return b.Bytes(), truth
}

// play reads a recording in strict mode, and calls f for each row.
func play(t testing.TB, file []byte, f func(at timebase.Time, row *simsensor.Row)) {
	p, err := simsensor.OpenBytes("drive.csv", file, simsensor.Options{Unit: simsensor.Milliseconds,
		Strict: true,
		Warn:   func(p simsensor.Problem) { t.Errorf("warning: %v", &p) }})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	for {
		var row simsensor.Row
		at, ok, err := p.Next(timebase.EndOfTime, &row)
		require.NoError(t, err)
		if !ok {
			return
		}
		f(at, &row)
	}
}

func TestDrive_ReplayedMeetsTheTruth(t *testing.T) {
	file, truth := drive(t, recording.Options{}, 60)
	m, err := opendrive.ReadFile("../testdata/ring.xodr")
	require.NoError(t, err)
	geo, err := m.Header.Projection()
	require.NoError(t, err)
	mercator := geo.(interface {
		Position(latitude, longitude float64) (easting, northing float64)
	})
	position, velocity := truth[0].Position, frames.Vector{}
	attitude := truth[0].Orientation
	counts := map[simsensor.Kind]int{}
	var last timebase.Time
	var turned float64
	var force frames.Vector
	play(t, file, func(at timebase.Time, row *simsensor.Row) {
		counts[row.Kind]++
		s := truth[at/(10*ms)]
		f := &row.Fields
		switch row.Kind {
		case simsensor.GPS:
			x, y := mercator.Position(float64(f[simsensor.GPSLatitude])*1e-9,
				float64(f[simsensor.GPSLongitude])*1e-9)
			require.InDelta(t, s.Position.X, x, 2e-3)
			require.InDelta(t, s.Position.Y, y, 2e-3)
			require.InDelta(t, s.Velocity.Y, float64(f[simsensor.GPSVelocityNorth])*1e-3, 2e-3)
		case simsensor.Gyroscope:
			turned = float64(f[simsensor.GyroscopeDeltaZ]) * 1e-6
			yaw := truth[0].Orientation.Yaw - turned // down is clockwise
			require.InDelta(t, 0, frames.WrapAngle(yaw-s.Orientation.Yaw), 2e-3,
				"jumps of curvature are not resolved by steps")
			attitude.Yaw = yaw
		case simsensor.Accelerometer:
			now := frames.RotateZ(frames.Vector{X: float64(f[0]) * 1e-3, Y: -float64(f[1]) * 1e-3},
				s.Orientation.Yaw)
			h := (at - last).Seconds()
			mean := force.Add(now).Scale(0.5)
			position = position.Add(velocity.Scale(h)).Add(mean.Scale(h * h / 2))
			velocity = velocity.Add(mean.Scale(h))
			last, force = at, now
			require.InDelta(t, -9807, f[2], 1)
		}
	})
	end := truth[len(truth)-1].Position
	require.InDelta(t, 0, math.Hypot(end.X-position.X, end.Y-position.Y), 2,
		"twice integrated over 60 s")
	require.Equal(t,
		map[simsensor.Kind]int{simsensor.Accelerometer: 6001, simsensor.Gyroscope: 6001,
			simsensor.Magnetometer: 1501, simsensor.Barometer: 601, simsensor.GPS: 301,
			simsensor.Thermometer: 61}, counts)
}

// rows returns the first rows of the inertial sensors for a motion.
func rows(t *testing.T, start mocksim.Start, pedals *mocksim.Controls) string {
	w := world(t)
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: start}))
	if pedals != nil {
		_, err := w.SetControls("ego", mocksim.Drive{Controls: []mocksim.Controls{*pedals}})
		require.NoError(t, err)
	}
	var b bytes.Buffer
	r, err := recording.New(w, recording.Options{Host: "ego"}, &b)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	var parts []string
	for _, line := range strings.Split(b.String(), "\n") {
		for _, id := range []string{"1,0,", "8,0,", "16,0,"} {
			if rest, ok := strings.CutPrefix(line, id); ok {
				parts = append(parts, rest)
			}
		}
	}
	return strings.Join(parts, " / ")
}

func TestRows_MeetFiguresAtRest(t *testing.T) {
	flat := mocksim.AtPosition(100, 60)
	require.Equal(t, "0,0,-9807 / 0,0,0,0,0,0 / 13,-206,437", rows(t, flat.Facing(0), nil))
	tilted := flat.Facing(0.3)
	tilted.Angles.Pitch, tilted.Given = -0.1, tilted.Given|mocksim.FieldPitch
	require.Equal(t, "979,0,-9758 / 0,0,0,0,0,0 / 29,-193,442", rows(t, tilted, nil))
}

func TestNoise_IsSeeded(t *testing.T) {
	o := recording.Options{Seed: 1, Accelerometer: recording.Imperfection{Noise: 0.05, Bias: 0.1}}
	a, _ := drive(t, o, 20)
	b, _ := drive(t, o, 20)
	require.Equal(t, a, b)
	o.Seed = 2
	c, _ := drive(t, o, 20)
	require.NotEqual(t, a, c)
	clean, _ := drive(t, recording.Options{}, 20)
	var with, without []float64
	play(t, a, func(_ timebase.Time, row *simsensor.Row) {
		if row.Kind == simsensor.Accelerometer {
			with = append(with, float64(row.Fields[2]))
		}
	})
	play(t, clean, func(_ timebase.Time, row *simsensor.Row) {
		if row.Kind == simsensor.Accelerometer {
			without = append(without, float64(row.Fields[2]))
		}
	})
	mean, square := 0.0, 0.0
	for k := range with {
		d := (with[k] - without[k]) / 1000
		mean += d
		square += d * d
	}
	mean /= float64(len(with))
	require.InDelta(t, 0.1, mean, 0.01)
	require.InDelta(t, 0.05, math.Sqrt(square/float64(len(with))-mean*mean), 0.005)
}

func TestNew_AsksForAnOrigin(t *testing.T) {
	m, err := opendrive.Read("bare.xodr",
		strings.NewReader(fmt.Sprintf(`<OpenDRIVE><header revMajor="1" revMinor="8"/>
<road id="1" length="100" junction="-1"><planView><geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0"/></center><right><lane id="-1" type="driving"><width a="%g"/></lane></right></laneSection></lanes></road></OpenDRIVE>`, 3.5)))
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{})
	require.NoError(t, err)
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: mocksim.OnRoad("1", -1, 50)}))
	_, err = recording.New(w, recording.Options{Host: "ego"}, &bytes.Buffer{})
	require.ErrorContains(t, err, "Options.Origin")
	_, err = recording.New(w, recording.Options{Host: "ego", Origin: &frames.Geodetic{Latitude: 48,
		Longitude: 11}}, &bytes.Buffer{})
	require.NoError(t, err)
	_, err = recording.New(w, recording.Options{Host: "nobody"}, &bytes.Buffer{})
	require.ErrorIs(t, err, mocksim.ErrActor)
}
