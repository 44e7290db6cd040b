package mocksim

import (
	"math"
	"slices"
	"sort"
	"sync"

	"gosmp/mocksim/opendrive"
)

// strand is a sequence of lanes of one road, each of which continues only in the next one. A map
// with many short sections has kinks that are nearer to each other than vehicles can turn, on both
// sides of the ends of its lanes.
type strand struct {
	lanes   []*opendrive.Lane
	breaks  [][]float64 // of each lane
	kinks   []kink      // in order
	windows []window    // of tangles, in order
}

// strands holds the strands of all lanes that have been measured.
type strands struct {
	sync.Mutex
	of []*strand // by the number of the lane
}

// kink is a place where the middle of a strand jumps or has a kink.
type kink struct {
	s      float64
	before [3]float64 // t and its derivatives
	after  [3]float64
	need   float64 // m of half a window in which vehicles can turn
	room   float64 // m of half a window up to the next kinks and the ends of the lane
	lane   int     // in the strand; between two lanes: -1
	tangle bool    // its window is one of the strand
}

// strand returns the strand of a lane, which is measured on first use.
func (w *World) strand(l *opendrive.Lane) *strand {
	if len(l.Section.Road.Sections) == 1 || !(l.Section.Length() > 0) {
		return newStrand(l)
	}
	if x := w.strands.get(l); x != nil {
		return x
	}
	return w.strands.put(l, strandOf(w.m, l)) // unlocked: lanes are measured in parallel
}

func (a *strands) get(l *opendrive.Lane) *strand {
	a.Lock()
	defer a.Unlock()
	return a.of[l.Number()]
}

// put keeps a strand of a lane, unless there is one, and returns what it keeps.
func (a *strands) put(l *opendrive.Lane, x *strand) *strand {
	a.Lock()
	defer a.Unlock()
	if known := a.of[l.Number()]; known != nil {
		return known
	}
	for _, o := range x.lanes {
		a.of[o.Number()] = x
	}
	return x
}

// strandOf measures the strand of a lane.
func strandOf(m *opendrive.Map, l *opendrive.Lane) *strand {
	var lanes []*opendrive.Lane
	for o := l; o != nil; o = nextInStrand(m, o, opendrive.AtStart) {
		lanes = append(lanes, o)
	}
	slices.Reverse(lanes)
	for o := nextInStrand(m, l, opendrive.AtEnd); o != nil; {
		lanes = append(lanes, o)
		o = nextInStrand(m, o, opendrive.AtEnd)
	}
	return newStrand(lanes...)
}

// newStrand measures a strand of lanes.
func newStrand(lanes ...*opendrive.Lane) *strand {
	x := &strand{lanes: lanes}
	x.measure()
	x.untangle()
	return x
}

// nextInStrand returns the lane in the next or the previous section that alone continues a lane, or
// nil.
func nextInStrand(m *opendrive.Map, l *opendrive.Lane, at opendrive.ContactPoint) *opendrive.Lane {
	other, sections, k := opendrive.AtStart, l.Section.Road.Sections, l.Section.Index+1
	if at == opendrive.AtStart {
		other, k = opendrive.AtEnd, l.Section.Index-1
	}
	if k < 0 || k >= len(sections) {
		return nil
	}
	list := m.Joined(opendrive.LaneEnd{Lane: l, At: at})
	if len(list) != 1 || list[0].At != other || list[0].Lane.Section != sections[k] ||
		len(m.Joined(list[0])) != 1 || !(sections[k].Length() > 0) {
		return nil
	}
	return list[0].Lane
}

// measure finds the kinks of a strand.
func (x *strand) measure() {
	for k, l := range x.lanes {
		breaks := l.Breaks()
		x.breaks = append(x.breaks, breaks)
		first, last := breaks[0], breaks[len(breaks)-1]
		if k > 0 {
			one := x.breaks[k-1]
			before, _ := sidesOf(x.lanes[k-1], one, one[len(one)-1])
			_, after := sidesOf(l, breaks, first)
			x.add(kink{s: first, before: before, after: after, room: inf, lane: -1})
		}
		for i, s := range breaks[:len(breaks)-1] {
			if i > 0 {
				before, after := sidesOf(l, breaks, s)
				x.add(kink{s: s, before: before, after: after, lane: k,
					room: min(s-first, last-s) - endOfLane})
			}
			x.addBend(k, s, breaks[i+1])
		}
	}
	for k := range x.kinks[:max(len(x.kinks)-1, 0)] {
		a, b := &x.kinks[k], &x.kinks[k+1]
		half, same := (b.s-a.s)/2, a.lane == b.lane
		if same || a.lane < 0 {
			a.room = min(a.room, half)
		}
		if same || b.lane < 0 {
			b.room = min(b.room, half)
		}
	}
}

// addBend adds a kink in the middle of a record of a lane if it is too short for its curvature.
func (x *strand) addBend(lane int, from, to float64) {
	const sharp, short = 0.2, 3.0 // 1/m; m
	l, half := x.lanes[lane], (to-from)/2
	if 2*half > short {
		return
	}
	a, b := sideOfPlace(l, from, to), sideOfPlace(l, to, from)
	if max(math.Abs(a[2]), math.Abs(b[2])) < sharp {
		return
	}
	between := sideOfPlace(l, from+half, to)
	turn := max(a[1], b[1], between[1]) - min(a[1], b[1], between[1])
	if turn > kinkOfRecords {
		x.kinks = append(x.kinks, kink{s: from + half, before: a, after: b, lane: lane,
			need: min(widestWindow, max(half, windowOfKink*turn))})
	}
}

func (x *strand) add(k kink) {
	jump, turn := math.Abs(k.after[0]-k.before[0]), math.Abs(k.after[1]-k.before[1])
	if jump > jumpOfRecords || turn > kinkOfRecords {
		k.need = min(widestWindow,
			max(windowOfKink*turn, math.Sqrt(bendOfOffset*jump/bendLimit)/2))
		x.kinks = append(x.kinks, k)
	}
}

// half returns half of the length of the window of a kink without others nearby.
func (k *kink) half() float64 {
	const apart = 1e-6 // m, because windows must not touch
	return min(max(shortestWindow, k.need), widestWindow, k.room) - apart
}

// span returns the part of a strand that a kink needs, and whether it has no room for that.
func (k *kink) span() (from, to float64, tangled bool) {
	half := k.need
	if tangled = k.room < k.need; !tangled && k.lane >= 0 {
		half = k.half()
	}
	return k.s - half, k.s + half, tangled
}

// untangle finds the windows of tangles: the parts of the strand in which kinks are too near to
// each other, or to the end of their lane, for a window each. If the strand is too short for the
// turns of a tangle, its kinks remain: vehicles cross a joint, but do not turn in a few decimetres.
func (x *strand) untangle() {
	last := x.breaks[len(x.breaks)-1]
	first, end := x.breaks[0][0]+endOfLane, last[len(last)-1]-endOfLane
	for k := 0; k < len(x.kinks); {
		from, to, tangled := x.kinks[k].span()
		need, n := x.kinks[k].need, k+1
		for ; n < len(x.kinks); n++ {
			before, after, sharp := x.kinks[n].span()
			if before > to {
				break
			}
			from, to, need = min(from, before), max(to, after), max(need, x.kinks[n].need)
			tangled = tangled || sharp
		}
		from, to = max(from, first), min(to, end)
		tangled = tangled && to-from >= float64(leastTangle*need)
		for ; k < n; k++ {
			x.kinks[k].tangle = tangled
		}
		if tangled {
			x.bridge(from, to, max(need, shortestWindow))
		}
	}
}

// lane returns the number of the lane at s.
func (x *strand) lane(s float64) int {
	return min(sort.Search(len(x.lanes), func(k int) bool { return x.lanes[k].Section.End > s }),
		len(x.lanes)-1)
}

// at returns t of the middle at s.
func (x *strand) at(s float64) float64 { return x.lanes[x.lane(s)].Center(s) }

// bridge adds the windows of a tangle: polynomials between places at equal distances, with a common
// second derivative where they meet. They follow the mean of the middle over that distance.
func (x *strand) bridge(from, to, need float64) {
	n := max(1, int(math.Ceil((to-from)/need)))
	step := (to - from) / float64(n)
	nodes := make([][3]float64, n+1)
	one, two := x.lane(from), x.lane(to)
	nodes[0], _ = sidesOf(x.lanes[one], x.breaks[one], from)
	_, nodes[n] = sidesOf(x.lanes[two], x.breaks[two], to)
	for k := 1; k < n; k++ {
		nodes[k][0], nodes[k][1] = x.mean(from+float64(float64(k)*step), step)
	}
	for k := 1; k < n; k++ {
		nodes[k][2] = (nodes[k+1][0] - float64(2*nodes[k][0]) + nodes[k-1][0]) / (step * step)
	}
	for k := range n {
		x.windows = append(x.windows, window{from: from + float64(float64(k)*step),
			to: from + float64(float64(k+1)*step), whole: true,
			t: bridge(nodes[k], nodes[k+1], step)})
	}
	x.windows[len(x.windows)-1].to = to
}

// within returns the windows and the kinks of a strand between two places.
func (x *strand) within(from, to float64) ([]window, []kink) {
	w, k := x.windows, x.kinks
	w = w[sort.Search(len(w), func(i int) bool { return w[i].to > from }):]
	w = w[:sort.Search(len(w), func(i int) bool { return w[i].from >= to })]
	k = k[sort.Search(len(k), func(i int) bool { return k[i].s > from }):]
	return w, k[:sort.Search(len(k), func(i int) bool { return k[i].s >= to })]
}

// mean returns the mean of t around a place, in which the weight decreases linearly up to a
// distance, and its derivative.
func (x *strand) mean(s, reach float64) (t, slope float64) {
	const samples = 64
	for k := range samples {
		share := (float64(k) + 0.5) / samples
		way := float64(share * reach)
		before, after := x.at(s-way), x.at(s+way)
		t += float64((1 - share) * (before + after))
		slope += after - before
	}
	return t / samples, slope / (samples * reach)
}
