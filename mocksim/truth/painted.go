package truth

import (
	"math"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/opendrive"
	"gosmp/proto/osi3"
)

// paint is the class of a marking on the road.
type paint struct {
	kind osi3.RoadMarking_Classification_Type
	sign mainType
	stop bool // a line at which traffic stops
	text string
}

const (
	genericSymbol = osi3.RoadMarking_Classification_TYPE_GENERIC_SYMBOL
	genericLine   = osi3.RoadMarking_Classification_TYPE_GENERIC_LINE
	genericText   = osi3.RoadMarking_Classification_TYPE_GENERIC_TEXT
	symbolicSign  = osi3.RoadMarking_Classification_TYPE_SYMBOLIC_TRAFFIC_SIGN
	textualSign   = osi3.RoadMarking_Classification_TYPE_TEXTUAL_TRAFFIC_SIGN
	noSign        = osi3.TrafficSign_MainSign_Classification_TYPE_OTHER
	stopSign      = osi3.TrafficSign_MainSign_Classification_TYPE_STOP
)

// The markings that several maps name differently. A crosswalk is a symbol that means a zebra
// crossing. It is not a symbolic traffic sign, for which OSI requires a code from a country's
// catalog.
var (
	crosswalkPaint = paint{kind: genericSymbol,
		sign: osi3.TrafficSign_MainSign_Classification_TYPE_ZEBRA_CROSSING}
	stopLine    = paint{kind: genericLine, sign: noSign, stop: true}
	linePaint   = paint{kind: genericLine, sign: noSign}
	symbolPaint = paint{kind: genericSymbol, sign: noSign}
	textPaint   = paint{kind: genericText, sign: noSign}
)

// paintWords maps words in the subtype or name of an object to its paint. The first match wins.
var paintWords = []struct {
	words string
	paint paint
}{
	{"stencilstop", paint{kind: textualSign, sign: stopSign, text: "STOP"}},
	{"crosswalk zebracrossing", crosswalkPaint},
	{"stopline holdingline haltelinie", stopLine},
	{"stencil chevronregion crosshatchregion rmarrow", symbolPaint},
	{"solidsingle soliddouble dashedsingle dasheddouble dashedshort dashedlong", linePaint},
}

// objectPaint returns the marking that an object is; ok is false for bodies.
func objectPaint(o *opendrive.Object) (p paint, ok bool) {
	general := false
	switch o.Type {
	case "crosswalk":
		return crosswalkPaint, true
	case "parkingSpace":
		return symbolPaint, true
	case "", "-1", "none":
		if name := plain(o.Name); strings.Contains(name, "sign") || strings.Contains(name, "post") {
			return p, false // a sign at a crosswalk
		}
		general = true
	case "roadMark":
	default:
		return p, false
	}
	for _, text := range [...]string{o.Subtype, o.Name} {
		text = plain(text)
		for _, entry := range paintWords {
			for _, word := range strings.Fields(entry.words) {
				if strings.Contains(text, word) {
					return entry.paint, true
				}
			}
		}
	}
	switch kind := plain(o.Subtype); {
	case general:
		return p, false
	case kind == "text":
		return textPaint, true
	case strings.HasSuffix(kind, "line") || strings.HasSuffix(plain(o.Name), "line"):
		return linePaint, true
	}
	return symbolPaint, true
}

// paintCodes holds the numbers of markings in the German catalogue and, from 1000003, those of
// OpenDRIVE, and names.
var paintCodes = map[string]paint{
	"293": crosswalkPaint, "1000003": crosswalkPaint,
	"294": stopLine, "HALTELINIE": stopLine,
	"295": linePaint, "296": linePaint, "340": linePaint, "341": linePaint, "342": linePaint,
	"297": symbolPaint, "297.1": symbolPaint, "298": symbolPaint, "299": symbolPaint,
}

// signalPaint returns the marking that a signal is; ok is false for signs and lights.
func signalPaint(g *opendrive.Signal) (p paint, ok bool) {
	if g.Dynamic {
		return p, false
	}
	for _, code := range g.SignCodes() {
		if p, ok := paintCodes[code]; ok {
			return p, true
		}
	}
	return p, false
}

// atStopSign reports whether a sign at most 15 m away makes traffic stop at a line.
func atStopSign(r *opendrive.Road, s float64, orientation string) bool {
	const near = 15.0
	for _, g := range r.Signals {
		if abs(g.S-s) <= near && mainSign(g) == stopSign && !g.Dynamic &&
			(orientation == "" || g.Orientation == orientation) {
			return true
		}
	}
	return false
}

// classification returns the class of a marking. OSI requires a sign and a catalog code for every
// marking of some types, so the fields are present but empty without a code.
func (p paint) classification(atStop bool) *osi3.RoadMarking_Classification {
	if p.stop && atStop { // OSI: "stop line for stop sign"
		p.kind, p.sign = symbolicSign, stopSign
	}
	c := &osi3.RoadMarking_Classification{Type: p.kind.Enum(), TrafficMainSignType: p.sign.Enum(),
		MonochromeColor: osi3.RoadMarking_Classification_COLOR_WHITE.Enum(),
		Country:         proto.String(""), CountryRevision: proto.String(""),
		Code: proto.String(""), SubCode: proto.String("")}
	if p.text != "" {
		c.ValueText = proto.String(p.text)
	}
	return c
}

// objectMark creates a road marking from an object.
func (s *static) objectMark(r *opendrive.Road, o *opendrive.Object, p paint, pose frames.Pose,
	length, width float64) {
	var lanes []uint64
	for _, l := range r.SectionAt(o.S).Lanes {
		if l.ID != 0 && l.Drivable() {
			lanes = append(lanes, s.physicalLane(l))
		}
	}
	c := p.classification(atStopSign(r, o.S, ""))
	if strings.Contains(plain(o.Name), "yellow") {
		c.MonochromeColor = osi3.RoadMarking_Classification_COLOR_YELLOW.Enum()
	}
	s.mark(c, base(onRoad(pose, pose.Orientation.Yaw), thickness, width, length), lanes,
		reference(r.ID, o.ID))
}

// The sizes of markings for which the map states no size, in m.
const (
	thickness       = 0.01
	stopLineLength  = 0.5
	crosswalkLength = 4.0
	markLength      = 4.0
	markWidth       = 1.0
	laneWidth       = 3.5
)

// signalMark creates a road marking from a signal. The value of a crosswalk is its length.
func (s *static) signalMark(r *opendrive.Road, g *opendrive.Signal, p paint, pose frames.Pose,
	lanes []uint64) {
	length, width := markLength, markWidth
	switch {
	case p.sign == crosswalkPaint.sign:
		length, width = crosswalkLength, laneWidth
		if g.HasValue && g.Value > 0 {
			length = g.Value
		}
	case p.kind == genericLine:
		length, width = stopLineLength, laneWidth
	case g.Height > 10*thickness:
		length = g.Height
	}
	if g.Width > 0 {
		width = g.Width
	}
	c := p.classification(atStopSign(r, g.S, g.Orientation))
	for _, f := range [...]struct {
		to   **string
		text string
	}{{&c.Country, g.Country}, {&c.Code, g.Type}, {&c.SubCode, g.Subtype}} {
		if text := optional(f.text); text != nil {
			*f.to = text
		}
	}
	pose.Position.Z -= g.Height / 2 // the height of a marking is its thickness or its length
	towards := pose.Orientation.Yaw + math.Pi
	s.mark(c, base(onRoad(pose, towards), thickness, width, length), unique(lanes),
		reference(r.ID, g.ID))
}

// onRoad returns the pose of a marking that reads in a direction: OSI's x axis points to the sky
// and its z axis in the direction of the traffic.
func onRoad(pose frames.Pose, yaw float64) frames.Pose {
	pose.Orientation = frames.Orientation{Pitch: -math.Pi / 2, Yaw: frames.WrapAngle(yaw + math.Pi)}
	return pose
}

func (s *static) mark(c *osi3.RoadMarking_Classification, b *osi3.BaseStationary, lanes []uint64,
	source []*osi3.ExternalReference) {
	c.AssignedLaneId = identifiers(unique(lanes)...)
	id := s.id()
	s.extents[id] = spot(frames.Vector{X: b.Position.GetX(), Y: b.Position.GetY()})
	s.truth.RoadMarking = append(s.truth.RoadMarking, &osi3.RoadMarking{Id: identifier(id), Base: b,
		Classification: c, SourceReference: source})
}
