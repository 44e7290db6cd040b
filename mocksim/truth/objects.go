package truth

import (
	"math"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

// base returns the position and size of a stationary thing with a box.
func base(p frames.Pose, length, width, height float64) *osi3.BaseStationary {
	o := p.Orientation
	return &osi3.BaseStationary{
		Dimension: &osi3.Dimension3D{Length: &length, Width: &width, Height: &height},
		Position:  vector(p.Position),
		Orientation: &osi3.Orientation3D{Roll: proto.Float64(o.Roll), Pitch: proto.Float64(o.Pitch),
			Yaw: proto.Float64(o.Yaw)},
	}
}

// The sizes of objects for which the map states no size, in m.
const (
	signSize  = 0.6
	signDepth = 0.05
	bulbSize  = 0.2
)

// signals creates the signs and the lights of a road.
func (s *static) signals(r *opendrive.Road) {
	list, belonging := attach(r.Signals)
	for _, g := range list {
		pose, err := g.Pose(r)
		if err != nil { // off the road; a check of the map reports it
			continue
		}
		var lanes []uint64
		for _, p := range s.m.Places(r, g) {
			lanes = append(lanes, s.physicalLane(p.Lane))
		}
		if g.Dynamic && isLight(g) {
			s.light(r, g, pose, lanes)
			continue
		}
		if p, ok := signalPaint(g); ok {
			s.signalMark(r, g, p, pose, lanes)
			continue
		}
		sign := s.sign(r, g, pose, lanes)
		for _, other := range belonging[g] {
			s.supplement(r, sign, other)
		}
	}
}

// supplement adds a supplementary sign.
func (s *static) supplement(r *opendrive.Road, sign *osi3.TrafficSign, g *opendrive.Signal) {
	pose, err := g.Pose(r)
	if err != nil {
		return
	}
	t, _ := supplementarySign(g)
	width, height := signExtent(g)
	c := &osi3.TrafficSign_SupplementarySign_Classification{Variability: variability(g).Enum(),
		Type:           t.Enum(),
		AssignedLaneId: sign.MainSign.Classification.AssignedLaneId,
		Country:        optional(g.Country), Code: optional(g.Type), SubCode: optional(g.Subtype)}
	if g.HasValue && g.Value != -1 {
		c.Value = []*osi3.TrafficSignValue{{Value: proto.Float64(g.Value),
			ValueUnit: signUnit(g.Unit).Enum(), Text: optional(g.Text)}}
	}
	sign.SupplementarySign = append(sign.SupplementarySign,
		&osi3.TrafficSign_SupplementarySign{Base: base(pose, signDepth, width, height),
			Classification: c})
	sign.SourceReference = append(sign.SourceReference, reference(r.ID, g.ID)...)
}

// signExtent returns the width and the height of a sign.
func signExtent(g *opendrive.Signal) (width, height float64) {
	width, height = g.Width, g.Height
	if width <= 0 {
		width = signSize
	}
	if height <= 0 {
		height = signSize
	}
	return width, height
}

func variability(g *opendrive.Signal) osi3.TrafficSign_Variability {
	if g.Dynamic {
		return osi3.TrafficSign_VARIABILITY_VARIABLE
	}
	return osi3.TrafficSign_VARIABILITY_FIXED
}

// isLight reports whether a dynamic signal is a traffic light and not a variable sign.
func isLight(g *opendrive.Signal) bool {
	kind := g.LightType()
	return strings.HasPrefix(kind, "1000") || kind == "" || kind == "-1"
}

func (s *static) sign(r *opendrive.Road, g *opendrive.Signal, pose frames.Pose,
	lanes []uint64) *osi3.TrafficSign {
	width, height := signExtent(g)
	kind := mainSignOn(r, g)
	const anyDirection = osi3.TrafficSign_MainSign_Classification_DIRECTION_SCOPE_NO_DIRECTION
	c := &osi3.TrafficSign_MainSign_Classification{Variability: variability(g).Enum(),
		Type: kind.Enum(), DirectionScope: anyDirection.Enum(),
		AssignedLaneId: identifiers(unique(lanes)...), Country: optional(g.Country),
		Code: optional(g.Type), SubCode: optional(g.Subtype)}
	c.Value = signValue(g, kind)
	id := s.id()
	s.extents[id] = spot(pose.Position)
	sign := &osi3.TrafficSign{Id: identifier(id),
		MainSign: &osi3.TrafficSign_MainSign{Base: base(pose, signDepth, width, height),
			Classification: c},
		SourceReference: reference(r.ID, g.ID)}
	s.truth.TrafficSign = append(s.truth.TrafficSign, sign)
	return sign
}

// optional returns nil for a text without information: "", "-1" or "none".
func optional(text string) *string {
	if text == "" || text == "-1" || text == "none" {
		return nil
	}
	return &text
}

// unique drops zeros and duplicates.
func unique(ids []uint64) (list []uint64) {
	seen := map[uint64]bool{0: true}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	return list
}

func signUnit(unit string) osi3.TrafficSignValue_Unit {
	switch unit {
	case "km/h":
		return osi3.TrafficSignValue_UNIT_KILOMETER_PER_HOUR
	case "mph":
		return osi3.TrafficSignValue_UNIT_MILE_PER_HOUR
	case "m":
		return osi3.TrafficSignValue_UNIT_METER
	case "km":
		return osi3.TrafficSignValue_UNIT_KILOMETER
	case "ft":
		return osi3.TrafficSignValue_UNIT_FEET
	case "mile":
		return osi3.TrafficSignValue_UNIT_MILE
	case "t":
		return osi3.TrafficSignValue_UNIT_METRIC_TON
	case "%":
		return osi3.TrafficSignValue_UNIT_PERCENTAGE
	case "":
		return osi3.TrafficSignValue_UNIT_NO_UNIT
	}
	return osi3.TrafficSignValue_UNIT_OTHER
}

func spot(p frames.Vector) extent {
	e := emptyExtent()
	e.add(p)
	return e
}

// lightBulbs holds the bulbs of a traffic light, each encoded as the field of a GroundTruth, once
// off and once on.
type lightBulbs struct {
	signal  string
	at      frames.Vector
	off, on [3][]byte // red, yellow, green
}

// light creates three bulbs, one above the other.
func (s *static) light(r *opendrive.Road, g *opendrive.Signal, pose frames.Pose, lanes []uint64) {
	colours := [...]osi3.TrafficLight_Classification_Color{
		osi3.TrafficLight_Classification_COLOR_RED,
		osi3.TrafficLight_Classification_COLOR_YELLOW, osi3.TrafficLight_Classification_COLOR_GREEN}
	height := g.Height
	if height <= 0 {
		height = 3 * bulbSize
	}
	b := lightBulbs{signal: g.ID, at: pose.Position}
	for k, colour := range colours {
		at := pose
		at.Position.Z += float64(height / 3 * float64(1-k))
		l := &osi3.TrafficLight{Id: identifier(s.id()), Base: base(at, bulbSize, bulbSize,
			bulbSize),
			Classification: &osi3.TrafficLight_Classification{Color: colour.Enum(),
				Icon:           osi3.TrafficLight_Classification_ICON_NONE.Enum(),
				AssignedLaneId: identifiers(unique(lanes)...), IsOutOfService: proto.Bool(false)},
			SourceReference: reference(r.ID, g.ID)}
		l.Classification.Mode = osi3.TrafficLight_Classification_MODE_OFF.Enum()
		b.off[k] = encode(&osi3.GroundTruth{TrafficLight: []*osi3.TrafficLight{l}})
		l.Classification.Mode = osi3.TrafficLight_Classification_MODE_CONSTANT.Enum()
		b.on[k] = encode(&osi3.GroundTruth{TrafficLight: []*osi3.TrafficLight{l}})
	}
	s.lights = append(s.lights, b)
}

// encode returns the deterministic form of a message known to be encodable.
func encode(m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil { // only for proto3 strings that are not UTF-8
		panic(err)
	}
	return b
}

// objects creates what stands next to a road, including all repetitions with a distance.
func (s *static) objects(r *opendrive.Road) {
	for _, o := range r.Objects {
		if len(o.Repeats) == 0 {
			s.object(r, o)
			continue
		}
		for _, rep := range o.Repeats {
			s.repeat(r, o, &rep)
		}
	}
}

// mostRepeats limits the number of objects, even if a map repeats them every micrometer.
const mostRepeats = 10_000

func (s *static) repeat(r *opendrive.Road, o *opendrive.Object, rep *opendrive.Repeat) {
	distance := rep.Distance
	if distance <= 0 { // one body along the road, in pieces that follow the road
		distance = 10
	}
	n := min(int(math.Floor(rep.Length/distance))+1, mostRepeats)
	for k := range n {
		share := 0.0
		if rep.Length > 0 {
			share = min(float64(k)*distance/rep.Length, 1)
		}
		c := *o
		c.S = rep.S + float64(share*rep.Length)
		c.T = rep.StartT + float64(share*(rep.EndT-rep.StartT))
		c.Z = rep.StartZ + float64(share*(rep.EndZ-rep.StartZ))
		if rep.StartHeight > 0 {
			c.Height = rep.StartHeight + float64(share*(rep.EndHeight-rep.StartHeight))
		}
		if rep.StartWidth > 0 {
			c.Width = rep.StartWidth + float64(share*(rep.EndWidth-rep.StartWidth))
		}
		if rep.Distance <= 0 {
			piece := min(distance, rep.Length-float64(float64(k)*distance))
			if piece < 1e-3 {
				break
			}
			c.S += piece / 2
			c.Length = piece
		}
		s.object(r, &c)
	}
}

func (s *static) object(r *opendrive.Road, o *opendrive.Object) {
	p, painted := objectPaint(o)
	if painted { // paint has no height, even where the map states the height of a parked car
		flat := *o
		flat.Height = 0
		o = &flat
	}
	pose, err := o.Pose(r)
	if err != nil {
		return
	}
	length, width, height := o.Length, o.Width, o.Height
	if o.Radius > 0 {
		length, width = 2*o.Radius, 2*o.Radius
	}
	if box, ok := outlined(r, o, pose); ok && length <= 0 && width <= 0 {
		pose, length, width, height = box.pose, box.length, box.width, max(height, box.height)
	}
	const least = 0.01
	length, width, height = max(length, least), max(width, least), max(height, least)
	if painted {
		pose.Position.Z -= (height - least) / 2
		s.objectMark(r, o, p, pose, length, width)
		return
	}
	id := s.id()
	s.extents[id] = spot(pose.Position)
	s.truth.StationaryObject = append(s.truth.StationaryObject,
		&osi3.StationaryObject{Id: identifier(id),
			Base: base(pose, length, width, height),
			Classification: &osi3.StationaryObject_Classification{Type: objectType(o.Type,
				o.Subtype, o.Name).Enum(),
				Material: osi3.StationaryObject_Classification_MATERIAL_OTHER.Enum(),
				Density:  osi3.StationaryObject_Classification_DENSITY_OTHER.Enum(),
				Color:    osi3.StationaryObject_Classification_COLOR_OTHER.Enum()},
			SourceReference: reference(r.ID, o.ID)})
}
