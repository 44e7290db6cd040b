package mocksim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/timebase"
)

const pose = mocksim.PartX | mocksim.PartY | mocksim.PartYaw

// taken returns a world with a moving car that an owner has taken, and the state of the car.
func taken(t testing.TB, speed float64) (*mocksim.World, mocksim.State) {
	w := world(t, "straight.xodr", mocksim.Options{Step: 20 * ms})
	create(t, w, "ego", mocksim.Car, mocksim.OnRoad("1", -1, 50).WithSpeed(speed))
	require.NoError(t, w.Take("ego"))
	return w, view(t, w, "ego").State()
}

func put(t testing.TB, w *mocksim.World, u mocksim.Update) {
	t.Helper()
	require.NoError(t, w.Put("ego", &u))
}

func TestPut_IsTheStateAtTheEndOfTheStep(t *testing.T) {
	w, start := taken(t, 20)
	for k := 1; k <= 250; k++ {
		x := start.Position.X + 20*float64(k)*0.02
		put(t, w, mocksim.Update{Time: w.Time() + 20*ms, Given: pose, Position: frames.Vector{X: x,
			Y: start.Position.Y}})
		require.Empty(t, steps(t, w, 1, 20*ms))
		s := view(t, w, "ego").State()
		require.InDelta(t, x, s.Position.X, 1e-9)
		require.InDelta(t, 20, s.Speed, 1e-9, "what the poses say")
		require.InDelta(t, 0, s.Along, 1e-6)
	}
	require.NotZero(t, view(t, w, "ego").State().Estimated&mocksim.FieldVelocity)
}

// TestPut_BetweenUpdatesTheActorMovesOn checks that an owner that sends an update every 100 ms
// moves its actor in each step of 20 ms.
func TestPut_BetweenUpdatesTheActorMovesOn(t *testing.T) {
	w, start := taken(t, 20)
	for k := range 50 {
		at := float64(k) * 0.02
		if k%5 == 0 {
			put(t, w, mocksim.Update{Time: w.Time(), Given: pose | mocksim.PartVelocityX |
				mocksim.PartYawRate, Position: frames.Vector{X: start.Position.X + 20*at,
				Y: start.Position.Y}, Velocity: frames.Vector{X: 20}})
		}
		steps(t, w, 1, 20*ms)
		s := view(t, w, "ego").State()
		require.InDelta(t, 20, s.Speed, 0.1)
		require.InDelta(t, start.Position.X+20*(at+0.02), s.Position.X, 1e-9)
	}
}

func TestPut_WhoBrakesStopsAndDoesNotReverse(t *testing.T) {
	w, start := taken(t, 2)
	put(t, w, mocksim.Update{Time: 0, Given: mocksim.PartVelocityX | mocksim.PartVelocityY |
		mocksim.PartAccelerationX, Velocity: frames.Vector{X: 2},
		Acceleration: frames.Vector{X: -4}})
	steps(t, w, 100, 20*ms)
	s := view(t, w, "ego").State()
	require.InDelta(t, start.Position.X+0.5, s.Position.X, 1e-9, "v²/2a")
	require.Zero(t, s.Speed)
	require.Zero(t, s.Acceleration.X)
}

// TestPut_MergesByPresence checks that an update may consist of any single component, and that the
// others remain unchanged or follow from the motion and the road.
func TestPut_MergesByPresence(t *testing.T) {
	for name, c := range map[string]struct {
		u    mocksim.Update
		want func(was, is mocksim.State)
	}{
		"nothing": {mocksim.Update{}, func(was, is mocksim.State) {
			require.InDelta(t, was.Position.X+0.2, is.Position.X, 1e-9, "moves on at 10 m/s")
		}},
		"x": {mocksim.Update{Given: mocksim.PartX, Position: frames.Vector{X: 50.3}},
			func(was, is mocksim.State) {
				require.InDelta(t, 50.3, is.Position.X, 1e-9)
				require.InDelta(t, was.Position.Y, is.Position.Y, 1e-9)
			}},
		"y": {mocksim.Update{Given: mocksim.PartY, Position: frames.Vector{Y: -1.5}},
			func(was, is mocksim.State) {
				require.InDelta(t, was.Position.X, is.Position.X, 1e-9)
				require.InDelta(t, -1.5, is.Position.Y, 1e-9)
			}},
		"z": {mocksim.Update{Given: mocksim.PartZ, Position: frames.Vector{Z: 1.75}},
			func(was, is mocksim.State) {
				require.InDelta(t, 1, is.Position.Z, 1e-9, "below the middle of the box")
				require.InDelta(t, was.Position.X+0.2, is.Position.X, 1e-9)
			}},
		"yaw": {mocksim.Update{Given: mocksim.PartYaw, Orientation: frames.Orientation{Yaw: 0.1}},
			func(was, is mocksim.State) {
				require.InDelta(t, 0.1, is.Orientation.Yaw, 1e-9)
				require.InDelta(t, was.Position.X+0.2, is.Position.X, 1e-9)
			}},
		"pitch": {mocksim.Update{Given: mocksim.PartPitch,
			Orientation: frames.Orientation{Pitch: 0.1}}, func(_, is mocksim.State) {
			require.InDelta(t, 0.1, is.Orientation.Pitch, 1e-9)
		}},
		"roll": {mocksim.Update{Given: mocksim.PartRoll,
			Orientation: frames.Orientation{Roll: 0.1}}, func(_, is mocksim.State) {
			require.InDelta(t, 0.1, is.Orientation.Roll, 1e-9)
		}},
		"velocity": {mocksim.Update{Given: mocksim.PartVelocityX, Velocity: frames.Vector{X: 12}},
			func(was, is mocksim.State) {
				require.InDelta(t, was.Position.X+0.2, is.Position.X, 1e-9)
				require.InDelta(t, 12, is.Speed, 1e-9)
			}},
		"acceleration": {mocksim.Update{Given: mocksim.PartAccelerationX,
			Acceleration: frames.Vector{X: 3}}, func(_, is mocksim.State) {
			require.InDelta(t, 3, is.Along, 1e-9)
		}},
		"yaw rate": {mocksim.Update{Given: mocksim.PartYawRate,
			Rate: frames.Orientation{Yaw: 0.2}}, func(_, is mocksim.State) {
			require.InDelta(t, 0.2, is.Rate.Yaw, 1e-9)
		}},
		"steering": {mocksim.Update{Given: mocksim.PartSteering, Steering: 0.05},
			func(_, is mocksim.State) { require.InDelta(t, 0.05, is.Steering, 1e-9) }},
	} {
		t.Run(name, func(t *testing.T) {
			w, was := taken(t, 10)
			u := c.u
			u.Time = 20 * ms
			put(t, w, u)
			steps(t, w, 1, 20*ms)
			c.want(was, view(t, w, "ego").State())
		})
	}
}

// TestPut_VelocityInTheWrongAxes checks that a velocity in body axes is ignored if the poses
// contradict it.
func TestPut_VelocityInTheWrongAxes(t *testing.T) {
	for name, c := range map[string]struct {
		velocity frames.Vector
		events   []string
	}{
		"world": {frames.Vector{Y: 20}, []string{}},
		"body":  {frames.Vector{X: 20}, []string{"body_velocity ego"}},
	} {
		w := world(t, "straight.xodr", mocksim.Options{Step: 20 * ms})
		create(t, w, "ego", mocksim.Car, mocksim.AtPosition(50, -100).Facing(math.Pi/2).
			WithSpeed(20))
		require.NoError(t, w.Take("ego"))
		kinds := []string{}
		for k := 1; k <= 20; k++ {
			put(t, w, mocksim.Update{Time: w.Time() + 20*ms, Given: pose | mocksim.PartVelocityX |
				mocksim.PartVelocityY, Position: frames.Vector{X: 50, Y: -100 + 0.4*float64(k)},
				Orientation: frames.Orientation{Yaw: math.Pi / 2}, Velocity: c.velocity})
			for _, e := range kindsOf(steps(t, w, 1, 20*ms)) {
				if e != "off_road ego" {
					kinds = append(kinds, e)
				}
			}
			require.InDelta(t, 20, view(t, w, "ego").State().Speed, 1e-9, name)
		}
		require.Equal(t, c.events, kinds, name)
	}
}

func TestRelease_HandsOverWithoutAJump(t *testing.T) {
	w := world(t, "straight.xodr", mocksim.Options{Step: 20 * ms})
	create(t, w, "ego", mocksim.Car, mocksim.OnRoad("1", -1, 50).WithSpeed(15))
	require.NoError(t, w.SetController("ego", mocksim.Controller{
		Driver: mocksim.Driver{Speed: 15}}))
	steps(t, w, 10, 20*ms)
	for _, hand := range []func() error{
		func() error { return w.Take("ego") },
		func() error { return w.Release("ego") },
		func() error { return w.Take("ego") },
		func() error { return w.SetPedals("ego", mocksim.Controls{Gear: 1}) },
	} {
		before := view(t, w, "ego").State()
		require.NoError(t, hand())
		steps(t, w, 1, 20*ms)
		after := view(t, w, "ego").State()
		require.InDelta(t, before.Position.X+15*0.02, after.Position.X, 1e-3)
		require.InDelta(t, before.Position.Y, after.Position.Y, 1e-3)
		require.InDelta(t, 15, after.Speed, 0.02)
	}
	require.ErrorIs(t, w.Put("ego", &mocksim.Update{Time: w.Time()}), mocksim.ErrOwner)
	require.False(t, view(t, w, "ego").Owned())
}

func TestPut_Refuses(t *testing.T) {
	w, _ := taken(t, 1)
	require.NoError(t, w.Put("ego", &mocksim.Update{Time: 20 * ms}))
	steps(t, w, 1, 20*ms)
	require.ErrorIs(t, w.Put("ego", &mocksim.Update{Time: 10 * ms}), mocksim.ErrTime)
	require.ErrorIs(t, w.Put("ego", &mocksim.Update{Time: w.Time(),
		Position: frames.Vector{X: math.NaN()}}), mocksim.ErrValue)
	require.ErrorIs(t, w.Put("ego", &mocksim.Update{Time: w.Time(),
		Velocity: frames.Vector{X: 2e4}}), mocksim.ErrValue)
	require.ErrorIs(t, w.Put("other", &mocksim.Update{}), mocksim.ErrActor)
	require.ErrorIs(t, w.Take("other"), mocksim.ErrActor)
	create(t, w, "box", mocksim.Static, mocksim.OnRoad("1", -1, 150))
	require.ErrorIs(t, w.Take("box"), mocksim.ErrValue)
}

// TestPut_JumpsOfTheHeightAreEvents checks that a jump is reported in every direction.
func TestPut_JumpsOfTheHeightAreEvents(t *testing.T) {
	for part, at := range map[mocksim.Parts]frames.Vector{mocksim.PartX: {X: 1},
		mocksim.PartY: {Y: 1}, mocksim.PartZ: {Z: 1}} {
		w, start := taken(t, 0)
		put(t, w, mocksim.Update{Time: w.Time() + 20*ms, Given: part,
			Position: start.Position.Add(at.Scale(1000))})
		events := steps(t, w, 1, 20*ms)
		require.Contains(t, kindsOf(events), "jump ego")
		require.Equal(t, mocksim.Jump, events[len(events)-1].Kind)
		require.InDelta(t, 1000, events[len(events)-1].Value, 1)
		require.Zero(t, view(t, w, "ego").State().Speed)
	}
}

func TestPut_CollidesAndIsStoppedByNobody(t *testing.T) {
	w, start := taken(t, 20)
	create(t, w, "box", mocksim.Static, mocksim.OnRoad("1", -1, 60))
	var kinds []string
	for k := 1; k <= 100; k++ {
		put(t, w, mocksim.Update{Time: w.Time() + 20*ms, Given: pose, Position: frames.Vector{
			X: start.Position.X + 0.4*float64(k), Y: start.Position.Y}})
		kinds = append(kinds, kindsOf(steps(t, w, 1, 20*ms))...)
	}
	require.Equal(t, []string{"collision box", "collision_end box"}, kinds)
	require.InDelta(t, start.Position.X+40, view(t, w, "ego").State().Position.X, 1e-9)
}

func TestOwned_IsSavedAndRestored(t *testing.T) {
	w := world(t, "straight.xodr", mocksim.Options{Step: 20 * ms})
	create(t, w, "ego", mocksim.Car, mocksim.OnRoad("1", -1, 50).WithSpeed(15))
	require.NoError(t, w.SetController("ego", mocksim.Controller{}))
	require.NoError(t, w.Take("ego"))
	put(t, w, mocksim.Update{Time: 20 * ms, Given: mocksim.PartX, Position: frames.Vector{X: 50.2},
		Extra: mocksim.Extra{Lights: []byte{1}, Internal: []byte{2, 3}}})
	steps(t, w, 3, 20*ms)
	put(t, w, mocksim.Update{Time: 80 * ms, Given: mocksim.PartX, Position: frames.Vector{X: 51},
		Extra: mocksim.Extra{Wheels: []byte{4}}})
	saved := w.AppendState(nil)
	want := record(t, w, 20)
	require.NoError(t, w.Release("ego"))
	want = append(want, record(t, w, 20)...)
	require.NoError(t, w.Restore(saved))
	require.Equal(t, saved, w.AppendState(nil))
	got := record(t, w, 20)
	require.Equal(t, mocksim.Extra{Lights: []byte{1}, Wheels: []byte{4}, Internal: []byte{2, 3}},
		view(t, w, "ego").Extra())
	require.NoError(t, w.Release("ego"))
	require.Equal(t, want, append(got, record(t, w, 20)...))
	for k := 0; k < len(saved); k += 7 {
		bad := append([]byte(nil), saved...)
		bad[k] ^= 0x55
		require.ErrorIs(t, w.Restore(bad), mocksim.ErrState)
	}
}

func TestPut_AllocatesNothing(t *testing.T) {
	w, start := taken(t, 20)
	u := mocksim.Update{Given: pose, Position: start.Position,
		Extra: mocksim.Extra{Lights: []byte{8, 1}}}
	step := func() {
		u.Time, u.Position.X = w.Time()+20*ms, u.Position.X+0.001
		if w.Put("ego", &u) != nil {
			panic("put")
		}
		if _, err := w.Step(20 * timebase.Millisecond); err != nil {
			panic(err)
		}
	}
	step()
	require.Zero(t, testing.AllocsPerRun(200, step))
}
