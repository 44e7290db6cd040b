package mocksim

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"gosmp/frames"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// Options define how a world behaves. The zero value is usable.
type Options struct {
	Seed  uint64        // the seed of all random choices
	Start timebase.Time // simulation time at the start
	// the step of the simulation, if known: it spreads trajectories without their own times
	Step timebase.Time
	// Grid is the exact interval of the steps, if they are regular: each step to the next grid
	// point takes exactly this time instead of whole nanoseconds.
	Grid timebase.Grid
	// number of goroutines that share a step; 0 and 1: only the caller's. Results do not depend on
	// it
	Workers int
	// Freeze makes actors stop where they collide; otherwise they continue as if nothing had
	// happened.
	Freeze bool
	// Slip gives actors under [World.SetControls] slipping tires instead of the kinematic model.
	Slip bool
}

// World is a map with actors and a time.
type World struct {
	m      *opendrive.Map
	o      Options
	now    timebase.Time
	step   timebase.Time // the last one
	moving float64       // seconds of the current step
	scale  timebase.Scale
	actors []*actor // sorted by name, which is the order of everything
	nextID uint64

	destroyed []string
	weather   Weather
	midnight  timebase.Time // the simulation time zero as a time of day
	date      int64         // of the day of midnight, in days since 1970, if dated
	dated     bool
	rails     []*rail // by the numbers of lanes
	strands   *strands
	// by lane number, forwards and backwards; nil: not yet requested
	next      [][]opendrive.Course
	previous  [][]opendrive.Course // the same for the courses that traffic comes from
	wide      map[courseSet][]bool // see viable and lasting
	crossings *junctions           // nil: not yet requested
	lights    []*light             // in the order of the file
	bySignal  map[string]*light    // the first one of each signal
	stops     [][]stop             // by the numbers of lanes
	halts     bool                 // there are stop signs
	walks     []*crosswalk
	traffic   traffic
	stale     bool // an actor left its rails or stopped since traffic was updated
	outdated  bool // actors were created, moved or removed since traffic was updated
	contacts  contacts
	inflow    *inflow // nil: no vehicles enter or leave
	events    []Event
	pending   []Event // events of calls between steps
	dependent func()  // moves actors that follow others, nil: there are none
	crew      *crew
	outside   Outside // nil: the world moves everything
	begun     bool    // outside has
}

// New creates a world without actors. The map may be shared.
func New(m *opendrive.Map, o Options) (*World, error) {
	if o.Workers < 0 || o.Workers > 1024 {
		return nil, invalid("workers", o.Workers, "0 to 1024")
	}
	if o.Step < 0 {
		return nil, invalid("step", o.Step, "a positive time")
	}
	n := len(m.Lanes())
	w := &World{m: m, o: o, now: o.Start, scale: timebase.NewScale(o.Start.Exactly(), o.Grid),
		weather: FairWeather(), midnight: noon - o.Start, step: o.Step, nextID: 1,
		rails: make([]*rail, n), strands: &strands{of: make([]*strand, n)},
		next: make([][]opendrive.Course, 2*n), previous: make([][]opendrive.Course, 2*n)}
	w.traffic.reset(n)
	w.installLights()
	w.installCrosswalks()
	w.installHalts()
	return w, nil
}

// Close stops the workers of a world. The world must not be used afterwards, but Close may be
// called again.
func (w *World) Close() {
	if w.outside != nil {
		w.outside.Close()
		w.outside = nil
	}
	if w.crew != nil {
		w.crew.end()
		w.crew = nil
	}
}

// Map returns the map of the world.
func (w *World) Map() *opendrive.Map { return w.m }

// Time returns the simulation time.
func (w *World) Time() timebase.Time { return w.now }

// Len returns the number of actors.
func (w *World) Len() int { return len(w.actors) }

// At returns actor k of [World.Len], in the order of names.
func (w *World) At(k int) View { return View{w.actors[k]} }

// Actor finds an actor by its name.
func (w *World) Actor(name string) (View, error) {
	if a := w.find(name); a != nil {
		return View{a}, nil
	}
	return View{}, w.unknown("get_actors_states", name)
}

func (w *World) search(name string) (int, bool) {
	return slices.BinarySearchFunc(w.actors, name, func(a *actor,
		name string) int {
		return strings.Compare(a.name, name)
	})
}

func (w *World) find(name string) *actor {
	if k, found := w.search(name); found {
		return w.actors[k]
	}
	return nil
}

func (w *World) insert(a *actor) {
	k, _ := w.search(a.name)
	w.actors = slices.Insert(w.actors, k, a)
	w.renumber()
}

func (w *World) remove(a *actor) {
	k, _ := w.search(a.name)
	w.actors = slices.Delete(w.actors, k, k+1)
	w.contacts.forget(a.id)
	w.renumber()
}

// renumber adapts everything that refers to actors by their index.
func (w *World) renumber() {
	w.traffic.order = w.traffic.order[:0]
	if w.crossings != nil {
		w.crossings.empty()
	}
	w.outdated = true
}

// stream returns the seed for one random purpose of one actor. No two of them share a stream,
// regardless of the order of creation.
func (w *World) stream(a *actor, purpose string) (uint64, uint64) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(a.name))
	return w.o.Seed, h.Sum64()
}

// following returns the courses on which cars continue, in file order.
func (w *World) following(c opendrive.Course) []opendrive.Course {
	k := courseNumber(c)
	if w.next[k] == nil {
		list := make([]opendrive.Course, 0, 2)
		for _, n := range w.m.Next(c) {
			if n.Lane.Drivable() && !w.folded(c, n) {
				list = append(list, n)
			}
		}
		w.next[k] = list
	}
	return w.next[k]
}

// folded reports whether a joint is too sharp for vehicles.
func (w *World) folded(c, next opendrive.Course) bool {
	var a, b railPoint
	from, to := w.rail(c.Lane), w.rail(next.Lane)
	from.at(from.length, c.Forwards, &a)
	to.at(0, next.Forwards, &b)
	return math.Abs(wrapFast(a.angles.Yaw-b.angles.Yaw)) > steepest
}

func courseNumber(c opendrive.Course) int {
	k := 2 * c.Lane.Number()
	if c.Forwards {
		k++
	}
	return k
}

// preceding returns the courses from which cars come.
func (w *World) preceding(c opendrive.Course) []opendrive.Course {
	k := courseNumber(c)
	if w.previous[k] == nil {
		entry := opendrive.LaneEnd{Lane: c.Lane, At: c.Exit().At.Opposite()}
		list := make([]opendrive.Course, 0, 2)
		for _, e := range w.m.Joined(entry) {
			from := opendrive.Course{Lane: e.Lane, Forwards: e.At == opendrive.AtEnd}
			forwards, backwards := e.Lane.Directions()
			if e.Lane.Drivable() && (from.Forwards && forwards || !from.Forwards && backwards) {
				list = append(list, from)
			}
		}
		w.previous[k] = list
	}
	return w.previous[k]
}

// Locate finds a position on the map; see [opendrive.Map.Locate].
func (w *World) Locate(x, y float64) Place { return w.m.Locate(frames.Vector{X: x, Y: y}) }

// lookAhead is how far ahead, in m, controlled actors look for obstacles.
const lookAhead = 150.0

var inf = math.Inf(1)
