package opendrive_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/mocksim/opendrive"
)

// dataFolder is an optional folder of third-party maps.
const dataFolder = "../../../shared/data/xodr"

var (
	loaded   = map[string]*opendrive.Map{}
	loadedMu sync.Mutex
)

// load reads a map of the data folder once, and skips the test if there is no such folder.
func load(t testing.TB, name string) *opendrive.Map {
	t.Helper()
	needData(t)
	loadedMu.Lock()
	defer loadedMu.Unlock()
	if m := loaded[name]; m != nil {
		return m
	}
	path := filepath.Join(dataFolder, name)
	if _, err := os.Stat(path); err != nil {
		path = filepath.Join(dataFolder, "labelled", name)
	}
	m, err := opendrive.ReadFile(path)
	require.NoError(t, err)
	loaded[name] = m
	return m
}

func needData(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(dataFolder); err != nil {
		t.Skipf("the maps of other projects are not here: %v", err)
	}
}

// mapNames returns the names of all maps in the data folder.
func mapNames(t testing.TB) (names []string) {
	t.Helper()
	needData(t)
	for _, pattern := range []string{"*.xodr", "labelled/*.xodr"} {
		found, err := filepath.Glob(filepath.Join(dataFolder, pattern))
		require.NoError(t, err)
		for _, name := range found {
			names = append(names, filepath.Base(name))
		}
	}
	require.Greater(t, len(names), 50)
	return names
}

type vector struct {
	file, road                        string
	s, t, x, y, z, heading, curvature float64
	// its numbers come from quadrature, with fewer digits
	quadrature bool
}

func vectors(t testing.TB) (list []vector) {
	t.Helper()
	needData(t)
	f, err := os.Open(filepath.Join(dataFolder, "vectors.csv"))
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // nothing was written
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		v := vector{file: filepath.Base(row[0]), road: row[1]}
		for k, to := range []*float64{&v.s, &v.t, &v.x, &v.y, &v.z, &v.heading, &v.curvature} {
			*to, err = strconv.ParseFloat(row[2+k], 64)
			require.NoError(t, err)
		}
		v.quadrature = v.file == "jolengatan.xodr" || strings.Contains(v.file, "length_match") ||
			v.road == "239896" || v.road == "304422"
		list = append(list, v)
	}
	require.Len(t, list, 96)
	return list
}

func TestStation_MeetsVectors(t *testing.T) {
	for _, v := range vectors(t) {
		r := load(t, v.file).Road(v.road)
		require.NotNil(t, r, "%s road %s", v.file, v.road)
		st, err := r.Station(v.s)
		require.NoError(t, err)
		p := st.Surface(v.t)
		limit := 1e-9
		if v.quadrature {
			limit = 1e-6
		}
		far := math.Hypot(math.Hypot(p.X-v.x, p.Y-v.y), p.Z-v.z)
		require.Less(t, far, limit, "%s road %s s %g t %g: %v, want %g %g %g", v.file, v.road, v.s,
			v.t, p, v.x, v.y, v.z)
		turn := math.Remainder(st.Heading-v.heading, 2*math.Pi)
		require.InDelta(t, 0, turn, limit, "heading of %s road %s s %g", v.file, v.road, v.s)
		require.InDelta(t, v.curvature, st.Curvature, limit, "curvature of %s road %s s %g", v.file,
			v.road, v.s)
	}
}

func TestLocate_FindsVectorsAgain(t *testing.T) {
	for _, v := range vectors(t) {
		m := load(t, v.file)
		st, err := m.Road(v.road).Station(v.s)
		require.NoError(t, err)
		place := m.Locate(st.Surface(v.t), st.Road)
		if place.Road != st.Road { // another road has a lane there
			require.True(t, place.OnRoad())
			continue
		}
		require.InDelta(t, v.s, place.S, 1e-9, "%s road %s s %g t %g: %+v", v.file, v.road, v.s,
			v.t, place)
		require.InDelta(t, v.t, place.T, 1e-9)
		require.InDelta(t, 0, place.H, 1e-9)
	}
}

func TestRead_AllMaps(t *testing.T) {
	for _, name := range mapNames(t) {
		m := load(t, name)
		for _, r := range m.Roads {
			for _, s := range []float64{0, r.Length / 3, r.Length} {
				st, err := r.Station(s)
				require.NoError(t, err)
				require.True(t, st.Point(1, 1).Finite(), "%s road %s s %g", name, r.ID, s)
			}
		}
	}
}

func TestLanes_BordersMeetOthersFigures(t *testing.T) {
	for _, c := range []struct {
		file, road string
		s          float64
		lane       int
		border     float64
	}{
		{"two_plus_one.xodr", "1", 60, -1, -3.5}, {"two_plus_one.xodr", "1", 60, 2, 7},
		{"two_plus_one.xodr", "1", 130, 0, 0.098},
		{"two_plus_one.xodr", "1", 130, -2, -3.5}, {"two_plus_one.xodr", "1", 130, -1, 0},
		{"two_plus_one.xodr", "1", 205, 0, 3.5},
		{"multi_lanesections.xodr", "0", 120, 2, 3.312}, {"mixed_roads.xodr", "0", 36, 1, 5},
		{"highway_example_with_merge_and_split.xodr", "0", 60, -4, -9.054528},
		{"highway_example_with_merge_and_split.xodr", "1", 50, 3, 7.251028807},
		{"carla_town07.xodr", "351", 1.2, 0, 0.016373897},
		{"road_lane_border_overlap_with_inner_lanes_valid.xodr", "1", 50, 1, 4},
		{"road_lane_border_overlap_with_inner_lanes_valid.xodr", "1", 50, 2, 5},
	} {
		lane := load(t, c.file).Road(c.road).SectionAt(c.s).Lane(c.lane)
		require.NotNil(t, lane)
		_, outer := lane.Edges(c.s)
		require.InDelta(t, c.border, outer, 1e-9, "%s road %s s %g lane %d", c.file, c.road, c.s,
			c.lane)
	}
}

// TestNetwork_JointsMeetOthersFigures compares the numbers of joints with the figures of another
// evaluator, except for Town07, for which that evaluator counts 878 joints.
func TestNetwork_JointsMeetOthersFigures(t *testing.T) {
	for name, want := range map[string]int{"route_strategy_test_road.xodr": 100,
		"route_strategy_test_road_LHT.xodr": 100,
		"simple_3way_intersection.xodr":     12, "multi_intersections.xodr": 240,
		"highway_example_with_merge_and_split.xodr": 46,
		"direct_junction_simple.xodr":               6, "lane_offset_intersection.xodr": 16,
		"parking_demo.xodr": 22, "carla_town07.xodr": 894} {
		m := load(t, name)
		ends, edges, widest := 0, 0, 0.0
		for _, l := range lanesOf(m) {
			for _, at := range []opendrive.ContactPoint{opendrive.AtStart, opendrive.AtEnd} {
				end := opendrive.LaneEnd{Lane: l, At: at}
				for _, other := range m.Joined(end) {
					require.Contains(t, m.Joined(other), end, "joints are symmetric")
					if a, b := end.Center(), other.Center(); l.Type != "none" {
						widest = max(widest, math.Hypot(a.X-b.X, a.Y-b.Y))
					}
					ends++
				}
			}
			for _, c := range l.Courses() {
				edges += len(m.Next(c))
			}
		}
		require.Equal(t, want, ends/2, name)
		require.Equal(t, want, edges, name)
		require.Less(t, widest, 0.1, name)
	}
}

func lanesOf(m *opendrive.Map) (list []*opendrive.Lane) {
	for _, r := range m.Roads {
		for _, s := range r.Sections {
			for _, l := range s.Lanes {
				if l.ID != 0 {
					list = append(list, l)
				}
			}
		}
	}
	return list
}

func TestSectionAt_FindsEachOfTown07(t *testing.T) {
	sections := 0
	for _, r := range load(t, "carla_town07.xodr").Roads {
		for _, s := range r.Sections {
			require.Same(t, s, r.SectionAt((s.S+s.End)/2), "%s section %d", r.ID, s.Index)
			sections++
		}
	}
	require.Equal(t, 708, sections)
}

// TestCheck_LabelledMaps checks that each of these third-party maps obeys or breaks one rule.
func TestCheck_LabelledMaps(t *testing.T) {
	for invalid, rule := range map[string]string{
		"road_geometry_param_poly3_length_match":             "X-POLY-LENGTH",
		"road_geometry_elem_asc_order":                       "X-PLAN-ORDER",
		"road_geometry_contact_point":                        "X-LINK-CONTACT",
		"road_lane_border_overlap_with_inner_lanes":          "X-LANE-BORDER",
		"road_lane_link_new_lane_appear":                     "X-LANE-ZERO-LINK",
		"road_linkage_is_junction_needed":                    "X-LINK-AMBIGUOUS",
		"junctions_connection_connect_road_no_incoming_road": "X-JUNCTION-IN",
		"junctions_connection_one_link_to_incoming":          "X-JUNCTION-DIRECTION",
		"junction_connection_linkage":                        "X-JUNCTION-CONTACT",
	} {
		require.True(t, has(load(t, invalid+"_invalid.xodr").Check(), rule, worstOf[rule]),
			"%s in %s", rule, invalid)
		require.False(t, has(load(t, invalid+"_valid.xodr").Check(), rule, worstOf[rule]),
			"%s in the valid twin of %s", rule, invalid)
	}
	for pair, rule := range map[[2]string]string{
		{"road_geometry_parampoly3_valid_parameters_bV_invalid",
			"road_geometry_parampoly3_valid_parameters_valid"}: "X-POLY-START",
		{"road_lane_link_lanes_across_lane_sections_invalid_non_existing_lanes",
			"road_lane_link_lanes_across_lane_sections_valid"}: "X-LANE-LINK",
		{"junction_invalid_conn_smoothness", "junction_valid_conn_smoothness"}: "X-LANE-GAP",
	} {
		require.True(t, has(load(t, pair[0]+".xodr").Check(), rule, worstOf[rule]), "%s in %s",
			rule, pair[0])
		require.False(t, has(load(t, pair[1]+".xodr").Check(), rule, worstOf[rule]), "%s in %s",
			rule, pair[1])
	}
	require.True(t, has(load(t, "version_is_defined_invalid.xodr").Check(), "X-VERSION",
		finding.Error))
}

// worstOf is the severity that the labelled maps should show for a rule.
var worstOf = map[string]finding.Severity{"X-POLY-LENGTH": finding.Warning,
	"X-PLAN-ORDER": finding.Error, "X-LINK-CONTACT": finding.Error, "X-LANE-BORDER": finding.Error,
	"X-LANE-ZERO-LINK": finding.Warning, "X-LINK-AMBIGUOUS": finding.Warning,
	"X-JUNCTION-CONTACT": finding.Error,
	"X-JUNCTION-IN":      finding.Error, "X-JUNCTION-DIRECTION": finding.Warning,
	"X-LANE-GAP": finding.Error, "X-POLY-START": finding.Warning, "X-LANE-LINK": finding.Error}

func has(list finding.List, rule string, severity finding.Severity) bool {
	return slices.ContainsFunc(list, func(f finding.Finding) bool {
		return f.ID == rule && f.Severity == severity
	})
}

func TestCheck_MapsInUseHaveNoErrors(t *testing.T) {
	for _, name := range mapNames(t) {
		if strings.Contains(name, "valid") {
			continue
		}
		if list := load(t, name).Check(); name != "stationary_objects.xodr" {
			require.Zero(t, list.Count(finding.Error), "%s: %v", name, list)
		} else {
			require.True(t, has(list, "X-LINK-DEAD", finding.Error))
		}
	}
	tiny := 0
	for _, f := range load(t, "carla_town07.xodr").Check() {
		if f.ID == "X-SECTION-ZERO" {
			tiny++
		}
	}
	require.Equal(t, 56, tiny)
}

func TestSignalsAndObjects_AreCounted(t *testing.T) {
	for name, want := range map[string][2]int{"straight_500m_signs.xodr": {19, 15},
		"parking_demo.xodr": {0, 12}} {
		signals, objects := 0, 0
		for _, r := range load(t, name).Roads {
			signals, objects = signals+len(r.Signals), objects+len(r.Objects)
		}
		require.Equal(t, want[1], objects, name)
		require.Equal(t, want[0], signals, name)
	}
}

func TestHeader_WorldOfTheOffsetMap(t *testing.T) {
	m := load(t, "offset.xodr")
	st, err := m.Road("0").Station(25)
	require.NoError(t, err)
	p := st.Point(0, 0)
	require.InDelta(t, 917.677667, p.X, 1e-6)
	require.InDelta(t, 582.322328, p.Y, 1e-6)
	w := m.Header.World(p)
	require.InDelta(t, -950.652143, w.X, 1e-6)
	require.InDelta(t, 585.723898, w.Y, 1e-6)
}

func TestLocate_HeightDecidesWhereRoadsCross(t *testing.T) {
	m := load(t, "two_roads_overhang.xodr")
	st, err := m.Roads[1].Station(m.Roads[1].Length / 2)
	require.NoError(t, err)
	for _, road := range m.Roads {
		found := 0
		for s := 0.0; s <= road.Length; s++ {
			st, err = road.Station(s)
			require.NoError(t, err)
			if place := m.Locate(st.Point(-0.5, 0)); place.Road == road {
				found++
			}
		}
		require.Greater(t, found, int(road.Length)-2, "road %s", road.ID)
	}
}

func TestRoute_MeetsOthersFigures(t *testing.T) {
	for _, c := range []struct {
		file     string
		from, to string // road/lane
		way      string
		length   float64
	}{
		{"route_strategy_test_road.xodr", "1/-1", "6/1", "1/-1 101/-1 5/1 402/-1 6/1", 826.0372},
		{"route_strategy_test_road_LHT.xodr", "1/1", "6/-1", "1/1 101/1 5/-1 402/1 6/-1", 826.0372},
		{"route_strategy_test_road.xodr", "1/-2", "4/-2", "1/-2 100/-2 2/-2 201/-2 4/-2", 726.0372},
		{"simple_3way_intersection.xodr", "0/-1", "2/-1", "0/-1 101/-1 2/-1", 213.9626},
		{"multi_intersections.xodr", "196/1", "284/1",
			"196/1 199 202 222 218 217 267 266 263 256 284/1", 1133.8893},
		{"carla_town07.xodr", "17/1", "41/-1", "", 252.929},
	} {
		m := load(t, c.file)
		find := func(name string) *opendrive.Lane {
			road, lane, _ := strings.Cut(name, "/")
			id, err := strconv.Atoi(lane)
			require.NoError(t, err)
			return m.Road(road).Sections[0].Lane(id)
		}
		route, err := m.Route(find(c.from), find(c.to))
		require.NoError(t, err)
		var way []string
		length := 0.0
		for _, course := range route {
			length += course.Lane.Section.Length()
			way = append(way, course.Lane.Section.Road.ID+"/"+strconv.Itoa(course.Lane.ID))
		}
		if c.way != "" && !strings.Contains(c.file, "multi") {
			require.Equal(t, c.way, strings.Join(way, " "))
		}
		require.InDelta(t, c.length, length, 1e-3, "%s %s", c.file, strings.Join(way, " "))
	}
}

// TestRoadsIn checks that roads are found by a box that contains a point of them, whatever its size.
func TestRoadsIn(t *testing.T) {
	m := read(t, document(oneRoad{}.String()))
	road := m.Roads[0]
	for _, size := range []float64{0, 1, 30, 1e3, 1e9, math.Inf(1)} {
		st := station(t, m, 40)
		low := [2]float64{st.Origin.X - size, st.Origin.Y - size}
		high := [2]float64{st.Origin.X + size, st.Origin.Y + size}
		require.Equal(t, []*opendrive.Road{road}, m.RoadsIn(low, high), "%g", size)
	}
	require.Empty(t, m.RoadsIn([2]float64{1e5, 1e5}, [2]float64{1e5 + 1, 1e5 + 1}))
	require.Empty(t, m.RoadsIn([2]float64{1e5, 1e5}, [2]float64{1e8, 1e8}))
}
