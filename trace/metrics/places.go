package metrics

import (
	"cmp"
	"slices"

	"gosmp/internal/portable"
	"gosmp/timebase"
)

const (
	placeSize = 0.25                 // m
	horizon   = 30 * timebase.Second // places left longer ago are forgotten
	mostStep  = 50.0                 // m between two messages; an object that moves more has jumped
	mostLong  = 100.0                // m; larger objects have no places
)

// place is a square of the ground.
type place struct{ x, y int32 }

// encounter is the smallest post-encroachment time of an object.
type encounter struct {
	object uint64
	at     timebase.Time
	time   timebase.Time
}

// places records which objects were where. The paths of objects are kept in districts, as one
// segment for each message. Individual places are filled in only in tiles that the host vehicle has
// reached, because it cannot meet anything elsewhere.
type places struct {
	tiles    map[place]*tile
	district map[place]*district
	last     []actor // the objects of the previous scene, by id
	lastTime timebase.Time
	begun    bool
	hostID   uint64
	swept    timebase.Time
	found    map[uint64]encounter
	before   []*actor // each object of this scene in the previous one, or nil
	spans    []span
	within   []place // tiles or districts
}

func newPlaces() *places {
	return &places{tiles: map[place]*tile{}, district: map[place]*district{},
		found: map[uint64]encounter{}}
}

// encounters returns all encounters found, by object.
func (p *places) encounters() (list []encounter) {
	for _, e := range p.found {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b encounter) int { return cmp.Compare(a.object, b.object) })
	return list
}

// move moves all objects to a scene. It starts over if the host vehicle changes or time goes
// backwards.
func (p *places) move(s *scene, host *actor) {
	if p.begun && (host.id != p.hostID || s.time < p.lastTime) {
		found := p.found
		*p = *newPlaces()
		p.found = found
	}
	p.hostID = host.id
	p.match(s)
	k, _ := slices.BinarySearchFunc(s.actors, *host, byID)
	p.reach(p.segmentOf(host, p.before[k], s.time))
	for k := range s.actors {
		w := p.segmentOf(&s.actors[k], p.before[k], s.time)
		if w.id == host.id || p.keep(&w) {
			p.visits(&w)
		}
	}
	p.last = append(p.last[:0], s.actors...)
	p.lastTime, p.begun = s.time, true
	p.forget(s.time)
}

// match finds each object in the previous scene. Both scenes are sorted by id. An object that has
// jumped is not found.
func (p *places) match(s *scene) {
	p.before = p.before[:0]
	k := 0
	for i := range s.actors {
		a := &s.actors[i]
		for k < len(p.last) && p.last[k].id < a.id {
			k++
		}
		var before *actor
		if k < len(p.last) && p.last[k].id == a.id && a.moved(&p.last[k]) <= mostStep {
			before = &p.last[k]
		}
		p.before = append(p.before, before)
	}
}

// moved returns the distance to an earlier position.
func (a *actor) moved(before *actor) float64 {
	return portable.Hypot(a.x-before.x, a.y-before.y)
}

// reach activates the tiles that the host vehicle may touch.
func (p *places) reach(w segment) {
	p.within = w.squares(tileBits, p.within[:0])
	for _, at := range p.within {
		if p.tiles[at] == nil {
			p.activate(at)
		}
	}
}

// keep keeps the path of an object for tiles that the host vehicle reaches later. It reports
// whether the path may touch an active tile.
func (p *places) keep(w *segment) (near bool) {
	p.within = w.squares(districtBits, p.within[:0])
	for _, at := range p.within {
		d := p.districtOf(at)
		d.add(w)
		near = near || d.near(w)
	}
	return near
}

// districtOf returns a district, creating it if necessary.
func (p *places) districtOf(at place) *district {
	d := p.district[at]
	if d == nil {
		d = &district{still: map[uint64]int{}}
		p.district[at] = d
	}
	return d
}

// segmentOf returns the path of an actor since the previous scene. An actor that is new, or has
// jumped, counts as having been at its position for all of that time.
func (p *places) segmentOf(a, before *actor, now timebase.Time) segment {
	w := segment{id: a.id, to: pose{a.x, a.y, a.yaw}, length: a.length, width: a.width, begin: now,
		end: now}
	if p.begun {
		w.begin = p.lastTime
	}
	w.from = w.to
	if before != nil {
		w.from = pose{before.x, before.y, before.yaw}
	}
	w.surround()
	return w
}

// visits records an object at all places on active tiles that its rectangle covers on its path.
func (p *places) visits(w *segment) {
	p.within = w.squares(tileBits, p.within[:0])
	for _, at := range p.within {
		in := p.tiles[at]
		if in == nil {
			continue
		}
		p.spans = w.cover(at, p.spans[:0])
		switch {
		case len(p.spans) == 0:
		case w.id == p.hostID:
			p.arrive(in)
		default:
			p.visit(in, w.id)
		}
	}
}

// visit records an object at the places of a tile.
func (p *places) visit(in *tile, id uint64) {
	visits := in.of(id)
	var shortest shortest
	for k := range p.spans {
		s := &p.spans[k]
		visits[s.cell].extend(s)
		shortest.meet(&visits[s.cell], &in.host[s.cell])
	}
	p.meet(id, shortest)
}

// arrive records the host vehicle at the places of a tile.
func (p *places) arrive(in *tile) {
	for k := range p.spans {
		in.host[p.spans[k].cell].extend(&p.spans[k])
	}
	for k := range in.objects {
		visits := in.objects[k].visits
		var shortest shortest
		for k := range p.spans {
			cell := p.spans[k].cell
			shortest.meet(&visits[cell], &in.host[cell])
		}
		p.meet(in.objects[k].id, shortest)
	}
}

// shortest is the smallest post-encroachment time of an object over several places.
type shortest struct {
	found bool
	time  timebase.Time
	at    timebase.Time // when the second one entered
}

// meet takes the time between two visits to one place into account.
func (s *shortest) meet(object, host *visit) {
	if !object.known() || !host.known() {
		return
	}
	var pet timebase.Time
	switch {
	case host.leave < object.enter:
		pet = object.enter - host.leave
	case object.leave < host.enter:
		pet = -(host.enter - object.leave)
	}
	if !s.found || abs(pet) < abs(s.time) {
		*s = shortest{true, pet, max(object.enter, host.enter)}
	}
}

// meet records an encounter if it is the object's smallest so far.
func (p *places) meet(object uint64, s shortest) {
	if !s.found {
		return
	}
	if known, is := p.found[object]; !is || abs(s.time) < abs(known.time) {
		p.found[object] = encounter{object, s.at, s.time}
	}
}

func abs(t timebase.Time) timebase.Time { return max(t, -t) }

// activate creates a tile that the host vehicle has reached, with the objects that were there
// before.
func (p *places) activate(at place) {
	t := &tile{host: newVisits()}
	p.tiles[at] = t
	d := p.districtOf(at.district())
	d.activate(at)
	for k := range d.segments {
		w := &d.segments[k]
		if !w.touches(at) {
			continue
		}
		p.spans = w.cover(at, p.spans[:0])
		if len(p.spans) == 0 {
			continue
		}
		visits := t.of(w.id)
		for k := range p.spans {
			if s := &p.spans[k]; p.swept-s.leave <= horizon {
				visits[s.cell].extend(s)
			}
		}
	}
}

// forget drops old data from time to time.
func (p *places) forget(now timebase.Time) {
	if now-p.swept < horizon/3 {
		return
	}
	p.swept = now
	for at, t := range p.tiles {
		if t.forget(now - horizon) {
			delete(p.tiles, at)
			p.districtOf(at.district()).active--
		}
	}
	for at, d := range p.district {
		if d.forget(now - horizon) {
			delete(p.district, at)
		}
	}
}
