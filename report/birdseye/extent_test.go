package birdseye_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/report/birdseye"
)

// A picture with roads shows the surroundings, even if there are no objects.
func TestPlot_ShowsTheNeighbourhood(t *testing.T) {
	line := []*osi3.LaneBoundary_BoundaryPoint{{Position: &osi3.Vector3D{X: proto.Float64(-300),
		Y: proto.Float64(2), Z: proto.Float64(0)}},
		{Position: &osi3.Vector3D{X: proto.Float64(300), Y: proto.Float64(2), Z: proto.Float64(0)}}}
	truth := &osi3.GroundTruth{LaneBoundary: []*osi3.LaneBoundary{{Id: &osi3.Identifier{Value: proto.Uint64(7)}, BoundaryLine: line}}}
	frame, err := birdseye.OfView(&osi3.SensorView{GlobalGroundTruth: truth})
	require.NoError(t, err)
	p, err := birdseye.Plot(frame)
	require.NoError(t, err)
	require.LessOrEqual(t, p.X.Min, -100.0)
	require.GreaterOrEqual(t, p.X.Max, 100.0)
}
