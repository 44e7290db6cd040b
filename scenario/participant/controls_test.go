package participant_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/proto/osi3"
	"gosmp/scenario/participant"
	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
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

// held is an action that holds or releases controls.
func held(controls string) string {
	return `<ControllerAction><OverrideControllerValueAction>` + controls +
		`</OverrideControllerValueAction></ControllerAction>`
}

// TestPedals_HeldByTheScenario checks that the scenario holds controls in place of the driver until
// it releases them, as if the driver held them.
func TestPedals_HeldByTheScenario(t *testing.T) {
	driver := map[string]float64{"throttle": 0.3}
	at := func(story string, inputs map[string]float64, end float64) (x, y, v float64) {
		return pressed(t, story, inputs).until(end)
	}
	for story, same := range map[string]map[string]float64{
		`<Brake active="true" value="0.5"/>`:                       {"throttle": 0.3, "brake": 0.5},
		`<Brake active="true"><BrakePercent value="0.5"/></Brake>`: {"throttle": 0.3, "brake": 0.5},
		`<ParkingBrake active="true" value="0.25"/>`:               {"brake": 0.25},
		`<Throttle active="true" value="1"/>`:                      {"throttle": 1},
		`<Clutch active="true" value="1"/>`:                        {"throttle": 0},
		`<SteeringWheel active="true" value="0.4"/>`: {"throttle": 0.3,
			participant.Steering: 0.4},
	} {
		x, y, v := at(event("hold", 0, held(story)), driver, 1.5)
		wantX, wantY, want := at("", same, 1.5)
		require.InDelta(t, want, v, 0.05, story)
		require.InDelta(t, wantX, x, 0.2, story)
		require.InDelta(t, wantY, y, 0.05, story)
	}
	const full = `<Throttle active="true" value="1"/>`
	_, _, released := at(event("hold", 0, held(full))+event("release", 0.005,
		held(strings.Replace(full, "true", "false", 1))), driver, 1.5)
	_, _, untouched := at("", driver, 1.5)
	require.InDelta(t, untouched, released, 0.1)
	_, _, slow := at(event("hold", 0, held(`<Brake active="true" value="0"><BrakePercent value="1"
maxRate="0.2"/></Brake>`)), driver, 1)
	_, _, none := at("", driver, 1)
	_, _, braked := at("", map[string]float64{"brake": 1}, 1)
	require.Greater(t, slow, braked+3, "the brake is pressed slowly")
	require.Less(t, slow, none-0.3)
}

// TestPedals_HeldAnew checks that a control that is already held moves to its new position from
// where it is held, not from where the driver has it.
func TestPedals_HeldAnew(t *testing.T) {
	const half, rise = `<Brake active="true" value="0.5"/>`, `<Brake active="true" value="0">
<BrakePercent value="1" maxRate="0.1"/></Brake>`
	driver := map[string]float64{"throttle": 0}
	_, _, kept := pressed(t, event("hold", 0, held(half)), driver).until(2)
	_, _, risen := pressed(t, event("hold", 0, held(half))+event("more", 1, held(rise)),
		driver).until(2)
	require.Less(t, risen, kept-0.1)
	require.Greater(t, risen, kept-2)
}

// TestPedals_HeldImpossibly checks that values that no control can have are refused before the run.
func TestPedals_HeldImpossibly(t *testing.T) {
	for controls, want := range map[string]string{
		`<Gear active="true"><ManualGear number="30"/></Gear>`: "ManualGear.number: " +
			"not supported: found 30, expected a gear from -1 to 20",
		`<Gear active="true" number="-2"/>`: "Gear.number",
		`<Brake active="true"><BrakeForce value="-5"/></Brake>`: "found -5, expected a force of " +
			"0 N or more",
		`<Brake active="true"><BrakePercent value="-0.1"/></Brake>`: "a position from 0 to 1",
		`<Throttle active="true" value="1" maxRate="-1"/>`:          "Throttle.maxRate",
		`<SteeringWheel active="true" value="NaN"/>`:                "SteeringWheel.value",
	} {
		_, err := participant.New(parse(t, event("hold", 1, held(controls))),
			participant.Options{Seats: []string{"Ego"}})
		require.ErrorIs(t, err, storyboard.ErrUnsupported, controls)
		require.ErrorContains(t, err, want)
		require.Regexp(t, `:\d+:\d+: `, err.Error())
	}
}

// TestPedals_HeldWithoutADriver checks that holding controls of an entity without pedals is noted,
// and changes nothing.
func TestPedals_HeldWithoutADriver(t *testing.T) {
	s := pressed(t, event("hold", 1, held(`<Brake active="true" value="1"/>`)),
		map[string]float64{participant.Brake: 0})
	_, _, v := s.until(3)
	require.InDelta(t, 20, v, 1e-9)
	r := s.end()
	require.InDeltaSlice(t, []float64{1}, kinds(r, "override"), 0.011)
	require.True(t, slices.ContainsFunc(r.Notes, func(n play.Note) bool {
		return n.Text == "Brake 1; its driver has no pedals, and continues"
	}))
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
