package participant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/proto/osi3"
	"gosmp/scenario/participant"
)

// faster is an action that changes the speed to 30 m/s in 2 s.
const faster = `<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="linear"
dynamicsDimension="time" value="2"/><SpeedActionTarget><AbsoluteTargetSpeed value="30"/>
</SpeedActionTarget></SpeedAction></LongitudinalAction>`

// TestPedals_TireAngle checks that a tire angle turns the vehicle like the angle of the steering
// wheel that belongs to it.
func TestPedals_TireAngle(t *testing.T) {
	const angle = 0.02 // rad
	x, y, _ := pressed(t, "", map[string]float64{participant.Tire: angle}).until(2)
	wantX, wantY, _ := pressed(t, "",
		map[string]float64{participant.Steering: mocksim.SteeringRatio * angle}).until(2)
	require.Greater(t, y, 1.0)
	require.Equal(t, []float64{wantX, wantY}, []float64{x, y})
}

// TestPedals_WithAnAssistant checks that a request to brake acts in addition to the pedals of the
// driver, as strongly as the pedal.
func TestPedals_WithAnAssistant(t *testing.T) {
	_, _, free := pressed(t, "", map[string]float64{"throttle": 0}).until(1)
	_, _, braked := pressed(t, "", map[string]float64{"throttle": 0,
		participant.Brake: 0.5}).until(1)
	_, _, want := pressed(t, "", map[string]float64{"brake": 0.5}).until(1)
	require.Less(t, braked, free-2)
	require.InDelta(t, want, braked, 1e-9)
}

// TestPedals_OnlyWhileTheScenarioHandsOver checks that the pedals have no effect before the
// scenario activates the controller, nor after it deactivates the controller.
func TestPedals_OnlyWhileTheScenarioHandsOver(t *testing.T) {
	s := pressed(t, event("on", 1, activate(true, true))+event("off", 2, activate(false, false)),
		map[string]float64{"brake": 1})
	_, _, v := s.until(1)
	require.InDelta(t, 20, v, 1e-9)
	_, _, v = s.until(2)
	require.Less(t, v, 17.0)
	x, _, _ := s.until(2.1)
	later, _, kept := s.until(4.1)
	require.InDelta(t, v, kept, 0.2)
	require.InDelta(t, 2*kept, later-x, 1e-6)
	actor, err := s.World().Simulation().Actor("Ego")
	require.NoError(t, err)
	require.InDelta(t, later+1.4, actor.State().Position.X, 1e-6, "the middle of the box")
	require.InDelta(t, kept, actor.State().Speed, 1e-6)
	require.Zero(t, actor.State().Along)
}

// TestPedals_AreCheckedWithTheHandover checks that unusable controls are an error as soon as they
// apply, but not before.
func TestPedals_AreCheckedWithTheHandover(t *testing.T) {
	s := pressed(t, event("on", 1, activate(true, true)), map[string]float64{"throttle": 1.5})
	_, _, v := s.until(0.9)
	require.InDelta(t, 20, v, 1e-9)
	var err error
	for err == nil && s.Board().Now() < 2 {
		err = s.step()
	}
	require.ErrorContains(t, err, "Ego.throttle: unusable seat: found 1.5, expected 0 to 1")
	require.InDelta(t, 1, s.Board().Now(), 0.02)
}

// TestRequests_LeaveTheStoryboardItsSpeed checks that a driver that requests no braking does not
// change the speed of the storyboard, while a requested acceleration of 0 keeps the speed.
func TestRequests_LeaveTheStoryboardItsSpeed(t *testing.T) {
	for name, want := range map[string]float64{participant.Brake: 30,
		participant.Acceleration: 20} {
		_, _, v := pressed(t, event("faster", 1, faster), map[string]float64{name: 0}).until(4)
		require.InDelta(t, want, v, 1e-9, name)
	}
}

// TestReadiness_DoesNotReturnWhatTheDriverGaveBack checks that reporting readiness again in each
// step does not give a silent driver its motions back.
func TestReadiness_DoesNotReturnWhatTheDriverGaveBack(t *testing.T) {
	d := drive(-2, 0)
	says := d.says
	d.says = func(d *driver, h float64) *osi3.BaseMoving {
		if d.now > 0.995 {
			return nil
		}
		return says(d, h)
	}
	s := newStage(t, "", d)
	ready := s.engine.Drive("world.Ego." + participant.Engaged)
	s.start()
	ready.SetCell(0, 1)
	s.until(3)
	require.Zero(t, s.World().Driven(0))
	require.Len(t, kinds(s.end(), "silent"), 1)
}
