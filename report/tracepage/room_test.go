package tracepage

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace/points"
)

// crowd returns a ground truth with many objects; the last one is the host vehicle.
func crowd(n int) *osi3.GroundTruth {
	g := &osi3.GroundTruth{HostVehicleId: &osi3.Identifier{Value: proto.Uint64(uint64(n - 1))}}
	for k := range n {
		at := &osi3.Vector3D{X: proto.Float64(float64(k)), Y: proto.Float64(1)}
		g.MovingObject = append(g.MovingObject, &osi3.MovingObject{
			Id:   &osi3.Identifier{Value: proto.Uint64(uint64(k))},
			Base: &osi3.BaseMoving{Position: at}})
		g.LaneBoundary = append(g.LaneBoundary, &osi3.LaneBoundary{
			BoundaryLine: []*osi3.LaneBoundary_BoundaryPoint{{Position: at}, {Position: at}}})
		g.StationaryObject = append(g.StationaryObject, &osi3.StationaryObject{
			Base: &osi3.BaseStationary{Position: at}})
	}
	return g
}

// TestScene_Room: the page has room for a number of objects, lines and detections at each moment
// and in all, always shows the host vehicle, and states that others are left out.
func TestScene_Room(t *testing.T) {
	t.Parallel()
	const most = 10
	s := newScene(0, most*timebase.Second, 2*most)
	s.room.objects, s.room.boxes = budget{70, 10}, budget{35, 10}
	s.room.road, s.room.lines = budget{40, 40}, budget{25, 8}
	s.truth(0, crowd(10))
	require.NotContains(t, s.shown(), "no room")
	sum, boxes, vertices := 0, 0, 0
	for k := range most {
		at := timebase.Time(k+1) * timebase.Second
		s.truth(at, crowd(1000))
		d := &osi3.SensorData{}
		for _, o := range crowd(1000).GetLaneBoundary() {
			d.LaneBoundary = append(d.LaneBoundary, &osi3.DetectedLaneBoundary{
				BoundaryLine: o.GetBoundaryLine()})
			d.MovingObject = append(d.MovingObject, &osi3.DetectedMovingObject{
				Base: &osi3.BaseMoving{Position: o.GetBoundaryLine()[0].GetPosition()}})
		}
		s.data("radar", at, d)
	}
	s.finish()
	for _, f := range s.Frames[1:] {
		require.GreaterOrEqual(t, f.Host, 0)
		sum += len(f.Objects)/5 - 1 // without the host vehicle
		require.LessOrEqual(t, len(f.Objects)/5, 11)
		for _, l := range f.Seen {
			boxes += len(l.Boxes) / 6
			require.LessOrEqual(t, len(l.Boxes)/6, 10)
			for _, line := range l.Lines {
				vertices += len(line) / 2
			}
		}
	}
	require.Equal(t, 61, sum, "of which the first moment took 9")
	require.Equal(t, 35, boxes)
	require.Equal(t, 24, vertices)
	require.Len(t, s.Lines, 10)
	require.Contains(t, s.shown(), "; there was no room for all objects and lines")
}

// TestScene_ManyClouds: many small clouds share the room for points.
func TestScene_ManyClouds(t *testing.T) {
	t.Parallel()
	s := newScene(0, timebase.Second, 2)
	s.room.points = budget{1000, 500}
	clouds := make([]points.Cloud, 100)
	for k := range clouds {
		clouds[k] = points.Cloud{Kind: "lidar", Index: k, Points: make([]points.Point, 10)}
	}
	s.sensor("lidar")
	var l look
	s.clouds(&l, clouds)
	require.Len(t, l.Clouds, 50)
	require.Contains(t, s.shown(), "not all points are in the page")
}

// TestScene_ManySensors: the page shows a limited number of channels with detections.
func TestScene_ManySensors(t *testing.T) {
	t.Parallel()
	s := newScene(0, timebase.Second, 2)
	for k := range 2 * mostSensors {
		s.data(fmt.Sprint("radar", k), 0, &osi3.SensorData{})
	}
	s.finish()
	require.Len(t, s.Sensors, mostSensors)
	require.True(t, s.crowded)
}
