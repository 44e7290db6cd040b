package birdseye

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// writing returns all texts in the picture, in order.
func writing(t *testing.T, s *Snapshot) []string {
	var svg bytes.Buffer
	require.NoError(t, Write(&svg, "svg", s))
	var texts []string
	for x := xml.NewDecoder(&svg); ; {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var text string
			require.NoError(t, x.DecodeElement(&text, &start))
			texts = append(texts, text)
		}
	}
}

// TestWrite_ShowsTheSensor: the caption shows how the sensor differs from the default.
func TestWrite_ShowsTheSensor(t *testing.T) {
	s := motorway(t)
	text := writing(t, s)
	require.Contains(t, text, "Sensor: half angle 40°, range 148.5 m, occlusion, "+
		"noise of 0.3 m and 0.3 m/s (standard deviation of a coordinate).")
	require.Contains(t, text,
		"The default sensor, for comparison: half angle 30°, range 148.5 m, no "+
			"occlusion, no noise.")
	require.Contains(t, text, " motion relative to the host vehicle in 1 s")
	require.Contains(t, text, " in view, hidden behind others")
	for _, tick := range []string{"−25", "0", "25", "150"} {
		require.Contains(t, text, tick)
	}

	s.Sensor.DetectionProbability, s.Sensor.DropoutProbability, s.Sensor.DropoutCycles = 0.9,
		0.05, 3
	text = writing(t, s)
	require.Contains(t, text, " in view, not detected")
	require.Contains(t, describe(s.Sensor),
		"detection probability 0.9, dropout probability 0.05 for 3 cycles")

	usual := objects.Default()
	s.Sensor = &usual
	for _, text := range writing(t, s) {
		require.NotContains(t, text, "for comparison")
	}
}

// TestSighted compares the objects marked as hidden with the geometry: they are in the cone, but
// not detected.
func TestSighted(t *testing.T) {
	s := motorway(t)
	inView, err := s.lookAll()
	require.NoError(t, err)
	detected := map[uint64]bool{}
	for _, o := range s.Data.MovingObject {
		detected[o.Header.GroundTruthId[0].GetValue()] = true
	}
	axes := s.Host.Pose.Orientation.Rotation()
	vehicle := frames.Observer{}
	vehicle.Face(s.Host.RearAxle, &axes)
	require.Zero(t, s.Mounting.Orientation)
	missed := 0
	for _, o := range s.View.GlobalGroundTruth.MovingObject {
		id := o.Id.GetValue()
		arm := vehicle.SeenPosition(vector(o.Base.Position)).Sub(s.Mounting.Position)
		inCone := arm.Length() < s.Sensor.Range() && arm.X > arm.Length()*math.Cos(
			s.Sensor.HalfAngle)
		require.Equal(t, inCone && id != s.Host.ID && !detected[id],
			inView.missed(objects.MovingObject, o.Id), "object %d", id)
		if inView.missed(objects.MovingObject, o.Id) {
			missed++
		}
	}
	require.NotZero(t, missed)
	require.NotZero(t, len(detected))
}

// TestPlot_NamesAreReadable: no tracking id overlaps another one, a mark or an arrow, or extends
// beyond the picture.
func TestPlot_NamesAreReadable(t *testing.T) {
	for at := 2 * timebase.Second; at <= 8*timebase.Second; at += timebase.Second {
		s, err := Motorway(at)
		require.NoError(t, err)
		drawing, err := compose(s)
		require.NoError(t, err)
		c := dataArea(drawing.plot)
		x, y := drawing.plot.Transforms(&c)
		boxes := drawing.ids.places(&c, drawing.plot)
		require.NotEmpty(t, boxes)
		hard := drawing.ids.obstacles(func(v plotter.XY) vg.Point {
			return vg.Point{X: x(v.X), Y: y(v.Y)}
		}).hard
		for k, box := range boxes {
			require.True(t, c.Contains(box.Min) && c.Contains(box.Max), "%s at %v",
				drawing.ids.texts[k], at)
			for _, other := range append(boxes[k+1:len(boxes):len(boxes)], hard...) {
				require.Zero(t, overlap(box, other), "%s at %v", drawing.ids.texts[k], at)
			}
		}
	}
}

func TestRoundTicks(t *testing.T) {
	labels := func(ticks []plot.Tick) (all []string) {
		for _, k := range ticks {
			if k.Label != "" {
				all = append(all, k.Label)
			}
		}
		return all
	}
	require.Equal(t, []string{"−25", "0", "25", "50", "75", "100", "125", "150"},
		labels(roundTicks(187).Ticks(-29.7, 157.4)))
	require.Equal(t, []string{"0", "5", "10"}, labels(roundTicks(40).Ticks(-4, 14)))
	require.Equal(t, []string{"0", "0.1"}, labels(roundTicks(0).Ticks(-0.02, 0.15)))
}

// TestPlot_Refuses covers invalid sensors and invalid views.
func TestPlot_Refuses(t *testing.T) {
	s := motorway(t)
	s.Sensor.HalfAngle = 4
	require.ErrorIs(t, Write(io.Discard, "png", s), objects.ErrConfig)
	usual := objects.Default()
	s.Sensor = &usual
	s.View = &osi3.SensorView{}
	require.NoError(t, Write(io.Discard, "png", s))
}
