package mocksim_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// hill is a straight road on a hill, with increasing bank and three lanes in one direction.
const hill = `<OpenDRIVE><header revMajor="1" revMinor="8"/>
<road id="1" length="400" junction="-1"><planView><geometry s="0" x="10" y="20" hdg="0.3" length="400"><line/></geometry></planView>
<elevationProfile><elevation s="0" a="3" b="0.02" c="0.0006" d="-2e-06"/></elevationProfile>
<lateralProfile><superelevation s="0" a="0.03" b="0.0001" c="3e-07" d="0"/></lateralProfile>
<lanes><laneSection s="0"><center><lane id="0" type="none"/></center><right>
<lane id="-1" type="driving"><width sOffset="0" a="3.5"/><roadMark sOffset="0" type="broken" laneChange="both"/></lane>
<lane id="-2" type="driving"><width sOffset="0" a="3.5"/><roadMark sOffset="0" type="broken" laneChange="both"/></lane>
<lane id="-3" type="driving"><width sOffset="0" a="3.5"/></lane></right></laneSection></lanes></road></OpenDRIVE>`

const brief = timebase.Millisecond / 10

func onHill(t *testing.T, step timebase.Time) *mocksim.World {
	t.Helper()
	m, err := opendrive.Read("hill.xodr", strings.NewReader(hill))
	require.NoError(t, err)
	return on(t, m, mocksim.Options{Step: step})
}

// movesOnHill starts moves of the actor "a", and continues to the point where its motion is
// compared.
var movesOnHill = map[string]func(t *testing.T, w *mocksim.World){
	"pedals": func(t *testing.T, w *mocksim.World) {
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -2, 120).WithSpeed(18))
		_, err := w.SetControls("a", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.3,
			SteeringWheel: 0.1}}})
		require.NoError(t, err)
		steps(t, w, 3000, brief)
	},
	"walking": func(t *testing.T, w *mocksim.World) {
		create(t, w, "a", mocksim.Pedestrian, mocksim.OnRoad("1", -2, 120))
		_, err := w.SetControls("a", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 1,
			SteeringWheel: 0.3}}})
		require.NoError(t, err)
		steps(t, w, 20000, brief)
	},
	"along the lane": func(t *testing.T, w *mocksim.World) {
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -2, 120).WithSpeed(15))
		require.NoError(t,
			w.SetController("a", mocksim.Controller{Driver: mocksim.Driver{Speed: 25}}))
		steps(t, w, 3000, brief)
	},
	"back to the lane": func(t *testing.T, w *mocksim.World) {
		create(t, w, "a", mocksim.Car, mocksim.Start{Road: "1", Lane: -2, S: 120, Offset: -0.9,
			Speed: 15})
		require.NoError(t,
			w.SetController("a", mocksim.Controller{Driver: mocksim.Driver{Speed: 15}}))
		steps(t, w, 5000, brief)
	},
	"steering": func(t *testing.T, w *mocksim.World) {
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -2, 120).WithSpeed(15))
		require.NoError(t, w.SetController("a", mocksim.Controller{Driver: mocksim.Driver{Speed: 15,
			Steering: true}}))
		steps(t, w, 3000, brief)
	},
	"trajectory": func(t *testing.T, w *mocksim.World) {
		create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -2, 120))
		from := view(t, w, "a").State().Position
		var points []mocksim.Point
		for k := range 41 {
			time := float64(k) * 0.1
			way := 12*time + time*time
			points = append(points, mocksim.Point{X: from.X + way*math.Cos(0.32),
				Y: from.Y + way*math.Sin(0.32), Yaw: 0.32 + 0.02*time,
				Given: mocksim.FieldYaw})
		}
		_, err := w.SetTrajectory("a", mocksim.Trajectory{End: 4 * timebase.Second, Points: points,
			Cubic: true})
		require.NoError(t, err)
		steps(t, w, 13003, brief)
	},
}

// TestM3_MotionOnAHill checks M3: velocity, acceleration and rates on a banked hill, compared with
// differences of positions, velocities and angles.
func TestM3_MotionOnAHill(t *testing.T) {
	for name, move := range movesOnHill {
		t.Run(name, func(t *testing.T) {
			w := onHill(t, brief)
			move(t, w)
			var s [3]mocksim.State
			for k := range s {
				s[k] = view(t, w, "a").State()
				steps(t, w, 1, brief)
			}
			by := 1 / (2 * brief).Seconds()
			require.Greater(t, math.Abs(s[1].Velocity.Z), 0.05, "the actor climbs")
			near(t, s[2].Position.Sub(s[0].Position).Scale(by), s[1].Velocity, 1e-5, "velocity")
			near(t, s[2].Velocity.Sub(s[0].Velocity).Scale(by), s[1].Acceleration, 1e-3,
				"acceleration")
			tilt := func(o frames.Orientation) frames.Vector {
				return frames.Vector{X: o.Roll, Y: o.Pitch}
			}
			near(t, tilt(s[2].Orientation).Sub(tilt(s[0].Orientation)).Scale(by), tilt(s[1].Rate),
				1e-6, "rates of roll and pitch")
			yaw := func(o frames.Orientation) frames.Vector { return frames.Vector{Z: o.Yaw} }
			near(t, yaw(s[2].Rate).Sub(yaw(s[0].Rate)).Scale(by), yaw(s[1].Turning), 1e-4,
				"acceleration of yaw")
			near(t, tilt(s[2].Rate).Sub(tilt(s[0].Rate)).Scale(by), tilt(s[1].Turning), 1e-4,
				"accelerations of roll and pitch")
		})
	}
}

func near(t *testing.T, want, found frames.Vector, accuracy float64, what string) {
	t.Helper()
	require.InDeltaf(t, 0, want.Sub(found).Length(), accuracy,
		"%s: found %v, the differences are %v", what, found, want)
}

// TestM5_GivenHeights checks M5: heights in a trajectory are used, and its speed and acceleration
// follow a parabola through them.
func TestM5_GivenHeights(t *testing.T) {
	w := onHill(t, 20*ms)
	create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -2, 120))
	from := view(t, w, "a").State().Position
	var points []mocksim.Point
	for k := range 51 {
		time := float64(k) * 0.02
		points = append(points, mocksim.Point{X: from.X + 10*time, Y: from.Y,
			Z: 30 + 2*time - 3*time*time, Given: mocksim.FieldZ})
	}
	_, err := w.SetTrajectory("a", mocksim.Trajectory{End: timebase.Second, Points: points})
	require.NoError(t, err)
	steps(t, w, 25, 20*ms)
	s := view(t, w, "a").State()
	require.InDelta(t, 30+1-0.75, s.Position.Z, 1e-9)
	require.InDelta(t, 2-3, s.Velocity.Z, 1e-9)
	require.InDelta(t, -6, s.Acceleration.Z, 1e-6)
}

// TestMotion_OnASteepRoad checks that the vertical speed during a lane change on a road that rises
// by 100 % is the rise of the position. A step used to be assumed there, without a slope.
func TestMotion_OnASteepRoad(t *testing.T) {
	text := strings.Replace(hill, `b="0.02" c="0.0006" d="-2e-06"`, `b="1" c="0" d="0"`, 1)
	m, err := opendrive.Read("steep.xodr", strings.NewReader(text))
	require.NoError(t, err)
	w := on(t, m, mocksim.Options{Step: brief})
	create(t, w, "a", mocksim.Car, mocksim.OnRoad("1", -2, 120).WithSpeed(10))
	require.NoError(t, w.SetController("a",
		mocksim.Controller{Driver: mocksim.Driver{LaneChange: mocksim.ChangeLeft}}))
	changed := false
	for range 20000 {
		before := view(t, w, "a").State()
		changed = len(steps(t, w, 1, brief)) > 0 || changed
		now := view(t, w, "a").State()
		rise := (now.Position.Z - before.Position.Z) / brief.Seconds()
		require.InDelta(t, rise, (before.Velocity.Z+now.Velocity.Z)/2, 0.02, "at %s", w.Time())
	}
	require.True(t, changed)
}
