package trialpage

import (
	"cmp"
	"math"
	"slices"

	"gosmp/experiment/trial"
	"gosmp/mocksim"
	"gosmp/report/internal/page"
)

// sceneOf returns the scene of the page: the film, and the moments at which machines changed state.
// The view follows the first vehicle of the description.
func sceneOf(c trial.Course) *page.Scene {
	all := slices.Concat(c.Film, c.Scenes)
	slices.SortStableFunc(all, func(a, b trial.Scene) int { return cmp.Compare(a.Time, b.Time) })
	all = slices.CompactFunc(all, func(a, b trial.Scene) bool { return a.Time == b.Time })
	s := &page.Scene{Bodies: []page.Body{}, Frames: []page.Frame{}}
	known := map[string]int{}
	for _, x := range all {
		f := page.Frame{Time: x.Time.Seconds(), Host: -1, Objects: []float64{}}
		for _, b := range x.Actors {
			n, is := known[b.Name]
			if !is {
				n = len(s.Bodies)
				known[b.Name], s.Bodies = n, append(s.Bodies, bodyOf(b))
			}
			yaw := rounded(b.Turn*math.Pi/180, 10000)
			f.Objects = append(f.Objects, float64(n), rounded(b.X, 1000), rounded(b.Y, 1000), yaw,
				rounded(b.Speed, 1000))
			if len(c.Vehicles) > 0 && b.Name == c.Vehicles[0] {
				f.Host, f.Pose = n, []float64{rounded(b.X, 1000), rounded(b.Y, 1000), yaw}
			}
		}
		s.Frames = append(s.Frames, f)
	}
	return s
}

func bodyOf(b trial.Box) page.Body {
	kind := "vehicle"
	if b.Kind == mocksim.Pedestrian {
		kind = "person"
	}
	return page.Body{ID: b.Name, Name: b.Name, Kind: kind, Length: b.Length, Width: b.Width}
}

func rounded(x, parts float64) float64 { return math.Round(x*parts) / parts }
