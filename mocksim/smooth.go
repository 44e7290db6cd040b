package mocksim

import (
	"slices"

	"gosmp/mocksim/opendrive"
)

// Where the records of lane offsets and widths do not fit together, the middle of a lane jumps or
// has a kink. No vehicle drives like that, so in a window around such a place, a rail leaves the
// middle, and t changes from one side to the other as a polynomial of degree five.

const (
	kinkOfRecords  = 1e-3 // slope of t over s
	jumpOfRecords  = 1e-5 // m
	windowOfKink   = 8.0  // m of half a window per unit of slope
	widestWindow   = 15.0 // m, half of it
	shortestWindow = 1.0  // m, half of it
	endOfLane      = 0.01 // m between a window and the ends of a lane
	leastTangle    = 1.5  // m per m of half a window in which vehicles can turn
)

// window is a range of s on a lane in which t is a polynomial in the fraction of the range.
type window struct {
	from, to float64
	whole    bool // its ends belong to it
	t        quintic
}

// smooth finds the windows of a lane, and removes the places of the kinks from its breaks.
func (r *rail) smooth(x *strand) []float64 {
	breaks := r.lane.Breaks()
	if len(breaks) < 2 { // a section without length
		return breaks
	}
	first, last := breaks[0], breaks[len(breaks)-1]
	list := slices.Clone(breaks)
	whole, kinks := x.within(first, last)
	for _, w := range whole {
		r.windows = append(r.windows, w)
		list = append(list, max(w.from, first), min(w.to, last))
	}
	for i := range kinks {
		k := &kinks[i]
		half := k.half()
		if !k.tangle && (k.room < k.need || half < shortestWindow/10) {
			continue
		}
		list = slices.DeleteFunc(list, func(s float64) bool { return s == k.s })
		if k.tangle {
			continue
		}
		w := window{from: k.s - half, to: k.s + half}
		one, _ := sidesOf(r.lane, breaks, w.from)
		_, two := sidesOf(r.lane, breaks, w.to)
		w.t = bridge(one, two, 2*half)
		r.windows = append(r.windows, w)
		list = append(list, w.from, w.to)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sidesOf returns t of the middle of a lane and its first two derivatives with respect to s, before
// and after a place. Breaks closer than together count as one. Beyond the next breaks, other
// records apply; beyond the ends of the lane, there are none.
func sidesOf(l *opendrive.Lane, breaks []float64, s float64) (before, after [3]float64) {
	const together = 3e-6
	k, _ := slices.BinarySearch(breaks, s-together)
	last := breaks[max(k-1, 0)]
	from, to := min(s, breaks[min(k, len(breaks)-1)]), s
	for k < len(breaks)-1 && breaks[k] <= s+together {
		to = max(s, breaks[k])
		k++
	}
	return sideOfPlace(l, from, last), sideOfPlace(l, to, breaks[min(k, len(breaks)-1)])
}

// sideOfPlace measures t and its derivatives between a place and the next break.
func sideOfPlace(l *opendrive.Lane, s, next float64) [3]float64 {
	const widest = 1e-3
	h := min(max((next-s)/3, -widest), widest)
	at := s + float64(h*1e-5)
	t0 := l.Center(at)
	if h == 0 {
		return [3]float64{t0}
	}
	t1, t2 := l.Center(at+h), l.Center(at+float64(2*h))
	second := (t2 - float64(2*t1) + t0) / (h * h)
	return [3]float64{t0, (t1-t0)/h - second*h/2, second}
}

// bridge returns the polynomial in the fraction of a length that has the given values and
// derivatives at both ends.
func bridge(a, b [3]float64, length float64) quintic {
	v0, d0, s0 := a[0], float64(a[1]*length), float64(a[2]*length*length/2)
	v, d, s := b[0]-v0-d0-s0, float64(b[1]*length)-d0-float64(2*s0),
		float64(b[2]*length*length)-float64(2*s0)
	return quintic{v0, d0, s0, float64(10*v) - float64(4*d) + s/2, float64(-15*v) +
		float64(7*d) - s, float64(6*v) - float64(3*d) + s/2}
}

// center returns t of the rail at s.
func (r *rail) center(s float64) float64 {
	for k := range r.windows {
		if w := &r.windows[k]; s > w.from && s < w.to || w.whole && s >= w.from && s <= w.to {
			return w.t.value((s - w.from) / (w.to - w.from))
		}
	}
	return r.lane.Center(s)
}
