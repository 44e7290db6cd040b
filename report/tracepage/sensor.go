package tracepage

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace/points"
)

// sensor is a channel of detections, with its point clouds.
type sensor struct {
	Topic  string   `json:"topic"`
	Clouds []*cloud `json:"clouds"`
	Shown  int      `json:"shown"` // moments with something to see
}

// cloud describes the points of one sensor. The page contains x, y, z and the values of each point
// as little-endian 16-bit numbers in Base64. A number n stands for low + (n + 32767) / 65534 *
// (high - low), and -32768 for a value that is not set.
type cloud struct {
	Kind   string    `json:"kind"`
	Index  int       `json:"index"`
	Fields []string  `json:"fields"` // after x, y and z
	Low    []float64 `json:"low"`    // of each number
	High   []float64 `json:"high"`
}

// look holds the detections of one sensor, in the frame of the host vehicle, whose origin is the
// rear axle.
type look struct {
	Sensor int         `json:"sensor"`
	Boxes  []float64   `json:"boxes"`  // for each box: x, y, yaw, length, width, id
	Lines  [][]float64 `json:"lines"`  // of detected lane boundaries
	Arcs   []float64   `json:"arcs"`   // for each arc: x, y, yaw, distance
	Clouds []packed    `json:"clouds"` // the clouds with points

	at timebase.Time
}

// newLook returns an empty look of a sensor. Its lists are not null in the page.
func newLook(sensor int, at timebase.Time) look {
	return look{Sensor: sensor, Boxes: []float64{}, Lines: [][]float64{}, Arcs: []float64{},
		Clouds: []packed{}, at: at}
}

type packed struct {
	Cloud int    `json:"cloud"`
	Data  string `json:"data"`

	numbers []float64
}

// sensor returns the number of a channel, or -1 if there are too many.
func (s *scene) sensor(topic string) int {
	k := slices.IndexFunc(s.Sensors, func(known *sensor) bool { return known.Topic == topic })
	if k < 0 && len(s.Sensors) == mostSensors {
		s.crowded = true
		return -1
	}
	if k < 0 {
		k = len(s.Sensors)
		s.Sensors = append(s.Sensors, &sensor{Topic: topic, Clouds: []*cloud{}})
	}
	return k
}

// data adds the content of a SensorData. Without ground truth, the first channel determines the
// moments.
func (s *scene) data(topic string, t timebase.Time, d *osi3.SensorData) {
	k := s.sensor(topic)
	if s.Truth == "" && k == 0 {
		s.measured(t, d)
	}
	if !s.wanted(k, t) {
		return
	}
	l := newLook(k, t)
	s.objects(&l, d)
	s.clouds(&l, points.OfData(d))
	s.see(l)
}

// reflections adds the reflections in a SensorView.
func (s *scene) reflections(topic string, t timebase.Time, v *osi3.SensorView) {
	if len(v.GetLidarSensorView())+len(v.GetRadarSensorView()) == 0 {
		return
	}
	clouds := points.OfView(v)
	if len(clouds) == 0 {
		return
	}
	if k := s.sensor(topic); s.wanted(k, t) {
		l := newLook(k, t)
		s.clouds(&l, clouds)
		s.see(l)
	}
}

// wanted reports whether a look at a time may be shown: at a later moment, or at the newest moment
// if it has no look of this sensor yet.
func (s *scene) wanted(k int, t timebase.Time) bool {
	return k >= 0 && (t >= s.next || len(s.Frames) > 0 && !s.Frames[len(s.Frames)-1].has(k))
}

func (f *frame) has(k int) bool {
	return slices.ContainsFunc(f.Seen, func(l look) bool { return l.Sensor == k })
}

// measured adds a moment from a SensorData: from the ground truth inside it, or else from the
// position measured by the sensor.
func (s *scene) measured(t timebase.Time, d *osi3.SensorData) {
	if views := d.GetSensorView(); len(views) > 0 && views[0].GetGlobalGroundTruth() != nil {
		s.inside = true
		s.truth(t, views[0].GetGlobalGroundTruth())
		return
	}
	s.blank(t, d.GetHostVehicleLocation())
}

// blank adds a moment without objects, at the measured position of the host vehicle, if any.
func (s *scene) blank(t timebase.Time, b *osi3.BaseMoving) {
	if !s.due(t) {
		return
	}
	f := frame{at: t, Time: seconds(t), Host: -1, Objects: []float64{}, Lights: []int{}}
	if b.GetPosition() != nil {
		p := b.GetPosition()
		if !s.begun {
			s.Origin, s.begun = [2]float64{round(p.GetX(), 1), round(p.GetY(), 1)}, true
		}
		x, y := s.local(p.GetX(), p.GetY())
		f.Pose = []float64{x, y, round(b.GetOrientation().GetYaw(), 10000)}
	}
	s.add(f)
}

// see adds a look to the newest moment, one for each sensor. A look later than this moment waits,
// because the ground truth for its time may follow. Only the newest look of each sensor waits.
func (s *scene) see(l look) {
	n := len(s.Frames) - 1
	if n < 0 || l.at > s.Frames[n].at && l.at >= s.next {
		s.waiting = append(slices.DeleteFunc(s.waiting, func(w look) bool {
			return w.Sensor == l.Sensor
		}), l)
		return
	}
	if f := &s.Frames[n]; !f.has(l.Sensor) {
		if len(l.Boxes)+len(l.Lines)+len(l.Arcs)+len(l.Clouds) > 0 {
			s.Sensors[l.Sensor].Shown++
		}
		f.Seen = append(f.Seen, l)
	}
}

// objects adds detected objects and lines, which are in the frame of the sensor.
func (s *scene) objects(l *look, d *osi3.SensorData) {
	m := d.GetMountingPosition()
	turn := m.GetOrientation().GetYaw()
	r := (frames.Orientation{Roll: m.GetOrientation().GetRoll(),
		Pitch: m.GetOrientation().GetPitch(), Yaw: turn}).Rotation()
	place := func(v *osi3.Vector3D) (x, y float64) {
		p := r.Apply(frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()})
		return round(p.X+m.GetPosition().GetX(), 100), round(p.Y+m.GetPosition().GetY(), 100)
	}
	boxes, vertices := s.room.boxes.share(), s.room.lines.share()
	add := func(p *osi3.Vector3D, yaw float64, size *osi3.Dimension3D, id float64) {
		switch {
		case p == nil:
		case !boxes.take(1):
			s.crowded = true
		default:
			x, y := place(p)
			l.Boxes = append(l.Boxes, x, y, round(yaw+turn, 1000), round(size.GetLength(), 100),
				round(size.GetWidth(), 100), id)
		}
	}
	for _, o := range d.GetMovingObject() {
		b := o.GetBase()
		add(b.GetPosition(), b.GetOrientation().GetYaw(), b.GetDimension(),
			float64(o.GetHeader().GetTrackingId().GetValue()))
	}
	for _, o := range d.GetStationaryObject() {
		b := o.GetBase()
		add(b.GetPosition(), b.GetOrientation().GetYaw(), b.GetDimension(), -1)
	}
	for _, o := range d.GetLaneBoundary() {
		if !vertices.take(len(o.GetBoundaryLine())) {
			s.crowded = true
			continue
		}
		var line []float64
		for _, p := range o.GetBoundaryLine() {
			x, y := place(p.GetPosition())
			line = append(line, x, y)
		}
		if len(line) > 2 {
			l.Lines = append(l.Lines, line)
		}
	}
}

// clouds adds points, thinned to the limits of the page.
func (s *scene) clouds(l *look, seen []points.Cloud) {
	points := s.room.points.share()
	for k := range seen {
		c := &seen[k]
		for _, a := range c.Arcs {
			if !points.take(1) {
				s.Thinned = true
				break
			}
			p := c.Mount.Position
			l.Arcs = append(l.Arcs, round(p.X, 100), round(p.Y, 100),
				round(c.Mount.Orientation.Yaw, 1000), round(a.Distance, 100))
		}
		if len(c.Points) == 0 {
			continue
		}
		if !points.take(min(len(c.Points), s.room.cloud)) {
			s.Thinned = true
			continue
		}
		n := s.Sensors[l.Sensor].cloud(c)
		to := s.Sensors[l.Sensor].Clouds[n]
		step := (len(c.Points) + s.room.cloud - 1) / s.room.cloud
		s.Thinned = s.Thinned || step > 1
		p := packed{Cloud: n}
		for i := 0; i < len(c.Points); i += step {
			at := c.Points[i].Position
			for j, x := range append([]float64{at.X, at.Y, at.Z}, c.Points[i].Values...) {
				if !math.IsNaN(x) {
					to.Low[j], to.High[j] = math.Min(to.Low[j], x), math.Max(to.High[j], x)
				}
				p.numbers = append(p.numbers, x)
			}
		}
		l.Clouds = append(l.Clouds, p)
	}
}

// cloud returns the number of a cloud of the sensor.
func (s *sensor) cloud(c *points.Cloud) int {
	k := slices.IndexFunc(s.Clouds, func(known *cloud) bool {
		return known.Kind == c.Kind && known.Index == c.Index
	})
	if k < 0 {
		k = len(s.Clouds)
		n := &cloud{Kind: c.Kind, Index: c.Index, Fields: c.Fields}
		for range len(c.Fields) + 3 {
			n.Low, n.High = append(n.Low, math.Inf(1)), append(n.High, math.Inf(-1))
		}
		s.Clouds = append(s.Clouds, n)
	}
	return k
}

// finish shows the waiting looks, and packs the points, whose ranges are now known.
func (s *scene) finish() {
	waiting := s.waiting
	s.waiting = nil
	s.next = timebase.EndOfTime
	for _, l := range waiting {
		s.see(l)
	}
	for _, from := range s.Sensors {
		for _, c := range from.Clouds {
			for j := range c.Low {
				if c.Low[j] > c.High[j] { // no value at all
					c.Low[j], c.High[j] = 0, 0
				}
			}
		}
	}
	for k := range s.Frames {
		for _, l := range s.Frames[k].Seen {
			for n := range l.Clouds {
				l.Clouds[n].pack(s.Sensors[l.Sensor].Clouds[l.Clouds[n].Cloud])
			}
		}
	}
}

func (p *packed) pack(c *cloud) {
	b := make([]byte, 0, 2*len(p.numbers))
	for k, x := range p.numbers {
		j := k % len(c.Low)
		n := int16(math.MinInt16)
		if !math.IsNaN(x) {
			part := 0.0
			if c.High[j] > c.Low[j] {
				part = (x - c.Low[j]) / (c.High[j] - c.Low[j])
			}
			n = int16(math.Round(part*2*math.MaxInt16) - math.MaxInt16)
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	p.Data, p.numbers = base64.StdEncoding.EncodeToString(b), nil
}
