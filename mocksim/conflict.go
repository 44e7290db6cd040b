package mocksim

import (
	"math"
	"slices"

	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// meeting describes how two courses share ground.
type meeting uint8

const (
	crossing  meeting = iota // only one of two vehicles can be there
	merging                  // both lead to the same course: one vehicle follows the other
	diverging                // both come from the same course
	abreast                  // both continue next to each other, where long bodies have no room
	dropping                 // next to each other, one ends: its vehicles have to change lanes
)

// yields reports whether one of two actors needs the right to enter the place where the courses
// meet.
func (m meeting) yields() bool { return m == crossing || m == merging }

// conflict is an overlap of the paths along two movements. Its places refer to the middle of a
// vehicle, measured along the movements.
type conflict struct {
	other   int32 // number of the other movement
	meeting meeting
	rank    int8 // 1: this course goes first, -1: the other one does, 0: the first to arrive does
	signed  bool // the rank follows from signs or the junction's priorities
	// A driver on this movement, or on the other one, who gives way sees the other driver only from
	// the line.
	blind, blindOther bool
	// If they part: how much farther behind the point of parting this movement starts than the
	// other one, in m.
	past  float64
	zones [len(bodies)]zone
}

// bodies lists the sizes for which conflicts are known: one for cars and vans, and one for lorries
// and buses, which need more room in curves.
var bodies = [...]struct{ length, width float64 }{{5.5, 2}, {12, 2.5}}

const (
	bodySpacing = 1.0 // m between two places at which bodies are compared
	bodyMargin  = 0.5 // m by which bodies are made longer and wider
	sideMargin  = 0.25
	headroom    = 4.5 // m below a bridge, under which all vehicles pass
	// The fraction of the margins used for lanes next to each other.
	besideMargins = 0.6
)

// bodyOf returns the index of the size into which an actor fits.
func bodyOf(s *Shape) int {
	if s.Length <= bodies[0].length && s.Width <= bodies[0].width {
		return 0
	}
	return 1
}

// junctions describes how the courses of a map relate to each other.
type junctions struct {
	movements []movement
	of        []int32   // number of the movement, by course number
	offset    []float64 // distance from the start of the movement, by course number
	conflicts [][]conflict
	any       bool
	visitors  [][]visitor // by movement number, in this step
	visited   []int32
	seen      []int32 // by actors, for [World.untangle]
	circle    []int32 // actors that wait for each other
	ringOf    []int32 // number of the ring of a movement, or -1
	rings     []ring
	search    *search // nil: all conflicts are known
}

// spot is a body at a place of a course.
type spot struct {
	u, z float64
	box  box
}

// finder compares movements for one size of bodies.
type finder struct {
	w     *World
	body  int
	spots [][]spot // by movement number
}

// of returns the bodies along a movement. Beyond its ends they are on other movements.
func (f *finder) of(number int32) []spot {
	if list := f.spots[number]; list != nil {
		return list
	}
	size := bodies[f.body]
	m := &f.w.crossings.movements[number]
	n := max(int(math.Ceil(m.length/bodySpacing)), 1)
	list := make([]spot, n+1)
	var p railPoint
	for k := range list {
		u := m.length * float64(k) / float64(n)
		f.w.at(m, u, &p)
		list[k] = spot{u, p.position.Z, box{p.position.X, p.position.Y, p.cosine, p.sine,
			size.length, size.width}}
	}
	f.spots[number] = list
	return list
}

// conflictsOf compares two movements, which may meet at several places, or a movement with itself.
func (w *World) conflictsOf(j *junctions, f *[len(bodies)]finder, a, b int32) (list []conflict) {
	const large = len(bodies) - 1
	one, two := &j.movements[a], &j.movements[b]
	if a != b && one.first().Lane == two.first().Lane || a == b && !f[large].winds(a) {
		return nil
	}
	inLine := a == b || w.follows(one, two) || w.follows(two, one)
	sameRoad := one.first().Lane.Section.Road == two.first().Lane.Section.Road
	against := sameRoad && one.first().Forwards != two.first().Forwards
	beside := sameRoad && !against && !inLine
	if beside {
		if drop, ok := w.dropOf(&f[large], a, b); ok {
			return drop
		}
		if !w.converge(one, two) {
			return w.abreastOf(f, a, b)
		}
	}
	small := f[0].compare(a, b, 1)
	var zones []zone
	if beside {
		zones = f[large].beside(a, b, small)
	} else {
		zones = f[large].compare(a, b, 1)
	}
	if inLine {
		zones = slices.DeleteFunc(zones, func(z zone) bool {
			return w.successive(one, two, &z) || w.climbs(one, two, &z)
		})
	}
	for k := range zones {
		c := conflict{other: b, zones: [len(bodies)]zone{nowhere, zones[k]}}
		last := &c.zones[large]
		for i := range small {
			if small[i].meets(last, 0) {
				c.zones[0].include(&small[i])
			}
		}
		if !against && c.zones[0] == nowhere && w.parallel(one, two, last) {
			// adjacent lanes on two roads: bodies stay in them if they fit
			near := f[large].compare(a, b, besideMargins)
			k := slices.IndexFunc(near, func(z zone) bool { return z.meets(last, 0) })
			if k < 0 {
				continue
			}
			*last = near[k]
		}
		if against && last.to-last.from > longestSwing {
			continue
		}
		w.classify(&c, one, two, last)
		if a != b && c.meeting != diverging && !w.stillPart(&f[large], &c, a, b) {
			c.rank, c.signed = w.rank(one, two)
			t := c.turned(a)
			c.blind, c.blindOther = w.blind(&c, a), w.blind(&t, b)
		}
		list = append(list, c)
	}
	return list
}

// successive reports whether one of two movements follows the other one at the place where they
// meet, so that vehicles are behind each other there. On a loop, such as a turning circle, a
// movement also meets the one before or after it, or itself, at another place.
func (w *World) successive(a, b *movement, z *zone) bool {
	way, ok := w.wayTo(a.last(), b.first(), soon, 8)
	if ok && a.length-z.to+way+z.enter < soon {
		return true
	}
	way, ok = w.wayTo(b.last(), a.first(), soon, 8)
	return ok && b.length-z.leave+way+z.from < soon
}

// levelHeight is the least height, in m, between two levels of a ramp.
const levelHeight = 2.2

// climbs reports whether two movements in line meet on different levels of a ramp that winds over
// itself. The levels of a garage are nearer to each other than the headroom, but only vehicles that
// are lower than a level can be there.
func (w *World) climbs(a, b *movement, z *zone) bool {
	var p, q railPoint
	w.at(a, max(0, min((z.from+z.to)/2, a.length)), &p)
	w.at(b, max(0, min((z.enter+z.leave)/2, b.length)), &q)
	return math.Abs(p.position.Z-q.position.Z) > levelHeight
}

// winds reports whether a movement turns so far that it can meet itself.
func (f *finder) winds(number int32) bool {
	if f.w.crossings.movements[number].length < 2*soon {
		return false
	}
	list := f.of(number)
	yaw, low, high := 0.0, 0.0, 0.0
	for k := range list[1:] {
		a, b := &list[k].box, &list[k+1].box
		yaw += portable.Atan2(float64(a.cosine*b.sine)-float64(a.sine*b.cosine),
			float64(a.cosine*b.cosine)+float64(a.sine*b.sine))
		low, high = min(low, yaw), max(high, yaw)
	}
	return high-low > math.Pi/2
}

// longestSwing is the maximum length, in m, of a curve that two long vehicles may not use at the
// same time because they swing out into the oncoming lane.
const longestSwing = 200.0

// parallel reports whether two movements lead in the same direction where they meet.
func (w *World) parallel(a, b *movement, z *zone) bool {
	const most = 0.3 // rad
	return math.Abs(wrapFast(w.directionAt(a, (z.from+z.to)/2)-
		w.directionAt(b, (z.enter+z.leave)/2))) < most
}

// placesApart is the distance, in m, between two places at which movements meet. Closer places form
// one conflict.
const placesApart = 15.0

// compare finds the places at which the bodies on two movements touch, with a fraction of the
// margins around them. On one movement, the second place comes some way after the first one.
func (f *finder) compare(a, b int32, margins float64) (list []zone) {
	one, two := f.of(a), f.of(b)
	reach := bodies[f.body].length + 2*bodyMargin + 1
	for i := range one {
		s := &one[i]
		mine := s.box.within(margins)
		k := 0
		if a == b {
			k = i + int(math.Ceil(soon/bodySpacing))
		}
		for k < len(two) {
			o := &two[k]
			dx, dy := o.box.x-s.box.x, o.box.y-s.box.y
			if d := float64(dx*dx) + float64(dy*dy); d > reach*reach {
				k += max(1, int((math.Sqrt(d)-reach)/bodySpacing))
				continue
			}
			k++
			other := o.box.within(margins)
			if mine.beside(&other) { // most lanes next to each other
				continue
			}
			if depth, _ := overlap(&mine, &other); depth <= 0 || math.Abs(s.z-o.z) > headroom {
				continue
			}
			list = gather(list, zone{s.u - bodySpacing/2, s.u + bodySpacing/2, o.u - bodySpacing/2,
				o.u + bodySpacing/2})
		}
	}
	return list
}

// beside extends the places at which small bodies on neighbouring lanes touch to the parts before
// and behind each of them where larger bodies touch.
func (f *finder) beside(a, b int32, small []zone) []zone {
	const most = 2 * sticksOut
	list := slices.Clone(small)
	for _, z := range f.compare(a, b, besideMargins) {
		for k := range small {
			if o := &small[k]; z.meets(o, 0) {
				list[k].include(&zone{max(z.from, o.from-most), min(z.to, o.to+most),
					max(z.enter, o.enter-most), min(z.leave, o.leave+most)})
			}
		}
	}
	return list
}

// within returns a body enlarged by a fraction of the margins.
func (b box) within(margins float64) box {
	b.length += float64(bodyMargin * margins)
	b.width += float64(sideMargin * margins)
	return b
}

// converge reports whether two neighbouring lanes become too narrow for two cars.
func (w *World) converge(a, b *movement) bool {
	if a.first().Forwards != b.first().Forwards {
		return false
	}
	for _, m := range [...]*movement{a, b} {
		for _, c := range m.parts {
			if w.rail(c.Lane).narrow {
				return true
			}
		}
	}
	return false
}

// soon is the largest distance, in m, between consecutive movements that a vehicle can be on at the
// same time.
const soon = 30.0

// follows reports whether b comes soon after a.
func (w *World) follows(a, b *movement) bool {
	_, ok := w.wayTo(a.last(), b.first(), soon, 8)
	return ok
}

// wayTo returns the distance from the end of a course to the start of another one, if it is below a
// limit.
func (w *World) wayTo(a, b opendrive.Course, most float64, depth int) (way float64, ok bool) {
	for _, n := range w.following(a) {
		if n == b {
			return 0, true
		}
		length := w.rail(n.Lane).length
		if depth > 0 && length < most {
			if rest, found := w.wayTo(n, b, most-length, depth-1); found {
				return length + rest, true
			}
		}
	}
	return 0, false
}

// atEnd is the distance, in m, within which a conflict counts as being at the end of a movement.
const atEnd = 2.0

// classify determines how two movements meet: at the end, if both continue in the same way, or at
// the start.
func (w *World) classify(c *conflict, a, b *movement, z *zone) {
	if z.from < atEnd && z.enter < atEnd && w.part(a, b) {
		c.meeting = diverging
		return
	}
	if z.to < a.length-atEnd && z.leave < b.length-atEnd || a == b {
		return
	}
	for _, x := range w.following(a.last()) {
		if slices.Contains(w.following(b.last()), x) && z.to > a.length-atEnd &&
			z.leave > b.length-atEnd {
			c.meeting = merging
			return
		}
	}
}

// part reports whether two movements start at the end of the same lane.
func (w *World) part(a, b *movement) bool {
	before := w.preceding(b.first())
	return slices.ContainsFunc(w.preceding(a.first()), func(c opendrive.Course) bool {
		return slices.Contains(before, c)
	})
}

// stillPart reports whether a conflict belongs to the point where two movements part, although one
// of them starts only after that point, because long bodies clear the space between them later.
// Nothing else may lead to that movement.
func (w *World) stillPart(f *finder, c *conflict, a, b int32) bool {
	z := c.zones[len(bodies)-1]
	if past, ok := w.partedBefore(f, a, b); ok && z.from < atEnd {
		c.meeting, c.past = diverging, past
		return true
	}
	if past, ok := w.partedBefore(f, b, a); ok && z.enter < atEnd {
		c.meeting, c.past = diverging, -past
		return true
	}
	return false
}

// partedBefore returns the distance from the point where a movement leading to a parts from b to
// the start of a, if the bodies on both touch along the whole distance.
func (w *World) partedBefore(f *finder, a, b int32) (past float64, ok bool) {
	const most = 32 // movements; without a limit, short ones take a time that grows with n^3
	j := w.crossings
	other := &j.movements[b]
	for n := 0; past < soon && n < most; n++ {
		list := w.preceding(j.movements[a].first())
		if len(list) != 1 || j.of[courseNumber(list[0])] < 0 {
			return 0, false
		}
		a = j.of[courseNumber(list[0])]
		m := &j.movements[a]
		past += m.length
		if a == b || !slices.ContainsFunc(f.compare(a, b, 1), func(z zone) bool {
			return z.from < atEnd && z.to > m.length-atEnd
		}) {
			return 0, false
		}
		if w.part(m, other) {
			return past, true
		}
	}
	return 0, false
}
