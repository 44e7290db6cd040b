// Package line is a world for storyboard tests. Entities are points on a line, with a SpeedAction
// that is linear or a step, a LaneChangeAction that takes one second, and a few conditions. It has
// no other positions or distances, and refuses everything it does not know.
package line

import (
	"math"

	"gosmp/internal/fault"
	"gosmp/scenario"
	"gosmp/scenario/storyboard"
)

// World holds entities that are points on a line. It implements storyboard.World.
type World struct {
	Entities []*Point
	Signals  map[string]string // the states of signals, by id
	Trouble  error             // the error with which the next SpeedAction fails

	names map[string]storyboard.Entity
	now   float64
}

// New creates the world of a scenario.
func New(s *scenario.Scenario) *World {
	w := &World{names: map[string]storyboard.Entity{}, Signals: map[string]string{}}
	for k, o := range s.Root.Child("Entities").All("ScenarioObject") {
		w.names[o.Value("name")] = storyboard.Entity(k)
		w.Entities = append(w.Entities, &Point{})
	}
	return w
}

// Point is an entity.
type Point struct {
	Exists       bool
	X, V, Way    float64 // m, m/s, m
	acceleration float64
	ramp         *ramp
	state        storyboard.State
}

// ramp is a SpeedAction of dimension time or rate, linear or a step.
type ramp struct {
	w        *World
	p        *Point
	target   float64
	seconds  float64 // or, if negative, the rate
	from, at float64
	until    float64
	on       bool
}

func (r *ramp) Domains() storyboard.Domain { return storyboard.Longitudinal }

func (r *ramp) Start(now float64, _ func(storyboard.Note)) error {
	if r.w.Trouble != nil {
		return r.w.Trouble
	}
	r.from, r.at, r.until = r.p.V, now, now+r.seconds
	if r.seconds < 0 {
		r.until = now + math.Abs(r.target-r.p.V)/-r.seconds
	}
	r.on = true
	r.move(now)
	if r.on {
		r.p.ramp = r
	}
	return nil
}

func (r *ramp) move(now float64) {
	if now >= r.until-1e-12 {
		r.p.V, r.on = r.target, false
		if r.p.ramp == r {
			r.p.ramp = nil
		}
		return
	}
	r.p.V = r.from + (r.target-r.from)*(now-r.at)/(r.until-r.at)
}

func (r *ramp) Ended() bool { return !r.on }
func (r *ramp) Stop()       { r.on, r.p.ramp = false, nil }

// once is an action that takes no time.
type once struct{ do func() }

func (o once) Domains() storyboard.Domain { return 0 }
func (o once) Start(float64, func(storyboard.Note)) error {
	o.do()
	return nil
}
func (o once) Ended() bool { return true }
func (o once) Stop()       {}

// lane is an action of the lateral domain that takes one second.
type lane struct {
	w     *World
	until float64
}

func (l *lane) Domains() storyboard.Domain { return storyboard.Lateral }
func (l *lane) Start(now float64, _ func(storyboard.Note)) error {
	l.until = now + 1
	return nil
}
func (l *lane) Ended() bool { return l.w.now >= l.until-1e-9 }
func (l *lane) Stop()       {}

func value(e *scenario.Element, name string) float64 {
	x, _ := e.Number(name)
	return x
}

// Bind supports SpeedAction, LaneChangeAction, TeleportAction, AddEntityAction, DeleteEntityAction
// and EnvironmentAction.
func (w *World) Bind(e *scenario.Element, actor storyboard.Entity) (storyboard.Action, error) {
	switch e.Type {
	case "SpeedAction":
		d := e.Child("SpeedActionDynamics")
		r := &ramp{w: w, p: w.Entities[actor], seconds: value(d, "value"),
			target: value(e.Path("SpeedActionTarget", "AbsoluteTargetSpeed"), "value")}
		if d.Value("dynamicsDimension") == "rate" {
			r.seconds = -r.seconds
		}
		if d.Value("dynamicsShape") == "step" {
			r.seconds = 0
		}
		return r, nil
	case "LaneChangeAction":
		return &lane{w: w}, nil
	case "TeleportAction":
		p := w.Entities[actor]
		return once{func() { p.X = value(e.Path("Position", "WorldPosition"), "x") }}, nil
	case "AddEntityAction":
		return once{func() { w.Entities[actor].Exists = true }}, nil
	case "DeleteEntityAction":
		return once{func() { w.Entities[actor].Exists = false }}, nil
	case "EnvironmentAction":
		return once{func() {}}, nil
	}
	return nil, fault.New(storyboard.ErrUnsupported, e.Place(), e.Name, "an action of a line")
}

type measure func() (float64, bool)

func (m measure) Value() (float64, bool) { return m() }

// Measure supports a few conditions.
func (w *World) Measure(e *scenario.Element, x storyboard.Entity) (storyboard.Measure, error) {
	p := w.Entities[x]
	existing := func(read func() float64) (storyboard.Measure, error) {
		return measure(func() (float64, bool) { return read(), p.Exists }), nil
	}
	switch e.Type {
	case "SpeedCondition", "StandStillCondition":
		return existing(func() float64 { return p.V })
	case "TraveledDistanceCondition":
		return existing(func() float64 { return p.Way })
	case "ReachPositionCondition":
		return existing(func() float64 {
			return math.Abs(p.X - value(e.Path("Position", "WorldPosition"), "x"))
		})
	case "CollisionCondition":
		q := w.Entities[w.names[e.Child("EntityRef").Value("entityRef")]]
		return existing(func() float64 {
			if q.Exists && math.Abs(q.X-p.X) < 1 {
				return 1
			}
			return 0
		})
	case "TimeToCollisionCondition":
		q := w.Entities[w.names[e.Path("TimeToCollisionConditionTarget", "EntityRef").Value(
			"entityRef")]]
		return measure(func() (float64, bool) {
			return (q.X - p.X) / (p.V - q.V), p.Exists && q.Exists && p.V > q.V && q.X > p.X
		}), nil
	case "RelativeDistanceCondition":
		if e.Value("relativeDistanceType") == "lateral" {
			return existing(func() float64 { return 0 })
		}
		q := w.Entities[w.names[e.Value("entityRef")]]
		return existing(func() float64 { return math.Abs(q.X - p.X) })
	}
	return nil, fault.New(storyboard.ErrUnsupported, e.Place(), e.Name, "a condition of a line")
}

// Enter creates a point.
func (w *World) Enter(x storyboard.Entity) { w.Entities[x].Exists = true }

// State returns where a point is.
func (w *World) State(x storyboard.Entity) *storyboard.State {
	p := w.Entities[x]
	if !p.Exists {
		return nil
	}
	p.state = storyboard.State{X: p.X, Speed: p.V, Traveled: p.Way,
		Acceleration: p.acceleration, Road: "1", Lane: -1, S: p.X}
	return &p.state
}

// Signal stores the state.
func (w *World) Signal(id, state string) { w.Signals[id] = state }

// Advance moves each point at the mean of its old and new speeds.
func (w *World) Advance(from, to float64, _ func(storyboard.Note)) error {
	w.now = to
	for _, p := range w.Entities {
		before := p.V
		if p.ramp != nil {
			p.ramp.move(to)
		}
		p.acceleration = (p.V - before) / (to - from)
		way := (before + p.V) / 2 * (to - from)
		p.X += way
		p.Way += math.Abs(way)
	}
	return nil
}
