package seat_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/timebase"
)

const step20 = 20 * timebase.Millisecond

func ordered(t testing.TB) (*mocksim.World, *seat.Orders) {
	w, _ := planned(t)
	m, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(t, err)
	o, err := seat.NewOrders(w, m, "ego")
	require.NoError(t, err)
	return w, o
}

func command(t testing.TB, o *seat.Orders) *osi3.TrafficCommand {
	t.Helper()
	b, err := o.Message()
	require.NoError(t, err)
	c := &osi3.TrafficCommand{}
	require.NoError(t, proto.Unmarshal(b, c))
	require.Empty(t, rules.Check(c), "C1: the rules of OSI")
	return c
}

// advance makes a step after a participant has stepped and has answered with dismissed actions.
func advance(t testing.TB, w *mocksim.World, o *seat.Orders, dismissed ...uint64) []mocksim.Event {
	t.Helper()
	u := &osi3.TrafficCommandUpdate{}
	for _, id := range dismissed {
		u.DismissedAction = append(u.DismissedAction,
			&osi3.TrafficCommandUpdate_DismissedAction{
				DismissedActionId: &osi3.Identifier{Value: proto.Uint64(id)},
				FailureReason:     proto.String("cannot")})
	}
	b, err := proto.Marshal(u)
	require.NoError(t, err)
	require.NoError(t, o.Update(w.Time()+step20, b))
	events, err := w.Step(step20)
	require.NoError(t, err)
	return append([]mocksim.Event(nil), events...)
}

// ids returns the ids of the actions of a message, and of the actions that they stop.
func ids(c *osi3.TrafficCommand) (begun, stopped []uint64) {
	for _, a := range c.Action {
		header := []*osi3.TrafficAction_ActionHeader{a.SpeedAction.GetActionHeader(),
			a.LaneChangeAction.GetActionHeader(), a.FollowTrajectoryAction.GetActionHeader(),
			a.AcquireGlobalPositionAction.GetActionHeader(), a.TeleportAction.GetActionHeader(),
			a.CustomAction.GetActionHeader(), a.AbortActionsAction.GetActionHeader(),
			a.EndActionsAction.GetActionHeader()}
		for _, h := range header {
			if h != nil {
				begun = append(begun, h.ActionId.GetValue())
			}
		}
		for _, id := range append(a.AbortActionsAction.GetTargetActionId(),
			a.EndActionsAction.GetTargetActionId()...) {
			stopped = append(stopped, id.GetValue())
		}
	}
	return begun, stopped
}

// TestC1_EachActionOnce checks C1 and C2: there is a message in each step, and an action is in only
// one of them, with its own id.
func TestC1_EachActionOnce(t *testing.T) {
	w, o := ordered(t)
	require.Empty(t, command(t, o).Action)
	first := o.Begin(&seat.Action{Order: seat.OrderSpeed, Speed: 5})
	again := command(t, o)
	require.Len(t, again.Action, 1, "made again for the same time")
	require.Len(t, command(t, o).Action, 1)
	ego, err := w.Actor("ego")
	require.NoError(t, err)
	require.Equal(t, ego.ID(), again.TrafficParticipantId.GetValue())
	require.NotNil(t, again.Version)
	second := o.Begin(&seat.Action{Order: seat.OrderLanes, Lanes: 1})
	require.NotEqual(t, first, second)
	advance(t, w, o)
	c := command(t, o)
	begun, _ := ids(c)
	require.Equal(t, []uint64{second}, begun, "the first one was seen, the second one not")
	for range 5 {
		advance(t, w, o)
		require.Empty(t, command(t, o).Action)
	}
	require.Equal(t, []uint64{first, second}, o.Pending())
}

// TestC1_SlowParticipants checks C1: a participant that steps less often also sees an action.
func TestC1_SlowParticipants(t *testing.T) {
	w, o := ordered(t)
	seen := 0
	until := timebase.Time(0) // the participant has stepped
	for k := range 30 {
		b, err := o.Message()
		require.NoError(t, err)
		c := &osi3.TrafficCommand{}
		require.NoError(t, proto.Unmarshal(b, c))
		if w.Time() == until {
			seen += len(c.Action)
			until += 5 * step20
		}
		if k == 2 || k == 11 {
			o.Begin(&seat.Action{Order: seat.OrderSpeed, Speed: 5})
		}
		o.Heard(until)
		_, err = w.Step(step20)
		require.NoError(t, err)
	}
	require.Equal(t, 3, seen, "two speeds, and the end of the first")
}

// TestC3_OrdersAsActions checks C3: every order becomes the corresponding OSI action.
func TestC3_OrdersAsActions(t *testing.T) {
	w, o := ordered(t)
	place := seat.Pose{Position: frames.Vector{X: 1, Y: 2, Z: 3}, Turned: true,
		Orientation: frames.Orientation{Yaw: 0.5}}
	at := place
	at.Time = 1500 * timebase.Millisecond
	take := func(a seat.Action) *osi3.TrafficAction {
		advance(t, w, o)
		o.Begin(&a)
		actions := command(t, o).Action
		advance(t, w, o)
		return actions[len(actions)-1]
	}
	s := take(seat.Action{Order: seat.OrderSpeed, Speed: 7, Duration: 2}).SpeedAction
	require.Equal(t, []float64{7, 2}, []float64{s.GetAbsoluteTargetSpeed(), s.GetDuration()})
	require.Equal(t, osi3.TrafficAction_DYNAMICS_SHAPE_LINEAR, s.GetDynamicsShape())
	l := take(seat.Action{Order: seat.OrderLanes, Lanes: -1, Distance: 30}).LaneChangeAction
	require.EqualValues(t, -1, l.GetRelativeTargetLane())
	require.Equal(t, 30.0, l.GetDistance())
	f := take(seat.Action{Order: seat.OrderTrajectory, Points: []seat.Pose{at}}).
		FollowTrajectoryAction
	require.Equal(t, osi3.TrafficAction_FOLLOWING_MODE_POSITION, f.GetFollowingMode())
	require.True(t, f.GetConstrainOrientation())
	require.Equal(t, []float64{1, 2, 3, 0.5}, []float64{f.TrajectoryPoint[0].Position.GetX(),
		f.TrajectoryPoint[0].Position.GetY(), f.TrajectoryPoint[0].Position.GetZ(),
		f.TrajectoryPoint[0].Orientation.GetYaw()})
	require.EqualValues(t, 1, f.TrajectoryPoint[0].Timestamp.GetSeconds())
	require.EqualValues(t, 500_000_000, f.TrajectoryPoint[0].Timestamp.GetNanos())
	require.Equal(t, 2.0, take(seat.Action{Order: seat.OrderPosition, Place: place}).
		AcquireGlobalPositionAction.Position.GetY())
	require.Equal(t, 0.5, take(seat.Action{Order: seat.OrderTeleport, Place: place}).
		TeleportAction.Orientation.GetYaw())
	c := take(seat.Action{Order: seat.OrderCustom, Text: "honk", Type: "horn"}).CustomAction
	require.Equal(t, []string{"honk", "horn"}, []string{c.GetCommand(), c.GetCommandType()})
}

// TestC3_ReplacedActionsAreAborted checks C3: a replaced action is aborted first, in the same
// message, and actions on another motion are not.
func TestC3_ReplacedActionsAreAborted(t *testing.T) {
	w, o := ordered(t)
	speed := o.Begin(&seat.Action{Order: seat.OrderSpeed, Speed: 5})
	lanes := o.Begin(&seat.Action{Order: seat.OrderLanes, Lanes: 1})
	custom := o.Begin(&seat.Action{Order: seat.OrderCustom, Text: "x"})
	command(t, o)
	advance(t, w, o)
	faster := o.Begin(&seat.Action{Order: seat.OrderSpeed, Speed: 9})
	c := command(t, o)
	require.NotNil(t, c.Action[0].AbortActionsAction)
	_, stopped := ids(c)
	require.Equal(t, []uint64{speed}, stopped)
	require.Equal(t, []uint64{lanes, custom, faster}, o.Pending())
	advance(t, w, o)
	o.Begin(&seat.Action{Order: seat.OrderTrajectory})
	_, stopped = ids(command(t, o))
	require.Equal(t, []uint64{lanes, faster}, stopped)
	advance(t, w, o)
	o.End(custom)
	o.End(custom)
	c = command(t, o)
	require.Len(t, c.Action, 1)
	require.NotNil(t, c.Action[0].EndActionsAction)
}

// TestC4_DismissedActions checks C4: a dismissed action comes back as an event, and is neither
// ended nor aborted after that; dismissed actions that are not pending are reported.
func TestC4_DismissedActions(t *testing.T) {
	w, o := ordered(t)
	id := o.Begin(&seat.Action{Order: seat.OrderLanes, Lanes: 1})
	command(t, o)
	events := advance(t, w, o, id, 77)
	require.Len(t, events, 2)
	require.Equal(t, mocksim.Dismissed, events[0].Kind)
	require.Contains(t, events[0].String(), "dismissed ego action 1: lane_change_action, cannot")
	require.Equal(t, mocksim.NotPending, events[1].Kind)
	require.Contains(t, events[1].String(), "not_pending ego action 77")
	require.Empty(t, advance(t, w, o, id, 77), "reported before")
	o.End(id)
	o.Abort(id)
	o.Begin(&seat.Action{Order: seat.OrderLanes, Lanes: -1})
	begun, stopped := ids(command(t, o))
	require.Len(t, begun, 1)
	require.Empty(t, stopped)
	require.ErrorIs(t, o.Update(w.Time()+step20, []byte{0xff}), seat.ErrMessage)
}

func TestOrders_StatesAndNoAllocations(t *testing.T) {
	w, o := ordered(t)
	o.Begin(&seat.Action{Order: seat.OrderSpeed, Speed: 5})
	command(t, o)
	saved := o.AppendState(nil)
	other := func() *seat.Orders {
		m, err := truth.New(w, truth.Options{Host: "ego"})
		require.NoError(t, err)
		o, err := seat.NewOrders(w, m, "ego")
		require.NoError(t, err)
		d := &state.Decoder{Data: saved}
		require.NoError(t, o.RestoreState(d))
		require.NoError(t, d.Done())
		return o
	}()
	require.True(t, proto.Equal(command(t, o), command(t, other)))
	require.Equal(t, o.Pending(), other.Pending())
	round := func() {
		if o.Update(w.Time()+step20, nil) != nil {
			panic("refused")
		}
		if _, err := w.Step(step20); err != nil {
			panic(err)
		}
		if _, err := o.Message(); err != nil {
			panic(err)
		}
	}
	for range 10 {
		round()
	}
	require.Zero(t, testing.AllocsPerRun(200, round))
}
