package truth_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
)

// staticOf returns the static part of a map's GroundTruth.
func staticOf(t *testing.T, m *opendrive.Map) *osi3.GroundTruth {
	t.Helper()
	w, err := mocksim.New(m, mocksim.Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	made, err := truth.New(w, truth.Options{})
	require.NoError(t, err)
	g := &osi3.GroundTruth{}
	require.NoError(t, proto.Unmarshal(made.Static(), g))
	return g
}

// other reads a map that is not part of the project. Without it, the test is skipped.
func other(t *testing.T, name string) *opendrive.Map {
	t.Helper()
	path := filepath.Join("../../../shared/data/xodr", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the maps of other projects are not here: %v", err)
	}
	m, err := opendrive.ReadFile(path)
	require.NoError(t, err)
	return m
}

// TestM21_SameMapSameNumbers checks M21: the same map is always given the same numbers, each of
// them once.
func TestM21_SameMapSameNumbers(t *testing.T) {
	m, err := opendrive.ReadFile("../../examples/maps/crossing.xodr")
	require.NoError(t, err)
	a, b := staticOf(t, m), staticOf(t, m)
	require.True(t, proto.Equal(a, b))
	seen := map[uint64]bool{}
	for _, ids := range [][]*osi3.Identifier{idsOf(a.Lane), idsOf(a.LaneBoundary),
		idsOf(a.LogicalLane), idsOf(a.LogicalLaneBoundary),
		idsOf(a.ReferenceLine), idsOf(a.TrafficSign), idsOf(a.TrafficLight),
		idsOf(a.StationaryObject)} {
		for _, id := range ids {
			require.GreaterOrEqual(t, id.GetValue(), uint64(1_000_000))
			require.False(t, seen[id.GetValue()], "%d", id.GetValue())
			seen[id.GetValue()] = true
		}
	}
	require.Greater(t, len(seen), 50)
}

func idsOf[O interface{ GetId() *osi3.Identifier }](list []O) (ids []*osi3.Identifier) {
	for _, o := range list {
		ids = append(ids, o.GetId())
	}
	return ids
}

// TestM24_BoundariesShareEndPoints checks M24: consecutive lane boundaries within a road share
// their end points.
func TestM24_BoundariesShareEndPoints(t *testing.T) {
	m, err := opendrive.ReadFile("../../examples/maps/motorway.xodr")
	require.NoError(t, err)
	g := staticOf(t, m)
	lanes, lines := map[uint64]*osi3.LogicalLane{},
		map[uint64][]*osi3.LogicalLaneBoundary_LogicalBoundaryPoint{}
	for _, l := range g.LogicalLane {
		lanes[l.Id.GetValue()] = l
	}
	for _, b := range g.LogicalLaneBoundary {
		lines[b.Id.GetValue()] = b.BoundaryLine
	}
	shared := 0
	for _, l := range g.LogicalLane {
		for _, c := range l.SuccessorLane {
			next := lanes[c.OtherLaneId.GetValue()]
			if next.SourceReference[0].Identifier[0] != l.SourceReference[0].Identifier[0] ||
				next.GetStartS() != l.GetEndS() {
				continue // another road
			}
			require.True(t, c.GetAtBeginOfOtherLane())
			for _, side := range [][2][]*osi3.Identifier{{l.LeftBoundaryId, next.LeftBoundaryId},
				{l.RightBoundaryId, next.RightBoundaryId}} {
				before, after := lines[side[0][len(side[0])-1].GetValue()],
					lines[side[1][0].GetValue()]
				require.True(t, proto.Equal(before[len(before)-1].Position, after[0].Position),
					"%v and %v, %v and %v", l.SourceReference[0].Identifier,
					next.SourceReference[0].Identifier, before[len(before)-1], after[0])
				shared++
			}
		}
	}
	require.Greater(t, shared, 10)
}

// TestM26_RoadMarks checks M26: types and colors of road marks; a double line gives two boundaries.
func TestM26_RoadMarks(t *testing.T) {
	text := `<OpenDRIVE><header revMajor="1" revMinor="8"/><road id="1" length="100" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0">%s</lane></center><right><lane id="-1" type="driving"><width a="3.5"/></lane></right></laneSection></lanes></road></OpenDRIVE>`
	for kind, want := range map[string][]osi3.LaneBoundary_Classification_Type{
		"solid":      {osi3.LaneBoundary_Classification_TYPE_SOLID_LINE},
		"broken":     {osi3.LaneBoundary_Classification_TYPE_DASHED_LINE},
		"botts dots": {osi3.LaneBoundary_Classification_TYPE_BOTTS_DOTS},
		"grass":      {osi3.LaneBoundary_Classification_TYPE_GRASS_EDGE},
		"curb":       {osi3.LaneBoundary_Classification_TYPE_CURB},
		"edge":       {osi3.LaneBoundary_Classification_TYPE_ROAD_EDGE},
		"none":       {osi3.LaneBoundary_Classification_TYPE_NO_LINE},
		"solid" + " solid": {osi3.LaneBoundary_Classification_TYPE_SOLID_LINE,
			osi3.LaneBoundary_Classification_TYPE_SOLID_LINE},
		"broken solid": {osi3.LaneBoundary_Classification_TYPE_SOLID_LINE,
			osi3.LaneBoundary_Classification_TYPE_DASHED_LINE},
	} {
		m, err := opendrive.Read("marks.xodr", strings.NewReader(fmt.Sprintf(text,
			`<roadMark sOffset="0" type="`+kind+`" color="yellow" width="0.12"/>`)))
		require.NoError(t, err)
		var got []osi3.LaneBoundary_Classification_Type
		for _, b := range staticOf(t, m).LaneBoundary {
			if y := b.BoundaryLine[0].Position.GetY(); math.Abs(y) > 0.5 {
				continue // the outer border of lane -1
			}
			got = append(got, b.Classification.GetType())
			if kind == "none" {
				require.Equal(t, osi3.LaneBoundary_Classification_COLOR_NONE,
					b.Classification.GetColor())
			} else if kind != "grass" && kind != "curb" && kind != "edge" {
				require.Equal(t, osi3.LaneBoundary_Classification_COLOR_YELLOW,
					b.Classification.GetColor())
			}
		}
		require.ElementsMatch(t, want, got, kind)
	}
}

// TestM27_Signs checks M27: each sign on a third-party map faces the traffic on a lane to which it
// applies. The road runs along x.
func TestM27_Signs(t *testing.T) {
	g := staticOf(t, other(t, "straight_500m_signs.xodr"))
	lanes := map[uint64]*osi3.Lane{}
	for _, l := range g.Lane {
		lanes[l.Id.GetValue()] = l
	}
	require.Len(t, g.TrafficSign, 19)
	for _, s := range g.TrafficSign {
		faced := false
		for _, id := range s.MainSign.Classification.AssignedLaneId {
			direction := -1.0
			if lanes[id.GetValue()].Classification.GetCenterlineIsDrivingDirection() {
				direction = 1
			}
			faced = faced || math.Abs(math.Cos(s.MainSign.Base.Orientation.GetYaw())+
				direction) < 0.3
		}
		require.True(t, faced, "%v", s)
	}
}

// TestX24_TypesInOSI checks X24: the types of lanes in OSI.
func TestX24_TypesInOSI(t *testing.T) {
	text := `<OpenDRIVE><header revMajor="1" revMinor="8"/><road id="1" length="100" junction="-1">
<planView><geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry></planView>
<lanes><laneSection s="0"><center><lane id="0"/></center><right><lane id="-1" type="%s"><width a="3.5"/></lane></right></laneSection></lanes></road></OpenDRIVE>`
	for kind, want := range map[string][3]string{
		"driving": {"NORMAL", "DRIVING", "NORMAL"}, "exit": {"EXIT", "DRIVING", "EXIT"},
		"entry": {"ENTRY", "DRIVING", "ENTRY"}, "onRamp": {"ONRAMP", "DRIVING", "ONRAMP"},
		"offRamp":        {"OFFRAMP", "DRIVING", "OFFRAMP"},
		"connectingRamp": {"CONNECTINGRAMP", "DRIVING", "CONNECTINGRAMP"}, "shoulder": {"SHOULDER",
			"NONDRIVING", "SHOULDER"},
		"border": {"BORDER", "NONDRIVING", "BORDER"}, "stop": {"STOP", "NONDRIVING", "STOP"},
		"restricted": {"RESTRICTED", "NONDRIVING", "RESTRICTED"},
		"parking":    {"PARKING", "NONDRIVING", "PARKING"}, "biking": {"BIKING", "NONDRIVING",
			"BIKING"}, "sidewalk": {"SIDEWALK", "NONDRIVING", "SIDEWALK"},
		"walking": {"SIDEWALK", "NONDRIVING", "SIDEWALK"}, "median": {"MEDIAN", "", ""},
		"curb": {"CURB", "", ""}, "tram": {"TRAM", "", ""},
		"rail": {"RAIL", "", ""}, "bus": {"NORMAL", "DRIVING", "NORMAL"}, "HOV": {"NORMAL",
			"DRIVING", "NORMAL"}, "special1": {"OTHER", "OTHER", "OTHER"},
	} {
		m, err := opendrive.Read("lane.xodr", strings.NewReader(fmt.Sprintf(text, kind)))
		require.NoError(t, err)
		g := staticOf(t, m)
		require.Len(t, g.LogicalLane, 1, kind)
		require.Equal(t, "TYPE_"+want[0], g.LogicalLane[0].GetType().String(), kind)
		if want[1] == "" {
			require.Empty(t, g.Lane, kind)
			continue
		}
		require.Equal(t, "TYPE_"+want[1], g.Lane[0].Classification.GetType().String(), kind)
		require.Equal(t, "SUBTYPE_"+want[2], g.Lane[0].Classification.GetSubtype().String(), kind)
	}
}
