package metrics

import (
	"cmp"
	"math"
	"slices"

	"gosmp/internal/portable"
	"gosmp/timebase"
)

const (
	placeSize = 0.25                 // m
	horizon   = 30 * timebase.Second // places that were left longer ago are forgotten
	mostSteps = 400                  // between two messages; an object that needs more has jumped
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
// reached, because nothing can meet it elsewhere.
type places struct {
	tiles    map[place]*tile
	district map[place]*district
	last     map[uint64]actor // where each object was in the previous scene
	lastTime timebase.Time
	begun    bool
	hostID   uint64
	swept    timebase.Time
	found    map[uint64]encounter
	ways     []segment // paths in this scene that may meet the path of the host vehicle
	cells    []place
	within   []place // tiles
}

func newPlaces() *places {
	return &places{tiles: map[place]*tile{}, district: map[place]*district{},
		last: map[uint64]actor{}, found: map[uint64]encounter{}}
}

// encounters returns all encounters found, by object.
func (p *places) encounters() (list []encounter) {
	for _, e := range p.found {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b encounter) int { return cmp.Compare(a.object, b.object) })
	return list
}

// move moves all objects to a scene in small steps. It starts afresh if there is another host
// vehicle or time goes back.
func (p *places) move(s *scene, host *actor) {
	if p.begun && (host.id != p.hostID || s.time < p.lastTime) {
		found := p.found
		*p = *newPlaces()
		p.found = found
	}
	p.hostID = host.id
	steps := 1
	if p.begun {
		steps = p.steps(s)
	}
	p.reach(s, host, steps)
	for k := 1; k <= steps; k++ {
		for w := range p.ways {
			p.visits(&p.ways[w], k)
		}
	}
	clear(p.last)
	for _, a := range s.actors {
		p.last[a.id] = a
	}
	p.lastTime, p.begun = s.time, true
	p.forget(s.time)
}

// reach finds the paths on active tiles. The path of the host vehicle activates tiles.
func (p *places) reach(s *scene, host *actor, steps int) {
	p.ways = p.ways[:0]
	way := p.segmentOf(host, s.time, steps)
	p.within = way.squares(tileBits, p.within[:0])
	for _, at := range p.within {
		if p.tiles[at] == nil {
			p.activate(at)
		}
	}
	for k := range s.actors {
		a := &s.actors[k]
		if a.id == host.id {
			p.ways = append(p.ways, way)
			continue
		}
		other := p.segmentOf(a, s.time, steps)
		p.keep(&other)
		p.within = other.squares(tileBits, p.within[:0])
		if slices.ContainsFunc(p.within, func(at place) bool { return p.tiles[at] != nil }) {
			p.ways = append(p.ways, other)
		}
	}
}

// keep keeps the path of an object for tiles that the host vehicle reaches later.
func (p *places) keep(w *segment) {
	p.within = w.squares(districtBits, p.within[:0])
	for _, at := range p.within {
		d := p.district[at]
		if d == nil {
			d = &district{still: map[uint64]int{}}
			p.district[at] = d
		}
		d.add(w)
	}
}

// segmentOf returns the path of an actor since the previous scene. An actor that is new, or has
// jumped, counts as having been at its position for all of that time.
func (p *places) segmentOf(a *actor, now timebase.Time, steps int) segment {
	w := segment{id: a.id, to: pose{a.x, a.y, a.yaw}, length: a.length, width: a.width, begin: now,
		end: now, steps: steps}
	if p.begun {
		w.begin = p.lastTime
	}
	w.from = w.to
	before, known := p.last[a.id]
	if known && portable.Hypot(a.x-before.x, a.y-before.y) <= mostSteps*placeSize/2 {
		w.from = pose{before.x, before.y, before.yaw}
	}
	w.surround()
	return w
}

// steps returns the number of small steps that the fastest object needs.
func (p *places) steps(s *scene) int {
	most := 0.0
	for _, a := range s.actors {
		if before, known := p.last[a.id]; known {
			d := portable.Hypot(a.x-before.x, a.y-before.y)
			if d <= mostSteps*placeSize/2 {
				most = max(most, d)
			}
		}
	}
	return max(1, int(math.Ceil(most/(placeSize/2))))
}

// visits records an object at all places on active tiles that its rectangle covers after a step.
func (p *places) visits(w *segment, step int) {
	if !w.hasPlaces() {
		return
	}
	t, b := w.time(step), w.box(step)
	first, last := b.first.tile(), b.last.tile()
	for x := first.x; x <= last.x; x++ {
		for y := first.y; y <= last.y; y++ {
			in := p.tiles[place{x, y}]
			if in == nil {
				continue
			}
			p.cells = w.cover(&b, place{x, y}, p.cells[:0])
			if len(p.cells) > 0 {
				p.visit(in, w.id, t)
			}
		}
	}
}

// visit records an object at the places of a tile.
func (p *places) visit(in *tile, id uint64, t timebase.Time) {
	if id == p.hostID {
		p.arrive(in, t)
		return
	}
	visits := in.of(id)
	for _, c := range p.cells {
		cell := c.index()
		v := &visits[cell]
		v.extend(t)
		if host := in.host[cell]; host.known() {
			p.meet(id, *v, host, t)
		}
	}
}

// arrive records the host vehicle at the places of a tile.
func (p *places) arrive(in *tile, t timebase.Time) {
	for _, c := range p.cells {
		cell := c.index()
		host := &in.host[cell]
		host.extend(t)
		for k := range in.objects {
			if v := in.objects[k].visits[cell]; v.known() {
				p.meet(in.objects[k].id, v, *host, t)
			}
		}
	}
}

// meet records the time between two visits to one place.
func (p *places) meet(object uint64, v, host visit, t timebase.Time) {
	var pet timebase.Time
	switch {
	case host.leave < v.enter:
		pet = v.enter - host.leave
	case v.leave < host.enter:
		pet = -(host.enter - v.leave)
	}
	if known, is := p.found[object]; !is || abs(pet) < abs(known.time) {
		p.found[object] = encounter{object, t, pet}
	}
}

func abs(t timebase.Time) timebase.Time { return max(t, -t) }

// activate creates a tile that the host vehicle has reached, with the objects that were there
// before.
func (p *places) activate(at place) {
	t := &tile{host: newVisits()}
	p.tiles[at] = t
	d := p.district[place{at.x >> (districtBits - tileBits), at.y >> (districtBits - tileBits)}]
	if d == nil {
		return
	}
	for k := range d.segments {
		w := &d.segments[k]
		if !w.touches(at) {
			continue
		}
		for step := 1; step <= w.steps; step++ {
			now := w.time(step)
			if p.swept-now > horizon {
				continue
			}
			b := w.box(step)
			p.cells = w.cover(&b, at, p.cells[:0])
			if len(p.cells) == 0 {
				continue
			}
			visits := t.of(w.id)
			for _, c := range p.cells {
				visits[c.index()].extend(now)
			}
		}
	}
}

// forget drops old data now and then.
func (p *places) forget(now timebase.Time) {
	if now-p.swept < horizon/3 {
		return
	}
	p.swept = now
	for at, t := range p.tiles {
		if t.forget(now - horizon) {
			delete(p.tiles, at)
		}
	}
	for at, d := range p.district {
		if d.forget(now - horizon) {
			delete(p.district, at)
		}
	}
}
