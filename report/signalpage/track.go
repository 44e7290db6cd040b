package signalpage

import (
	"math"
	"strings"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/report/internal/page"
)

// mostPlaces is the maximum number of positions of a track.
const mostPlaces = 600

// track collects the positions of two signals, latitude and longitude. It keeps at most mostPlaces
// of them, at equal distances.
type track struct {
	degrees  float64 // per unit of the signals
	latitude struct{ time, value float64 }
	places   []place
	every    int // positions for each that is kept
	count    int // positions since the last one kept
}

// place is a position in degrees.
type place struct{ time, latitude, longitude float64 }

// degreesPer returns the size in degrees of a unit of angles, or 0 for another unit.
func degreesPer(unit string) float64 {
	switch unit {
	case "deg", "°", "degree", "degrees":
		return 1
	case "ndeg":
		return 1e-9
	case "rad":
		return 180 / math.Pi
	}
	return 0
}

// follow makes a latitude or longitude signal also contribute to a track.
func (p *Page) follow(s *Signal, name, unit string) {
	degrees := degreesPer(unit)
	if degrees == 0 {
		return
	}
	name = strings.ToLower(name)
	if whose, is := strings.CutSuffix(name, "latitude"); is {
		t := &track{degrees: degrees, every: 1}
		if _, known := p.tracks[whose]; !known {
			p.tracks[whose] = t
			s.place = t.setLatitude
		}
		return
	}
	whose, is := strings.CutSuffix(name, "longitude")
	if t := p.tracks[whose]; is && t != nil && degrees == t.degrees {
		s.place = t.setLongitude
		p.order = append(p.order, t)
	}
}

func (t *track) setLatitude(time, value float64) {
	t.latitude.time, t.latitude.value = time, value
}

// setLongitude adds a position, if its latitude came at the same time. Receivers without a position
// send zeros.
func (t *track) setLongitude(time, value float64) {
	at := place{time, t.latitude.value * t.degrees, value * t.degrees}
	none := at.latitude == 0 && at.longitude == 0
	if t.latitude.time != time || none ||
		!(math.Abs(at.latitude) <= 90 && math.Abs(at.longitude) <= 360) {
		return
	}
	if t.count++; t.count < t.every && len(t.places) > 0 {
		return
	}
	if t.count = 0; len(t.places) == mostPlaces {
		for k := range mostPlaces / 2 {
			t.places[k] = t.places[2*k]
		}
		t.places, t.every = t.places[:mostPlaces/2], 2*t.every
	}
	t.places = append(t.places, at)
}

// scene is the object that moves along a track, on a plane around its first position: x east, y
// north.
type scene struct {
	page.Scene
	Small bool `json:"small"` // the moving object has no size
}

// scene returns the first track that has several positions, or nil.
func (p *Page) scene() *scene {
	for _, t := range p.order {
		if len(t.places) > 1 {
			return t.scene()
		}
	}
	return nil
}

func (t *track) scene() *scene {
	first := t.places[0]
	plane := frames.NewLocalMap(frames.Geodetic{Latitude: first.latitude,
		Longitude: first.longitude})
	s := &scene{Small: true, Scene: page.Scene{Bodies: []page.Body{}}}
	var x, y, yaw float64
	for _, at := range t.places {
		v := plane.Position(frames.Geodetic{Latitude: at.latitude, Longitude: at.longitude})
		if v.X != x || v.Y != y {
			yaw = portable.Atan2(v.Y-y, v.X-x)
		}
		x, y = v.X, v.Y
		s.Frames = append(s.Frames, page.Frame{Time: round(at.time, 1e6), Host: -1,
			Pose:    []float64{round(x, 1000), round(y, 1000), round(yaw, 1000)},
			Objects: []float64{}})
	}
	return s
}

func round(x, parts float64) float64 { return math.Round(x*parts) / parts }
