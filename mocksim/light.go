package mocksim

import (
	"slices"

	"gosmp/internal/similar"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// Light is the color of a traffic light.
type Light uint8

// The colors. A light is off and stops no traffic unless it belongs to a junction or
// [World.SetLight] switches it on.
const (
	LightOff Light = iota
	LightGreen
	LightYellow
	LightRed
)

// The cycle of a junction's lights: its controllers, or the directions of its roads if it has none,
// are green in turn. In between, all lights are red.
const (
	greenTime  = 20 * timebase.Second
	yellowTime = 3 * timebase.Second
	clearTime  = 2 * timebase.Second
	turnTime   = greenTime + yellowTime + clearTime
)

type light struct {
	signal *opendrive.Signal
	road   *opendrive.Road
	colour Light
	manual bool  // SetLight took it out of its cycle
	green  []int // the turns in which it is green
	turns  int   // number of turns of its junction; 0: no cycle
}

// at returns the colour in the cycle at a time. A light that is green in two consecutive turns
// stays green between them, unless it is green in all turns.
func (l *light) at(now timebase.Time) Light {
	cycle := turnTime * timebase.Time(l.turns)
	now = (now%cycle + cycle) % cycle
	turn, since := int(now/turnTime), now%turnTime
	switch {
	case !slices.Contains(l.green, turn):
		return LightRed
	case since < greenTime ||
		len(l.green) < l.turns && slices.Contains(l.green, (turn+1)%l.turns):
		return LightGreen
	case since < greenTime+yellowTime:
		return LightYellow
	}
	return LightRed
}

// stop is a place on a lane where a light or a stop sign applies, or the middle of a crosswalk.
type stop struct {
	u     float64 // on the rail of the lane
	light *light
	walk  *crosswalk
	halt  bool // a stop sign applies there
	// unless is the light of a stop sign, which applies only while the light is off; nil: always.
	unless *light
}

// forOthers is the set of light types that vehicles ignore: lights for pedestrians, for pedestrians
// and cyclists, and for cyclists (signal types without a country in OpenDRIVE 1.4).
var forOthers = map[string]bool{"1000002": true, "1000007": true, "1000013": true}

func (w *World) installLights() {
	w.stops, w.bySignal = make([][]stop, len(w.m.Lanes())), map[string]*light{}
	for _, r := range w.m.Roads {
		for _, s := range r.Signals {
			if !s.Dynamic {
				continue
			}
			l := &light{signal: s, road: r}
			w.lights = append(w.lights, l)
			if w.bySignal[s.ID] == nil {
				w.bySignal[s.ID] = l
			}
			if forOthers[s.LightType()] {
				continue
			}
			for _, p := range w.m.Places(r, s) {
				if k := p.Lane.Number(); p.Lane.Drivable() {
					w.stops[k] = append(w.stops[k],
						stop{u: w.rail(p.Lane).way(p.S, true), light: l})
				}
			}
		}
	}
	w.connectLights()
	w.changeLights()
}

// connectLights assigns turns to lights according to the controllers of junctions. A light that
// several controllers of a junction name is green in the turns of all of them. If no light of a
// junction has a controller, its lights take turns by the directions of their roads.
func (w *World) connectLights() {
	signals := map[string][]string{}
	for _, c := range w.m.Controllers {
		signals[c.ID] = append(signals[c.ID], c.Signals...)
	}
	type place struct {
		junction *opendrive.Junction
		green    []int
	}
	places := map[string]place{}
	for _, j := range w.m.Junctions {
		for k, id := range j.Controllers {
			for _, signal := range signals[id] {
				p := places[signal]
				if p.junction != j {
					p = place{junction: j}
				}
				if !slices.Contains(p.green, k) {
					p.green = append(p.green, k)
				}
				places[signal] = p
			}
		}
	}
	for _, l := range w.lights {
		if p := places[l.signal.ID]; p.junction != nil {
			l.green, l.turns = p.green, len(p.junction.Controllers)
		}
	}
	w.signalise()
}

// changeLights sets the lights in a cycle to their current colour.
func (w *World) changeLights() {
	for _, l := range w.lights {
		if l.turns > 0 && !l.manual {
			l.colour = l.at(w.now)
		}
	}
}

// SetLight changes the traffic light of a signal, which leaves its cycle. Controlled actors stop at
// red, and at yellow if they can.
func (w *World) SetLight(signal string, colour Light) error {
	if colour > LightRed {
		return invalid("set_light "+signal, colour, "off, green, yellow or red")
	}
	found := false
	ids := make([]string, 0, len(w.lights))
	for _, l := range w.lights {
		if ids = append(ids, l.signal.ID); l.signal.ID == signal {
			l.colour, l.manual, found = colour, true, true
		}
	}
	if found {
		return nil
	}
	e := invalid("set_light", signal, "the id of a dynamic signal of the map")
	e.Hint = similar.Hint(signal, ids)
	return e
}

// LightOf returns the colour of the traffic light of a signal, or [LightOff] if there is none.
func (w *World) LightOf(signal string) Light {
	if l := w.bySignal[signal]; l != nil {
		return l.colour
	}
	return LightOff
}
