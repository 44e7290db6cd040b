package scenariopage

import (
	"gosmp/scenario"
	"gosmp/scenario/storyboard"
)

// mostSamples is the maximum number of samples on a page. Beyond it, every other sample is dropped.
const mostSamples = 2000

// Recorder records the positions of the entities at regular intervals.
type Recorder struct {
	world    storyboard.World
	names    []string
	boxes    []box
	interval float64 // s
	next     float64 // s
	times    []float64
	states   [][]pose // for each time, in the order of the entities
}

// box is the bounding box of an entity: its size, and its center relative to the reference point,
// in m.
type box struct{ Length, Width, X, Y float64 }

type pose struct {
	exists              bool
	x, y, h             float64
	speed, acceleration float64
}

// NewRecorder prepares the recording of a scenario in its world.
func NewRecorder(s *scenario.Scenario, w storyboard.World) *Recorder {
	r := &Recorder{world: w, interval: 0.05}
	for _, o := range s.Root.Child("Entities").All("ScenarioObject") {
		r.names = append(r.names, o.Value("name"))
		r.boxes = append(r.boxes, boxOf(o))
	}
	return r
}

// boxOf returns the first bounding box in an entity or in the catalog entry that it refers to.
func boxOf(o *scenario.Element) (b box) {
	found := false
	o.Walk(func(e *scenario.Element) bool {
		if e.Type != "BoundingBox" || found {
			return !found
		}
		found = true
		centre, size := e.Child("Center"), e.Child("Dimensions")
		b.Length, _ = size.Number("length")
		b.Width, _ = size.Number("width")
		b.X, _ = centre.Number("x")
		b.Y, _ = centre.Number("y")
		return false
	})
	return b
}

// Look records the states of an evaluation, if a sample is due.
func (r *Recorder) Look(b *storyboard.Board) {
	now := b.Now()
	if now < r.next-1e-9 {
		return
	}
	r.next = now + r.interval
	list := make([]pose, len(r.names))
	for k := range list {
		if s := r.world.State(storyboard.Entity(k)); s != nil {
			list[k] = pose{true, s.X, s.Y, s.H, s.Speed, s.Acceleration}
		}
	}
	r.times, r.states = append(r.times, now), append(r.states, list)
	if len(r.times) > mostSamples {
		r.thin()
	}
}

// thin drops every other sample.
func (r *Recorder) thin() {
	n := 0
	for k := 0; k < len(r.times); k += 2 {
		r.times[n], r.states[n] = r.times[k], r.states[k]
		n++
	}
	r.times, r.states = r.times[:n], r.states[:n]
	r.interval *= 2
	r.next = r.times[n-1] + r.interval
}
