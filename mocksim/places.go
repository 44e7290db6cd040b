package mocksim

import (
	"math"
	"math/rand/v2"
	"slices"

	"gosmp/frames"
	"gosmp/mocksim/opendrive"
)

// roomAround is the distance that Populate leaves between the centers of two vehicles, in m.
const roomAround = 25.0

// closestToJunction is the smallest distance of a place from a junction, in m: half of the longest
// vehicle, so that the vehicle does not obstruct crossing lanes.
const closestToJunction = 6.5

// room is the space that a place requires: a distance from an end of a lane after which nothing
// follows, and a width of the lane, in m.
type room struct{ margin, width float64 }

// rooms are tried in turn until a map has a place: room for all vehicles, room for the longest
// vehicle to stand, and room for a car to stand.
var rooms = [...]room{{roomAround / 2, 2.5}, {6.5, 2.5}, {2.5, 1.9}}

// placer finds places for vehicles. It measures distances along joined lanes, so that neither short
// sections nor short roads are left out.
type placer struct {
	room
	w     *World
	taken [][]float64 // s of places, by lane number
	cells map[[2]int32]bool
	// the number of the last search that has seen a lane, by lane number
	seen    []int
	search  int
	visited int // lanes seen by the current search
}

// mostVisited bounds the lanes of a search. A map with more of them within roomAround has no room.
const mostVisited = 4096

// fewPlaces is the number of places for which lanes are searched on a large map, at least.
const fewPlaces = 20_000

// some returns lanes with room for far more vehicles than wanted: all lanes of a map, or a random
// choice if it is large.
func (w *World) some(wanted int) []*opendrive.Lane {
	const spare = 20
	enough := roomAround * max(float64(fewPlaces), spare*float64(wanted))
	all, sum := w.m.Lanes(), 0.0
	for _, l := range all {
		if l.Drivable() {
			sum += l.Section.Length()
		}
	}
	if sum <= enough {
		return all
	}
	random := rand.New(rand.NewPCG(w.o.Seed, 0x6c616e6573))
	chosen := make([]bool, len(all))
	sum = 0
	for _, k := range random.Perm(len(all)) {
		if l := all[k]; l.Drivable() && sum < enough {
			chosen[k] = true
			sum += l.Section.Length()
		}
	}
	var list []*opendrive.Lane
	for k, l := range all {
		if chosen[k] {
			list = append(list, l)
		}
	}
	return list
}

// places returns starts at which vehicles are far enough from one another and from existing
// vehicles, at the speed limit: those outside of junctions, where no other lane crosses, and those
// inside. If tight is true, they are only for cars. On a large map it searches only lanes with room
// for far more vehicles than wanted.
func (w *World) places(wanted int) (outside, inside []Start, tight bool) {
	lanes := w.some(wanted)
	for k, room := range rooms {
		tight = k == len(rooms)-1
		p := placer{room: room, w: w, taken: make([][]float64, len(w.m.Lanes())),
			seen: make([]int, len(w.m.Lanes())), cells: map[[2]int32]bool{}}
		for _, a := range w.actors {
			p.cells[cellOf(a.state.Position)] = true
			a.resolve()
			if l := a.place.Lane; l != nil && l.Number() >= 0 {
				p.take(l, a.place.S)
			}
		}
		for _, l := range lanes {
			if l.Section.Road.Junction == "" {
				outside = p.fill(outside, l)
			}
		}
		for _, l := range lanes {
			if l.Section.Road.Junction != "" {
				inside = p.fill(inside, l)
			}
		}
		if len(outside)+len(inside) > 0 {
			break
		}
	}
	return outside, inside, tight
}

func cellOf(v frames.Vector) [2]int32 {
	const side = 4.0 // m
	return [2]int32{int32(math.Floor(v.X / side)), int32(math.Floor(v.Y / side))}
}

// fill appends the places on a lane.
func (p *placer) fill(list []Start, l *opendrive.Lane) []Start {
	if !l.Drivable() || l.Section.Length() <= 0 || p.w.rail(l).bays {
		return list
	}
	const least = 1e-3 // m, so that rounding does not stop the progress of the search
	for s := l.Section.S; s < l.Section.End; {
		if d := p.distance(l, s); d < roomAround {
			s += max(roomAround-d, least)
			continue
		}
		if start, ok := p.place(l, s); ok {
			list = append(list, start)
			p.take(l, s)
		}
		s += roomAround
	}
	return list
}

// place returns the start of a vehicle at s, unless the lane is too narrow there or a vehicle
// stands there.
func (p *placer) place(l *opendrive.Lane, s float64) (Start, bool) {
	road := l.Section.Road
	st, err := road.Station(s)
	if err != nil || l.Width(s) < p.width {
		return Start{}, false
	}
	at := l.Point(&st, l.Center(s))
	if p.cells[cellOf(at)] {
		return Start{}, false
	}
	// If lanes overlap or a map is broken, another lane may be found there.
	if found := p.w.m.Locate(at, road); found.Lane == nil || !found.Lane.Drivable() {
		return Start{}, false
	}
	limit, ok := l.SpeedLimit(s)
	if !ok {
		limit = fallbackLimit(l)
	}
	return OnRoad(road.ID, l.ID, s).WithSpeed(min(limit, 60)), true
}

// take marks a place as taken. The places on a lane are sorted, because a long lane has very many.
func (p *placer) take(l *opendrive.Lane, s float64) {
	list := &p.taken[l.Number()]
	k, _ := slices.BinarySearch(*list, s)
	*list = slices.Insert(*list, k, s)
}

// nearest returns the distance from s to the nearest taken place on the same lane.
func (p *placer) nearest(l *opendrive.Lane, s float64) float64 {
	list, way := p.taken[l.Number()], math.Inf(1)
	k, _ := slices.BinarySearch(list, s)
	if k < len(list) {
		way = list[k] - s
	}
	if k > 0 {
		way = min(way, s-list[k-1])
	}
	return way
}

// distance returns the distance from s on a lane to the nearest taken place on lanes that lead
// there, lead on, or share an end with it. The result is roomAround if there is none within that
// distance. A dead end of a lane, or the start of a junction, counts as a taken place, shifted to
// account for the smaller distance that it requires.
func (p *placer) distance(l *opendrive.Lane, s float64) float64 {
	best := min(roomAround, p.nearest(l, s))
	p.search++
	p.visited, p.seen[l.Number()] = 1, p.search
	p.beyond(opendrive.LaneEnd{Lane: l, At: opendrive.AtStart}, s-l.Section.S, &best)
	p.beyond(opendrive.LaneEnd{Lane: l, At: opendrive.AtEnd}, l.Section.End-s, &best)
	return best
}

// beyond looks at the lanes that meet at an end, which is at the distance way from the place in
// question.
func (p *placer) beyond(end opendrive.LaneEnd, way float64, best *float64) {
	if way >= *best {
		return
	}
	dead := true
	for _, e := range p.w.m.Joined(end) {
		dead = dead && !e.Lane.Drivable()
		if (e.Lane.Section.Road.Junction == "") != (end.Lane.Section.Road.Junction == "") {
			*best = min(*best, way+roomAround-closestToJunction)
		}
		p.into(e, way, best)
		for _, beside := range p.w.m.Joined(e) {
			p.into(beside, way, best)
		}
	}
	if dead {
		*best = min(*best, way+roomAround-p.margin)
	}
}

// into looks at the places on a lane that is entered at an end.
func (p *placer) into(e opendrive.LaneEnd, way float64, best *float64) {
	if p.seen[e.Lane.Number()] == p.search {
		return
	}
	if p.visited++; p.visited > mostVisited {
		*best = 0
		return
	}
	p.seen[e.Lane.Number()] = p.search
	s := e.Lane.Section.S
	if e.At == opendrive.AtEnd {
		s = e.Lane.Section.End
	}
	*best = min(*best, way+p.nearest(e.Lane, s))
	p.beyond(opendrive.LaneEnd{Lane: e.Lane, At: e.At.Opposite()}, way+e.Lane.Section.Length(),
		best)
}
