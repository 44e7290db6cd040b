package participant_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/mocksim/seat"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/scenario"
	"gosmp/scenario/participant"
	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// object returns a car, or a pedestrian, whose reference point is 1.4 m behind the middle of its
// box.
func object(name, kind string) string {
	box := `<BoundingBox><Center x="1.4" y="0" z="0.75"/><Dimensions width="2" length="5"
height="1.5"/></BoundingBox>`
	if kind == "Pedestrian" {
		return `<ScenarioObject name="` + name + `"><Pedestrian name="p" mass="80"
pedestrianCategory="pedestrian">` + box + `<Properties/></Pedestrian></ScenarioObject>`
	}
	return `<ScenarioObject name="` + name + `"><Vehicle name="v" vehicleCategory="car">` + box +
		`<Performance maxSpeed="70" maxAcceleration="5" maxDeceleration="8"/><Axles><FrontAxle
maxSteering="0.5" wheelDiameter="0.8" trackWidth="1.7" positionX="2.98" positionZ="0.4"/><RearAxle
maxSteering="0" wheelDiameter="0.8" trackWidth="1.7" positionX="0" positionZ="0.4"/></Axles>
<Properties/></Vehicle></ScenarioObject>`
}

func private(name string, x, v float64) string {
	return fmt.Sprintf(`<Private entityRef="%s"><PrivateAction><TeleportAction><Position>
<WorldPosition x="%v" y="0"/></Position></TeleportAction></PrivateAction><PrivateAction>
<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="step" dynamicsDimension="time"
value="0"/><SpeedActionTarget><AbsoluteTargetSpeed value="%v"/></SpeedActionTarget></SpeedAction>
</LongitudinalAction></PrivateAction></Private>`, name, x, v)
}

// event returns an action of Ego at a time.
func event(name string, at float64, action string) string {
	return fmt.Sprintf(`<Event name="%s" priority="parallel"><Action name="%s"><PrivateAction>%s
</PrivateAction></Action><StartTrigger><ConditionGroup><Condition name="c" delay="0"
conditionEdge="none"><ByValueCondition><SimulationTimeCondition value="%v" rule="greaterOrEqual"/>
</ByValueCondition></Condition></ConditionGroup></StartTrigger></Event>`, name, name, action, at)
}

func activate(longitudinal, lateral bool) string {
	return fmt.Sprintf(`<ControllerAction><ActivateControllerAction longitudinal="%v"
lateral="%v"/></ControllerAction>`, longitudinal, lateral)
}

// parse returns a scenario of 5 s on a plane: Ego drives at 20 m/s from x = 0, and Target stands at
// 200 m.
func parse(t testing.TB, events string) *scenario.Scenario {
	return resolve(t, document(events))
}

func document(events string) string {
	text := `<OpenSCENARIO><FileHeader revMajor="1" revMinor="3" date="2026-01-01T00:00:00"
description="" author=""/><RoadNetwork/><Entities>` + object("Ego", "Vehicle") +
		object("Target", "Vehicle") + object("P", "Pedestrian") +
		`</Entities><Storyboard><Init><Actions>` + private("Ego", 0, 20) +
		private("Target", 200, 0) +
		private("P", 100, 0) + `</Actions></Init>`
	if events != "" {
		text += `<Story name="S"><Act name="A"><ManeuverGroup name="G" maximumExecutionCount="1">
<Actors selectTriggeringEntities="false"><EntityRef entityRef="Ego"/></Actors><Maneuver name="M">` +
			events + `</Maneuver></ManeuverGroup></Act></Story>`
	}
	text += `<StopTrigger><ConditionGroup><Condition name="end" conditionEdge="none" delay="0">
<ByValueCondition><SimulationTimeCondition rule="greaterOrEqual" value="5"/></ByValueCondition>
</Condition></ConditionGroup></StopTrigger></Storyboard></OpenSCENARIO>`
	return text
}

func resolve(t testing.TB, text string) *scenario.Scenario {
	d, err := scenario.Parse("test.xosc", []byte(text))
	require.NoError(t, err)
	s, err := d.Resolve(nil)
	require.NoError(t, err)
	return s
}

// driver answers SensorViews with the result of says. It starts with the first view.
type driver struct {
	says    func(d *driver, h float64) *osi3.BaseMoving // nil: nothing
	in, out *cosim.Frame
	views   int
	begun   float64 // when it received the first view, s
	x, y, v float64 // its own state, starting with the first view
	now     float64
	// more adds to what it says; may be nil.
	more func(*osi3.SensorView, *osi3.TrafficUpdate)

	stray float64 // when it starts sending about another object, s; 0: never
}

func (d *driver) Variables() []cosim.Variable {
	return []cosim.Variable{
		{Name: "view", Kind: cosim.Binary, Role: cosim.Input, Size: 1,
			MIMEType: osmp.MIMEType("SensorView")},
		{Name: "update", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: osmp.MIMEType("TrafficUpdate")}}
}
func (d *driver) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }
func (d *driver) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	d.in, d.out = cosim.NewFrame(d.Variables(), in), cosim.NewFrame(d.Variables(), out)
	return d.in, d.out, nil
}
func (d *driver) Enter(context.Context, cosim.Setup) error { return nil }
func (d *driver) Exchange(context.Context) error           { return nil }
func (d *driver) Leave(context.Context) error              { return nil }
func (d *driver) Stop(context.Context) error               { return nil }
func (d *driver) Close() error                             { return nil }

func (d *driver) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	d.out.SetBlob(0, 0, nil)
	if len(d.in.Blob(0, 0)) == 0 {
		return cosim.Advance{Reached: s.End}, nil
	}
	v := &osi3.SensorView{}
	if err := proto.Unmarshal(d.in.Blob(0, 0), v); err != nil {
		return cosim.Advance{}, err
	}
	d.now = s.Start.Seconds()
	if d.views++; d.views == 1 {
		d.begun = d.now
		for _, o := range v.GlobalGroundTruth.GetMovingObject() {
			if o.Id.GetValue() == v.HostVehicleId.GetValue() {
				d.x, d.y = o.Base.Position.GetX(), o.Base.Position.GetY()
				d.v = o.Base.Velocity.GetX()
			}
		}
	}
	base := d.says(d, s.Length().Seconds())
	if base == nil {
		return cosim.Advance{Reached: s.End}, nil
	}
	id := v.HostVehicleId
	if d.stray > 0 && d.now > d.stray {
		id = &osi3.Identifier{Value: proto.Uint64(777)}
	}
	u := &osi3.TrafficUpdate{Update: []*osi3.MovingObject{{Id: id, Base: base}}}
	if d.more != nil {
		d.more(v, u)
	}
	b, err := proto.Marshal(u)
	d.out.SetBlob(0, 0, b)
	return cosim.Advance{Reached: s.End}, err
}

// drive returns a driver that continues straight ahead from its own state: it accelerates at a
// m/s2, and moves at vy m/s to the left.
func drive(a, vy float64) *driver {
	return &driver{says: func(d *driver, h float64) *osi3.BaseMoving {
		d.x += d.v*h + a*h*h/2
		d.v += a * h
		d.y += vy * h
		return &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(d.x),
			Y: proto.Float64(d.y)}, Velocity: &osi3.Vector3D{X: proto.Float64(d.v),
			Y: proto.Float64(vy)}}
	}}
}

// stage is an engine and its scenario.
type stage struct {
	*participant.Participant
	engine  *cosim.Engine
	t       testing.TB
	started bool
}

func newStage(t testing.TB, events string, d *driver) *stage {
	return newStageAt(t, events, d, 0.01)
}

// newStageAt returns a stage whose driver steps less often than the world.
func newStageAt(t testing.TB, events string, d *driver, every float64) *stage {
	return newStageOf(t, parse(t, events), d, every)
}

func newStageOf(t testing.TB, s *scenario.Scenario, d *driver, every float64) *stage {
	p, err := participant.New(s, participant.Options{Seats: []string{"Ego"}})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: 100 * timebase.Second, Step: cosim.Every(p.StepSize())})
	if d != nil {
		e.AddEvery("driver", d, cosim.Every(every))
	}
	e.Add("world", p)
	if d != nil {
		e.ConnectAs(cosim.Connection{From: "world.Ego." + participant.DriversView,
			To: "driver.view", Timing: cosim.Lagging})
		e.ConnectAs(cosim.Connection{From: "driver.update",
			To: "world.Ego." + participant.Update, Timing: cosim.Prompt})
	}
	return &stage{p, e, t, false}
}

// until runs to a time, or to the end if time is 0, and returns the state of Ego: x, y and speed.
func (s *stage) until(time float64) (x, y, v float64) {
	s.t.Helper()
	s.start()
	for more := true; more && (time == 0 || s.Board().Now() < time-1e-9); {
		var err error
		more, err = s.engine.Step(s.t.Context())
		require.NoError(s.t, err)
	}
	state := s.World().State(0)
	return state.X, state.Y, state.Speed
}

func (s *stage) start() {
	s.t.Helper()
	if !s.started {
		s.started = true
		require.NoError(s.t, s.engine.Start(s.t.Context()))
	}
}

// end returns the result of the run.
func (s *stage) end() *play.Result {
	s.t.Helper()
	s.until(0)
	_, err := s.engine.Finish(s.t.Context())
	require.NoError(s.t, err)
	require.NoError(s.t, s.Finish(nil))
	return s.Result()
}

func kinds(r *play.Result, kind string) (times []float64) {
	for _, n := range r.Notes {
		if n.Kind == kind {
			times = append(times, n.Time)
		}
	}
	return times
}

func TestDriver_HasTheEntityFromTheStartUnlessTheScenarioSays(t *testing.T) {
	d := drive(-2, 0)
	s := newStage(t, "", d)
	x, y, v := s.until(2)
	require.InDelta(t, 36, x, 1e-6)
	require.InDelta(t, 0, y, 1e-9)
	require.InDelta(t, 16, v, 1e-6)
	r := s.end()
	require.Equal(t, "StopTrigger", r.EndedBy)
	require.InDelta(t, 5, r.Time, 1e-9)
	require.EqualValues(t, 500, r.Steps)
	require.Equal(t, 500, d.views)
}

// TestDriver_TakesOverWithoutAJump checks that a driver that integrates its own state takes over
// where the storyboard left the entity, and that the storyboard continues from where the driver
// left it.
func TestDriver_TakesOverWithoutAJump(t *testing.T) {
	d := drive(-2, 0)
	s := newStage(t, event("on", 1, activate(true, true))+event("off", 3, activate(false, false)),
		d)
	x, _, v := s.until(1)
	require.InDelta(t, 20, x, 1e-9)
	require.Zero(t, d.views)
	last := x
	for k := 1; k <= 200; k++ {
		x, _, v = s.until(1 + float64(k)/100)
		require.InDelta(t, v*0.01, x-last, 2e-4, "from one step to the next")
		last = x
	}
	require.InDelta(t, 1, d.begun, 1e-9)
	require.InDelta(t, 16, v, 1e-6)
	x, _, v = s.until(4)
	require.InDelta(t, last+16, x, 1e-6)
	require.InDelta(t, 16, v, 1e-9)
	require.Equal(t, 200, d.views)
	require.Len(t, kinds(s.end(), "controller"), 2)
}

func TestDriver_OfTheLongitudinalMotionAlone(t *testing.T) {
	s := newStage(t, event("on", 0, activate(true, false)), drive(-2, 1))
	x, y, v := s.until(2)
	require.InDelta(t, 36, x, 1e-6)
	require.InDelta(t, 0, y, 1e-9)
	require.InDelta(t, 16, v, 1e-6)
}

func TestDriver_OfTheLateralMotionAlone(t *testing.T) {
	s := newStage(t, event("on", 0, activate(false, true)), drive(0, 1))
	x, y, v := s.until(2)
	require.InDelta(t, 40, x, 1e-6)
	require.InDelta(t, 2, y, 1e-6)
	require.InDelta(t, 20, v, 1e-9)
}

// TestDriver_OfOneMotionIsSlower checks that an entity moves on evenly between updates if a driver
// of one motion steps every 0.1 s and the world every 0.01 s.
func TestDriver_OfOneMotionIsSlower(t *testing.T) {
	s := newStageAt(t, event("on", 0, activate(true, false)), drive(-2, 1), 0.1)
	for k := 20; k <= 200; k++ {
		at := float64(k) * 0.01
		x, y, v := s.until(at)
		require.InDelta(t, 20*at-at*at, x, 0.01, at)
		require.InDelta(t, 0, y, 1e-9)
		require.InDelta(t, 20-2*at, v, 0.02, at)
	}
	s = newStageAt(t, event("on", 0, activate(false, true)), drive(0, 1), 0.1)
	for k := 20; k <= 200; k++ {
		at := float64(k) * 0.01
		x, y, v := s.until(at)
		require.InDelta(t, 20*at, x, 1e-6, at)
		require.InDelta(t, at, y, 1e-6, at)
		require.InDelta(t, 20, v, 1e-9)
	}
}

func TestDriver_WhoFallsSilentGivesBack(t *testing.T) {
	d := drive(-2, 0)
	says := d.says
	d.says = func(d *driver, h float64) *osi3.BaseMoving {
		if d.now > 0.995 && d.now < 1.995 {
			d.views = 0 // it must determine its position again
			return nil
		}
		return says(d, h)
	}
	s := newStage(t, "", d)
	_, _, v := s.until(1.95)
	require.InDelta(t, 18, v, 0.05, "the storyboard keeps the speed")
	_, _, v = s.until(4)
	require.InDelta(t, 14, v, 0.05)
	r := s.end()
	require.Len(t, kinds(r, "silent"), 1)
}

// TestDriver_WhoSpeaksOfOthersIsSilent checks that messages about other objects do not give the
// motions back to a driver.
func TestDriver_WhoSpeaksOfOthersIsSilent(t *testing.T) {
	d := drive(-2, 0)
	d.stray = 0.995
	s := newStage(t, "", d)
	_, _, v := s.until(4)
	require.InDelta(t, 18, v, 0.05, "the storyboard keeps the speed")
	r := s.end()
	require.Len(t, kinds(r, "silent"), 1)
	require.Len(t, kinds(r, "unknown actor"), 1)
}

// TestDriver_WhoIsSilentWhenTheScenarioHandsBack checks that a driver does not regain motions that
// the scenario took from it while it was silent.
func TestDriver_WhoIsSilentWhenTheScenarioHandsBack(t *testing.T) {
	d := drive(-2, 0)
	says := d.says
	d.says = func(d *driver, h float64) *osi3.BaseMoving {
		if d.now > 0.995 && d.now < 1.995 {
			d.views = 0
			return nil
		}
		return says(d, h)
	}
	s := newStage(t, event("on", 0, activate(true, true))+event("off", 1.5, activate(false, false)),
		d)
	_, _, v := s.until(4)
	require.InDelta(t, 18, v, 0.05)
	require.Zero(t, s.World().Driven(0))
}

func TestDriver_ThatStartsElsewhereIsAnError(t *testing.T) {
	d := drive(0, 0)
	says := d.says
	d.says = func(d *driver, h float64) *osi3.BaseMoving {
		b := says(d, h)
		b.Position.X = proto.Float64(b.Position.GetX() + 5)
		return b
	}
	s := newStage(t, "", d)
	require.NoError(t, s.engine.Start(t.Context()))
	_, err := s.engine.Step(t.Context())
	require.ErrorIs(t, err, seat.ErrStart)
	require.ErrorContains(t, s.Finish(err), "where the world has placed Ego")
	require.Equal(t, play.Broken, s.Result().Outcome)
}

// pressed returns a stage whose controls are set from outside.
func pressed(t testing.TB, events string, values map[string]float64) *stage {
	s := newStage(t, events, nil)
	controls := map[string]*cosim.Control{}
	for name := range values {
		controls[name] = s.engine.Drive("world.Ego." + name)
	}
	s.start()
	for name, v := range values {
		controls[name].SetFloat(0, v)
	}
	return s
}

// step performs the first step.
func (s *stage) step() error {
	_, err := s.engine.Step(s.t.Context())
	return err
}

func TestRequests_ChangeTheSpeedAlone(t *testing.T) {
	s := pressed(t, "", map[string]float64{participant.Brake: 0.5})
	x, y, v := s.until(2)
	require.InDelta(t, 40-8, x, 1e-6)
	require.InDelta(t, 12, v, 1e-6)
	require.Zero(t, y)
	x, _, v = s.until(0)
	require.InDelta(t, 20*20/8.0, x, 1e-6)
	require.Zero(t, v, "it does not reverse")

	s = pressed(t, "", map[string]float64{participant.Acceleration: 9})
	_, _, v = s.until(1)
	require.InDelta(t, 25, v, 1e-6, "maxAcceleration")

	s = pressed(t, event("on", 1, activate(true, false)), map[string]float64{participant.Brake: 1})
	_, _, v = s.until(1)
	require.InDelta(t, 20, v, 1e-9, "not before the scenario says so")
	_, _, v = s.until(2)
	require.InDelta(t, 12, v, 1e-6)

	s = pressed(t, "", map[string]float64{participant.Brake: 1.5})
	require.ErrorContains(t, s.step(), "Ego.brakeRequest")
	s = pressed(t, "", map[string]float64{participant.Brake: math.NaN()})
	require.ErrorIs(t, s.step(), participant.ErrSeat)
}

// TestRequests_OverruleTheStoryboard checks that braking ends the storyboard's speed actions, so
// that the speed does not jump back later.
func TestRequests_OverruleTheStoryboard(t *testing.T) {
	faster := `<LongitudinalAction><SpeedAction><SpeedActionDynamics dynamicsShape="linear"
dynamicsDimension="time" value="4"/><SpeedActionTarget><AbsoluteTargetSpeed value="30"/>
</SpeedActionTarget></SpeedAction></LongitudinalAction>`
	s := pressed(t, event("faster", 0, faster), map[string]float64{participant.Brake: 0.25})
	_, _, v := s.until(1)
	require.InDelta(t, 18, v, 1e-6)
	all := s.Board().Elements()
	require.Equal(t, storyboard.Complete, all[len(all)-1].Status())
}

func TestPedals_MoveTheVehicle(t *testing.T) {
	s := pressed(t, "", map[string]float64{"throttle": 1, participant.Steering: 0.5})
	_, y, v := s.until(2)
	require.Greater(t, v, 21.0)
	require.Greater(t, y, 1.0)
	s = newStage(t, event("on", 0, activate(true, false)), nil)
	s.engine.Drive("world.Ego.throttle")
	require.ErrorContains(t, s.engine.Start(t.Context()), "both lateral and longitudinal")
}

func TestSeats_AreRefused(t *testing.T) {
	for seats, want := range map[string]string{"Egg": "an entity of the scenario: Ego, Target, P",
		"P": "P, a pedestrian, expected a vehicle"} {
		_, err := participant.New(parse(t, ""), participant.Options{Seats: []string{seats}})
		require.ErrorIs(t, err, participant.ErrSeat)
		require.ErrorContains(t, err, want)
	}
	s := newStage(t, "", drive(0, 0))
	s.engine.Drive("world.Ego.brakeRequest")
	require.ErrorContains(t, s.engine.Start(t.Context()), "one way to drive")
}

// TestStep_AllocatesNothing checks that a step, including its messages, allocates nothing after the
// first few steps.
func TestStep_AllocatesNothing(t *testing.T) {
	s := newStage(t, "", nil)
	brake := s.engine.Drive("world.Ego." + participant.Brake)
	s.engine.Watch("world.Ego." + participant.View)
	s.engine.Watch("world." + participant.Init)
	s.start()
	brake.SetFloat(0, 0.01)
	s.until(1)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := s.engine.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}))
}
