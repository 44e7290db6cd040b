package mocksim

import (
	"math"
	"slices"
	"sort"

	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// lanesOfActor is the number of lanes on which one actor can be at the same time: one for its
// middle and one on either side.
const lanesOfActor = 3

// entry is an actor on a lane. An actor that extends into other lanes, or moves from one to
// another, has several entries.
type entry struct {
	s, along float64 // and its speed in the direction of s
	half     float64 // half its extent along the lane, m
	lane     int32   // -1: none
	actor    int32
	out      bool // it extends beyond its lane
}

// traffic records the positions of actors on lanes, sorted by lane, s and name. The order from the
// previous step is nearly right, so an insertion sort is fast.
type traffic struct {
	entries     []entry // lanesOfActor for each actor
	order       []int32 // indices of entries
	first, last []int32 // by lane: the range in order
	touched     []int32 // lanes with entries
	swept       []int32 // actors, sorted by x
	slow        []slowOne
}

func (t *traffic) reset(lanes int) {
	t.first, t.last = make([]int32, lanes), make([]int32, lanes)
}

func (e *entry) before(o *entry) bool {
	switch {
	case e.lane != o.lane:
		return e.lane < o.lane
	case e.s != o.s:
		return e.s < o.s
	}
	return e.actor < o.actor
}

// followed reports whether any actor looks for actors ahead.
func (w *World) followed() bool {
	for _, a := range w.actors {
		if a.mode == byController {
			return true
		}
	}
	return false
}

// refresh updates the order of traffic if it is needed.
func (w *World) refresh() {
	w.outdated = false
	t := &w.traffic
	if w.stale = !w.followed(); w.stale {
		t.clear()
		return
	}
	for _, a := range w.actors {
		a.resolve()
	}
	n := lanesOfActor * len(w.actors)
	if cap(t.entries) < n {
		t.entries = make([]entry, n, 2*n)
	}
	t.entries = t.entries[:n]
	if len(t.order) != n {
		t.order = t.order[:0]
		for k := range n {
			t.order = append(t.order, int32(k))
		}
	}
	for k, a := range w.actors {
		a.occupy((*[lanesOfActor]entry)(t.entries[lanesOfActor*k:]), int32(k))
	}
	t.sort()
	t.sweep(w.actors)
	t.clear()
	for position, index := range t.order {
		e := &t.entries[index]
		if e.lane < 0 {
			continue
		}
		if t.last[e.lane] == 0 {
			t.first[e.lane] = int32(position)
			t.touched = append(t.touched, e.lane)
		}
		t.last[e.lane] = int32(position) + 1
	}
}

// current returns the order of traffic. Calls that create, move or remove actors only mark it as
// outdated: if each updated it, their time would grow with the square of their number.
func (w *World) current() *traffic {
	if w.outdated {
		w.refresh()
	}
	return &w.traffic
}

// clear removes all entries.
func (t *traffic) clear() {
	for _, lane := range t.touched {
		t.first[lane], t.last[lane] = 0, 0
	}
	t.touched = t.touched[:0]
}

func (t *traffic) sort() {
	resort(t.order, func(a, b int32) bool { return t.entries[a].before(&t.entries[b]) })
}

// resort sorts a list that is nearly sorted. If it is not, for instance after many actors were
// created or have jumped, the time nevertheless grows only slightly faster than the list.
func resort[T any](list []T, before func(a, b T) bool) {
	const far = 16 // places that an element moves, on average
	moves := far * len(list)
	for i := 1; i < len(list); i++ {
		x, k := list[i], i
		for ; k > 0 && before(x, list[k-1]); k-- {
			list[k] = list[k-1]
		}
		list[k] = x
		if moves -= i - k; moves < 0 {
			slices.SortStableFunc(list, func(a, b T) int {
				switch {
				case before(a, b):
					return -1
				case before(b, a):
					return 1
				}
				return 0
			})
			return
		}
	}
}

// occupy records the lanes on which an actor is.
func (a *actor) occupy(list *[lanesOfActor]entry, index int32) {
	for k := range list {
		list[k] = entry{lane: -1, actor: index}
	}
	if a.railed() {
		a.driver.occupy(a, list)
		return
	}
	first := &list[0]
	lane := a.place.Lane
	if lane == nil {
		return
	}
	st, err := a.place.Road.Station(a.place.S)
	if err != nil {
		return
	}
	sin, cos := portable.Sincos(a.state.Orientation.Yaw - st.Heading)
	first.lane, first.s = int32(lane.Number()), a.place.S
	first.along = a.state.Speed * cos
	first.half = float64(a.shape.Length/2*math.Abs(cos)) + float64(a.shape.Width/2*math.Abs(sin))
	aside := float64(a.shape.Width/2*math.Abs(cos)) + float64(a.shape.Length/2*math.Abs(sin))
	room := lane.Width(a.place.S) / 2
	const margin = 0.1 // m into the neighboring lane before it matters there
	for k, side := range [...]int{1, -1} {
		if float64(float64(side)*a.side)+aside < room+margin {
			continue
		}
		if other := lane.Neighbour(side); other != nil {
			list[k+1] = *first
			list[k+1].lane = int32(other.Number())
		}
	}
}

// leader describes the actor in front: the gap between bumpers, and its speed in the direction of
// travel.
type leader struct {
	gap, speed float64
	courteous  bool    // another actor is let in
	courtesy   float64 // the acceleration with which that is possible, m/s2
	stops      bool    // the actor stops at a line
	line       float64 // distance of that line from the front of the actor, m
	brake      float64 // with which it stops there, as a ratio of the comfortable deceleration
}

// nearer keeps the nearer of two leaders.
func (l *leader) nearer(gap, speed float64) {
	if gap < l.gap {
		l.gap, l.speed = gap, speed
	}
}

// stopAt keeps the nearer of two lines at which an actor stops.
func (l *leader) stopAt(rest, brake float64) {
	if !l.stops || rest < l.line {
		l.stops, l.line, l.brake = true, rest, brake
	}
}

// standsWithin reports whether an actor stops within a distance.
func (l *leader) standsWithin(rest float64) bool {
	return l.gap < rest || l.stops && l.line < rest
}

// direction returns +1 for traffic along s, or -1 otherwise.
func direction(forwards bool) float64 {
	if forwards {
		return 1
	}
	return -1
}

// pass reports whether an actor that looks ahead from a place has room to pass an oncoming one,
// and one or both of them extend beyond their lanes. If neither does, it returns false. An actor
// that is not on that road yet will be in the middle of the lane.
func (w *World) pass(a, b int32, from *outlook) bool {
	const margin = 0.1   // m, for an actor on the same road
	const entering = 0.3 // m, for one that may enter it not quite in the middle of the lane
	t := &w.traffic
	one, two := w.actors[a], w.actors[b]
	if !t.entries[lanesOfActor*a].out && !t.entries[lanesOfActor*b].out ||
		!one.railed() || !two.railed() || one.place.Lane == nil || two.place.Lane == nil {
		return false
	}
	across, room := one.across(), one.extent()+margin
	forwards := one.driver.course().forwards
	if one.place.Road != two.place.Road {
		if from.lane.Section != two.place.Lane.Section {
			return false
		}
		across, room = from.lane.Center(two.place.S), one.shape.Width/2+entering
		forwards = from.forwards
	}
	return forwards != two.driver.course().forwards &&
		math.Abs(across-two.across()) > room+two.extent()
}

// across returns t of an actor on rails.
func (a *actor) across() float64 { return a.place.Lane.Center(a.place.S) + a.side }

// outlook is a place from which an actor looks for others ahead on a lane: s, and u on a rail of
// the same section of the road.
type outlook struct {
	lane     *opendrive.Lane
	rail     *rail
	forwards bool
	s, u     float64
}

// fromStart returns the place just before the start of a course: an actor at the start is ahead.
func fromStart(c opendrive.Course, r *rail) outlook {
	return outlook{c.Lane, r, c.Forwards, startOf(c) - float64(direction(c.Forwards)*1e-9), 0}
}

// ahead finds the leader beyond a place, other than the actor itself. The gap is measured along the
// rail: in a bend, the distance differs from s by a varying factor.
func (w *World) ahead(l *leader, from *outlook, self int32, half float64) bool {
	e := w.nextOn(from, self)
	if e == nil {
		return false
	}
	l.nearer(w.wayOf(e, from.rail, from.forwards)-from.u-e.half-half,
		e.along*direction(from.forwards))
	return true
}

// nextOn returns the first actor on a lane beyond a place, other than the actor itself, or nil if
// there is none.
func (w *World) nextOn(from *outlook, self int32) *entry {
	t := w.current()
	k := int32(from.lane.Number())
	lo, hi := t.first[k], t.last[k]
	if lo == hi {
		return nil
	}
	position := lo + int32(sort.Search(int(hi-lo), func(i int) bool {
		return t.entries[t.order[lo+int32(i)]].s > from.s
	}))
	step := int32(1)
	if !from.forwards {
		step, position = -1, lo+int32(sort.Search(int(hi-lo),
			func(i int) bool { return t.entries[t.order[lo+int32(i)]].s >= from.s }))-1
	}
	for ; position >= lo && position < hi; position += step {
		e := &t.entries[t.order[position]]
		if e.actor == self || self >= 0 && w.pass(self, e.actor, from) {
			continue
		}
		return e
	}
	return nil
}

// wayOf returns u of an entry on a rail.
func (w *World) wayOf(e *entry, r *rail, forwards bool) float64 {
	if a := w.actors[e.actor]; a.railed() {
		if c := a.driver.course(); c.rail == r && c.forwards == forwards {
			return a.driver.u
		}
	}
	return r.way(e.s, forwards)
}

// behind finds the follower on a lane before s. It returns the gap between bumpers and the actor,
// or -1 if there is none within reach.
func (w *World) behind(c opendrive.Course, s, half float64, self int32) (gap float64,
	follower int32) {
	gap, follower = w.behindOn(c, s, half, self)
	if follower >= 0 {
		return gap, follower
	}
	way := w.rail(c.Lane).way(s, c.Forwards)
	return w.behindBefore(c, way, half, self, 4)
}

func startOf(c opendrive.Course) float64 {
	if c.Forwards {
		return c.Lane.Section.S
	}
	return c.Lane.Section.End
}

func (w *World) behindBefore(c opendrive.Course, way, half float64, self int32,
	depth int) (gap float64, follower int32) {
	const reach = 100.0
	best, found := inf, int32(-1)
	if depth == 0 || way > reach {
		return best, found
	}
	for _, p := range w.preceding(c) {
		end := opendrive.Course{Lane: p.Lane, Forwards: !p.Forwards}
		g, f := w.behindOn(p, startOf(end), half, self)
		if f >= 0 {
			g += way
		} else if g, f = w.behindBefore(p, way+w.rail(p.Lane).length, half, self,
			depth-1); f < 0 {
			continue
		}
		if g < best {
			best, found = g, f
		}
	}
	return best, found
}

func (w *World) behindOn(c opendrive.Course, s, half float64, self int32) (gap float64,
	follower int32) {
	t := w.current()
	k := int32(c.Lane.Number())
	lo, hi := t.first[k], t.last[k]
	if lo == hi {
		return inf, -1
	}
	position := lo + int32(sort.Search(int(hi-lo), func(i int) bool {
		return t.entries[t.order[lo+int32(i)]].s > s
	}))
	step := int32(1)
	if c.Forwards {
		step, position = -1, position-1
	}
	for ; position >= lo && position < hi; position += step {
		if e := &t.entries[t.order[position]]; e.actor != self {
			r := w.rail(c.Lane)
			return r.way(s, c.Forwards) - w.wayOf(e, r, c.Forwards) - e.half - half, e.actor
		}
	}
	return inf, -1
}
