package tracepage

import (
	"math"

	"gosmp/internal/portable"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace"
)

// scene is what the page draws from above; its members are a contract with page.html.
type scene struct {
	Lines  [][]float64 `json:"lines"`  // of lane boundaries: x, y, x, y, ...
	Bodies []body      `json:"bodies"` // all objects that occur
	Frames []frame     `json:"frames"`

	origin   [2]float64 // of the page's coordinates, so that they are short
	begun    bool
	index    map[uint64]int
	interval timebase.Time
	next     timebase.Time
	most     int
}

// body is an object.
type body struct {
	ID     uint64  `json:"id,string"`
	Length float64 `json:"length"`
	Width  float64 `json:"width"`
}

// frame is a moment.
type frame struct {
	Time       float64   `json:"t"`
	Host       int       `json:"host"`       // index of its body, -1 without one
	Objects    []float64 `json:"objects"`    // index of the body, x, y, yaw, speed, and again
	Detections []float64 `json:"detections"` // x, y, and again

	pose   [4]float64 // of the host: x, y, yaw, and the way from its center to its rear axle
	hosted bool
}

// mostLines and mostBodies bound what a page holds.
const (
	mostLines  = 4000
	mostBodies = 20000
)

func newScene(first, last timebase.Time, most int) *scene {
	return &scene{Lines: [][]float64{}, Bodies: []body{}, Frames: []frame{},
		index: map[uint64]int{}, most: most, next: first,
		interval: max(1, (last-first)/timebase.Time(most)+1)}
}

func round(x, parts float64) float64 {
	if !(math.Abs(x) < 1e9) {
		return 0
	}
	return math.Round(x*parts) / parts
}

// seconds is a time, which may be that of a calendar: larger than lengths.
func seconds(t timebase.Time, parts float64) float64 {
	return math.Round(t.Seconds()*parts) / parts
}

// local are rounded coordinates of the page.
func (s *scene) local(x, y float64) (float64, float64) {
	return round(x-s.origin[0], 100), round(y-s.origin[1], 100)
}

// truth adds a moment if one is due.
func (s *scene) truth(t timebase.Time, g *osi3.GroundTruth) {
	if !s.begun {
		s.begin(g)
	}
	if s.begun && len(s.Lines) == 0 {
		s.boundaries(g)
	}
	if t < s.next || len(s.Frames) > s.most {
		return
	}
	s.next = t + s.interval
	f := frame{Time: seconds(t, 1000), Host: -1, Objects: []float64{}, Detections: []float64{}}
	for _, o := range g.GetMovingObject() {
		b := o.GetBase()
		n := s.body(o)
		if b.GetPosition() == nil || n < 0 {
			continue
		}
		x, y := s.local(b.GetPosition().GetX(), b.GetPosition().GetY())
		yaw := b.GetOrientation().GetYaw()
		f.Objects = append(f.Objects, float64(n), x, y, round(yaw, 1000),
			round(portable.Hypot(b.GetVelocity().GetX(), b.GetVelocity().GetY()), 100))
		if g.GetHostVehicleId() != nil && g.GetHostVehicleId().GetValue() == o.GetId().GetValue() {
			f.Host, f.hosted = n, true
			f.pose = [4]float64{x, y, yaw, o.GetVehicleAttributes().GetBbcenterToRear().GetX()}
		}
	}
	s.Frames = append(s.Frames, f)
}

// begin puts the origin near the first object, or else the first lane boundary.
func (s *scene) begin(g *osi3.GroundTruth) {
	at := func(p *osi3.Vector3D) {
		if p != nil && !s.begun {
			s.origin, s.begun = [2]float64{round(p.GetX(), 1), round(p.GetY(), 1)}, true
		}
	}
	for _, o := range g.GetMovingObject() {
		at(o.GetBase().GetPosition())
	}
	for _, b := range g.GetLaneBoundary() {
		for _, p := range b.GetBoundaryLine() {
			at(p.GetPosition())
		}
	}
	for _, b := range g.GetLogicalLaneBoundary() {
		for _, p := range b.GetBoundaryLine() {
			at(p.GetPosition())
		}
	}
}

// body is the index of an object, -1 when there are too many.
func (s *scene) body(o *osi3.MovingObject) int {
	id := o.GetId().GetValue()
	if n, known := s.index[id]; known {
		return n
	}
	if len(s.Bodies) == mostBodies {
		return -1
	}
	d := o.GetBase().GetDimension()
	s.index[id] = len(s.Bodies)
	s.Bodies = append(s.Bodies, body{id, round(d.GetLength(), 100), round(d.GetWidth(), 100)})
	return s.index[id]
}

// boundaries takes the lane boundaries of the first truth that has some.
func (s *scene) boundaries(g *osi3.GroundTruth) {
	for _, b := range g.GetLaneBoundary() {
		addLine(s, b.GetBoundaryLine())
	}
	if len(s.Lines) > 0 {
		return
	}
	for _, b := range g.GetLogicalLaneBoundary() {
		addLine(s, b.GetBoundaryLine())
	}
}

// addLine adds a line of at least two points.
func addLine[P interface{ GetPosition() *osi3.Vector3D }](s *scene, points []P) {
	if len(points) < 2 || len(s.Lines) == mostLines {
		return
	}
	line := make([]float64, 0, 2*len(points))
	for _, p := range points {
		x, y := s.local(p.GetPosition().GetX(), p.GetPosition().GetY())
		line = append(line, x, y)
	}
	s.Lines = append(s.Lines, line)
}

// data adds detections to the newest moment, whose host vehicle they are relative to.
func (s *scene) data(d *osi3.SensorData) {
	if len(s.Frames) == 0 {
		return
	}
	f := &s.Frames[len(s.Frames)-1]
	if !f.hosted || len(f.Detections) > 0 {
		return
	}
	sin, cos := portable.Sincos(f.pose[2])
	for _, o := range d.GetMovingObject() {
		p := o.GetBase().GetPosition()
		if p == nil {
			continue
		}
		x, y := p.GetX()+f.pose[3], p.GetY()
		f.Detections = append(f.Detections, round(f.pose[0]+float64(x*cos)-float64(y*sin), 100),
			round(f.pose[1]+float64(x*sin)+float64(y*cos), 100))
	}
}

// read takes the scene from a source: the channels that were measured.
func (s *scene) read(source trace.Source, truth, data string) error {
	var decoder trace.Decoder
	return each(source, func(m *trace.Message) error {
		switch {
		case m.Channel.Topic == truth && m.Channel.IsOSI():
			g, err := decoder.TruthOf(m)
			if err == nil && g != nil {
				rules.DiscardUnusable(g)
				s.truth(m.Time, g)
			}
			return err
		case m.Channel.Topic == data && m.Channel.IsOSI():
			decoded, err := decoder.Decode(m)
			if d, is := decoded.(*osi3.SensorData); err == nil && is {
				rules.DiscardUnusable(d)
				s.data(d)
			}
			return err
		}
		return nil
	})
}
