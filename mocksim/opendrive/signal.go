package opendrive

import (
	"math"

	"gosmp/frames"
)

// Signal is a traffic sign or a traffic light.
type Signal struct {
	ID, Name                     string
	S, T, Z                      float64 // z of the bottom edge above the reference line
	Orientation                  string  // "+", "-" or "none": for which traffic
	Turn, Pitch, Roll            float64 // hOffset, pitch and roll, rad
	Dynamic                      bool    // can change: a traffic light
	Country, Type, Subtype, Text string
	Value                        float64
	HasValue                     bool
	Unit                         string
	Width, Height                float64
	Validity                     []Validity
	line                         int
}

// Validity is a range of lanes for which a signal or object is valid.
type Validity struct{ From, To int }

// Pose is the middle of a sign and the orientation of its face: the x axis points towards the
// traffic it is for (OSI, TrafficSign base).
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
	return frames.Pose{Position: p, Orientation: frames.Orientation{Roll: s.Roll, Pitch: s.Pitch, Yaw: frames.WrapAngle(yaw)}}, nil
}

// Lanes are the lanes at the signal for which it is valid: those of its validity, else all in the
// direction of its orientation.
func (s *Signal) Lanes(r *Road) (list []*Lane) {
	for _, l := range r.SectionAt(s.S).Lanes {
		if l.ID != 0 && s.covers(l) {
			list = append(list, l)
		}
	}
	return list
}

func (s *Signal) covers(l *Lane) bool {
	for _, v := range s.Validity {
		if l.ID >= min(v.From, v.To) && l.ID <= max(v.From, v.To) {
			return true
		}
	}
	if len(s.Validity) > 0 {
		return false
	}
	forwards, backwards := l.Directions()
	return s.Orientation != "-" && forwards || s.Orientation != "+" && backwards
}

// Object is something beside or on the road: a barrier, a building, a parking space.
type Object struct {
	ID, Name, Type, Subtype       string
	S, T, Z                       float64 // z of the bottom above the road
	Turn, Pitch, Roll             float64 // hdg relative to the road, rad
	Length, Width, Height, Radius float64
	Outlines                      []Outline
	Repeats                       []Repeat
	line                          int
}

// Outline is the ground plan of an object.
type Outline struct {
	Closed  bool
	Corners []Corner
}

// Corner is a corner of an outline. Local ones are U, V, Z from the object's origin; others S, T
// and Z above the road.
type Corner struct {
	Local   bool
	S, T, Z float64 // cornerRoad
	U, V    float64 // cornerLocal
	Height  float64
}

// Repeat lays copies of an object along the road; Distance 0 means one continuous object.
type Repeat struct{ S, Length, Distance, StartT, EndT, StartZ, EndZ, StartHeight, EndHeight, StartWidth, EndWidth float64 }

// Pose is the middle of an object's box and its orientation.
func (o *Object) Pose(r *Road) (frames.Pose, error) {
	st, err := r.Station(o.S)
	if err != nil {
		return frames.Pose{}, err
	}
	p := st.Surface(o.T)
	p.Z += o.Z + o.Height/2
	return frames.Pose{Position: p, Orientation: frames.Orientation{Roll: o.Roll, Pitch: o.Pitch, Yaw: frames.WrapAngle(st.Heading + o.Turn)}}, nil
}
