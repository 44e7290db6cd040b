package truth

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/regular"
	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

// FirstStaticID is the lowest id of the things that belong to the map.
const FirstStaticID = 1_000_000

// The largest deviations of lines from the map, in m. OSI requires 5 cm sideways and 2 cm in
// height.
const (
	LateralTolerance = 0.02
	HeightTolerance  = 0.01
)

// static is the OSI content of a map, with the ids that moving objects refer to.
type static struct {
	truth    *osi3.GroundTruth
	lanes    []uint64 // ids of Lanes by lane number, 0 if there is none
	logical  []uint64 // ids of LogicalLanes
	extents  map[uint64]extent
	next     uint64
	m        *opendrive.Map
	lines    map[*opendrive.Road]uint64
	physical map[border][]uint64 // LaneBoundaries of a border, ordered by t, then by s
	borders  map[border]uint64   // LogicalLaneBoundaries
	lights   []lightBulbs
	// by the ids of junctions; the first one in the file if several have the same
	intersections map[string]*osi3.Lane
}

// border is the outer border of a lane; for lane 0 it is the middle.
type border struct {
	section *opendrive.Section
	lane    int
}

// extent is a box, seen from above.
type extent struct{ x0, y0, x1, y1 float64 }

func emptyExtent() extent { return extent{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

func (e *extent) add(p frames.Vector) {
	e.x0, e.x1 = min(e.x0, p.X), max(e.x1, p.X)
	e.y0, e.y1 = min(e.y0, p.Y), max(e.y1, p.Y)
}

func (e *extent) join(o extent) {
	e.x0, e.x1, e.y0, e.y1 = min(e.x0, o.x0), max(e.x1, o.x1), min(e.y0, o.y0), max(e.y1, o.y1)
}

// near reports whether a box is within r of a place.
func (e *extent) near(x, y, r float64) bool {
	dx, dy := max(e.x0-x, x-e.x1, 0), max(e.y0-y, y-e.y1, 0)
	return float64(dx*dx)+float64(dy*dy) <= r*r
}

func newStatic(m *opendrive.Map) *static {
	s := &static{truth: &osi3.GroundTruth{}, m: m, next: FirstStaticID,
		lanes: make([]uint64, len(m.Lanes())), logical: make([]uint64, len(m.Lanes())),
		extents: map[uint64]extent{}, lines: map[*opendrive.Road]uint64{},
		physical: map[border][]uint64{}, borders: map[border]uint64{},
		intersections: map[string]*osi3.Lane{}}
	s.number()
	inside := map[string][]*opendrive.Road{}
	for _, r := range m.Roads {
		s.road(r)
		inside[r.Junction] = append(inside[r.Junction], r)
	}
	for _, j := range m.Junctions {
		s.junction(j, inside[j.ID])
	}
	s.overlaps()
	for _, r := range m.Roads {
		s.signals(r)
		s.objects(r)
	}
	return s
}

func (s *static) id() uint64 {
	s.next++
	return s.next - 1
}

// number assigns all lanes their ids in advance, because lanes refer to one another.
func (s *static) number() {
	junctions := map[string]uint64{}
	for _, j := range s.m.Junctions {
		junctions[j.ID] = s.id()
	}
	for k, l := range s.m.Lanes() {
		if l.Section.Length() <= 0 {
			continue
		}
		s.logical[k] = s.id()
		road := l.Section.Road
		if id, in := junctions[road.Junction]; in && road.Junction != "" {
			if l.Drivable() {
				s.lanes[k] = id
				continue
			}
		}
		if _, _, ok := laneTypes(l.Type); ok {
			s.lanes[k] = s.id()
		}
	}
	for _, j := range s.m.Junctions {
		s.intersection(j, junctions[j.ID])
	}
}

// intersection creates the Lane of a junction, to which junction adds everything that depends on
// other lanes.
func (s *static) intersection(j *opendrive.Junction, id uint64) {
	lane := &osi3.Lane{Id: identifier(id), Classification: &osi3.Lane_Classification{
		Type:    osi3.Lane_Classification_TYPE_INTERSECTION.Enum(),
		Subtype: osi3.Lane_Classification_SUBTYPE_OTHER.Enum()},
		SourceReference: reference("junction " + j.ID)}
	s.truth.Lane = append(s.truth.Lane, lane)
	if s.intersections[j.ID] == nil {
		s.intersections[j.ID] = lane
	}
	s.extents[id] = emptyExtent()
}

func identifier(id uint64) *osi3.Identifier { return &osi3.Identifier{Value: &id} }

func identifiers(ids ...uint64) (list []*osi3.Identifier) {
	for _, id := range ids {
		if id != 0 {
			list = append(list, identifier(id))
		}
	}
	return list
}

func vector(v frames.Vector) *osi3.Vector3D { return &osi3.Vector3D{X: &v.X, Y: &v.Y, Z: &v.Z} }

func reference(parts ...string) []*osi3.ExternalReference {
	return []*osi3.ExternalReference{{Reference: proto.String(""),
		Type: proto.String("net.asam.opendrive"), Identifier: parts}}
}

// laneTypes returns the types of a Lane for a type of OpenDRIVE; ok is false for types that exist
// only for logical lanes.
func laneTypes(kind string) (osi3.Lane_Classification_Type, osi3.Lane_Classification_Subtype,
	bool) {
	const driving, aside = osi3.Lane_Classification_TYPE_DRIVING,
		osi3.Lane_Classification_TYPE_NONDRIVING
	switch kind {
	case "driving", "bidirectional", "shared", "bus", "taxi", "HOV", "slipLane":
		return driving, osi3.Lane_Classification_SUBTYPE_NORMAL, true
	case "exit", "mwyExit":
		return driving, osi3.Lane_Classification_SUBTYPE_EXIT, true
	case "entry", "mwyEntry":
		return driving, osi3.Lane_Classification_SUBTYPE_ENTRY, true
	case "onRamp":
		return driving, osi3.Lane_Classification_SUBTYPE_ONRAMP, true
	case "offRamp":
		return driving, osi3.Lane_Classification_SUBTYPE_OFFRAMP, true
	case "connectingRamp":
		return driving, osi3.Lane_Classification_SUBTYPE_CONNECTINGRAMP, true
	case "shoulder":
		return aside, osi3.Lane_Classification_SUBTYPE_SHOULDER, true
	case "border":
		return aside, osi3.Lane_Classification_SUBTYPE_BORDER, true
	case "stop":
		return aside, osi3.Lane_Classification_SUBTYPE_STOP, true
	case "restricted", "roadWorks":
		return aside, osi3.Lane_Classification_SUBTYPE_RESTRICTED, true
	case "parking":
		return aside, osi3.Lane_Classification_SUBTYPE_PARKING, true
	case "biking":
		return aside, osi3.Lane_Classification_SUBTYPE_BIKING, true
	case "sidewalk", "walking":
		return aside, osi3.Lane_Classification_SUBTYPE_SIDEWALK, true
	case "none": // the edge of the road, on which no vehicle drives
		return aside, osi3.Lane_Classification_SUBTYPE_OTHER, true
	case "median", "curb", "tram", "rail":
		return 0, 0, false
	}
	return osi3.Lane_Classification_TYPE_OTHER, osi3.Lane_Classification_SUBTYPE_OTHER, true
}

// logicalType returns the type of a LogicalLane for a type of OpenDRIVE.
func logicalType(kind string) osi3.LogicalLane_Type {
	switch kind {
	case "median":
		return osi3.LogicalLane_TYPE_MEDIAN
	case "curb":
		return osi3.LogicalLane_TYPE_CURB
	case "tram":
		return osi3.LogicalLane_TYPE_TRAM
	case "rail":
		return osi3.LogicalLane_TYPE_RAIL
	case "mwyExit", "mwyEntry":
		return osi3.LogicalLane_TYPE_NORMAL
	}
	_, sub, _ := laneTypes(kind)
	// Both enumerations use the same numbers for these types.
	return osi3.LogicalLane_Type(sub)
}

// moveDirection returns the direction of travel on a lane.
func moveDirection(l *opendrive.Lane) osi3.LogicalLane_MoveDirection {
	switch forwards, backwards := l.Directions(); {
	case forwards && backwards:
		return osi3.LogicalLane_MOVE_DIRECTION_BOTH_ALLOWED
	case forwards:
		return osi3.LogicalLane_MOVE_DIRECTION_INCREASING_S
	}
	return osi3.LogicalLane_MOVE_DIRECTION_DECREASING_S
}

// mapReference names the file of a map, without its folder so that messages do not depend on its
// location, and adds its SHA-256 if the file is readable.
func mapReference(m *opendrive.Map) string {
	name := filepath.Base(m.Name)
	b, err := regular.ReadFile(m.Name)
	if err != nil {
		return name
	}
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%s sha256:%s", name, hex.EncodeToString(sum[:]))
}
