package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// Vehicles stop before a crosswalk for actors who walk on it or are about to (Vienna Convention on
// Road Traffic, article 21; section 26 of the German StVO).

const (
	beforeWalk  = 1.0 // m between a crosswalk and a vehicle that waits
	kerbside    = 1.5 // m next to the crosswalk within which an approaching actor counts
	besideWalk  = 0.5 // m along the road
	walking     = 0.2 // m/s
	shareOfStop = 0.8 // share of the brakes with which a vehicle must still be able to stop
)

// crosswalk is the ground plan of a crosswalk: a rectangle along and across its road.
type crosswalk struct {
	middle        frames.Vector
	sine, cosine  float64 // of the direction of the road
	along, across float64 // half its extent, m
	taken         bool    // in this step
}

// installCrosswalks finds the places at which lanes cross crosswalks.
func (w *World) installCrosswalks() {
	for _, r := range w.m.Roads {
		for _, o := range r.Objects {
			if o.Type == "crosswalk" {
				w.installCrosswalk(r, o)
			}
		}
	}
}

func (w *World) installCrosswalk(r *opendrive.Road, o *opendrive.Object) {
	low, high := o.Extent()
	s, t := (low[0]+high[0])/2, (low[1]+high[1])/2
	st, err := r.Station(s)
	if err != nil || !(high[0] > low[0]) || !(high[1] > low[1]) {
		return
	}
	x := &crosswalk{middle: st.Surface(t), along: (high[0] - low[0]) / 2,
		across: (high[1] - low[1]) / 2}
	x.sine, x.cosine = portable.Sincos(st.Heading)
	for _, l := range r.SectionAt(s).Lanes {
		if c := l.Center(s); l.ID != 0 && l.Drivable() && c > low[1] && c < high[1] {
			w.stops[l.Number()] = append(w.stops[l.Number()],
				stop{u: w.rail(l).way(s, true), walk: x})
		}
	}
	w.walks = append(w.walks, x)
}

// watchCrosswalks finds the crosswalks in use.
func (w *World) watchCrosswalks() {
	for _, x := range w.walks {
		x.taken = false
		for _, a := range w.actors {
			if (a.kind == Pedestrian || a.kind == Animal || a.kind == Bicycle) &&
				a.mode != byController && x.holds(a) {
				x.taken = true
				break
			}
		}
	}
}

// holds reports whether an actor is on a crosswalk or approaches it across the road.
func (x *crosswalk) holds(a *actor) bool {
	p, v := a.state.Position.Sub(x.middle), &a.state.Velocity
	along := float64(p.X*x.cosine) + float64(p.Y*x.sine)
	across := float64(p.Y*x.cosine) - float64(p.X*x.sine)
	if math.Abs(along) > x.along+besideWalk || math.Abs(p.Z) > headroom {
		return false
	}
	comes := float64(v.Y*x.cosine) - float64(v.X*x.sine)
	if across > 0 {
		comes = -comes
	}
	beside := math.Abs(across) - x.across
	return beside <= 0 || beside <= kerbside && comes > walking
}

// stopsAtWalk reports whether an actor stops before a crosswalk whose middle is a given distance
// ahead of its own, and the distance from its front to the stopping point.
func (a *actor) stopsAtWalk(x *crosswalk, ahead float64) (rest float64, stops bool) {
	rest = ahead - a.shape.Length/2 - x.along - beforeWalk
	v := a.state.Speed
	if !x.taken || rest < -beforeWalk/2 || v*v/(2*shareOfStop*a.shape.Brake) > rest+beforeWalk/2 {
		return 0, false
	}
	return max(rest, 0), true
}
