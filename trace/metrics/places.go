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
	mostSteps = 400                  // between two messages; an object that moves farther has jumped
	mostLong  = 100.0                // m; larger objects have no places
)

// place is a square of the ground.
type place struct{ x, y int32 }

// visit is the newest time of an object at a place.
type visit struct{ enter, leave timebase.Time }

// encounter is the smallest post-encroachment time of an object.
type encounter struct {
	object uint64
	at     timebase.Time
	time   timebase.Time
}

// places remember who was where.
type places struct {
	host     map[place]visit
	others   map[place]map[uint64]visit
	last     map[uint64]actor // where each object was at the scene before
	lastTime timebase.Time
	begun    bool
	hostID   uint64
	swept    timebase.Time
	found    map[uint64]encounter
	cells    []place
}

func newPlaces() *places {
	return &places{host: map[place]visit{}, others: map[place]map[uint64]visit{}, last: map[uint64]actor{}, found: map[uint64]encounter{}}
}

// encounters are all that were found, by object.
func (p *places) encounters() (list []encounter) {
	for _, e := range p.found {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b encounter) int { return cmp.Compare(a.object, b.object) })
	return list
}

// move moves all objects to a scene, in small steps. Another host vehicle, and time that goes back,
// begin anew.
func (p *places) move(s *scene, host *actor) {
	if p.begun && (host.id != p.hostID || s.time < p.lastTime) {
		found := p.found
		*p = *newPlaces()
		p.found = found
	}
	from, span := p.lastTime, s.time-p.lastTime
	steps := 1
	if p.begun {
		steps = p.steps(s)
	}
	for k := 1; k <= steps; k++ {
		part := float64(k) / float64(steps)
		t := s.time
		if p.begun {
			t = from + timebase.Time(float64(span)*part)
		}
		for i := range s.actors {
			a := s.actors[i]
			if before, known := p.last[a.id]; known && p.begun {
				a = between(before, a, part)
			}
			p.visit(&a, a.id == host.id, t)
		}
	}
	clear(p.last)
	for _, a := range s.actors {
		p.last[a.id] = a
	}
	p.lastTime, p.begun, p.hostID = s.time, true, host.id
	p.forget(s.time)
}

// steps is how many small steps the fastest object needs.
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

// between is where an actor is on its way; one that has jumped is at its end.
func between(a, b actor, part float64) actor {
	if portable.Hypot(b.x-a.x, b.y-a.y) > mostSteps*placeSize/2 {
		return b
	}
	c := b
	c.x, c.y = a.x+float64((b.x-a.x)*part), a.y+float64((b.y-a.y)*part)
	c.yaw = a.yaw + float64(math.Remainder(b.yaw-a.yaw, 2*math.Pi)*part)
	return c
}

// visit notes that an actor is at all places that its rectangle covers.
func (p *places) visit(a *actor, isHost bool, t timebase.Time) {
	if a.length > mostLong || a.width > mostLong {
		return
	}
	p.cells = a.cover(p.cells[:0])
	for _, c := range p.cells {
		if isHost {
			p.host[c] = extended(p.host[c], t)
			for id, v := range p.others[c] {
				p.meet(id, v, p.host[c], t)
			}
			continue
		}
		if p.others[c] == nil {
			p.others[c] = map[uint64]visit{}
		}
		v := extended(p.others[c][a.id], t)
		p.others[c][a.id] = v
		if h, known := p.host[c]; known {
			p.meet(a.id, v, h, t)
		}
	}
}

// pause is how long an object may be absent from a place without leaving it: rounding at its rim.
const pause = 50 * timebase.Millisecond

// extended is a visit that goes on, or a new one.
func extended(v visit, t timebase.Time) visit {
	if v == (visit{}) || t > v.leave+pause {
		return visit{t, t}
	}
	return visit{v.enter, t}
}

// meet notes the time between two visits of one place.
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

// forget drops old visits, now and then.
func (p *places) forget(now timebase.Time) {
	if now-p.swept < horizon/3 {
		return
	}
	p.swept = now
	for c, v := range p.host {
		if now-v.leave > horizon {
			delete(p.host, c)
		}
	}
	for c, list := range p.others {
		for id, v := range list {
			if now-v.leave > horizon {
				delete(list, id)
			}
		}
		if len(list) == 0 {
			delete(p.others, c)
		}
	}
}

// cover appends the places whose center is inside the actor's rectangle.
func (a *actor) cover(list []place) []place {
	sin, cos := portable.Sincos(a.yaw)
	sin, cos = math.Abs(sin), math.Abs(cos)
	dx, dy := (float64(cos*a.length)+float64(sin*a.width))/2, (float64(sin*a.length)+float64(cos*a.width))/2
	first, last := placeAt(a.x-dx, a.y-dy), placeAt(a.x+dx, a.y+dy)
	for i := first.x; i <= last.x; i++ {
		for j := first.y; j <= last.y; j++ {
			forward, left := a.along(float64((float64(i)+0.5)*placeSize)-a.x, float64((float64(j)+0.5)*placeSize)-a.y)
			if math.Abs(forward) <= a.length/2 && math.Abs(left) <= a.width/2 {
				list = append(list, place{i, j})
			}
		}
	}
	return list
}

func placeAt(x, y float64) place {
	return place{int32(math.Floor(x / placeSize)), int32(math.Floor(y / placeSize))}
}
