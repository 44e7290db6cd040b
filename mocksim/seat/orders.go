package seat

import (
	"fmt"
	"slices"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/truth"
	"gosmp/proto/field"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

// Order is a kind of action that a director can order from a traffic participant.
type Order uint8

// The orders, with the fields of [Action] that they use.
const (
	OrderSpeed      Order = iota // Speed; Duration, Distance
	OrderLanes                   // Lanes, to the left; Duration, Distance
	OrderTrajectory              // Points
	OrderPosition                // Place: the place to go to
	OrderTeleport                // Place: the place to jump to
	OrderCustom                  // Text, Type
	orders
)

// orderNames lists the fields of TrafficAction, readable by people and machines.
var orderNames = [orders]string{"speed_action", "lane_change_action", "follow_trajectory_action",
	"acquire_global_position_action", "teleport_action", "custom_action"}

func (o Order) String() string { return orderNames[o] }

// claims maps each order to the motions that it affects. An order that shares a motion with an
// earlier order replaces that order.
var claims = [orders]uint8{OrderSpeed: 1, OrderLanes: 2, OrderTrajectory: 3, OrderPosition: 3,
	OrderTeleport: 3}

// Action is an order with its fields.
type Action struct {
	Order              Order
	Speed              float64 // m/s
	Lanes              int     // 1 is the next lane to the left, -1 the next one to the right
	Duration, Distance float64 // s, m until completion; 0: the participant chooses
	Points             []Pose
	Place              Pose
	Text, Type         string
}

// Pose is the pose of the middle of a participant's box, at a certain time if it belongs to a
// trajectory.
type Pose struct {
	Time        timebase.Time
	Position    frames.Vector
	Orientation frames.Orientation
	Turned      bool // Orientation counts
}

// Orders manages the orders of a director to one traffic participant: the TrafficCommands to it,
// and its TrafficCommandUpdates. The rules come from OSI 3.8.0, osi_trafficcommand.proto, and from
// participants' expectations:
//
//   - Each step has a message, without actions if none starts, because some models do nothing
//     without a message. Each participant has its own messages.
//   - An action is in the messages from the step in which it starts until the participant has
//     stepped: only once, if the participant steps as often as the world. Its id is unique for the
//     participant.
//   - Actions in one message start together. A replaced action is aborted first, in the same
//     message.
//   - A dismissed action is no longer pending, so it is neither ended nor aborted. An action that
//     was not pending is reported once.
//   - A step without actions allocates nothing.
type Orders struct {
	w       *mocksim.World
	m       *truth.Maker
	actor   string
	id      uint64
	last    uint64 // id of the last action
	pending []pending
	actions []byte // fields of a TrafficCommand that the participant may not have seen
	shown   int    // the number of these bytes that were in the message of at
	at      timebase.Time
	read    bool          // the participant steps with this message
	heard   timebase.Time // time to which the participant has stepped
	answer  timebase.Time // when the latest answer was made
	told    []uint64      // reported actions that were not pending
}

// pending is an action that was started and has not been ended, aborted or dismissed.
type pending struct {
	id    uint64
	order Order
}

// NewOrders prepares orders for an actor of a world. The maker must create messages of the same
// world.
func NewOrders(w *mocksim.World, m *truth.Maker, actor string) (*Orders, error) {
	v, err := w.Actor(actor)
	if err != nil {
		return nil, err
	}
	return &Orders{w: w, m: m.For(actor, 0, 0), actor: actor, id: v.ID(), at: w.Time(),
		heard: w.Time(), answer: w.Time()}, nil
}

// Begin orders an action, and returns its id. It aborts pending actions that affect the same
// motion.
func (o *Orders) Begin(a *Action) (id uint64) {
	var replaced []uint64
	o.pending = slices.DeleteFunc(o.pending, func(p pending) bool {
		shares := claims[p.order]&claims[a.Order] != 0
		if shares {
			replaced = append(replaced, p.id)
		}
		return shares
	})
	o.stop(field.TrafficActionAbortActionsAction, replaced)
	o.last++
	if a.Order != OrderTeleport { // a teleport takes no time
		o.pending = append(o.pending, pending{o.last, a.Order})
	}
	o.actions = a.append(o.actions, o.last)
	return o.last
}

// End states that the director considers an action to have reached its goal. It does nothing for an
// action that is not pending.
func (o *Orders) End(id uint64) { o.finish(field.TrafficActionEndActionsAction, id) }

// Abort ends an action before it has reached its goal. It does nothing for an action that is not
// pending.
func (o *Orders) Abort(id uint64) { o.finish(field.TrafficActionAbortActionsAction, id) }

func (o *Orders) finish(how wire.Number, id uint64) {
	if o.forget(id) {
		o.stop(how, []uint64{id})
	}
}

// forget removes an action from the pending actions.
func (o *Orders) forget(id uint64) (waited bool) {
	k := slices.IndexFunc(o.pending, func(p pending) bool { return p.id == id })
	if k < 0 {
		return false
	}
	o.pending = slices.Delete(o.pending, k, k+1)
	return true
}

// Pending returns the ids of the pending actions.
func (o *Orders) Pending() (list []uint64) {
	for _, p := range o.pending {
		list = append(list, p.id)
	}
	return list
}

// stop appends an action that ends others.
func (o *Orders) stop(how wire.Number, ids []uint64) {
	if len(ids) == 0 {
		return
	}
	o.last++
	b, action := wire.Begin(o.actions, field.TrafficCommandAction)
	b, inner := wire.Begin(b, how)
	b = appendHeader(b, o.last)
	for _, id := range ids { // the field has the same number in both
		b = wire.AppendIdentifier(b, field.TrafficActionAbortActionsActionTargetActionId, id)
	}
	o.actions = wire.End(wire.End(b, inner), action)
}

// Message returns the TrafficCommand for the current time. The bytes are valid until the second
// call after this one.
func (o *Orders) Message() ([]byte, error) {
	if now := o.w.Time(); now != o.at {
		if o.read {
			o.actions = append(o.actions[:0], o.actions[o.shown:]...)
		}
		o.at = now
	}
	o.shown, o.read = len(o.actions), o.at >= o.heard
	return o.m.TrafficCommand(o.actions)
}

// Heard records the time up to which the participant has stepped.
func (o *Orders) Heard(until timebase.Time) { o.heard = until }

// Update passes on the participant's answer, made at the given time: a TrafficCommandUpdate, or
// nothing. Each action that the participant dismisses becomes a world event.
func (o *Orders) Update(made timebase.Time, message []byte) error {
	if made == o.answer {
		return nil // heard before
	}
	o.heard, o.answer = made, made
	well := eachField(message, func(num wire.Number, content []byte) bool {
		if num == field.TrafficCommandUpdateDismissedAction {
			o.dismiss(content)
		}
		return true
	})
	if !well {
		return fault.New(ErrMessage, fault.At("the driver of "+o.actor),
			fmt.Sprintf("%d bytes", len(message)), "a TrafficCommandUpdate of OSI")
	}
	return nil
}

// dismiss records that the participant will not perform an action.
func (o *Orders) dismiss(b []byte) {
	id, _ := wire.FindIdentifier(b, field.TrafficCommandUpdateDismissedActionDismissedActionId)
	e := mocksim.Event{Time: o.w.Time(), Kind: mocksim.NotPending, Actor: o.actor,
		Value: float64(id)}
	k := slices.IndexFunc(o.pending, func(p pending) bool { return p.id == id })
	if k < 0 && !o.stray(id) {
		return
	}
	if k >= 0 {
		reason, _ := wire.First(b, field.TrafficCommandUpdateDismissedActionFailureReason)
		e.Kind, e.Text = mocksim.Dismissed, o.pending[k].order.String()
		if len(reason) > 0 {
			e.Text += ", " + string(reason)
		}
		o.forget(id)
		o.stray(id) // may be dismissed again in each step
	}
	o.w.Tell(e)
}

// stray records the id of an action that is not pending. It returns false if the id was already
// reported.
func (o *Orders) stray(id uint64) bool {
	if slices.Contains(o.told, id) || len(o.told) == mostTold {
		return false
	}
	o.told = append(o.told, id)
	return true
}

func appendHeader(b []byte, id uint64) []byte {
	b, at := wire.Begin(b, 1) // action_header, the same in all actions
	return wire.End(wire.AppendIdentifier(b, field.TrafficActionActionHeaderActionId, id), at)
}

// append appends the action as a field of a TrafficCommand.
func (a *Action) append(b []byte, id uint64) []byte {
	b, action := wire.Begin(b, field.TrafficCommandAction)
	number := [orders]wire.Number{field.TrafficActionSpeedAction,
		field.TrafficActionLaneChangeAction, field.TrafficActionFollowTrajectoryAction,
		field.TrafficActionAcquireGlobalPositionAction, field.TrafficActionTeleportAction,
		field.TrafficActionCustomAction}[a.Order]
	b, inner := wire.Begin(b, number)
	b = appendHeader(b, id)
	switch a.Order {
	case OrderSpeed:
		b = wire.AppendDouble(b, field.TrafficActionSpeedActionAbsoluteTargetSpeed, a.Speed)
		b = a.appendExtent(b)
	case OrderLanes:
		b = wire.AppendInt32(b, field.TrafficActionLaneChangeActionRelativeTargetLane,
			int32(a.Lanes))
		b = a.appendExtent(b)
	case OrderTrajectory:
		b = a.appendPoints(b)
	case OrderPosition, OrderTeleport: // the same fields
		b = a.Place.append(b)
	case OrderCustom:
		b = wire.AppendString(b, field.TrafficActionCustomActionCommand, a.Text)
		b = wire.AppendString(b, field.TrafficActionCustomActionCommandType, a.Type)
	}
	return wire.End(wire.End(b, inner), action)
}

// appendExtent writes the last three fields of SpeedAction and of LaneChangeAction.
func (a *Action) appendExtent(b []byte) []byte {
	const linear, step = 1, 4 // DynamicsShape
	shape := int32(step)
	if a.Duration > 0 || a.Distance > 0 {
		shape = linear
	}
	b = wire.AppendInt32(b, field.TrafficActionSpeedActionDynamicsShape, shape)
	if a.Duration > 0 {
		b = wire.AppendDouble(b, field.TrafficActionSpeedActionDuration, a.Duration)
	}
	if a.Distance > 0 {
		b = wire.AppendDouble(b, field.TrafficActionSpeedActionDistance, a.Distance)
	}
	return b
}

func (a *Action) appendPoints(b []byte) []byte {
	const position = 0 // FOLLOWING_MODE_POSITION
	turned := false
	for k := range a.Points {
		p := &a.Points[k]
		turned = turned || p.Turned
		seconds, nanos := p.Time.Split()
		var at int
		b, at = wire.Begin(b, field.TrafficActionFollowTrajectoryActionTrajectoryPoint)
		b = wire.AppendTimestamp(b, field.StatePointTimestamp, seconds, nanos)
		b = wire.End(p.append(b), at)
	}
	constrain := int32(0)
	if turned {
		constrain = 1
	}
	b = wire.AppendInt32(b, field.TrafficActionFollowTrajectoryActionConstrainOrientation,
		constrain)
	return wire.AppendInt32(b, field.TrafficActionFollowTrajectoryActionFollowingMode, position)
}

// append writes the position and the orientation, fields 2 and 3 of StatePoint and of actions.
func (p *Pose) append(b []byte) []byte {
	at, o := &p.Position, &p.Orientation
	b = wire.AppendVector3d(b, field.StatePointPosition, at.X, at.Y, at.Z)
	if p.Turned {
		b = wire.AppendOrientation3d(b, field.StatePointOrientation, o.Roll, o.Pitch, o.Yaw)
	}
	return b
}

// AppendState appends the state on which the next messages depend, except for the world.
func (o *Orders) AppendState(b []byte) []byte {
	b = state.AppendUint64(state.AppendBytes(b, o.actions), uint64(o.shown))
	b = state.AppendUint64(state.AppendUint64(b, uint64(o.at)), uint64(o.heard))
	b = state.AppendBool(state.AppendUint64(b, uint64(o.answer)), o.read)
	b = state.AppendUint64(state.AppendUint64(b, o.last), uint64(len(o.pending)))
	for _, p := range o.pending {
		b = append(state.AppendUint64(b, p.id), byte(p.order))
	}
	return appendIDs(b, o.told)
}

// RestoreState continues from a saved state; the world must be restored, too.
func (o *Orders) RestoreState(d *state.Decoder) error {
	o.actions = append(o.actions[:0], d.Bytes()...)
	o.shown = int(min(d.Uint64(), uint64(len(o.actions))))
	o.at, o.heard = timebase.Time(d.Uint64()), timebase.Time(d.Uint64())
	o.answer, o.read = timebase.Time(d.Uint64()), d.Bool()
	o.last, o.pending = d.Uint64(), o.pending[:0]
	for n := d.Uint64(); n > 0 && d.Err() == nil; n-- {
		o.pending = append(o.pending, pending{d.Uint64(), Order(min(d.Byte(), byte(orders-1)))})
	}
	o.told = readIDs(o.told[:0], d)
	return d.Err()
}
