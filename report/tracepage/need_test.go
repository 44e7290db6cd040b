package tracepage_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/report/tracepage"
	"gosmp/timebase"
)

// TestWrite_LateMap: a map is drawn once, even if it comes between the moments of the scene.
func TestWrite_LateMap(t *testing.T) {
	content := written(t, "world", "gt", 60, func(at timebase.Time) proto.Message {
		g := &osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(at),
			MovingObject: []*osi3.MovingObject{{Id: message.ID(7), Base: &osi3.BaseMoving{
				Position: &osi3.Vector3D{X: proto.Float64(at.Seconds())}}}}}
		if at == timebase.Second/2 || at == 10*timebase.Second {
			g.LaneBoundary = []*osi3.LaneBoundary{{BoundaryLine: []*osi3.LaneBoundary_BoundaryPoint{
				{Position: &osi3.Vector3D{}}, {Position: &osi3.Vector3D{X: proto.Float64(5)}}}}}
			g.StationaryObject = []*osi3.StationaryObject{{Id: message.ID(8),
				Base: &osi3.BaseStationary{Position: &osi3.Vector3D{Y: proto.Float64(3)}}}}
		}
		return g
	})
	d := dataOf(t, write(t, "a.mcap", content, tracepage.Options{Frames: 4}))
	require.LessOrEqual(t, len(d.Scene.Frames), 5)
	require.Len(t, d.Scene.Lines, 1)
	require.Len(t, d.Scene.Fixed, 1)
}
