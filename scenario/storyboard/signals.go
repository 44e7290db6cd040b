package storyboard

import (
	"math"
	"slices"
	"strconv"

	"gosmp/scenario"
)

// signals holds the traffic signals and their controllers.
type signals struct {
	states      map[string]*value // by signal id
	controllers []*controller
}

// controller cycles through its phases.
type controller struct {
	name   string
	phases []phase
	offset float64 // when the first phase first starts, s
	length float64 // the length of a cycle, s
	began  float64 // the start of the current cycle, or of a phase that was set
	first  int     // the phase at the start of the cycle
	phase  value   // the name of the current phase
	index  int     // of the current phase; -1 before the start
}

type phase struct {
	name     string
	duration float64
	states   []signalState
}

type signalState struct{ id, state string }

// lights reads the controllers of signals.
func (b *builder) lights() {
	list := b.signals
	elements := b.scenario.Root.Path("RoadNetwork", "TrafficSignals").All("TrafficSignalController")
	offsets := b.offsets(elements)
	for _, e := range elements {
		c := &controller{name: e.Value("name"), index: -1, offset: offsets[e]}
		c.began = c.offset
		for _, p := range e.All("Phase") {
			d := phase{name: p.Value("name"), duration: number(p, "duration")}
			for _, state := range p.All("TrafficSignalState") {
				d.states = append(d.states, signalState{state.Value("trafficSignalId"),
					state.Value("state")})
			}
			c.length += d.duration
			c.phases = append(c.phases, d)
		}
		list.controllers = append(list.controllers, c)
	}
}

// offsets returns the start times of the controllers. A delay is relative to the start of another
// controller.
func (b *builder) offsets(elements []*scenario.Element) map[*scenario.Element]float64 {
	offsets, by := map[*scenario.Element]float64{}, map[string]*scenario.Element{}
	var names []string
	for _, e := range elements {
		names = append(names, e.Value("name"))
		by[e.Value("name")] = e
	}
	delete(by, "") // an empty reference is none
	for _, e := range scenario.Rings(elements) {
		b.fail(e, "reference", scenario.ErrDocument, strconv.Quote(e.Value("reference"))+
			", which starts after "+e.Value("name")+" itself", "a controller that does not")
	}
	for _, e := range elements {
		var chain []*scenario.Element // the last one has a known start time, unless in a ring
		for next := e; next != nil && len(chain) <= len(elements); next = by[next.Value(
			"reference")] {
			if _, known := offsets[next]; known {
				break
			}
			chain = append(chain, next)
		}
		for _, c := range slices.Backward(chain) {
			offsets[c] = number(c, "delay") + offsets[by[c.Value("reference")]]
		}
		if r := e.Value("reference"); r != "" && by[r] == nil {
			b.unknown(e, "reference", "the name of another TrafficSignalController",
				func() []string { return names })
		}
	}
	return offsets
}

func number(e *scenario.Element, name string) float64 {
	x, _ := e.Number(name)
	if math.IsNaN(x) {
		return 0
	}
	return x
}

func (s *signals) controller(name string) *controller {
	for _, c := range s.controllers {
		if c.name == name {
			return c
		}
	}
	return nil
}

// state returns the state of a signal, creating it on first use.
func (s *signals) state(id string) *value {
	if s.states[id] == nil {
		s.states[id] = &value{kind: "string"}
	}
	return s.states[id]
}

func (b *Board) setSignal(id, state string) {
	v := b.signals.state(id)
	v.current, v.set = comparand{text: state}, true
	b.world.Signal(id, state)
}

// advance moves the controllers to the phases at the current time.
func (s *signals) advance(b *Board) {
	for _, c := range s.controllers {
		if k := c.at(b.now); k != c.index {
			c.enter(b, k)
		}
	}
}

// at returns the index of the phase at a time, or -1 before the first.
func (c *controller) at(now float64) int {
	const tolerance = 1e-9
	passed := now - c.began + tolerance
	if len(c.phases) == 0 || passed < 0 {
		return -1
	}
	if c.length <= 0 {
		return c.first
	}
	passed = math.Mod(passed, c.length)
	for k := range c.phases {
		index := (c.first + k) % len(c.phases)
		if passed < c.phases[index].duration {
			return index
		}
		passed -= c.phases[index].duration
	}
	return c.first
}

func (c *controller) enter(b *Board, k int) {
	c.index = k
	if k < 0 {
		return
	}
	c.phase.current, c.phase.set = comparand{text: c.phases[k].name}, true
	for _, s := range c.phases[k].states {
		b.setSignal(s.id, s.state)
	}
}

// setPhase is a TrafficSignalControllerAction: the cycle continues from the phase.
type setPhase struct {
	instant
	board      *Board
	controller *controller
	index      int
}

// Start starts the phase, even if it is the current one.
func (s *setPhase) Start(now float64, _ func(Note)) error {
	s.controller.began, s.controller.first = now, s.index
	s.controller.enter(s.board, s.index)
	return nil
}

// setState is a TrafficSignalStateAction.
type setState struct {
	instant
	board     *Board
	id, state string
}

// Start sets the state, which lasts until a controller moves on to its next phase.
func (s *setState) Start(float64, func(Note)) error {
	s.board.setSignal(s.id, s.state)
	return nil
}
