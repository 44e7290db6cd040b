package drivepage

import (
	"bytes"
	_ "embed" // for the page template
	"fmt"
	"html/template"
	"io"
	"math"
	"path/filepath"
	"slices"

	"gosmp/internal/quantity"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	roads "gosmp/mocksim/opendrive/draw"
	"gosmp/report/internal/page"
	"gosmp/timebase"
)

//go:embed page.html
var form string

// Limits of the page content.
const (
	mostFrames = 3000
	mostEvents = 500
)

// firstInterval is the time between moments, until there are too many of them.
const firstInterval = 100 * timebase.Millisecond

// Recorder collects a drive.
type Recorder struct {
	host     string
	roads    *opendrive.Map
	scene    page.Scene
	known    map[uint64]int
	speeds   []*page.Series // of the bodies, in the same order
	interval timebase.Time
	next     timebase.Time
	last     timebase.Time
	events   []happening
	further  int
	hits     int
}

// happening is an event in the world, as shown to the reader.
type happening struct {
	At   float64
	Bad  bool // a collision
	Text string
}

// report holds the data of the page.
type report struct {
	Title, Text string
	Events      []happening
	Further     int
	Ground      template.HTML
	Playback    page.Playback
}

// New starts a page with the state of a world. The view follows the actor named host.
func New(w *mocksim.World, host string) *Recorder {
	r := &Recorder{host: host, roads: w.Map(), known: map[uint64]int{}, interval: firstInterval,
		next: w.Time(), scene: page.Scene{Bodies: []page.Body{}, Frames: []page.Frame{}}}
	r.Add(w, nil)
	return r
}

// Add records the current state if a moment is due, and the events since the last call.
func (r *Recorder) Add(w *mocksim.World, events []mocksim.Event) {
	for k := range events {
		e := &events[k]
		if e.Kind == mocksim.Collision {
			r.hits++
		}
		if len(r.events) == mostEvents {
			r.further++
			continue
		}
		r.events = append(r.events, happening{rounded(e.Time.Seconds(), 1e6),
			e.Kind == mocksim.Collision, e.String()})
	}
	r.last = w.Time()
	if r.last < r.next {
		return
	}
	for r.next <= r.last {
		r.next += r.interval
	}
	r.moment(w)
}

// moment adds the current state. If there are too many moments, it drops every other one.
func (r *Recorder) moment(w *mocksim.World) {
	t := rounded(w.Time().Seconds(), 1e6)
	f := page.Frame{Time: t, Host: -1, Objects: []float64{}}
	for k := range w.Len() {
		v := w.At(k)
		n, s := r.body(v), v.State()
		x, y := rounded(s.Position.X, 100), rounded(s.Position.Y, 100)
		yaw := rounded(s.Orientation.Yaw, 1000)
		f.Objects = append(f.Objects, float64(n), x, y, yaw, rounded(s.Speed, 100))
		if v.Name() == r.host {
			f.Host, f.Pose = n, []float64{x, y, yaw}
		}
		r.speeds[n].Add(t, s.Speed)
	}
	if len(r.scene.Frames) == mostFrames {
		for k := range mostFrames / 2 {
			r.scene.Frames[k] = r.scene.Frames[2*k]
		}
		r.scene.Frames = r.scene.Frames[:mostFrames/2]
		r.interval *= 2
		r.next += r.interval / 2
	}
	r.scene.Frames = append(r.scene.Frames, f)
}

// body returns the index of an actor in the list of bodies.
func (r *Recorder) body(v mocksim.View) int {
	n, known := r.known[v.ID()]
	if known {
		return n
	}
	n = len(r.scene.Bodies)
	kind, shape := "vehicle", v.Shape()
	if v.Kind() == mocksim.Pedestrian || v.Kind() == mocksim.Animal {
		kind = "person"
	}
	r.known[v.ID()] = n
	r.scene.Bodies = append(r.scene.Bodies, page.Body{ID: v.Name(), Name: v.Name(), Kind: kind,
		Length: shape.Length, Width: shape.Width})
	r.speeds = append(r.speeds, page.NewSeries())
	return n
}

func rounded(x, parts float64) float64 { return math.Round(x*parts) / parts }

// Write writes the page. It fails if writing fails or if the map cannot be evaluated.
func (r *Recorder) Write(to io.Writer) error {
	var ground bytes.Buffer
	if err := roads.Ground(&ground, r.roads); err != nil {
		return err
	}
	p := &report{Title: filepath.Base(r.roads.Name), Events: r.events, Further: r.further,
		Ground: template.HTML(ground.String()), //nolint:gosec // package roads escapes texts
		Text: fmt.Sprintf("%d actors, %.6g s of simulated time, %s", len(r.scene.Bodies),
			r.last.Seconds(), quantity.Of(r.hits, "collision"))}
	scene := r.scene
	p.Playback = page.Playback{First: scene.Frames[0].Time,
		Last: rounded(r.last.Seconds(), 1e6), Scene: &scene, Curves: r.curves()}
	for _, e := range r.events {
		p.Playback.Changes = append(p.Playback.Changes, e.At)
	}
	slices.Sort(p.Playback.Changes)
	p.Playback.Changes = slices.Compact(p.Playback.Changes)
	return page.Write(to, form, p)
}

// curves returns the speeds as curves, with the host first.
func (r *Recorder) curves() *page.Curves {
	all := &page.Curves{Times: []float64{}, List: []page.Curve{}}
	for k, s := range r.speeds {
		c := s.Curve(page.Named(r.scene.Bodies[k].Name+" speed", "m/s"))
		c.Group = "speed"
		if r.scene.Bodies[k].Name == r.host {
			all.List = slices.Insert(all.List, 0, c)
		} else {
			all.List = append(all.List, c)
		}
	}
	return all
}
