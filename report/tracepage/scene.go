package tracepage

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/portable"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/report/internal/lanes"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/signal"
)

// scene is the scene that the page draws from above. Its members are a contract with the page's
// script.
type scene struct {
	Truth   string      `json:"truth"`   // topic of the drawn ground truth; "" if there is none
	Lines   [][]float64 `json:"lines"`   // of lane boundaries: x, y, x, y, ...
	Styles  []string    `json:"styles"`  // of each line: solid, dashed, none, edge, centre
	Bodies  []body      `json:"bodies"`  // all objects that occur
	Fixed   []fixed     `json:"fixed"`   // stationary objects, markings and signs
	Lights  []light     `json:"lights"`  // all traffic lights that occur
	Sensors []*sensor   `json:"sensors"` // channels of SensorData and of reflections
	Frames  []frame     `json:"frames"`
	Thinned bool        `json:"thinned"` // the page does not contain all points
	// Origin of the page's coordinates, which keeps them short.
	Origin [2]float64 `json:"origin"`

	begun    bool
	index    map[uint64]int
	lamps    map[uint64]int
	interval timebase.Time
	next     timebase.Time
	most     int
	room     room
	crowded  bool // the page does not contain all objects and lines
	waiting  []look
	skipped  bool   // not all moments are in the page
	mapless  int    // ground truths without lines
	inside   bool   // the ground truth is inside the first SensorData
	known    bool   // a SensorView has a ground truth
	updates  joined // the objects are updates, without a ground truth
	curves   *signal.Collector
}

// body is an object.
type body struct {
	ID     uint64  `json:"id,string"`
	Kind   string  `json:"kind"`
	Length float64 `json:"length"`
	Width  float64 `json:"width"`
}

// fixed is a stationary object, a marking on the road, or a sign.
type fixed struct {
	Kind   string  `json:"kind,omitempty"` // marking, sign
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Yaw    float64 `json:"yaw"`
	Length float64 `json:"length"`
	Width  float64 `json:"width"`
}

// light is the bulb of a traffic light.
type light struct {
	ID uint64  `json:"id,string"`
	X  float64 `json:"x"`
	Y  float64 `json:"y"`
}

// frame is a moment.
type frame struct {
	Time    float64   `json:"t"`
	Host    int       `json:"host"`    // index of its body; -1 if there is none
	Pose    []float64 `json:"pose"`    // of the host's rear axle: x, y, yaw; null if there is none
	Objects []float64 `json:"objects"` // for each object: index of the body, x, y, yaw, speed
	Lights  []int     `json:"lights"`  // for each light: index of the light, color, mode
	Seen    []look    `json:"seen"`

	at timebase.Time
}

func newScene(first, last timebase.Time, most int) *scene {
	return &scene{Lines: [][]float64{}, Styles: []string{}, Bodies: []body{}, Fixed: []fixed{},
		Lights: []light{}, Sensors: []*sensor{}, Frames: []frame{},
		index: map[uint64]int{}, lamps: map[uint64]int{}, most: most, next: first,
		interval: max(1, (last-first)/timebase.Time(most)+1), room: newRoom(most),
		curves: signal.NewCollector(first, last, min(most, mostIntervals))}
}

func round(x, parts float64) float64 {
	if !(math.Abs(x) < 1e9) {
		return 0
	}
	return math.Round(x*parts) / parts
}

// seconds returns a rounded time. A calendar time may be larger than any length.
func seconds(t timebase.Time) float64 {
	const parts = 1e6
	return math.Round(t.Seconds()*parts) / parts
}

// local converts a position to rounded page coordinates.
func (s *scene) local(x, y float64) (float64, float64) {
	return round(x-s.Origin[0], 100), round(y-s.Origin[1], 100)
}

// due reports whether a moment must be added at a time.
func (s *scene) due(t timebase.Time) bool {
	if t < s.next || len(s.Frames) > s.most {
		return false
	}
	s.next = t + s.interval
	return true
}

// add adds a moment with the sensors' detections at its time.
func (s *scene) add(f frame) {
	f.Seen = []look{}
	waiting := s.waiting
	s.waiting = nil
	s.Frames = append(s.Frames, f)
	for _, l := range waiting {
		s.see(l)
	}
}

// truth adds a moment if one is due.
func (s *scene) truth(t timebase.Time, g *osi3.GroundTruth) {
	if !s.begun {
		s.begin(g)
	}
	if s.begun && len(s.Lines) == 0 {
		s.boundaries(g)
		s.mapless++
	}
	if s.begun && len(s.Fixed) == 0 {
		s.standing(g)
	}
	if !s.due(t) {
		return
	}
	f := frame{at: t, Time: seconds(t), Host: -1, Objects: []float64{}, Lights: []int{}}
	objects := s.room.objects.share()
	for _, o := range g.GetMovingObject() {
		b := o.GetBase()
		host := g.GetHostVehicleId() != nil &&
			g.GetHostVehicleId().GetValue() == o.GetId().GetValue()
		if b.GetPosition() == nil {
			continue
		}
		if !host && !objects.take(1) {
			s.crowded = true
			continue
		}
		n := s.body(o)
		if n < 0 {
			continue
		}
		x, y := s.local(b.GetPosition().GetX(), b.GetPosition().GetY())
		yaw := b.GetOrientation().GetYaw()
		f.Objects = append(f.Objects, float64(n), x, y, round(yaw, 1000),
			round(portable.Hypot(b.GetVelocity().GetX(), b.GetVelocity().GetY()), 100))
		if host {
			sin, cos := portable.Sincos(yaw)
			rear := o.GetVehicleAttributes().GetBbcenterToRear().GetX()
			f.Host, f.Pose = n, []float64{round(x+float64(rear*cos), 100),
				round(y+float64(rear*sin), 100), round(yaw, 10000)}
		}
	}
	s.lit(&f, g)
	s.add(f)
}

// lit adds the states of the traffic lights to a frame.
func (s *scene) lit(f *frame, g *osi3.GroundTruth) {
	for _, l := range g.GetTrafficLight() {
		id := l.GetId().GetValue()
		n, known := s.lamps[id]
		if !known {
			p := l.GetBase().GetPosition()
			if p == nil || len(s.Lights) == mostLights {
				s.crowded = s.crowded || p != nil
				continue
			}
			n = len(s.Lights)
			x, y := s.local(p.GetX(), p.GetY())
			s.lamps[id], s.Lights = n, append(s.Lights, light{id, x, y})
		}
		c := l.GetClassification()
		f.Lights = append(f.Lights, n, int(c.GetColor()), int(c.GetMode()))
	}
}

// begin puts the origin near the first object, or else near the first lane boundary.
func (s *scene) begin(g *osi3.GroundTruth) {
	at := func(p *osi3.Vector3D) {
		if p != nil && !s.begun {
			s.Origin, s.begun = [2]float64{round(p.GetX(), 1), round(p.GetY(), 1)}, true
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

// body returns the index of an object, or -1 if there are too many.
func (s *scene) body(o *osi3.MovingObject) int {
	id := o.GetId().GetValue()
	if n, known := s.index[id]; known {
		return n
	}
	if len(s.Bodies) == mostBodies {
		s.crowded = true
		return -1
	}
	d, kind := o.GetBase().GetDimension(), "vehicle"
	switch o.GetType() {
	case osi3.MovingObject_TYPE_PEDESTRIAN, osi3.MovingObject_TYPE_ANIMAL:
		kind = "person"
	}
	s.index[id] = len(s.Bodies)
	s.Bodies = append(s.Bodies, body{id, kind, round(d.GetLength(), 100),
		round(d.GetWidth(), 100)})
	return s.index[id]
}

// standing collects the stationary objects, the markings and the signs.
func (s *scene) standing(g *osi3.GroundTruth) {
	for _, o := range g.GetStationaryObject() {
		s.stand("", o.GetBase())
	}
	for _, o := range g.GetRoadMarking() {
		s.stand("marking", o.GetBase())
	}
	for _, o := range g.GetTrafficSign() {
		s.stand("sign", o.GetMainSign().GetBase())
	}
}

// stand adds a stationary object. The height of a box that is pitched upright, like the box of a
// marking, is along the road.
func (s *scene) stand(kind string, b *osi3.BaseStationary) {
	if b.GetPosition() == nil || len(s.Fixed) == mostFixed {
		s.crowded = s.crowded || b.GetPosition() != nil
		return
	}
	x, y := s.local(b.GetPosition().GetX(), b.GetPosition().GetY())
	length := b.GetDimension().GetLength()
	if _, cos := portable.Sincos(b.GetOrientation().GetPitch()); math.Abs(cos) < 0.5 {
		length = b.GetDimension().GetHeight()
	}
	s.Fixed = append(s.Fixed, fixed{kind, x, y, round(b.GetOrientation().GetYaw(), 1000),
		round(length, 100), round(b.GetDimension().GetWidth(), 100)})
}

// boundaries adds the lines of the first ground truth that has any.
func (s *scene) boundaries(g *osi3.GroundTruth) {
	for _, l := range lanes.Of(g) {
		if len(s.Lines) == mostLines || !s.room.road.take(len(l.Points)) {
			s.crowded = true
			return
		}
		line := make([]float64, 0, 2*len(l.Points))
		for _, p := range l.Points {
			x, y := s.local(p.GetX(), p.GetY())
			line = append(line, x, y)
		}
		s.Lines, s.Styles = append(s.Lines, line), append(s.Styles, l.Style)
	}
}

// read reads the scene and the curves from a source. truth names the channel with the ground truth;
// without it, the first channel of SensorData determines the moments.
func (s *scene) read(source trace.Source, truth string) error {
	var decoder trace.Decoder
	s.Truth = truth
	err := each(source, func(m *trace.Message) error {
		if m.Channel.Encoding != trace.Protobuf ||
			strings.HasPrefix(m.Channel.Type, "foxglove.") { // derived, for viewers
			return nil
		}
		if is, err := decoder.Type(m.Channel); err == nil {
			s.curves.Add(m.Channel.Topic, m.Time, is.Descriptor(), m.Data)
		}
		if !m.Channel.IsOSI() {
			return nil
		}
		if s.update(m) || !s.needs(m) {
			return nil
		}
		decoded, err := decoder.Decode(m)
		if err != nil {
			return nil //nolint:nilerr // the check has reported it; show the others
		}
		s.draw(m, decoded)
		return nil
	})
	s.update(nil)
	return err
}

// shown describes which channels the scene shows.
func (s *scene) shown() string {
	text := "No truth"
	switch {
	case s.updates.shows():
		text = s.updates.text()
	case s.Truth != "" && len(s.Sensors) > 0 && !s.begun && !s.known:
		text = "No truth in channel " + s.Truth
	case s.Truth != "":
		text = "Truth of channel " + s.Truth
	case s.inside:
		text = "Truth inside the SensorData of channel " + s.Sensors[0].Topic
	}
	for _, from := range s.Sensors {
		if from.Shown > 0 {
			text += "; seen by channel " + from.Topic
		}
	}
	if s.skipped {
		text += fmt.Sprintf("; a moment every %.3g s, between which playback moves objects evenly",
			s.interval.Seconds())
	}
	if s.Thinned {
		text += "; not all points are in the page"
	}
	if s.crowded {
		text += "; there was no room for all objects and lines"
	}
	return text
}

// draw adds a message to the scene.
func (s *scene) draw(m *trace.Message, decoded proto.Message) {
	switch decoded.(type) {
	case *osi3.GroundTruth, *osi3.SensorView, *osi3.SensorData:
		rules.DiscardUnusable(decoded)
	}
	switch d := decoded.(type) {
	case *osi3.GroundTruth:
		if m.Channel.Topic == s.Truth {
			s.truth(m.Time, d)
		}
	case *osi3.SensorView:
		switch {
		case m.Channel.Topic != s.Truth:
		case d.GetGlobalGroundTruth() != nil:
			s.known = true
			s.truth(m.Time, d.GetGlobalGroundTruth())
		case !s.known && len(d.GetLidarSensorView())+len(d.GetRadarSensorView()) > 0:
			s.blank(m.Time, d.GetHostVehicleData().GetLocation())
		}
		s.reflections(m.Channel.Topic, m.Time, d)
	case *osi3.SensorData:
		s.data(m.Channel.Topic, m.Time, d)
	}
}
