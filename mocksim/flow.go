package mocksim

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gosmp/internal/portable"
	"gosmp/internal/state"
	"gosmp/mocksim/opendrive"
)

// Flow is traffic from outside the map: vehicles enter on each lane where a road starts at the edge
// of the map, and leave where a road ends there. The vehicles of [World.Populate], except the host,
// leave in the same way. The times between two vehicles that want to enter have an exponential
// distribution, so that arrivals are a Poisson process. A vehicle that finds no room waits outside.
// Letting a vehicle enter allocates memory.
type Flow struct {
	Rate   float64 // vehicles per hour and lane
	Prefix string  // of their names, followed by a number ["flow"]
	Driver Driver  // how all of them drive; desired speeds vary by a fifth
	Kinds  []Kind  // of the vehicles, equally frequent [a mix of cars and others]
}

// mostFlow is the largest rate of a flow, in vehicles per hour, which is more than any lane can
// carry.
const mostFlow = 3600.0

// inflow is a flow in progress.
type inflow struct {
	Flow
	sources []source
	exits   []bool // by course number
	number  int    // the number of the next vehicle
	left    int    // number of vehicles that left the map
	gone    []*actor
}

// slowestEntry is the speed, in m/s, below which no vehicle enters a map.
const slowestEntry = 2.0

// source is a lane on which vehicles enter.
type source struct {
	course opendrive.Course
	limit  float64 // m/s
	due    float64 // time at which the next vehicle wants to enter, s from the start
	random rand.PCG
}

// SetFlow lets vehicles enter and leave the map from now on. It fails with [ErrValue] if the flow
// is invalid, if the map has no lane on which a car could enter, or if an outside simulator moves
// the vehicles. A state can only be restored into a world with the same flow.
func (w *World) SetFlow(f Flow) error {
	const call = "flow"
	if err := checkRate(f.Rate); err != nil {
		return err
	}
	if w.outside != nil {
		return invalid(call+".rate", f.Rate, "no flow: an external simulator creates the vehicles")
	}
	if err := f.Driver.Check(call); err != nil {
		return err
	}
	for _, k := range f.Kinds {
		if k >= kinds || k.Shape().Wheelbase == 0 {
			return invalid(call+".kinds", k, "vehicles")
		}
	}
	if f.Prefix == "" {
		f.Prefix = "flow"
	}
	if f.Kinds = slices.Clone(f.Kinds); len(f.Kinds) == 0 {
		f.Kinds = mix[:]
	}
	if err := w.meet(); err != nil {
		return err
	}
	in := &inflow{Flow: f, exits: make([]bool, 2*len(w.m.Lanes()))}
	for _, l := range w.m.Lanes() {
		if !l.Drivable() || l.Section.Length() <= 0 {
			continue
		}
		for _, c := range l.Courses() {
			in.exits[courseNumber(c)] = w.leadsOut(c)
			if l.Section.Road.Junction == "" && w.edge(c, w.preceding) &&
				l.Width(startOf(c)) >= rooms[0].width && !w.rail(l).bays {
				in.add(w, c)
			}
		}
	}
	in.sources = slices.DeleteFunc(in.sources, func(s source) bool { // too short for a car
		_, ok := w.entryOf(&s, Car)
		return !ok
	})
	shape := Car.Shape()
	car := w.viable(shape.steerable())
	good := slices.DeleteFunc(slices.Clone(in.sources), func(s source) bool {
		return !car[courseNumber(s.course)]
	})
	if len(good) > 0 { // the others lead to curves that are too tight for any car
		in.sources = good
	}
	if len(in.sources) == 0 {
		return invalid(call+".rate", f.Rate,
			"no flow: no road of this map leads beyond it and is long enough for a car")
	}
	w.inflow = in
	return nil
}

func checkRate(rate float64) error {
	if rate > 0 && rate <= mostFlow {
		return nil
	}
	return invalid("flow.rate", rate, fmt.Sprintf("above 0, at most %g vehicles per hour and lane",
		mostFlow))
}

// edge reports whether on returns no courses for a course and its neighbors in the same direction.
// A lane that ends next to lanes that continue is not at the edge of the map.
func (w *World) edge(c opendrive.Course, on func(opendrive.Course) []opendrive.Course) bool {
	for _, l := range c.Lane.Section.Lanes {
		if !l.Drivable() {
			continue
		}
		for _, beside := range l.Courses() {
			if beside.Forwards == c.Forwards && len(on(beside)) > 0 {
				return false
			}
		}
	}
	return true
}

// leadsOut reports whether a course ends at the edge of the map. A connecting road from which the
// map leads on is not at the edge, even if no vehicle can follow.
func (w *World) leadsOut(c opendrive.Course) bool {
	if c.Lane.Section.Road.Junction != "" {
		return w.edge(c, w.m.Next)
	}
	return w.edge(c, w.following)
}

// add makes a course a source.
func (f *inflow) add(w *World, c opendrive.Course) {
	limit, ok := c.Lane.SpeedLimit(startOf(c))
	if !ok {
		limit = fallbackLimit(c.Lane)
	}
	s := source{course: c, limit: min(limit, 60)}
	s.random.Seed(w.o.Seed, 0x666c6f77<<32|uint64(courseNumber(c)))
	s.due = w.o.Start.Seconds() + s.headway(f.Rate)
	f.sources = append(f.sources, s)
}

// headway returns a random time between two vehicles, in s.
func (s *source) headway(rate float64) float64 {
	share := (float64(s.random.Uint64()>>11) + 0.5) / (1 << 53)
	return -portable.Log(share) * 3600 / rate
}

// FlowCounts returns how many vehicles entered and left the map since [World.SetFlow], and how many
// wait outside for room.
func (w *World) FlowCounts() (entered, left, waiting int) {
	if w.inflow == nil {
		return 0, 0, 0
	}
	now := w.now.Seconds()
	for k := range w.inflow.sources {
		s := w.inflow.sources[k] // a copy, with its own generator
		for ; s.due <= now; s.due += s.headway(w.inflow.Rate) {
			waiting++
		}
	}
	return w.inflow.number, w.inflow.left, waiting
}

// flow lets vehicles leave and enter at the end of a step.
func (w *World) flow() error {
	f := w.inflow
	f.gone = f.gone[:0]
	for _, a := range w.actors {
		if a.passing && w.leaves(a) && a.driver.pos() >= a.driver.knownWay()-a.shape.Length/2 {
			f.gone = append(f.gone, a)
		}
	}
	for _, a := range f.gone {
		w.remove(a)
		f.left++
	}
	now := w.now.Seconds()
	for k := range f.sources {
		s := &f.sources[k]
		if s.due > now {
			continue
		}
		entered, err := w.enter(s)
		if err != nil {
			return err
		}
		if entered {
			s.due += s.headway(f.Rate)
		}
	}
	return nil
}

// leaves reports whether the path of an actor ends at an edge of the map where it may leave.
func (w *World) leaves(a *actor) bool {
	d := &a.driver
	if w.inflow == nil || !a.passing || !a.railed() || !math.IsInf(d.path.target, 1) ||
		d.leg != len(d.path.legs)-1 {
		return false
	}
	last := d.path.last()
	return w.inflow.exits[courseNumber(opendrive.Course{Lane: last.lane, Forwards: last.forwards})]
}

// enter lets a vehicle start at a source if there is room.
func (w *World) enter(s *source) (bool, error) {
	f := w.inflow
	d := f.Driver.completed()
	if w.entrySpeed(s, &d, bodies[len(bodies)-1].length) < slowestEntry {
		return false, nil
	}
	before := s.random // restored if a vehicle finds no room and retries
	draw := rand.New(&s.random)
	kind := f.Kinds[draw.IntN(len(f.Kinds))]
	wish := 0.9 + float64(0.2*draw.Float64())
	back := func() (bool, error) {
		s.random = before
		return false, nil
	}
	start, ok := w.entryOf(s, kind)
	if !ok || !w.suits(kind, &start) {
		kind = Car
		if start, ok = w.entryOf(s, kind); !ok {
			return back()
		}
	}
	kind, _ = w.admitted(kind, &start)
	a := Actor{Name: fmt.Sprintf("%s%05d", f.Prefix, f.number), Kind: kind, Start: start}
	a.Start.Speed = w.entrySpeed(s, &d, kind.Shape().Length)
	c := Controller{Driver: f.Driver}
	c.MaxSpeed = s.limit * wish
	if f.Driver.Speed > 0 {
		c.Speed, c.MaxSpeed = f.Driver.Speed*wish, f.Driver.MaxSpeed
	}
	made, err := w.begin(a, c)
	if made == nil || err != nil {
		s.random = before
		return false, err
	}
	f.number++
	return true, nil
}

// entryOf returns the start of a kind of vehicle whose rear is at the start of a source, unless the
// path ends before that. The first lane may be shorter than half of the vehicle.
func (w *World) entryOf(s *source, kind Kind) (start Start, ok bool) {
	c, rest := s.course, kind.Shape().Length/2+0.1
	for rest > c.Lane.Section.Length() {
		next := w.following(c)
		if len(next) == 0 {
			return start, false
		}
		rest -= c.Lane.Section.Length()
		c = next[0]
	}
	at := startOf(c) + float64(rest*direction(c.Forwards))
	return OnRoad(c.Lane.Section.Road.ID, c.Lane.ID, at), true
}

// entrySpeed returns the speed at which a vehicle can enter at the start of a source; 0 if there is
// no room.
func (w *World) entrySpeed(s *source, d *Driver, length float64) float64 {
	v := s.limit
	if d.MaxSpeed > 0 {
		v = min(v, d.MaxSpeed)
	}
	if d.Speed > 0 {
		v = d.Speed
	}
	l := leader{gap: inf}
	c, way := s.course, 0.0
	for range 8 {
		from := fromStart(c, w.rail(c.Lane))
		if w.ahead(&l, &from, -1, length-way) {
			break
		}
		way += w.rail(c.Lane).length
		next := w.following(c)
		if len(next) == 0 || way > lookAhead {
			break
		}
		c = next[0]
	}
	if l.gap > lookAhead {
		return v
	}
	room := l.gap - d.MinGap
	if room <= 0 {
		return 0
	}
	return min(v, room/d.TimeGap, math.Sqrt(float64(max(l.speed, 0)*max(l.speed, 0))+
		float64(2*d.Decel*room)))
}

// begin creates a controlled actor if it can continue without braking hard.
func (w *World) begin(n Actor, c Controller) (*actor, error) {
	if err := w.Create(n); err != nil {
		return nil, err
	}
	a := w.find(n.Name)
	a.passing = true // already before it chooses its way
	drop := func() { w.remove(a); w.nextID = a.id }
	if err := w.SetController(n.Name, c); err != nil {
		drop()
		if errors.Is(err, ErrPlace) { // another lane is there
			return nil, nil
		}
		return nil, err
	}
	starts := w.newStarts(a)
	if !starts.free(a) || !starts.apart(a) {
		drop()
		return nil, nil
	}
	if w.crossings.any {
		w.observe(w.crossings)
	}
	k, _ := w.search(a.name)
	for a.state.Speed > 0.1 {
		if w.accelerate(int32(k), a); a.acceleration >= -startBrake {
			break
		}
		a.setSpeed(a.state.Speed * 0.9)
	}
	a.derive(a.acceleration)
	return a, nil
}

// appendFlow appends the state of a flow.
func (w *World) appendFlow(b []byte) []byte {
	f := w.inflow
	if f == nil {
		return state.AppendUint64(b, 0)
	}
	b = state.AppendUint64(b, uint64(len(f.sources)))
	b = state.AppendUint64(state.AppendUint64(b, uint64(f.number)), uint64(f.left))
	for k := range f.sources {
		random, _ := f.sources[k].random.AppendBinary(nil) // never fails
		b = state.AppendBytes(state.AppendFloat64(b, f.sources[k].due), random)
	}
	return b
}

// flow decodes the state of a flow into a copy of the world's flow.
func (r *reader) flow(w *World) {
	n := r.count(1)
	if n == 0 && r.w.inflow == nil {
		return
	}
	if r.w.inflow == nil || n != len(r.w.inflow.sources) {
		r.refuse("the state of a different flow")
		return
	}
	f := *r.w.inflow
	f.sources, f.gone = append([]source(nil), f.sources...), nil
	f.number, f.left = int(r.Uint64()), int(r.Uint64())
	if f.number < 0 || f.left < 0 {
		r.refuse("a flow with negative numbers")
	}
	for k := range f.sources {
		f.sources[k].due = r.Float64()
		r.check("a flow", f.sources[k].due)
		if err := f.sources[k].random.UnmarshalBinary(r.Bytes()); err != nil {
			r.refuse("a random number generator that cannot be read")
		}
	}
	w.inflow = &f
}
