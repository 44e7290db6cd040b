package entities_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// braking is a driver that brakes at 4 m/s2 and steers to the left edge of its lane.
type braking struct {
	world  *entities.World
	active bool
	taken  int
	v, x   float64
}

func (d *braking) hand(has storyboard.Domain) error {
	active := has != 0
	d.active = active
	if !active {
		return nil
	}
	d.taken++
	a, err := d.world.Simulation().Actor("A")
	if err != nil {
		return err
	}
	s := a.State()
	d.x, d.v = s.Position.X, s.Speed
	return d.world.Simulation().Take("A")
}

// drive moves the vehicle by one step.
func (d *braking) drive(t testing.TB) {
	if !d.active {
		return
	}
	const h = 0.01
	d.x += d.v*h - 4*h*h/2
	d.v -= 4 * h
	sim := d.world.Simulation()
	require.NoError(t, sim.Put("A", &mocksim.Update{Time: sim.Time() + 10*timebase.Millisecond,
		Given: mocksim.PartX | mocksim.PartY | mocksim.PartYaw | mocksim.PartVelocityX |
			mocksim.PartVelocityY,
		Position: frames.Vector{X: d.x, Y: -1}, Velocity: frames.Vector{X: d.v}}))
}

func activate(on bool) string {
	value := "false"
	if on {
		value = "true"
	}
	return `<ControllerAction><ActivateControllerAction longitudinal="` + value + `" lateral="` +
		value + `"/>
</ControllerAction>`
}

// driven runs a scenario whose entity A has a driver.
func driven(t testing.TB, init, stories string) (*run, *braking) {
	_, s, err := open(t, car("A", "10"), init, stories, road)
	require.NoError(t, err)
	d := &braking{}
	w, err := entities.New(s, entities.Options{Map: straight(t)})
	require.NoError(t, err)
	w.SetDriver(0, d.hand, false)
	d.world = w
	return begin(t, w, s), d
}

func begin(t testing.TB, w *entities.World, s *scenario.Scenario) *run {
	r := &run{t: t, world: w, ends: map[string]float64{}}
	var errs []error
	r.board, errs = storyboard.New(s, w, storyboard.Options{})
	require.Empty(t, errs)
	require.NoError(t, r.board.Start())
	require.NoError(t, w.TakeOver())
	return r
}

// TestDriver checks that a driver takes over when the scenario says so, at the entity's position
// and speed, and that the storyboard continues from the state in which the driver hands back.
func TestDriver(t *testing.T) {
	r, d := driven(t, one(20), story(activate(true)))
	for k := range 200 {
		d.drive(t)
		r.until(float64(k+1)/100, 0)
	}
	require.Equal(t, 1, d.taken)
	a := r.until(2, 0)
	require.InDelta(t, 120+20-2, a.X, 1e-6) // 1 s at 20 m/s, then braking
	require.InDelta(t, 16, a.Speed, 1e-6)
	require.InDelta(t, -1, a.Y, 1e-9)
	require.InDelta(t, 38, a.Traveled, 0.05+0.75)
	require.NotZero(t, r.world.Driven(0))
	require.NoError(t, r.world.HandBack(0))
	a = r.until(3, 0)
	require.InDelta(t, 138+16, a.X, 1e-6)
	require.InDelta(t, -1, a.Y, 1e-9) // lane and offset are kept
	require.InDelta(t, 16, a.Speed, 1e-6)
	// Without an action that activates a controller, the driver controls the entity from the start.
	r, d = driven(t, one(20), "")
	require.NotZero(t, r.world.Driven(0))
	d.drive(t)
	require.InDelta(t, 19.96, r.until(0.01, 0).Speed, 1e-6)
}

// TestDriver_HandsBackAtRest checks that an entity at rest stays where its driver left it.
func TestDriver_HandsBackAtRest(t *testing.T) {
	r, d := driven(t, one(0), story(activate(true)))
	r.until(1.5, 0)
	require.Equal(t, 1, d.taken)
	sim := r.world.Simulation()
	for k := range 5 {
		require.NoError(t, sim.Put("A", &mocksim.Update{Time: sim.Time() + 10*timebase.Millisecond,
			Given: mocksim.PartX | mocksim.PartY | mocksim.PartYaw | mocksim.PartVelocityX |
				mocksim.PartVelocityY, Position: frames.Vector{X: d.x, Y: -1}}))
		r.until(1.51+float64(k)/100, 0)
	}
	require.NoError(t, r.world.HandBack(0))
	a := r.until(2, 0)
	view, err := sim.Actor("A")
	require.NoError(t, err)
	require.InDelta(t, -1, a.Y, 1e-9)
	require.InDelta(t, -1, view.State().Position.Y, 1e-9)
}

// TestLead_DoesNotTurn checks that a driver of the longitudinal motion, which stays on its own
// straight path, sets speed and distance while the storyboard changes the lane.
func TestLead_DoesNotTurn(t *testing.T) {
	change := story(`<LateralAction><LaneChangeAction><LaneChangeActionDynamics
dynamicsShape="sinusoidal" dynamicsDimension="time" value="3"/><LaneChangeTarget>
<AbsoluteTargetLane value="-2"/></LaneChangeTarget></LaneChangeAction></LateralAction>`)
	_, s, err := open(t, car("A", "10"), private("A", teleport(-1, 100)+speed(10)+
		`<PrivateAction><ControllerAction><ActivateControllerAction longitudinal="true"
lateral="false"/></ControllerAction></PrivateAction>`), change, road)
	require.NoError(t, err)
	w, err := entities.New(s, entities.Options{Map: straight(t)})
	require.NoError(t, err)
	w.SetDriver(0, func(storyboard.Domain) error { return nil }, false)
	r := begin(t, w, s)
	last := r.until(0, 0)
	const h, center = 0.01, 1.4
	x, v := 100.0, 10.0
	for k := 1; k <= 400; k++ {
		x, v = x+v*h-2*h*h/2, v-2*h
		u := mocksim.Update{Given: mocksim.PartX | mocksim.PartY | mocksim.PartVelocityX |
			mocksim.PartVelocityY, Position: frames.Vector{X: x + center, Y: -1.75},
			Velocity: frames.Vector{X: v}}
		if k > 350 { // it stands
			x, v = x-v*h, 0
			u.Position.X, u.Velocity.X = x+center, 0
		}
		w.Lead(0, &u)
		a := r.until(float64(k)*h, 0)
		require.InDelta(t, v, a.Speed, 1e-9, k)
		require.InDelta(t, x, a.X, 0.1, k)
		require.GreaterOrEqual(t, a.X, last.X-1e-3, k)
		last = a
	}
	require.Less(t, last.Y, -4.5)
}

// TestLead_Lags checks that an entity follows the path of a driver of the lateral motion alone,
// whose place is behind the entity, next to it, or ahead.
func TestLead_Lags(t *testing.T) {
	for _, test := range []struct{ slower, late float64 }{
		{0, 0}, {0, 0.1}, {0, 0.1001}, {0, 0.2}, {0, 3}, {5, 0}, {-5, 0}, {0, -1}} {
		w, s := lateral(t)
		r := begin(t, w, s)
		last := r.until(0, 0)
		const h, center = 0.01, 1.4
		x, y := 100-test.late, -1.75
		for k := 1; k <= 300; k++ {
			yaw := 0.0
			if k <= 200 { // to the left
				yaw = 0.02
			}
			v := 10 - test.slower
			x, y = x+v*h*math.Cos(yaw), y+v*h*math.Sin(yaw)
			u := mocksim.Update{Given: mocksim.PartX | mocksim.PartY | mocksim.PartYaw,
				Position: frames.Vector{X: x + center*math.Cos(yaw), Y: y + center*math.Sin(yaw)}}
			u.Orientation.Yaw = yaw
			w.Lead(0, &u)
			a := r.until(float64(k)*h, 0)
			require.InDelta(t, 10, a.Speed, 1e-9, "%+v %d", test, k)
			require.InDelta(t, last.X+0.1, a.X, 2e-3, "%+v %d", test, k)
			if a.X > x && (k <= 200 || k > 205) { // the path turns at once
				line := y + (a.X-x)*math.Tan(yaw)
				require.InDelta(t, line, a.Y, 0.05, "%+v %d", test, k)
			}
			require.InDelta(t, y, a.Y, 0.25, "%+v %d", test, k)
			require.LessOrEqual(t, math.Abs(a.Y-last.Y), 0.1+1e-9, "%+v %d", test, k)
			last = a
		}
	}
}

// lateral returns the world of an entity at 10 m/s whose driver steers only.
func lateral(t *testing.T) (*entities.World, *scenario.Scenario) {
	t.Helper()
	_, s, err := open(t, car("A", "10"), private("A", teleport(-1, 100)+speed(10)+
		`<PrivateAction><ControllerAction><ActivateControllerAction longitudinal="false"
lateral="true"/></ControllerAction></PrivateAction>`), "", road)
	require.NoError(t, err)
	w, err := entities.New(s, entities.Options{Map: straight(t)})
	require.NoError(t, err)
	w.SetDriver(0, func(storyboard.Domain) error { return nil }, false)
	return w, s
}
