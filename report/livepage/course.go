package livepage

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/portable"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/report/internal/lanes"
	"gosmp/report/internal/page"
	"gosmp/trace"
)

// Limits of the page content.
const (
	mostMoments = 4000
	mostBodies  = 20_000
	mostLines   = 6000
	mostPlaced  = 1_000_000 // objects at all moments
	mostVertex  = 1_000_000 // of lines
)

// Variable is a number that the page draws as a curve.
type Variable struct {
	Name  string
	Unit  string
	Steps bool // a value holds until the next one
	// Values are the names of the numbers 0, 1, ... of an enumeration; nil for other variables.
	Values []string
}

// Object is a moving object with the position of the center of its box, in m, rad and m/s.
type Object struct {
	ID            string
	Name          string // if "", the page shows the ID if there is room for it
	Person        bool
	Host          bool // the page follows it
	Length, Width float64
	X, Y, Yaw     float64
	Speed         float64
}

// Picture holds the objects of a moment.
type Picture []Object

// Course collects the events and values of a run for pages.
type Course struct {
	curves []page.Curve
	scene  scene
	times  []float64
	values [][]any // of each moment
	index  map[string]int
	past   int // dropped moments
	placed int // objects in the scene's frames
	most   int // of them
}

// scene is a scene with lines on the road.
type scene struct {
	page.Scene
	Lines  [][]float64 `json:"lines"`
	Styles []string    `json:"styles"`
}

// added is the data that a page with all earlier moments adds to its own.
type added struct {
	Bodies []page.Body  `json:"bodies"` // all of them, including earlier ones
	Lines  [][]float64  `json:"lines"`
	Styles []string     `json:"styles"`
	Frames []page.Frame `json:"frames"`
	Times  []float64    `json:"times"`
	Values [][]any      `json:"values"` // of each moment, in the order of the curves
}

// New starts a course.
func New(variables []Variable) *Course {
	c := &Course{index: map[string]int{}, most: mostPlaced}
	c.scene.Bodies, c.scene.Frames = []page.Body{}, []page.Frame{}
	c.scene.Lines, c.scene.Styles = [][]float64{}, []string{}
	for _, v := range variables {
		curve := page.Curve{Path: page.Named(v.Name, v.Unit), Steps: v.Steps}
		for k, name := range v.Values {
			if curve.Names == nil {
				curve.Names = map[string]string{}
			}
			curve.Names[strconv.Itoa(k)] = name
		}
		c.curves = append(c.curves, curve)
	}
	return c
}

// Len returns the number of moments so far.
func (c *Course) Len() int { return c.past + len(c.times) }

// Add adds a moment with the values of the variables and a picture, which may be nil.
func (c *Course) Add(t float64, values []float64, p Picture) {
	if len(c.times) == mostMoments || c.placed >= c.most {
		c.drop((len(c.times) + 3) / 4)
	}
	row := make([]any, len(c.curves))
	for k, x := range values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) { // JSON cannot represent them; the curve gets a gap
			row[k] = x
		}
	}
	c.times, c.values = append(c.times, t), append(c.values, row)
	if p != nil || len(c.scene.Frames) > 0 {
		c.frame(t, p)
	}
}

// drop drops the oldest moments.
func (c *Course) drop(n int) {
	c.past += n
	c.times, c.values = c.times[n:], c.values[n:]
	if len(c.scene.Frames) > 0 {
		for _, f := range c.scene.Frames[:n] {
			c.placed -= len(f.Objects) / 5
		}
		// a copy, because the memory of the dropped ones would remain in use
		c.scene.Frames = slices.Clone(c.scene.Frames[n:])
	}
}

// frame adds the picture of a moment. The moments before the first picture are given an empty one.
func (c *Course) frame(t float64, p Picture) {
	for k := len(c.scene.Frames); k < len(c.times)-1; k++ {
		c.scene.Frames = append(c.scene.Frames, page.Frame{Time: c.times[k], Host: -1,
			Objects: []float64{}})
	}
	f := page.Frame{Time: t, Host: -1, Objects: []float64{}}
	for k := range p {
		o := &p[k]
		n := c.body(o)
		if n < 0 {
			continue
		}
		x, y, yaw := rounded(o.X, 100), rounded(o.Y, 100), rounded(o.Yaw, 1000)
		f.Objects = append(f.Objects, float64(n), x, y, yaw, rounded(o.Speed, 100))
		if o.Host {
			f.Host, f.Pose = n, []float64{x, y, yaw}
		}
	}
	c.scene.Frames = append(c.scene.Frames, f)
	c.placed += len(f.Objects) / 5
}

// rounded rounds to fractions of a unit. It returns 0 for values that are too large for positions
// on earth.
func rounded(x, parts float64) float64 {
	if !(math.Abs(x) < 1e9) {
		return 0
	}
	return math.Round(x*parts) / parts
}

// body returns the index of an object in the list of bodies, or -1 if there are too many.
func (c *Course) body(o *Object) int {
	if n, known := c.index[o.ID]; known {
		return n
	}
	if len(c.scene.Bodies) == mostBodies {
		return -1
	}
	kind := "vehicle"
	if o.Person {
		kind = "person"
	}
	n := len(c.scene.Bodies)
	c.index[o.ID] = n
	c.scene.Bodies = append(c.scene.Bodies, page.Body{ID: o.ID, Name: o.Name, Kind: kind,
		Length: rounded(o.Length, 100), Width: rounded(o.Width, 100)})
	return n
}

// SensorView returns the picture of an encoded SensorView, or nil if it cannot be decoded.
func (c *Course) SensorView(encoded []byte) Picture {
	v := &osi3.SensorView{}
	if trace.Unmarshal(encoded, v) != nil {
		return nil
	}
	return c.Truth(v.GetGlobalGroundTruth())
}

// GroundTruth returns the picture of an encoded GroundTruth, or nil if it cannot be decoded.
func (c *Course) GroundTruth(encoded []byte) Picture {
	g := &osi3.GroundTruth{}
	if trace.Unmarshal(encoded, g) != nil {
		return nil
	}
	return c.Truth(g)
}

// Truth returns the picture of a ground truth. The course takes the lines on the road from the
// first ground truth that has any.
func (c *Course) Truth(g *osi3.GroundTruth) Picture {
	if len(c.scene.Lines) == 0 {
		c.lines(g)
	}
	rules.DiscardUnusable(g)
	p := Picture{}
	for _, o := range g.GetMovingObject() {
		b := o.GetBase()
		if b.GetPosition() == nil {
			continue
		}
		id := o.GetId().GetValue()
		person := o.GetType() == osi3.MovingObject_TYPE_PEDESTRIAN ||
			o.GetType() == osi3.MovingObject_TYPE_ANIMAL
		p = append(p, Object{ID: strconv.FormatUint(id, 10), Person: person,
			Host:   g.HostVehicleId != nil && g.GetHostVehicleId().GetValue() == id,
			Length: b.GetDimension().GetLength(), Width: b.GetDimension().GetWidth(),
			X: b.GetPosition().GetX(), Y: b.GetPosition().GetY(), Yaw: b.GetOrientation().GetYaw(),
			Speed: portable.Hypot(b.GetVelocity().GetX(), b.GetVelocity().GetY())})
	}
	return p
}

func (c *Course) lines(g *osi3.GroundTruth) {
	sum := 0
	for _, l := range lanes.Of(g) {
		if sum += len(l.Points); len(c.scene.Lines) == mostLines || sum > mostVertex {
			return
		}
		line := make([]float64, 0, 2*len(l.Points))
		for _, p := range l.Points {
			line = append(line, rounded(p.GetX(), 100), rounded(p.GetY(), 100))
		}
		c.scene.Lines = append(c.scene.Lines, line)
		c.scene.Styles = append(c.scene.Styles, l.Style)
	}
}

// All returns the data for a page that was just opened, as JSON. There must be at least one moment.
func (c *Course) All() []byte {
	p := page.Playback{First: c.times[0], Last: c.times[len(c.times)-1], Live: true}
	if len(c.scene.Frames) > 0 {
		p.Scene = &c.scene
	}
	if len(c.curves) > 0 {
		p.Curves = &page.Curves{Times: c.times, List: make([]page.Curve, len(c.curves))}
		for k := range c.curves {
			if strings.Contains(c.curves[k].Path, "speed") && len(p.Chosen) < 3 {
				p.Chosen = append(p.Chosen, k) // the most interesting one, if it exists
			}
			p.Curves.List[k] = c.curves[k]
			p.Curves.List[k].Values = make([]any, len(c.times))
			for i, row := range c.values {
				p.Curves.List[k].Values[i] = row[k]
			}
		}
	}
	return encoded(p)
}

// Since returns what a page with n moments must add, as JSON. It returns nil if the page needs all
// data again because too much has happened since.
func (c *Course) Since(n int) []byte {
	k := n - c.past
	if k < 0 {
		return nil
	}
	a := added{Bodies: c.scene.Bodies, Lines: c.scene.Lines, Styles: c.scene.Styles,
		Frames: []page.Frame{}, Times: c.times[k:], Values: c.values[k:]}
	if len(c.scene.Frames) > 0 {
		a.Frames = c.scene.Frames[k:]
	}
	return encoded(a)
}

// encoded returns data as JSON. The data must be encodable.
func encoded(data any) []byte {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return text
}
