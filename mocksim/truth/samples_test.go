package truth_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
)

// sample returns the GroundTruth of one of the project's maps.
func sample(t *testing.T, name string) *osi3.GroundTruth {
	path := "../../examples/maps/" + name
	m, err := opendrive.ReadFile(path)
	require.NoError(t, err)
	for _, f := range m.Check() {
		require.Equal(t, finding.Note, f.Severity, "%v", f)
	}
	made, err := truth.New(populated(t, path, 2), truth.Options{Host: "ego", Static: truth.Every})
	require.NoError(t, err)
	b, err := made.GroundTruth()
	require.NoError(t, err)
	g := &osi3.GroundTruth{}
	require.NoError(t, proto.Unmarshal(b, g))
	return g
}

// TestCrossing_HasItsWaysLightsAndSigns counts the elements of the map: 12 connections, three bulbs
// at each of four places, and four signs that face their traffic.
func TestCrossing_HasItsWaysLightsAndSigns(t *testing.T) {
	for _, c := range []struct {
		file string
		side float64 // on which traffic drives: -1 right
	}{{"crossing.xodr", -1}, {"left.xodr", 1}} {
		g := sample(t, c.file)
		lanes := map[uint64]*osi3.Lane{}
		ways := 0
		for _, l := range g.Lane {
			lanes[l.Id.GetValue()] = l
			if l.Classification.GetType() == osi3.Lane_Classification_TYPE_INTERSECTION {
				ways += len(l.Classification.LanePairing)
				require.Empty(t, l.Classification.Centerline)
				require.NotEmpty(t, l.Classification.FreeLaneBoundaryId)
			}
		}
		require.Equal(t, 12, ways, "each arm leads to three others")
		require.Len(t, g.TrafficLight, 12)
		require.Len(t, g.TrafficSign, 4)
		for _, s := range g.TrafficSign {
			main := s.MainSign.Classification
			require.Equal(t, 50.0, main.Value.GetValue())
			require.Len(t, main.AssignedLaneId, 1)
			facing(t, s.MainSign.Base, lanes[main.AssignedLaneId[0].GetValue()], c.file)
		}
		for _, l := range g.TrafficLight {
			require.Len(t, l.Classification.AssignedLaneId, 1)
			facing(t, l.Base, lanes[l.Classification.AssignedLaneId[0].GetValue()], c.file)
		}
		for _, l := range g.LogicalLane {
			if l.GetType() != osi3.LogicalLane_TYPE_NORMAL {
				continue
			}
			id := l.SourceReference[0].Identifier
			var number float64
			_, err := fmt.Sscan(id[len(id)-1], &number)
			require.NoError(t, err)
			want := osi3.LogicalLane_MOVE_DIRECTION_DECREASING_S
			if number*c.side > 0 {
				want = osi3.LogicalLane_MOVE_DIRECTION_INCREASING_S
			}
			require.Equal(t, want, l.GetMoveDirection(), "%s %v", c.file, id)
		}
		overlapping := 0
		for _, l := range g.LogicalLane {
			overlapping += len(l.OverlappingLane)
		}
		require.NotZero(t, overlapping, "ways cross")
	}
}

// facing requires that a sign's face points against the traffic of a lane, so that its drivers can
// see it.
func facing(t *testing.T, b *osi3.BaseStationary, l *osi3.Lane, file string) {
	t.Helper()
	line := l.Classification.Centerline
	near, best := 0, math.Inf(1)
	for k := 0; k+1 < len(line); k++ {
		d := math.Hypot((line[k].GetX()+line[k+1].GetX())/2-b.Position.GetX(),
			(line[k].GetY()+line[k+1].GetY())/2-b.Position.GetY())
		if d < best {
			near, best = k, d
		}
	}
	dx, dy := line[near+1].GetX()-line[near].GetX(), line[near+1].GetY()-line[near].GetY()
	if !l.Classification.GetCenterlineIsDrivingDirection() {
		dx, dy = -dx, -dy
	}
	sin, cos := math.Sincos(b.Orientation.GetYaw())
	require.InDelta(t, -1, (dx*cos+dy*sin)/math.Hypot(dx, dy), 0.01, file)
}

// TestHills_HaveTheirHeights calculates heights independently: the road rises by 8 m, and in the
// banked curve its right border is higher by the width of the lane times the sine of 0.06.
func TestHills_HaveTheirHeights(t *testing.T) {
	g := sample(t, "hills.xodr")
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, r := range g.ReferenceLine {
		for _, p := range r.PolyLine {
			lowest, highest = min(lowest, p.WorldPosition.GetZ()),
				max(highest, p.WorldPosition.GetZ())
		}
	}
	require.InDelta(t, 0, lowest, 1e-9)
	require.InDelta(t, 8, highest, 1e-9)
	length := 120 + 50 + 50 + (math.Pi-50.0/60)*60
	checked := 0
	for _, b := range g.LogicalLaneBoundary {
		if id := b.SourceReference[0].Identifier; id[0] != "1" || id[len(id)-1] != "-1" {
			continue
		}
		for _, p := range b.BoundaryLine {
			s := p.GetSPosition()
			if s < 172 || s > length-52 {
				continue
			}
			u := s / length
			slope := math.Atan(8 / length * 6 * u * (1 - u))
			z := 8*(3*u*u-2*u*u*u) + 3.25*math.Sin(0.06)*math.Cos(slope)
			require.InDelta(t, z, p.Position.GetZ(), 1e-6, "s %g", s)
			checked++
		}
	}
	require.Greater(t, checked, 10)
}

// TestMotorway_HasALaneThatBeginsAndEnds follows the third lane: its width grows from 0, and its
// boundaries change from section to section.
func TestMotorway_HasALaneThatBeginsAndEnds(t *testing.T) {
	g := sample(t, "motorway.xodr")
	widths := map[string]float64{}
	borders := map[uint64]*osi3.LogicalLaneBoundary{}
	for _, b := range g.LogicalLaneBoundary {
		borders[b.Id.GetValue()] = b
	}
	for _, l := range g.LogicalLane {
		id := l.SourceReference[0].Identifier
		if id[0] != "1" || id[len(id)-1] != "-3" || l.GetType() != osi3.LogicalLane_TYPE_NORMAL {
			continue
		}
		at := func(ids []*osi3.Identifier, last bool) float64 {
			line := borders[ids[0].GetValue()].BoundaryLine
			if last {
				return line[len(line)-1].GetTPosition()
			}
			return line[0].GetTPosition()
		}
		widths[fmt.Sprintf("%g", l.GetStartS())] = at(l.LeftBoundaryId,
			false) - at(l.RightBoundaryId, false)
		widths[fmt.Sprintf("%g", l.GetEndS())] = at(l.LeftBoundaryId, true) - at(l.RightBoundaryId,
			true)
	}
	require.Len(t, widths, 4)
	for s, want := range map[string]float64{"150": 0, "210": 3.75, "450": 3.75, "510": 0} {
		require.InDelta(t, want, widths[s], 1e-6, "at %s", s)
	}
}
