package opendrive

import (
	"math"
	"slices"
	"strings"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// Signal is a traffic sign or a traffic light.
type Signal struct {
	ID, Name                     string
	S, T, Z                      float64 // z of the bottom edge above the reference line
	Orientation                  string  // "+", "-" or "none": the traffic for which it is valid
	Turn, Pitch, Roll            float64 // hOffset, pitch and roll, rad
	Dynamic                      bool    // it can change: a traffic light
	Country, Type, Subtype, Text string
	Value                        float64
	HasValue                     bool
	Unit                         string
	Width, Height                float64
	Validity                     []Validity
	line                         int
	static, variable             bool // it has boards of these kinds
}

// Validity is a range of lanes for which a signal or object is valid.
type Validity struct{ From, To int }

// Pose returns the middle of a sign and the orientation of its face: the x axis points towards the
// traffic for which it is valid (OSI, TrafficSign base).
func (s *Signal) Pose(r *Road) (frames.Pose, error) {
	st, err := r.Station(s.S)
	if err != nil {
		return frames.Pose{}, err
	}
	p := st.Point(s.T, 0)
	p.Z = st.Origin.Z + s.Z + s.Height/2
	yaw := st.Heading + s.Turn
	if s.Orientation != "-" {
		yaw += math.Pi
	}
	return frames.Pose{Position: p, Orientation: frames.Orientation{Roll: s.Roll, Pitch: s.Pitch,
		Yaw: frames.WrapAngle(yaw)}}, nil
}

// Lanes returns the lanes at the signal for which it is valid: the lanes in its validity, or else
// all lanes in the direction of its orientation.
func (s *Signal) Lanes(r *Road) (list []*Lane) {
	return lanesAt(r, s.S, s.Orientation, s.Validity)
}

// lanesAt returns the lanes at s in a validity or, without a validity, all lanes in the direction
// of an orientation.
func lanesAt(r *Road, s float64, orientation string, validity []Validity) (list []*Lane) {
	for _, l := range r.SectionAt(s).Lanes {
		if l.ID != 0 && covers(orientation, validity, l) {
			list = append(list, l)
		}
	}
	return list
}

func covers(orientation string, validity []Validity, l *Lane) bool {
	for _, v := range validity {
		if l.ID >= min(v.From, v.To) && l.ID <= max(v.From, v.To) {
			return true
		}
	}
	if len(validity) > 0 {
		return false
	}
	forwards, backwards := l.Directions()
	return orientation != "-" && forwards || orientation != "+" && backwards
}

// SignalReference makes a signal of one road valid on another one (OpenDRIVE, signalReference).
type SignalReference struct {
	ID          string // of the signal
	S, T        float64
	Orientation string
	Validity    []Validity
	line        int
}

// SignalPlace is a place where a signal applies to a lane, and where traffic obeys it.
type SignalPlace struct {
	Lane *Lane
	S    float64
}

// Places returns all places where a signal of a road is valid: on its own road, and where other
// roads refer to it, in file order.
func (m *Map) Places(r *Road, s *Signal) (list []SignalPlace) {
	if s.S >= 0 && s.S <= r.Length {
		for _, l := range s.Lanes(r) {
			list = append(list, SignalPlace{l, s.S})
		}
	}
	for _, other := range m.references[s.ID] {
		if ref := other.ref; ref.S >= 0 && ref.S <= other.road.Length {
			for _, l := range lanesAt(other.road, ref.S, ref.Orientation, ref.Validity) {
				list = append(list, SignalPlace{l, ref.S})
			}
		}
	}
	return list
}

// referred is a reference and its road.
type referred struct {
	road *Road
	ref  *SignalReference
}

// findReferences groups references by the signals that they name.
func (m *Map) findReferences() {
	m.references = map[string][]referred{}
	for _, r := range m.Roads {
		for _, ref := range r.SignalReferences {
			m.references[ref.ID] = append(m.references[ref.ID], referred{r, ref})
		}
	}
}

// Object is something on the road or next to it: a barrier, a building, a parking space.
type Object struct {
	ID, Name, Type, Subtype       string
	S, T, Z                       float64 // z of the bottom above the road
	Turn, Pitch, Roll             float64 // hdg relative to the road, rad
	Length, Width, Height, Radius float64
	Outlines                      []Outline
	Repeats                       []Repeat
	line                          int
	oriented                      bool // orientation is present
}

// Outline is the ground plan of an object.
type Outline struct {
	Closed  bool
	Corners []Corner
}

// Corner is a corner of an outline. Local corners have U, V and Z, from the object's origin; other
// corners have S, T and Z, above the road.
type Corner struct {
	Local   bool
	S, T, Z float64 // cornerRoad
	U, V    float64 // cornerLocal
	Height  float64
}

// Repeat repeats an object along the road; Distance 0 means one continuous object.
type Repeat struct {
	S, Length, Distance, StartT, EndT, StartZ, EndZ, StartHeight, EndHeight,
	StartWidth, EndWidth float64
}

// Extent returns the smallest and largest s and t of an object: of its outlines or, without any, of
// its box.
func (o *Object) Extent() (low, high [2]float64) {
	low = [2]float64{math.Inf(1), math.Inf(1)}
	high = [2]float64{math.Inf(-1), math.Inf(-1)}
	include := func(s, t float64) {
		low = [2]float64{min(low[0], s), min(low[1], t)}
		high = [2]float64{max(high[0], s), max(high[1], t)}
	}
	sin, cos := portable.Sincos(o.Turn)
	local := func(u, v float64) {
		include(o.S+float64(u*cos)-float64(v*sin), o.T+float64(u*sin)+float64(v*cos))
	}
	for _, outline := range o.Outlines {
		for _, c := range outline.Corners {
			if c.Local {
				local(c.U, c.V)
			} else {
				include(c.S, c.T)
			}
		}
	}
	if len(o.Outlines) == 0 {
		for _, side := range [...][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			local(side[0]*o.Length/2, side[1]*o.Width/2)
		}
	}
	return low, high
}

// Pose returns the middle of an object's box and its orientation.
func (o *Object) Pose(r *Road) (frames.Pose, error) {
	st, err := r.Station(o.S)
	if err != nil {
		return frames.Pose{}, err
	}
	p := st.Surface(o.T)
	p.Z += o.Z + o.Height/2
	return frames.Pose{Position: p, Orientation: frames.Orientation{Roll: o.Roll, Pitch: o.Pitch,
		Yaw: frames.WrapAngle(st.Heading + o.Turn)}}, nil
}

// numbering lists countries other than Germany whose catalogues also consist of numbers, by their
// codes and names. Numbers in maps of other countries can only be German ones.
var numbering = strings.Fields("at aut austria ch che switzerland cn chn china ee " +
	"est estonia fi fin finland gb gbr uk il isr israel it ita italy jp jpn japan kr kor korea " +
	"lt ltu lithuania lv lva latvia no nor norway ru rus russia sk svk slovakia tr tur turkey " +
	"tw twn taiwan ua ukr ukraine us usa")

// LightType returns the type of a traffic light, such as 1000001, without a decimal place or the
// separators of thousands that some maps contain.
func (s *Signal) LightType() string {
	kind := strings.TrimSuffix(s.Type, ".0")
	if strings.Count(kind, ".") > 1 {
		kind = strings.ReplaceAll(kind, ".", "")
	}
	return kind
}

// GermanNumbers reports whether a number as the type of the signal can only be one of the German
// StVO.
func (s *Signal) GermanNumbers() bool {
	return !slices.Contains(numbering, strings.ToLower(s.Country))
}
