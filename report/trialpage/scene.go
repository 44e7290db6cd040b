package trialpage

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"

	"gosmp/experiment/trial"
)

// area is a part of the map, in m.
type area struct{ left, right, low, high float64 }

// around is what a scene shows: the vehicles of the description, or all actors if none is there.
func around(s trial.Scene, vehicles []string) area {
	a := area{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	all := !slices.ContainsFunc(s.Actors, func(b trial.Box) bool {
		return slices.Contains(vehicles, b.Name)
	})
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

func newFrame(scenes []trial.Scene, vehicles []string) frame {
	f := frame{40, 16}
	for _, s := range scenes {
		if a := around(s, vehicles); a.right > a.left {
			f.width, f.height = max(f.width, a.right-a.left+20), max(f.height, a.high-a.low+12)
		}
	}
	return frame{min(f.width, 300), min(f.height, 200)}
}

// picture is a scene as SVG on the ground, a group with the id ground: x to the right, y to the
// top.
func picture(s trial.Scene, f frame, vehicles []string) template.HTML {
	a := around(s, vehicles)
	if a.right < a.left {
		return ""
	}
	const pixels = 960
	left, top := (a.left+a.right-f.width)/2, -(a.low+a.high+f.height)/2
	letter := 11 * f.width / pixels
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%.0f" viewBox="%.2f %.2f %.2f %.2f" class="scene"><use href="#ground"/>`,
		pixels, pixels*f.height/f.width, left, top, f.width, f.height)
	actors := slices.Clone(s.Actors)
	slices.SortStableFunc(actors, func(a, b trial.Box) int { return cmp.Compare(a.X, b.X) })
	var rows []float64 // where the last label of each row ends
	for _, x := range actors {
		if x.X < left || x.X > left+f.width || -x.Y < top || -x.Y > top+f.height {
			continue
		}
		fmt.Fprintf(&b,
			`<g transform="translate(%.2f %.2f) rotate(%.1f)"><rect x="%.2f" y="%.2f" width="%.2f" height="%.2f"/><path class="nose" d="M%.2f %.2fl%.2f %.2fl%.2f %.2f"/></g>`,
			x.X, -x.Y, -x.Turn, -x.Length/2, -x.Width/2, x.Length, x.Width, x.Length/2-x.Width/2,
			-x.Width/2, x.Width/2, x.Width/2, -x.Width/2, x.Width/2)
		text := fmt.Sprintf("%s %.1f m/s", x.Name, x.Speed)
		row := slices.IndexFunc(rows, func(end float64) bool { return end < x.X })
		if row < 0 {
			row, rows = len(rows), append(rows, 0)
		}
		rows[row] = x.X + float64(letter*0.6*float64(len(text)))
		fmt.Fprintf(&b, `<text x="%.2f" y="%.2f" style="font-size:%.2fpx">%s</text>`,
			x.X-x.Length/2, -x.Y-x.Width/2-float64(letter*(0.5+float64(1.2*float64(row)))), letter,
			template.HTMLEscapeString(text))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers and escaped names
}
