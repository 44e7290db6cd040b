package mocksim

import (
	"errors"
	"fmt"
	"math/rand/v2"
)

// Traffic defines what [World.Populate] creates.
type Traffic struct {
	Count  int    // vehicles
	Prefix string // of their names, followed by a number ["traffic"]
	Driver Driver // how all of them drive; wanted speeds differ by a fifth
	// Host is the name of a vehicle that is created first; "" means none. The host is a car unless
	// all lanes are closed to cars.
	Host string
	Flow float64 // vehicles per hour and lane that enter where roads begin, see [World.SetFlow]
}

// Check returns an [ErrValue] for traffic that [World.Populate] refuses on any map.
func (t Traffic) Check() error {
	const call = "populate"
	if t.Count < 0 || t.Count > 100_000 {
		return invalid(call+".count", t.Count, "0 to 100000")
	}
	if t.Flow != 0 {
		if err := checkRate(t.Flow); err != nil {
			return err
		}
	}
	return t.Driver.Check(call)
}

// Populate creates vehicles on lanes for cars, with places and kinds chosen by the seed, and lets
// all of them drive indefinitely. They are at least 25 m apart along their lanes. If the map has no
// room for all of them, it creates fewer, starting with the host; compare [World.Len] with Count.
// If there is no room at all, it fails with [ErrValue] and creates nothing, as it does on a map
// that [World.SetController] refuses. After [World.SetFlow] all of them except the host leave the
// map where it ends.
func (w *World) Populate(t Traffic) error {
	if t.Flow > 0 && w.outside != nil {
		return w.SetFlow(Flow{Rate: t.Flow}) // this refuses it
	}
	outside := w.outside
	w.outside = nil // it learns only about the actors for which there is room
	made, err := w.populate(t)
	w.outside = outside
	if err != nil || outside == nil {
		return err
	}
	for _, name := range made {
		a := w.find(name)
		c := a.driver.Controller
		if err := w.introduce(a); err != nil {
			return err
		}
		if _, err := w.handController(a, &c); err != nil {
			return err
		}
	}
	return nil
}

// populate is like Populate without an outside simulator.
func (w *World) populate(t Traffic) (made []string, err error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.Flow > 0 {
		if err := w.SetFlow(Flow{Rate: t.Flow, Driver: t.Driver}); err != nil {
			return nil, err
		}
	}
	if t.Prefix == "" {
		t.Prefix = "traffic"
	}
	wanted := t.Count
	if t.Host != "" {
		wanted++
	}
	if wanted > 0 {
		if err := w.meet(); err != nil {
			return nil, err
		}
	}
	slots, inside, tight := w.places(wanted)
	if len(slots)+len(inside) == 0 && wanted > 0 {
		return nil, noRoom(t)
	}
	random := rand.New(rand.NewPCG(w.o.Seed, 0x706f70756c617465))
	for _, part := range [...][]Start{slots, inside} {
		random.Shuffle(len(part), func(i, k int) { part[i], part[k] = part[k], part[i] })
	}
	slots = append(slots, inside...)
	slots = w.passable(slots)
	if t.Host != "" {
		w.carFirst(slots)
	}
	p := populating{w: w, t: &t, random: random, tight: tight, starts: w.newStarts(nil)}
	first := w.nextID
	for k := 0; k < len(slots) && len(p.made) < wanted; k++ {
		if err := p.add(slots[k]); err != nil {
			for _, name := range p.made {
				_ = w.Destroy(name)
			}
			return nil, err
		}
	}
	if len(p.made) == 0 && wanted > 0 {
		return nil, noRoom(t)
	}
	w.calm(int(first))
	return p.made, nil
}

func noRoom(t Traffic) error {
	return invalid("populate.count", t.Count,
		"no vehicle: this map has no lane for cars that is long and wide enough")
}

// populating is a call of Populate in progress.
type populating struct {
	w      *World
	t      *Traffic
	random *rand.Rand
	tight  bool // only for cars
	starts *starts
	made   []string
}

// add creates a vehicle at a place, unless it would touch another one there.
func (p *populating) add(start Start) error {
	t, w := p.t, p.w
	k := len(p.made)
	a := Actor{Kind: mix[p.random.IntN(len(mix))], Start: start}
	a.Name = fmt.Sprintf("%s%04d", t.Prefix, k)
	if t.Host != "" {
		a.Name = fmt.Sprintf("%s%04d", t.Prefix, k-1)
		if k == 0 {
			a.Name = t.Host
		}
	}
	c := Controller{Driver: t.Driver}
	c.MaxSpeed = start.Speed * (0.9 + float64(0.2*p.random.Float64()))
	if t.Driver.Speed > 0 {
		c.Speed = t.Driver.Speed * (0.9 + float64(0.2*p.random.Float64()))
		c.MaxSpeed = t.Driver.MaxSpeed
	}
	if k == 0 && t.Host != "" || p.tight || !w.suits(a.Kind, &start) {
		a.Kind = Car
	}
	a.Kind, _ = w.admitted(a.Kind, &start)
	a.Start.Speed /= 2
	if err := w.Create(a); err != nil {
		return err
	}
	made := w.find(a.Name)
	made.passing = w.inflow != nil && (t.Host == "" || k > 0) // already before it chooses its way
	if err := w.SetController(a.Name, c); err != nil {
		w.remove(made)
		if errors.Is(err, ErrPlace) { // lanes overlap, so another one is there
			w.nextID = made.id
			return nil
		}
		return err
	}
	if !p.starts.free(made) || !p.starts.apart(made) {
		w.remove(made)
		w.nextID = made.id
		return nil
	}
	p.made = append(p.made, a.Name)
	p.starts.add(made)
	return nil
}

// passable returns the places from which a car can keep driving. If these are less than half, it
// returns all places: a fault in a long road would otherwise empty all roads that lead to it.
func (w *World) passable(slots []Start) []Start {
	good := make([]Start, 0, len(slots))
	for k := range slots {
		if w.suits(Car, &slots[k]) {
			good = append(good, slots[k])
		}
	}
	if 2*len(good) < len(slots) {
		return slots
	}
	return good
}

// suits reports whether a kind of vehicle can keep driving from a place.
func (w *World) suits(k Kind, s *Start) bool {
	shape := k.Shape()
	list := w.viable(shape.steerable())
	l := w.m.Road(s.Road).SectionAt(s.S).Lane(s.Lane)
	if l == nil { // at the border between two sections
		return false
	}
	for _, c := range l.Courses() {
		if !list[courseNumber(c)] {
			return false
		}
	}
	return true
}
