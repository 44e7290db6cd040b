package mocksim

import (
	"fmt"

	"gosmp/timebase"
)

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events.
const (
	Collision    EventKind = iota // two boxes begin to overlap; Value is the closing speed in m/s
	CollisionEnd                  // they are apart again
	Exhausted                     // a trajectory has ended; the actor stands at its last point
	Hole                          // a trajectory starts later; it is reached at constant velocity
	Arrived                       // a controlled actor stands at its destination
	LaneChange                    // a controlled actor starts a lane change; Value: sideways, in m
	// no path leads to the destination; the actor drives to the end of its lane.
	NoRoute
	OffRoad      // an actor has left the lanes
	SteeringCut  // the steering angle was reduced, because the lateral acceleration was too large
	Jump         // an actor moved faster than 100 m/s; Value is the distance in m
	BodyVelocity // a velocity of an update was in the body's axes; Value is its size in m/s
	Silent       // an owner stopped sending; its actor returned to the former owner
	NotOwner     // an update was about an actor of another owner, and was dropped
	UnknownActor // an update was about an actor that does not exist, and was dropped
	Dismissed    // an action was dismissed; Value is its id, Text the reason
	NotPending   // a dismissed action was not pending; Value is its id
	eventKinds
)

var eventNames = [eventKinds]string{"collision", "collision_end", "exhausted", "hole", "arrived",
	"lane_change", "no_route", "off_road", "steering_cut", "jump", "body_velocity", "silent",
	"not_owner", "unknown_actor", "dismissed", "not_pending"}

// String returns the name of the kind.
func (k EventKind) String() string {
	if k < eventKinds {
		return eventNames[k]
	}
	return fmt.Sprintf("EventKind(%d)", k)
}

// Event is something that happened in a step.
type Event struct {
	Time         timebase.Time // time of the event; for collisions to the microsecond
	Kind         EventKind
	Actor, Other string  // Other is set for events of two actors
	Value        float64 // see the kinds
	// for a collision: the side of Actor that was hit, "front", "rear", "left" or "right"
	Axis string
	Text string // more details in readable form
}

// String describes the event in one line.
func (e *Event) String() string {
	text := fmt.Sprintf("%s %s %s", e.Time, e.Kind, e.Actor)
	if e.Other != "" {
		text += " " + e.Other
	}
	switch e.Kind {
	case Collision:
		text += fmt.Sprintf(" at %.2f m/s, %s", e.Value, e.Axis)
	case LaneChange:
		text += fmt.Sprintf(" by %.2f m", e.Value)
	case Jump:
		text += fmt.Sprintf(" by %.2f m", e.Value)
	case BodyVelocity:
		text += fmt.Sprintf(" at %.2f m/s", e.Value)
	case Dismissed, NotPending:
		text += fmt.Sprintf(" action %.0f", e.Value)
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}
