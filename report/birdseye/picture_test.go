package birdseye

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

func motorway(t *testing.T) *Snapshot {
	s, err := Motorway(2 * timebase.Second)
	require.NoError(t, err)
	return s
}

func TestMotorway_ShowsSomething(t *testing.T) {
	s := motorway(t)
	require.Len(t, s.View.GlobalGroundTruth.MovingObject, 66)
	require.Greater(t, len(s.Data.MovingObject), 8)
	require.Greater(t, len(s.Data.StationaryObject), 5)
	require.EqualValues(t, 51, s.Data.MovingObjectHeader.GetCycleCounter())
	require.InDelta(t, 1.0, s.Data.MovingObject[0].Header.GetAge(), 1e-9)
}

func TestWrite_Formats(t *testing.T) {
	s := motorway(t)
	var first, second bytes.Buffer
	require.NoError(t, Write(&first, "png", s))
	picture, err := png.Decode(&first)
	require.NoError(t, err)
	require.Greater(t, picture.Bounds().Dx(), picture.Bounds().Dy())

	for _, format := range []string{"png", "svg"} {
		first.Reset()
		second.Reset()
		require.NoError(t, Write(&first, format, s))
		require.NoError(t, Write(&second, format, motorway(t)))
		require.True(t, bytes.Equal(first.Bytes(), second.Bytes()), "%s is reproducible", format)
	}

	first.Reset()
	require.NoError(t, Write(&first, "svg", s))
	require.Contains(t, first.String(), "field of view")
	for x := xml.NewDecoder(&first); ; {
		if _, err := x.Token(); errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	require.NoError(t, Write(io.Discard, "pdf", s))
	require.ErrorContains(t, Write(io.Discard, "doc", s), "format")
}

// TestPlot_OneScale: both axes have the same scale, because otherwise the angle of the field of
// view would be wrong.
func TestPlot_OneScale(t *testing.T) {
	p, err := Plot(motorway(t))
	require.NoError(t, err)
	area := dataArea(p).Size()
	require.InEpsilon(t, float64(area.X)/(p.X.Max-p.X.Min), float64(area.Y)/(p.Y.Max-p.Y.Min), 1e-6)
}

// TestGround_PutsDetectionsOnTheirObjects compares reported positions with the positions in the
// ground truth, in both frames.
func TestGround_PutsDetectionsOnTheirObjects(t *testing.T) {
	for _, frame := range []objects.Frame{objects.SensorFrame, objects.VehicleFrame} {
		s := motorway(t)
		sensor := *s.Sensor
		sensor.Frame, sensor.PositionNoise = frame, 0
		d, err := objects.New(sensor)
		require.NoError(t, err)
		s, err = look(d, s.View, timebase.Span{End: 2 * timebase.Second})
		require.NoError(t, err)
		s.Sensor = &sensor
		g := newGround(s)
		places := map[uint64]*osi3.Vector3D{}
		for _, o := range s.View.GlobalGroundTruth.MovingObject {
			places[o.Id.GetValue()] = o.Base.Position
		}
		require.NotEmpty(t, s.Data.MovingObject)
		for _, o := range s.Data.MovingObject {
			want := g.world(vector(places[o.Header.GroundTruthId[0].GetValue()]))
			got := g.detection(vector(o.Base.Position))
			require.Less(t, math.Hypot(want.X-got.X, want.Y-got.Y), 1e-9)
		}
	}
}

func TestPlot_Empty(t *testing.T) {
	usual := objects.Default()
	s := &Snapshot{View: &osi3.SensorView{}, Data: &osi3.SensorData{}, Sensor: &usual}
	require.NoError(t, Write(io.Discard, "svg", s))
}

// A recorded message is drawn with its content, and without any statement about an unknown sensor.
func TestOfView_AndOfData(t *testing.T) {
	scene := motorway(t)
	s, err := OfView(scene.View)
	require.NoError(t, err)
	require.Equal(t, scene.Host.RearAxle, s.Host.RearAxle)
	text := writing(t, s)
	require.Contains(t, text, "SensorView at t = 2.00 s: 66 moving and 41 stationary objects")
	require.Contains(t, text, " moving object (truth)")
	require.NotContains(t, text, " field of view")

	scene.Data.SensorView = []*osi3.SensorView{scene.View}
	s, err = OfData(scene.Data)
	require.NoError(t, err)
	text = writing(t, s)
	require.Contains(t, text, " detected moving object, tracking id")
	require.Contains(t, text,
		"In the SensorView that it contains: 66 moving and 41 stationary objects.")
	scene.Data.SensorView = nil
	s, err = OfData(scene.Data)
	require.NoError(t, err)
	require.Contains(t, writing(t, s), "It contains no SensorView: the truth is not known.")
	require.NotContains(t, writing(t, s), " moving object (truth)")
}

// Without a host vehicle, the picture uses the world's axes, is centered on the first object, and
// contains all objects.
func TestOfView_WithoutHost(t *testing.T) {
	at := func(x, y float64) *osi3.MovingObject {
		return &osi3.MovingObject{Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: &x, Y: &y}}}
	}
	view := &osi3.SensorView{GlobalGroundTruth: &osi3.GroundTruth{MovingObject: []*osi3.MovingObject{at(5000, -900), at(5060, -800)}}}
	s, err := OfView(view)
	require.NoError(t, err)
	l, err := compose(s)
	require.NoError(t, err)
	for _, p := range s.places(l.ground) {
		require.True(t, p.X > l.plot.X.Min && p.X < l.plot.X.Max && p.Y > l.plot.Y.Min &&
			p.Y < l.plot.Y.Max, "%v", p)
	}
	require.Contains(t, l.plot.X.Label.Text, "along the axes of the world")
}
