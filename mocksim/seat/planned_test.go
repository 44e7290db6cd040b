package seat_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/state"
	"gosmp/mocksim/seat"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// On its circle, a driver that steps once per second has a radius of 30 m and 10 m/s.
const (
	circleRadius = 30.0
	circleSpeed  = 10.0
)

// circle returns the pose, relative to the beginning of the circle.
func circle(seconds float64) (x, y, yaw float64) {
	sin, cos := math.Sincos(seconds * circleSpeed / circleRadius)
	return circleRadius * sin, circleRadius * (1 - cos), seconds * circleSpeed / circleRadius
}

// circling is an update on the circle, whose future_trajectory has poses every 0.1 s. Its own time
// stamp, and the times of the poses with it, are off by late; without a stamp they are absolute.
func circling(x *table, at, begin, late timebase.Time, stamp bool) *osi3.TrafficUpdate {
	id := host(x.view()).Id.GetValue()
	pose := func(t timebase.Time) (*osi3.Vector3D, *osi3.Orientation3D) {
		px, py, yaw := circle((t - begin).Seconds())
		p := x.start
		return &osi3.Vector3D{X: proto.Float64(p.X + px), Y: proto.Float64(p.Y + py)},
			&osi3.Orientation3D{Yaw: &yaw}
	}
	time := func(t timebase.Time) *osi3.Timestamp {
		s, n := (t - late).Split()
		return &osi3.Timestamp{Seconds: &s, Nanos: &n}
	}
	position, orientation := pose(at)
	object := &osi3.MovingObject{Id: &osi3.Identifier{Value: &id},
		Base: &osi3.BaseMoving{Position: position, Orientation: orientation}}
	_, _, yaw := circle((at - begin).Seconds())
	object.Base.Velocity = &osi3.Vector3D{X: proto.Float64(circleSpeed * math.Cos(yaw)),
		Y: proto.Float64(circleSpeed * math.Sin(yaw))}
	object.Base.OrientationRate = &osi3.Orientation3D{
		Yaw: proto.Float64(circleSpeed / circleRadius)}
	for k := range timebase.Time(12) {
		t := at + (k+1)*100*timebase.Millisecond
		position, orientation := pose(t)
		object.FutureTrajectory = append(object.FutureTrajectory, &osi3.StatePoint{
			Timestamp: time(t), Position: position, Orientation: orientation})
	}
	u := &osi3.TrafficUpdate{Update: []*osi3.MovingObject{object}}
	if stamp {
		u.Timestamp = time(at)
	}
	return u
}

// circled is the world with a driver on its circle.
type circled struct {
	*table
	made    timebase.Time
	message []byte
}

func newCircled(t testing.TB) *circled {
	c := &circled{table: straight(t, circleSpeed)}
	s := c.state().Position
	s.X += circleSpeed // drives straight ahead for a second
	c.start = s
	return c
}

// next makes one step, with an update at each second.
func (c *circled) next(late timebase.Time, stamp bool) {
	end := c.w.Time() + step
	if end%timebase.Second == 0 {
		var err error
		c.message, err = proto.Marshal(circling(c.table, end, timebase.Second, late, stamp))
		require.NoError(c.t, err)
		c.made = end
	}
	if c.made > 0 {
		require.NoError(c.t, c.seat.Update(c.made, c.message))
	}
	require.NotContains(c.t, c.step(), "jump")
}

// TestSeat_FollowsFutureTrajectoryBetweenUpdates: without it, a driver that steps once per second
// would be 0.18 m from its circle.
func TestSeat_FollowsFutureTrajectoryBetweenUpdates(t *testing.T) {
	for name, c := range map[string]struct {
		late  timebase.Time
		stamp bool
	}{"absolute": {}, "own stamp": {0, true}, "stamp of the step's start": {timebase.Second, true}} {
		t.Run(name, func(t *testing.T) {
			x := newCircled(t)
			for range 250 {
				x.next(c.late, c.stamp)
				if x.w.Time() <= timebase.Second {
					continue
				}
				px, py, yaw := circle((x.w.Time() - timebase.Second).Seconds())
				s := x.state()
				require.InDelta(t, x.start.X+px, s.Position.X, 0.002, x.w.Time())
				require.InDelta(t, x.start.Y+py, s.Position.Y, 0.002, x.w.Time())
				require.InDelta(t, yaw, s.Orientation.Yaw, 1e-6, x.w.Time())
				require.InDelta(t, circleSpeed, s.Speed, 0.1, x.w.Time())
				require.InDelta(t, circleSpeed/circleRadius, s.Rate.Yaw, 0.02, x.w.Time())
			}
		})
	}
}

// TestSeat_MovesOnAfterItsPlan: the plan covers 1.2 s.
func TestSeat_MovesOnAfterItsPlan(t *testing.T) {
	x := newCircled(t)
	for range 50 {
		x.next(0, false)
	}
	for range 100 {
		require.NoError(t, x.seat.Update(x.made, x.message))
		x.step()
	}
	px, py, yaw := circle(1.2)
	rest := 0.8 * circleSpeed
	require.InDelta(t, x.start.X+px+rest*math.Cos(yaw), x.state().Position.X, 0.05)
	require.InDelta(t, x.start.Y+py+rest*math.Sin(yaw), x.state().Position.Y, 0.05)
}

// TestSeat_PlanIsSavedAndRestored continues from a state between two updates.
func TestSeat_PlanIsSavedAndRestored(t *testing.T) {
	x := newCircled(t)
	for range 75 {
		x.next(0, true)
	}
	world, driver := x.w.AppendState(nil), x.seat.AppendState(nil)
	ends := [2]any{}
	for n := range ends {
		for range 60 {
			x.next(0, true)
		}
		ends[n] = x.state()
		require.NoError(t, x.w.Restore(world))
		require.NoError(t, x.seat.RestoreState(&state.Decoder{Data: driver}))
		x.made = timebase.Second
	}
	require.Equal(t, ends[0], ends[1])
}

func TestSeat_RefusesImpossiblePlans(t *testing.T) {
	for want, spoil := range map[string]func(points []*osi3.StatePoint){
		"not finite": func(p []*osi3.StatePoint) { *p[1].Position.X = math.Inf(1) },
		"without x":  func(p []*osi3.StatePoint) { p[2].Position.Y = nil },
		"times that increase": func(p []*osi3.StatePoint) {
			p[1].Timestamp = p[0].Timestamp
		},
	} {
		x := newCircled(t)
		u := circling(x.table, step, 0, 0, true)
		u.Update[0].Base = nil
		spoil(u.Update[0].FutureTrajectory)
		b, err := proto.Marshal(u)
		require.NoError(t, err)
		err = x.seat.Update(step, b)
		require.ErrorIs(t, err, seat.ErrUpdate)
		require.ErrorContains(t, err, "future_trajectory")
		require.ErrorContains(t, err, want)
	}
}
