package mocksim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/timebase"
)

// onCircle returns the update of an owner that has been driving in a circle to the left for a time
// in s.
func onCircle(start mocksim.State, given mocksim.Parts, radius, speed, t float64) mocksim.Update {
	turn := speed * t / radius
	sin, cos := math.Sincos(turn)
	return mocksim.Update{Given: given,
		Position:    start.Position.Add(frames.Vector{X: radius * sin, Y: radius * (1 - cos)}),
		Orientation: frames.Orientation{Yaw: turn},
		Velocity:    frames.Vector{X: speed * cos, Y: speed * sin},
		Rate:        frames.Orientation{Yaw: speed / radius}}
}

// TestPut_SparseUpdatesInACurve checks that an owner that sends one update per second moves its
// actor along its circle in each step, whatever it leaves out, and at its own speed, even if that
// differs from the world's initial speed.
func TestPut_SparseUpdatesInACurve(t *testing.T) {
	const radius, speed = 40.0, 12.0
	velocity := mocksim.PartVelocityX | mocksim.PartVelocityY
	for name, given := range map[string]mocksim.Parts{
		"all":         pose | velocity | mocksim.PartYawRate,
		"no rate":     pose | velocity,
		"no velocity": pose | mocksim.PartYawRate,
		"pose":        pose,
	} {
		for _, first := range []float64{speed, 6} {
			w, start := taken(t, first)
			for n := 1; n <= 200; n++ {
				if n%50 == 0 {
					u := onCircle(start, given, radius, speed, float64(n)*0.02)
					u.Time = w.Time() + 20*ms
					put(t, w, u)
				}
				steps(t, w, 1, 20*ms)
				if n < 50 {
					continue
				}
				want := onCircle(start, given, radius, speed, float64(n)*0.02)
				s := view(t, w, "ego").State()
				require.InDelta(t, want.Position.X, s.Position.X, 0.01, "%s, step %d", name, n)
				require.InDelta(t, want.Position.Y, s.Position.Y, 0.01, "%s, step %d", name, n)
				require.InDelta(t, speed, s.Speed, 0.02, "%s, step %d", name, n)
				require.InDelta(t, speed/radius, s.Rate.Yaw, 0.001, "%s, step %d", name, n)
			}
		}
	}
}

// TestPut_StartsAtASpeedOfItsOwn checks that the difference between an owner's first velocity and
// the previous one is not continued as an acceleration.
func TestPut_StartsAtASpeedOfItsOwn(t *testing.T) {
	w, start := taken(t, 6)
	for n := 1; n <= 20; n++ {
		if n%5 == 0 {
			put(t, w, mocksim.Update{Time: w.Time() + 20*ms, Given: pose | mocksim.PartVelocityX,
				Position: frames.Vector{X: start.Position.X + 20*0.02*float64(n),
					Y: start.Position.Y}, Velocity: frames.Vector{X: 20}})
		}
		steps(t, w, 1, 20*ms)
		if n >= 5 {
			require.InDelta(t, 20, view(t, w, "ego").State().Speed, 0.1, n)
		}
	}
}

// TestPut_StopsInACurve checks that an actor braking in a curve stays on the curve.
func TestPut_StopsInACurve(t *testing.T) {
	const radius, speed, brake = 20.0, 4.0, 2.0
	w, start := taken(t, speed)
	u := onCircle(start, pose|mocksim.PartVelocityX|mocksim.PartVelocityY|mocksim.PartYawRate|
		mocksim.PartAccelerationX|mocksim.PartAccelerationY, radius, speed, 0.02)
	v := u.Velocity.Scale(1 / speed)
	u.Acceleration = v.Scale(-brake).Add(frames.Vector{X: -v.Y, Y: v.X}.Scale(
		speed * speed / radius))
	u.Time = 20 * ms
	put(t, w, u)
	for range 150 {
		steps(t, w, 1, 20*ms)
		if s := view(t, w, "ego").State(); s.Speed > 0 {
			require.InDelta(t, s.Orientation.Yaw, math.Atan2(s.Velocity.Y, s.Velocity.X), 1e-6)
		}
	}
	s := view(t, w, "ego").State()
	require.Zero(t, s.Speed)
	require.Zero(t, s.Rate.Yaw)
	way := s.Position.Sub(start.Position)
	require.InDelta(t, speed*speed/2/brake, math.Hypot(way.X, way.Y), 0.2, "v²/2a")
	require.Greater(t, s.Orientation.Yaw, 0.3, "it has turned on the way")
}

func TestCourse(t *testing.T) {
	const radius, speed = 40.0, 12.0
	velocity := mocksim.PartVelocityX | mocksim.PartVelocityY
	for name, given := range map[string]mocksim.Parts{
		"all": pose | velocity | mocksim.PartYawRate, "no rate": pose | velocity, "pose": pose} {
		var c mocksim.Course
		require.Nil(t, c.At(0))
		for n := range 3 {
			u := onCircle(mocksim.State{}, given, radius, speed, float64(n))
			u.Time = timebase.Time(n) * timebase.Second
			c.Update(&u)
			require.Equal(t, u.Given, c.At(u.Time).Given)
			require.Equal(t, u.Position, c.At(u.Time).Position)
		}
		want := onCircle(mocksim.State{}, given, radius, speed, 2.5)
		is := c.At(2500 * ms)
		require.Equal(t, 2500*ms, is.Time)
		require.InDelta(t, want.Position.X, is.Position.X, 1e-6, name)
		require.InDelta(t, want.Position.Y, is.Position.Y, 1e-6, name)
		require.InDelta(t, want.Velocity.X, is.Velocity.X, 1e-6, name)
		require.InDelta(t, want.Orientation.Yaw, is.Orientation.Yaw, 1e-6, name)
		require.Equal(t, pose|velocity, is.Given&(pose|velocity), name)
	}
}

// TestCourse_FollowsAPlan checks that poses planned for later times take precedence over the
// motion.
func TestCourse_FollowsAPlan(t *testing.T) {
	var c mocksim.Course
	u := mocksim.Update{Time: timebase.Second, Given: pose | mocksim.PartVelocityX,
		Velocity: frames.Vector{X: 10}}
	for _, at := range []float64{0.5, 1, 1.5, 2} { // it drives to the left after 1 s
		u.Plan = append(u.Plan, mocksim.Planned{Time: timebase.Time(at * 1e9), Given: pose,
			Position: frames.Vector{X: 10 * (at - 1), Y: 4 * max(at-1, 0)}})
	}
	c.Update(&u)
	is := c.At(1500 * ms)
	require.InDelta(t, 5, is.Position.X, 1e-9)
	require.InDelta(t, 2, is.Position.Y, 1e-9)
	require.InDelta(t, 3, c.At(1750*ms).Position.Y, 0.3)
}

// TestPut_SuddenSpeeds checks that an actor whose speed an owner changes at once does not continue
// the change: it used to roll backwards after a sudden stop, and to race after a sudden start. It
// reverses only if its velocity or its gear says so.
func TestPut_SuddenSpeeds(t *testing.T) {
	for _, c := range []struct {
		before, after, given float64
		gear                 int
		want                 float64 // m in the second after the update
	}{{10, 0, 0, 1, 0}, {10, 5, 0, 1, 5}, {5, 10, 0, 1, 10}, {-5, 0, 0, 1, 0}, {10, -2, 0, 1, -2},
		{0, 0, -1, 1, 0}, {0, 0, -1, 0, 0}, {0, 0, -1, -1, -0.5}, {0, 0, 1, 1, 0.5}} {
		w, start := taken(t, c.before)
		u := mocksim.Update{Time: 20 * ms, Given: pose | mocksim.PartVelocityX |
			mocksim.PartControls, Position: frames.Vector{X: start.Position.X + c.before*0.02,
			Y: start.Position.Y}, Velocity: frames.Vector{X: c.after},
			Controls: mocksim.Controls{Gear: c.gear}}
		if c.given != 0 {
			u.Given |= mocksim.PartAccelerationX | mocksim.PartAccelerationY
			u.Acceleration.X = c.given
		}
		put(t, w, u)
		steps(t, w, 1, 20*ms)
		require.InDelta(t, c.after, view(t, w, "ego").State().Speed, 1e-9)
		steps(t, w, 50, 20*ms)
		require.InDelta(t, c.want, view(t, w, "ego").State().Position.X-u.Position.X, 1e-9, "%+v", c)
	}
}

// TestPut_ForLaterThanTheStep checks that an actor drives to the place of an update that is several
// steps ahead, at most as far as that place. It used to jump there and to wait.
func TestPut_ForLaterThanTheStep(t *testing.T) {
	for _, speeds := range [][2]float64{{10, 10}, {10, 11}, {10, 0}, {0, 10}, {10, -3}} {
		w, start := taken(t, speeds[0])
		want := start.Position.X + (speeds[0]+speeds[1])/2*0.1
		put(t, w, mocksim.Update{Time: 100 * ms, Given: pose | mocksim.PartVelocityX,
			Position: frames.Vector{X: want, Y: start.Position.Y},
			Velocity: frames.Vector{X: speeds[1]}})
		last := start.Position.X
		for k := 1; k <= 100; k++ {
			steps(t, w, 1, ms)
			s := view(t, w, "ego").State()
			require.GreaterOrEqual(t, s.Position.X, last-1e-12, "%v, %d ms", speeds, k)
			if k < 100 {
				h := 0.001
				require.InDelta(t, s.Velocity.X-float64(s.Acceleration.X*h/2),
					(s.Position.X-last)/h, 0.01, "%v, %d ms", speeds, k)
			}
			last = s.Position.X
			if k == 40 {
				saved := w.AppendState(nil)
				require.NoError(t, w.Restore(saved))
				require.Equal(t, saved, w.AppendState(nil))
			}
		}
		require.InDelta(t, want, last, 1e-12)
		require.InDelta(t, speeds[1], view(t, w, "ego").State().Speed, 1e-12)
	}
}

// TestPut_StandingActorsStart checks that a car without a reverse gear does not start backwards, but
// keeps the rest of an acceleration that points slightly backwards, and that pedestrians start in
// any direction. An owner's course does the same, with the last gear that was given.
func TestPut_StandingActorsStart(t *testing.T) {
	for _, c := range []struct {
		kind         mocksim.Kind
		gear         int
		angle        float64
		ahead, aside float64
	}{
		{mocksim.Pedestrian, 1, 180, -0.5, 0},
		{mocksim.Pedestrian, 1, 135, -math.Sqrt(0.125), math.Sqrt(0.125)},
		{mocksim.Animal, 1, 90.0001, 0, 0.5},
		{mocksim.Car, 1, 90.0001, 0, 0.5},
		{mocksim.Car, 1, 180, 0, 0},
		{mocksim.Car, -1, 180, -0.5, 0},
	} {
		w := world(t, "straight.xodr", mocksim.Options{Step: 20 * ms})
		create(t, w, "ego", c.kind, mocksim.OnRoad("1", -1, 50))
		require.NoError(t, w.Take("ego"))
		start := view(t, w, "ego").State()
		course := mocksim.Course{Kind: c.kind}
		sin, cos := math.Sincos(c.angle * math.Pi / 180)
		const velocity = mocksim.PartVelocityX | mocksim.PartVelocityY
		first := mocksim.Update{Given: pose | velocity, Position: start.Position}
		if c.gear < 0 {
			first.Given |= mocksim.PartControls
			first.Controls.Gear = c.gear
		}
		second := mocksim.Update{Time: 20 * ms, Given: pose | velocity |
			mocksim.PartAccelerationX | mocksim.PartAccelerationY, Position: start.Position,
			Acceleration: frames.Vector{X: cos, Y: sin}}
		for _, u := range []mocksim.Update{first, second} {
			course.Update(&u)
			put(t, w, u)
			steps(t, w, 1, 20*ms)
		}
		steps(t, w, 49, 20*ms)
		at := view(t, w, "ego").State().Position.Sub(start.Position)
		require.InDelta(t, c.ahead, at.X, 1e-5, "%v", c)
		require.InDelta(t, c.aside, at.Y, 1e-5, "%v", c)
		said := course.At(w.Time()).Position.Sub(start.Position)
		require.InDelta(t, at.X, said.X, 1e-9, "%v", c)
		require.InDelta(t, at.Y, said.Y, 1e-9, "%v", c)
	}
}
