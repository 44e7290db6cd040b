package storyboard

import (
	"errors"

	"gosmp/scenario"
)

// ErrUnsupported is the kind of error that a [World] returns if it does not support something in a
// scenario. Such errors have the place of the element or attribute, and are reported before the
// run.
var ErrUnsupported = errors.New("not supported")

// Entity is the number of a ScenarioObject: its index in Entities, from 0. Selections of entities
// (EntitySelection) are replaced by their members before they reach a World.
type Entity int

// NoEntity is the actor of global actions.
const NoEntity Entity = -1

// World holds the entities of a scenario and moves them. Calls come in this order:
//
//  1. Bind and Measure, for all actions and conditions of the scenario, before anything runs. At
//     this point the world refuses what it does not support, with the place; the storyboard
//     continues in order to find all such places.
//  2. At time 0, Enter for each Private of Init, in an order in which entities precede the entities
//     that refer to them, each followed by Start for its actions. Global actions come first.
//  3. Evaluations and Advance alternate: an evaluation reads Measures, calls Ended on running
//     actions, and starts and stops actions. Then Advance moves everything.
//
// Only one goroutine may use a World.
type World interface {
	// Bind prepares one action for one actor. The element is the leaf that names the action: one
	// whose Type is SpeedAction, LaneChangeAction, TeleportAction, AssignControllerAction,
	// EnvironmentAction, AddEntityAction and so on. The actor of the children of an EntityAction is
	// the entity that it names; the actor of other global actions is NoEntity. An action of several
	// actors is bound once for each of them. Actions of the storyboard itself are never bound:
	// ParameterAction, VariableAction, SetMonitorAction, CustomCommandAction,
	// TrafficSignalStateAction and TrafficSignalControllerAction.
	Bind(action *scenario.Element, actor Entity) (Action, error)

	// Measure prepares the quantity that a condition reads. The element is the child of an
	// EntityCondition. The storyboard itself applies rule, value, tolerance and duration. The
	// quantities are, in SI units:
	//
	//	SpeedCondition, RelativeSpeedCondition     speed, in the direction if one is given
	//	AccelerationCondition                      acceleration, in the direction if one is given
	//	StandStillCondition                        absolute speed
	//	TraveledDistanceCondition                  way since the start
	//	DistanceCondition, RelativeDistanceCondition, ReachPositionCondition   distance
	//	TimeHeadwayCondition, TimeToCollisionCondition    time
	//	AngleCondition, RelativeAngleCondition     |difference to the attribute angle|, 0 to pi
	//	CollisionCondition                         1 while it collides with what is named, else 0
	//	EndOfRoadCondition, OffroadCondition       1 at the end of the road, off the road, else 0
	//	RelativeClearanceCondition                 1 while there is clearance, else 0
	Measure(condition *scenario.Element, entity Entity) (Measure, error)

	// Enter puts an entity into the world before its first action. Later, AddEntityAction and
	// DeleteEntityAction add and remove entities. An entity that does not exist neither moves nor
	// is measured.
	Enter(entity Entity)

	// State returns where an entity is; or nil while it does not exist. It is valid until the next
	// call.
	State(entity Entity) *State

	// Signal shows the state of a traffic signal, such as "on;off;off".
	Signal(id, state string)

	// Advance moves everything from the current time, in s, to a later one. It reports what happens
	// in between as notes, which are events without an element, such as the end of a road.
	Advance(from, to float64, report func(Note)) error
}

// Action is an action of one actor. It may be started again after it has ended or has been stopped.
type Action interface {
	// Domains returns the parts of the motion that the action takes over; another action of the
	// same actor that shares a domain is stopped first. Domains may be called before and after
	// Start.
	Domains() Domain

	// Start starts the action at a time, in s. An action that takes no time takes effect at once,
	// so that conditions that are evaluated later at the same time see its effect. An error ends
	// the run: it means that the action is impossible in the current state, for example because a
	// relative position lies beyond the end of all lanes.
	Start(now float64, report func(Note)) error

	// Ended reports whether the action has reached its goal. It is called right after Start, for
	// actions that take no time, and after each Advance until it returns true.
	Ended() bool

	// Stop ends a running action before it has reached its goal: because of a stop trigger, because
	// of an event with priority override, or because another action has taken over one of its
	// domains.
	Stop()
}

// Measure is a quantity of one entity.
type Measure interface {
	// Value returns the current value of the quantity. ok is false if the quantity is not defined
	// because an entity does not exist, the other one is behind, or two entities do not approach
	// each other. In these cases the condition is false.
	Value() (x float64, ok bool)
}

// Domain is a set of resources that actions of one actor compete for (section 7.5.1).
type Domain uint64

// The domains. Each light has its own domain: FirstLight shifted by a number that the World
// chooses.
const (
	Longitudinal Domain = 1 << iota
	Lateral
	Animation
	FirstLight
)

// State holds the position and motion of an entity.
type State struct {
	X, Y, Z float64 // of the reference point, m
	H, P, R float64 // rad; H in [0, 2 pi)
	Speed   float64 // along the heading, m/s
	// Acceleration is along the heading, m/s2.
	Acceleration float64
	Traveled     float64 // distance since the start, without teleports, m
	Road         string  // id; empty if off all roads
	Lane         int
	S, T, Offset float64 // on the road; Offset from the center of the lane, m
	Turn         float64 // of the heading from the direction of s along the lane, rad
	Limit        float64 // speed limit there, m/s; 0: none
	Box          Box
}

// Box is the bounding box of an entity on the ground. X and Y are the position of its center
// relative to the reference point, in the frame of the entity, in m.
type Box struct{ Length, Width, X, Y float64 }

// Note is something that happened to an entity.
type Note struct {
	Time   float64 // s
	Entity Entity
	Other  Entity // of a collision; NoEntity otherwise
	Kind   string // "limited", "end of road", "off road", "collision", ...
	Text   string // readable: values with units
}
