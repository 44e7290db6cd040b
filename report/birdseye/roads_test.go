package birdseye

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// boundary returns a line along x at y = 0 with points 5 m apart.
func boundary(first float64, dashes ...osi3.LaneBoundary_BoundaryPoint_Dash) *osi3.LaneBoundary {
	b := &osi3.LaneBoundary{Classification: &osi3.LaneBoundary_Classification{}}
	for k, d := range dashes {
		at := &osi3.Vector3D{X: proto.Float64(first + 5*float64(k)), Y: proto.Float64(0),
			Z: proto.Float64(0)}
		b.BoundaryLine = append(b.BoundaryLine, &osi3.LaneBoundary_BoundaryPoint{Position: at,
			Dash: d.Enum()})
	}
	return b
}

func TestRoads_HaveTheGapsOfDashes(t *testing.T) {
	const start, onwards = osi3.LaneBoundary_BoundaryPoint_DASH_START,
		osi3.LaneBoundary_BoundaryPoint_DASH_CONTINUE
	const end, gap = osi3.LaneBoundary_BoundaryPoint_DASH_END,
		osi3.LaneBoundary_BoundaryPoint_DASH_GAP
	g := &ground{}
	still := frames.Orientation{}.Rotation()
	g.vehicle.Face(frames.Vector{}, &still)
	dashed := boundary(0, start, onwards, end, gap, start, end)
	require.Equal(t, []plotter.XYs{{{X: 0}, {X: 5}, {X: 10}}, {{X: 20}, {X: 25}}},
		g.strokes(dashed.BoundaryLine))
	far := boundary(roadSight-7, 0, 0, 0, 0)
	require.Equal(t, []plotter.XYs{{{X: roadSight - 7}, {X: roadSight - 2}}},
		g.strokes(far.BoundaryLine))

	s, err := Motorway(timebase.Second)
	require.NoError(t, err)
	var without, with bytes.Buffer
	require.NoError(t, Write(&without, "svg", s))
	require.NotContains(t, without.String(), "lane boundary")
	s.View.GlobalGroundTruth.LaneBoundary = []*osi3.LaneBoundary{boundary(0, 0, 0, 0)}
	require.NoError(t, Write(&with, "svg", s))
	require.Contains(t, with.String(), "lane boundary")
}

// TestRoads_ShowEdgesWithoutMarks fails if vehicles on a road without any marks stand in an empty
// area.
func TestRoads_ShowEdgesWithoutMarks(t *testing.T) {
	s, err := Motorway(timebase.Second)
	require.NoError(t, err)
	edge := boundary(0, 0, 0, 0)
	edge.Classification.Type = osi3.LaneBoundary_Classification_TYPE_NO_LINE.Enum()
	s.View.GlobalGroundTruth.LaneBoundary = []*osi3.LaneBoundary{edge}
	var out bytes.Buffer
	require.NoError(t, Write(&out, "svg", s))
	require.Contains(t, out.String(), "edge of a lane without a mark")
	require.NotContains(t, out.String(), "lane boundary")
	require.Contains(t, out.String(), "#D6DADE")
}
