package trial

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"gosmp/experiment/scxml"
	"gosmp/mocksim"
	"gosmp/timebase"
)

// Scene is where all actors were when a machine changed its state.
type Scene struct {
	Time   timebase.Time
	Actors []Box
}

// Box is an actor seen from above, in m and degrees.
type Box struct {
	Name                string
	X, Y, Length, Width float64
	Turn, Speed         float64 // degrees counter-clockwise, m/s
	Kind                mocksim.Kind
}

const maxScenes = 100 // in a report

// scene keeps a picture of now.
func (t *Trial) scene() {
	if t.world == nil || len(t.scenes) >= maxScenes {
		return
	}
	s := Scene{Time: t.Now()}
	for k := range t.world.Len() {
		v := t.world.At(k)
		state := v.State()
		s.Actors = append(s.Actors, Box{v.Name(), state.Position.X, state.Position.Y, v.Shape().Length, v.Shape().Width,
			state.Orientation.Yaw * 180 / math.Pi, state.Speed, v.Kind()})
	}
	t.scenes = append(t.scenes, s)
}

// area is a part of the map, in m.
type area struct{ left, right, low, high float64 }

// around is what a scene shows: the vehicles of the description, or all actors if none is there.
func (s Scene) around(vehicles []string) area {
	a := area{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	all := !slices.ContainsFunc(s.Actors, func(b Box) bool { return slices.Contains(vehicles, b.Name) })
	for _, b := range s.Actors {
		if all || slices.Contains(vehicles, b.Name) {
			r := b.Length / 2
			a = area{min(a.left, b.X-r), max(a.right, b.X+r), min(a.low, b.Y-r), max(a.high, b.Y+r)}
		}
	}
	return a
}

// frame gives all pictures of a report one scale.
type frame struct{ width, height float64 } // m

func newFrame(scenes []Scene, vehicles []string) frame {
	f := frame{40, 16}
	for _, s := range scenes {
		if a := s.around(vehicles); a.right > a.left {
			f.width, f.height = max(f.width, a.right-a.left+20), max(f.height, a.high-a.low+12)
		}
	}
	return frame{min(f.width, 300), min(f.height, 200)}
}

// picture is a scene as SVG on the ground, a group with the id ground: x to the right, y to the
// top.
func (s Scene) picture(f frame, vehicles []string) template.HTML {
	a := s.around(vehicles)
	if a.right < a.left {
		return ""
	}
	const pixels = 960
	left, top := (a.left+a.right-f.width)/2, -(a.low+a.high+f.height)/2
	letter := 11 * f.width / pixels
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="%.2f %.2f %.2f %.2f" class="scene"><use href="#ground"/>`,
		pixels, pixels*f.height/f.width, left, top, f.width, f.height)
	actors := slices.Clone(s.Actors)
	slices.SortStableFunc(actors, func(a, b Box) int { return cmp.Compare(a.X, b.X) })
	var rows []float64 // where the last label of each row ends
	for _, x := range actors {
		if x.X < left || x.X > left+f.width || -x.Y < top || -x.Y > top+f.height {
			continue
		}
		fmt.Fprintf(&b, `<g transform="translate(%.2f %.2f) rotate(%.1f)"><rect x="%.2f" y="%.2f" width="%.2f" height="%.2f"/><path class="nose" d="M%.2f %.2fl%.2f %.2fl%.2f %.2f"/></g>`,
			x.X, -x.Y, -x.Turn, -x.Length/2, -x.Width/2, x.Length, x.Width, x.Length/2-x.Width/2, -x.Width/2, x.Width/2, x.Width/2, -x.Width/2, x.Width/2)
		text := fmt.Sprintf("%s %.1f m/s", x.Name, x.Speed)
		row := slices.IndexFunc(rows, func(end float64) bool { return end < x.X })
		if row < 0 {
			row, rows = len(rows), append(rows, 0)
		}
		rows[row] = x.X + float64(letter*0.6*float64(len(text)))
		fmt.Fprintf(&b, `<text x="%.2f" y="%.2f" style="font-size:%.2fpx">%s</text>`, x.X-x.Length/2, -x.Y-x.Width/2-float64(letter*(0.5+float64(1.2*float64(row)))), letter, template.HTMLEscapeString(text))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers and escaped names
}

// changes says which transitions machines made at a time.
func (t *Trial) changes(at timebase.Time) (list []string) {
	event := ""
	for _, r := range t.records {
		switch {
		case r.Time != at:
		case r.Kind == scxml.Took:
			event = r.Event
		case r.Kind == scxml.Started:
			event = ""
		case r.Kind == scxml.Followed:
			list = append(list, fmt.Sprintf("%s: %s → %s%s", r.Machine, r.State, r.Text, by(event)))
		}
	}
	return list
}

func by(event string) string {
	if event == "" {
		return ""
	}
	return " by " + event
}
