// Package page makes a web page of a simulated run: the map and the actors from above, with a
// slider for the time. The page is one file that needs no network.
//
//	p := page.New(w)
//	for ... { w.Step(h); p.Add(w, events) }
//	err := p.Write(file)
//
// Rules: the same run gives the same bytes. Positions are rounded to centimetres, angles to
// milliradians.
//
// Index: [Page].
package page

import (
	"bufio"
	_ "embed" // the page's form
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

//go:embed page.html
var form string

// Page collects a run.
type Page struct {
	lines  [][]float64 // of lane borders: x, y, x, y, ...
	areas  [][]float64 // of lanes for cars, as polygons
	actors []body
	index  map[uint64]int
	times  []float64
	frames [][]float64 // for each time: number of the actor, x, y, yaw, speed, and again
	events []string
	title  string
}

type body struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind"`
	Length float64 `json:"length"`
	Width  float64 `json:"width"`
}

// lineStep is the distance of points on borders that are drawn, in m.
const lineStep = 2.0

// New begins a page with the map of a world.
func New(w *mocksim.World) *Page {
	// The lists are written as [] where they are empty.
	p := &Page{index: map[uint64]int{}, title: w.Map().Name, lines: [][]float64{},
		areas: [][]float64{}, actors: []body{}, events: []string{}}
	for _, r := range w.Map().Roads {
		for _, sec := range r.Sections {
			for _, l := range sec.Lanes {
				p.lane(l)
			}
		}
	}
	p.Add(w, nil)
	return p
}

// lane adds the outer border of a lane, and its area if it is one for cars.
func (p *Page) lane(l *opendrive.Lane) {
	sec := l.Section
	n := max(1, int(math.Ceil(sec.Length()/lineStep)))
	line, back := []float64{}, []float64{}
	for k := range n + 1 {
		s := sec.S + sec.Length()*float64(k)/float64(n)
		st, err := sec.Road.Station(min(s, sec.End-1e-9))
		if err != nil {
			continue
		}
		inner, outer := l.Edges(st.S)
		q, in := l.Point(&st, outer), l.Point(&st, inner)
		line = append(line, round(q.X, 100), round(q.Y, 100))
		back = append(back, round(in.X, 100), round(in.Y, 100))
	}
	p.lines = append(p.lines, line)
	if !l.Drivable() {
		return
	}
	area := slices.Clone(line)
	for k := len(back) - 2; k >= 0; k -= 2 {
		area = append(area, back[k], back[k+1])
	}
	p.areas = append(p.areas, area)
}

func round(v, parts float64) float64 { return math.Round(v*parts) / parts }

// Add appends the present state, and what has happened since the last one.
func (p *Page) Add(w *mocksim.World, events []mocksim.Event) {
	frame := []float64{}
	for k := range w.Len() {
		v := w.At(k)
		n, known := p.index[v.ID()]
		if !known {
			n = len(p.actors)
			p.index[v.ID()] = n
			shape := v.Shape()
			p.actors = append(p.actors, body{v.Name(), v.Kind().String(), shape.Length,
				shape.Width})
		}
		s := v.State()
		frame = append(frame, float64(n), round(s.Position.X, 100), round(s.Position.Y, 100),
			round(s.Orientation.Yaw, 1000), round(s.Speed, 100))
	}
	for k := range events {
		p.events = append(p.events, events[k].String())
	}
	p.times = append(p.times, round(w.Time().Seconds(), 1000))
	p.frames = append(p.frames, frame)
}

// Len is the number of moments.
func (p *Page) Len() int { return len(p.frames) }

// Write writes the page.
func (p *Page) Write(out io.Writer) error {
	data, err := json.Marshal(map[string]any{"title": p.title, "lines": p.lines, "areas": p.areas,
		"actors": p.actors, "times": p.times,
		"frames": p.frames, "events": p.events})
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	before, after, _ := strings.Cut(form, "/*DATA*/")
	b := bufio.NewWriter(out)
	_, _ = b.WriteString(before)
	_, _ = b.Write(data) // json escapes <, so that no text can end the script
	_, _ = b.WriteString(after)
	return b.Flush()
}

// Due reports whether a moment is due when pictures are to be taken every interval from start on.
func Due(now, start, interval, step timebase.Time) bool {
	return interval <= step || (now-start)%interval < step
}
