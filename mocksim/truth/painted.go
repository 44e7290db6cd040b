package truth

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

// painted creates a road marking from an object. A crosswalk is a symbol that means a zebra
// crossing. It is not a symbolic traffic sign, for which OSI requires a code from a country's
// catalog.
func (s *static) painted(r *opendrive.Road, o *opendrive.Object, b *osi3.BaseStationary,
	pose frames.Pose) {
	c := &osi3.RoadMarking_Classification{
		Type:            osi3.RoadMarking_Classification_TYPE_GENERIC_SYMBOL.Enum(),
		MonochromeColor: osi3.RoadMarking_Classification_COLOR_WHITE.Enum()}
	// OSI requires a sign and a catalog code for every marking of these types. There is no sign for
	// a stop line, and an object in a map has no code, so the fields are present but empty.
	c.Country, c.CountryRevision = proto.String(""), proto.String("")
	c.Code, c.SubCode = proto.String(""), proto.String("")
	c.TrafficMainSignType = osi3.TrafficSign_MainSign_Classification_TYPE_OTHER.Enum()
	if o.Type == "crosswalk" {
		c.TrafficMainSignType = osi3.TrafficSign_MainSign_Classification_TYPE_ZEBRA_CROSSING.Enum()
	}
	var lanes []uint64
	for _, l := range r.SectionAt(o.S).Lanes {
		if l.ID != 0 && l.Drivable() {
			lanes = append(lanes, s.physicalLane(l))
		}
	}
	c.AssignedLaneId = identifiers(unique(lanes)...)
	id := s.id()
	s.extents[id] = spot(pose.Position)
	s.truth.RoadMarking = append(s.truth.RoadMarking, &osi3.RoadMarking{Id: identifier(id), Base: b,
		Classification: c, SourceReference: reference(r.ID, o.ID)})
}

// box is the bounding box of an outline.
type box struct {
	pose                  frames.Pose
	length, width, height float64
}

// outlined returns the bounding box of an object's first outline, along the object's axes.
func outlined(r *opendrive.Road, o *opendrive.Object, pose frames.Pose) (b box, ok bool) {
	if len(o.Outlines) == 0 || len(o.Outlines[0].Corners) < 2 {
		return b, false
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	sin, cos := portable.Sincos(pose.Orientation.Yaw)
	for _, c := range o.Outlines[0].Corners {
		u, v := c.U, c.V
		if !c.Local {
			st, err := r.Station(c.S)
			if err != nil {
				return b, false
			}
			d := st.Surface(c.T).Sub(pose.Position)
			u, v = float64(d.X*cos)+float64(d.Y*sin), float64(d.Y*cos)-float64(d.X*sin)
		}
		low, high = [2]float64{min(low[0], u), min(low[1], v)}, [2]float64{max(high[0], u),
			max(high[1], v)}
		b.height = max(b.height, c.Height)
	}
	b.length, b.width = high[0]-low[0], high[1]-low[1]
	u, v := (low[0]+high[0])/2, (low[1]+high[1])/2
	b.pose = pose
	b.pose.Position.X += float64(u*cos) - float64(v*sin)
	b.pose.Position.Y += float64(u*sin) + float64(v*cos)
	if o.Height <= 0 {
		b.pose.Position.Z += b.height / 2
	}
	return b, true
}
