package opendrive

import (
	"errors"
	"fmt"
	"sort"
	"sync"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
)

// The kinds of errors of this package.
var (
	// ErrMap reports a file that cannot be read as an OpenDRIVE map.
	ErrMap = errors.New("unusable OpenDRIVE map")
	// ErrOutside reports a position that is not on the map: an s beyond a road, or a point off all
	// roads.
	ErrOutside = errors.New("outside the map")
	// ErrNoRoute reports that no path leads from one lane to another.
	ErrNoRoute = errors.New("no route")
)

// Tolerance is how far an s may lie outside a road, in m. Such an s is clamped to the road.
const Tolerance = 1e-6

// Map is a road network.
type Map struct {
	Name      string // the file
	Header    Header
	Roads     []*Road     // in the order of the file
	Junctions []*Junction // in the order of the file
	// Controllers lists the groups of signals that change together, in file order.
	Controllers []*Controller

	roads     map[string]*Road
	junctions map[string]*Junction
	network   network
	index     *grid // made by Map.grid
	indexing  sync.Once

	references map[string][]referred // by signal id
	notes      notes                 // findings during reading, for Check
}

// Road returns the road with an id, or nil if there is none.
func (m *Map) Road(id string) *Road { return m.roads[id] }

// Plane returns a map without roads: level ground at z = 0.
func Plane() *Map { return &Map{Name: "plane"} }

// Junction returns the junction with an id, or nil if there is none.
func (m *Map) Junction(id string) *Junction { return m.junctions[id] }

// Header is the header of a map.
type Header struct {
	Major, Minor int    // version of the standard
	Name, Vendor string //
	GeoReference string // PROJ string, trimmed; may be empty
	OffsetX      float64
	OffsetY      float64
	OffsetZ      float64
	OffsetTurn   float64 // hdg of the offset, rad

	line                     int
	hasMajor, hasMinor, seen bool
}

// World converts a position in the file to the coordinates of the geo reference: rotation about z
// by the offset's hdg, then the offset itself (OpenDRIVE 1.8.1, header offset; OSI,
// proj_frame_offset).
func (h *Header) World(p frames.Vector) frames.Vector {
	sin, cos := portable.Sincos(h.OffsetTurn)
	return frames.Vector{X: float64(cos*p.X) - float64(sin*p.Y) + h.OffsetX, Y: float64(sin*p.X) +
		float64(cos*p.Y) + h.OffsetY, Z: p.Z + h.OffsetZ}
}

// Road is a road with its reference line, surface and lanes.
type Road struct {
	ID, Name string
	Index    int     // in Map.Roads
	Length   float64 // m
	Junction string  // id of the junction to which the road belongs, "" if none
	LeftHand bool    // rule="LHT": traffic keeps left

	Plan           []Geometry // in the order of s
	Elevation      Profile    // z of the reference line
	Superelevation Profile    // rad, positive falls to the right
	LaneOffset     Profile    // t of lane 0
	Shapes         []Shape    // lateral shapes, in the order of s
	Crossfall      []Crossfall
	Sections       []*Section

	Predecessor, Successor Link
	Types                  []RoadType
	Signals                []*Signal
	SignalReferences       []*SignalReference
	Objects                []*Object

	line  int
	chart []chart // the fast form of each element of Plan
	level bool
}

// Crossfall is a slope to the sides of the reference line (OpenDRIVE 1.4 and 1.5).
type Crossfall struct {
	Cubic
	Side string // left, right or both
}

// RoadType is the type of a road from S onwards, with its speed limit.
type RoadType struct {
	S     float64
	Type  string // motorway, town, ...
	Speed float64
	Limit bool // whether Speed, in m/s, applies
}

// Link is the road or junction at one end of a road.
type Link struct {
	Kind         LinkKind
	ID           string       // of the road or junction
	ContactPoint ContactPoint // of the linked road
	ElementS     float64      // where a virtual junction starts on the linked road
	line         int
	typed        bool // elementType is given
	placed       bool // contactPoint or elementS is given
	inside       bool // ElementS states where the link meets the road
}

// LinkKind describes what a Link leads to.
type LinkKind int

// The kinds of things to which a road can lead.
const (
	NoLink LinkKind = iota
	ToRoad
	ToJunction
)

// ContactPoint is an end of a road, section or lane: AtStart at its lowest s, AtEnd at its highest.
type ContactPoint int

// The two ends.
const (
	AtStart ContactPoint = iota
	AtEnd
)

// String returns "start" or "end", as in the standard.
func (c ContactPoint) String() string {
	if c == AtStart {
		return "start"
	}
	return "end"
}

// Opposite returns the other end.
func (c ContactPoint) Opposite() ContactPoint { return AtEnd - c }

// Section is a part of a road with a constant number of lanes.
type Section struct {
	Road   *Road
	Index  int     // in Road.Sections
	S, End float64 // m
	Lanes  []*Lane // from the leftmost to the rightmost, lane 0 included
	center int     // index of lane 0 in Lanes
	line   int     //
	single bool    // singleSide: the lanes on the other side continue unchanged
	bare   bool    // the file has no lane 0
	// divided: the section continues the previous one; see virtual junctions.
	divided bool
}

// Length returns the length of the section along the reference line, in m.
func (s *Section) Length() float64 { return max(s.End-s.S, 0) }

// Lane returns the lane with an id, or nil if there is none.
func (s *Section) Lane(id int) *Lane {
	for _, l := range s.Lanes {
		if l.ID == id {
			return l
		}
	}
	return nil
}

// Junction is where several roads meet.
type Junction struct {
	ID, Name    string
	Type        string // "", default, virtual, direct, crossing
	Connections []Connection
	Controllers []string // ids, in the order of their turns
	Priorities  []Priority
	line        int
}

// Priority states that traffic on one road of a junction has priority over traffic on another. The
// roads are connecting or incoming roads.
type Priority struct{ High, Low string }

// Controller is a group of signals that change together.
type Controller struct {
	ID, Name string
	Signals  []string // ids
	line     int
}

// Connection is one path through a junction. In a direct junction Connecting is the road beyond the
// junction.
type Connection struct {
	ID           string
	Incoming     string       // id of a road
	Connecting   string       // id of a road
	ContactPoint ContactPoint // of the connecting road
	LaneLinks    []LaneLink
	line         int
	placed       bool // contactPoint is given
	implied      bool // the links of the connecting road determine ContactPoint
}

// LaneLink joins a lane of the incoming road to a lane of the connecting road.
type LaneLink struct{ From, To, line int }

// clip clamps s to the road.
func (r *Road) clip(s float64) (float64, error) {
	if s >= 0 && s <= r.Length {
		return s, nil
	}
	if !(s >= -Tolerance && s <= r.Length+Tolerance) { // NaN is outside as well
		return 0, fault.New(ErrOutside, fault.At("road "+r.ID), fmt.Sprintf("s = %g m", s),
			fmt.Sprintf("0 to %g m", r.Length))
	}
	return min(max(s, 0), r.Length), nil
}

// SectionAt returns the section at s, or the first or last one if s lies outside the road. If
// several sections start at s, because some have no length, it returns the last one.
func (r *Road) SectionAt(s float64) *Section {
	k := sort.Search(len(r.Sections), func(k int) bool { return r.Sections[k].S > s })
	return r.Sections[max(k-1, 0)]
}

// SpeedLimit returns the road's own limit at s in m/s; ok is false without one.
func (r *Road) SpeedLimit(s float64) (limit float64, ok bool) {
	for _, t := range r.Types {
		if t.S <= s {
			limit, ok = t.Speed, t.Limit
		}
	}
	return limit, ok
}
