package scenariopage

import (
	"bytes"
	_ "embed" // for the page template
	"html/template"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/mocksim/opendrive"
	roads "gosmp/mocksim/opendrive/draw"
	"gosmp/report/internal/page"
	"gosmp/scenario/play"
)

//go:embed page.html
var form string

// report holds the data of the page.
type report struct {
	Title    string // without the folder
	Result   *play.Result
	Ground   template.HTML
	Playback page.Playback
	Moves    bool // whether there is a scene
}

// colours are the colors of the entities, used in turn.
var colours = []string{"#1f77d0", "#c2255c", "#2b8a3e", "#d1660a", "#7048c8", "#0b8599", "#946200",
	"#5c6773"}

// Write writes the report of a run. m is the map of the scenario, or nil.
func Write(to io.Writer, r *play.Result, rec *Recorder, m *opendrive.Map) error {
	p := &report{Title: filepath.Base(r.Title()), Result: r, Moves: len(rec.times) > 0}
	if m != nil && len(m.Roads) > 0 {
		var ground bytes.Buffer
		if err := roads.Ground(&ground, m); err != nil {
			return err
		}
		p.Ground = template.HTML(ground.String()) //nolint:gosec // package roads escapes texts
	}
	p.Playback = page.Playback{Last: r.Time, Scene: rec.scene(), Lanes: lanesOf(r),
		Curves: rec.curves(), Changes: changes(r)}
	for k := range rec.names { // the speeds
		p.Playback.Chosen = append(p.Playback.Chosen, k)
	}
	return page.Write(to, form, p)
}

// scene returns the scene for the playback, rounded to millimeters. The view follows the first
// entity.
func (r *Recorder) scene() *page.Scene {
	s := &page.Scene{Bodies: []page.Body{}, Frames: []page.Frame{}}
	for k, name := range r.names {
		b := r.boxes[k]
		s.Bodies = append(s.Bodies, page.Body{ID: name, Name: name, Kind: "entity",
			Length: orOne(b.Length), Width: orOne(b.Width), X: b.X, Y: b.Y,
			Color: colours[k%len(colours)]})
	}
	for i, list := range r.states {
		f := page.Frame{Time: rounded(r.times[i]), Host: -1, Objects: []float64{}}
		for k, x := range list {
			if !x.exists {
				continue
			}
			f.Objects = append(f.Objects, float64(k), rounded(x.x), rounded(x.y), rounded(x.h),
				rounded(x.speed))
			if f.Host < 0 {
				f.Host, f.Pose = k, []float64{rounded(x.x), rounded(x.y), rounded(x.h)}
			}
		}
		s.Frames = append(s.Frames, f)
	}
	return s
}

func orOne(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }

// curves returns the quantities of all entities, with a group for each quantity.
func (r *Recorder) curves() *page.Curves {
	all := &page.Curves{Times: []float64{}, List: []page.Curve{}}
	for _, t := range r.times {
		all.Times = append(all.Times, rounded(t))
	}
	for _, q := range []struct {
		name string
		of   func(pose) float64
	}{
		{"speed, m/s", func(x pose) float64 { return x.speed }},
		{"acceleration, m/s2", func(x pose) float64 { return x.acceleration }},
		{"x, m", func(x pose) float64 { return x.x }},
		{"y, m", func(x pose) float64 { return x.y }},
		{"heading, rad", func(x pose) float64 { return x.h }},
	} {
		for k, name := range r.names {
			c := page.Curve{Path: name + " " + q.name, Group: q.name, Values: []any{},
				Color: colours[k%len(colours)]}
			for _, list := range r.states {
				if list[k].exists {
					c.Values = append(c.Values, q.of(list[k]))
				} else {
					c.Values = append(c.Values, nil)
				}
			}
			c.Round()
			all.List = append(all.List, c)
		}
	}
	return all
}

// lanesOf returns the acts, events and actions of each story, with the times when they ran.
func lanesOf(r *play.Result) (lanes []page.Lane) {
	at := map[string]int{}      // the lane of a story
	running := map[string]int{} // the bar of a running element
	depth := map[string]int{"act": 0, "event": 1, "action": 2}
	for _, e := range r.Events {
		kind, path, _ := strings.Cut(e.Element, " ")
		parts := strings.Split(path, "::")
		if _, shown := depth[kind]; !shown || len(parts) < 2 {
			continue
		}
		n, known := at[parts[0]]
		if !known {
			n = len(lanes)
			at[parts[0]], lanes = n,
				append(lanes, page.Lane{Name: "story " + parts[0], Bars: []page.Bar{}})
		}
		lane := &lanes[n]
		switch e.Transition {
		case "startTransition":
			running[e.Element] = len(lane.Bars)
			lane.Bars = append(lane.Bars, page.Bar{From: e.Time, To: r.Time,
				Text: kind + " " + parts[len(parts)-1], Order: depth[kind]})
		case "endTransition", "stopTransition":
			if k, is := running[e.Element]; is {
				lane.Bars[k].To = e.Time
				delete(running, e.Element)
				if e.Transition == "stopTransition" {
					lane.Bars[k].Kind = "bad"
				}
			}
		}
	}
	return lanes
}

// changes returns the times at which an element starts or ends, or two entities collide.
func changes(r *play.Result) (list []float64) {
	for _, e := range r.Events {
		list = append(list, e.Time)
	}
	for _, c := range r.Collisions {
		list = append(list, c.Time)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
