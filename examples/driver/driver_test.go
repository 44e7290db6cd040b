package main

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

const step = 20 * timebase.Millisecond

// drive lets the model drive on a map for some seconds, and returns the world.
func drive(t *testing.T, file string, start mocksim.Start, seconds int, others ...mocksim.Actor,
) *mocksim.World {
	m, err := opendrive.ReadFile(file)
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{Step: step})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	for _, a := range append(others, mocksim.Actor{Name: "ego", Start: start}) {
		require.NoError(t, w.Create(a))
	}
	maker, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(t, err)
	s, err := seat.New(w, maker, seat.Options{Actor: "ego", Range: 200})
	require.NoError(t, err)
	r := modeltest.New(t, definition)
	r.Start()
	for w.Time() < timebase.Time(seconds)*timebase.Second {
		maker.Restart()
		s.Maker().Restart()
		view, err := s.SensorView()
		require.NoError(t, err)
		r.Write("OSMPSensorViewIn", view)
		r.Step(0.02)
		require.NoError(t, s.Update(w.Time()+step, r.Read("OSMPTrafficUpdateOut")))
		_, err = w.Step(step)
		require.NoError(t, err)
		v, err := w.Actor("ego")
		require.NoError(t, err)
		p := v.Place()
		require.NotNil(t, p.Lane, "on the road")
		require.InDelta(t, 0, p.T-p.Lane.Center(p.S), 0.5, "in its lane, at %s", w.Time())
	}
	return w
}

func TestDriver_KeepsItsLane(t *testing.T) {
	for file, start := range map[string]mocksim.Start{
		"../traffic/ring.xodr": mocksim.OnRoad("1", -1, 10).WithSpeed(15),
		"../loop/road.xodr":    mocksim.OnRoad("1", -1, 10),
	} {
		w := drive(t, file, start, 11)
		v, err := w.Actor("ego")
		require.NoError(t, err)
		require.InDelta(t, 20, v.State().Speed, 0.1, file)
	}
}

func TestDriver_StopsBehindWhatStands(t *testing.T) {
	w := drive(t, "../loop/road.xodr", mocksim.OnRoad("1", -1, 10).WithSpeed(20), 12,
		mocksim.Actor{Name: "standing", Start: mocksim.OnRoad("1", -1, 120)})
	v, err := w.Actor("ego")
	require.NoError(t, err)
	gap := 120 - v.State().Position.X - v.Shape().Length
	require.InDelta(t, 2, gap, 0.5)
	require.InDelta(t, 0, v.State().Speed, 1e-6)
}

func TestDriver_WithoutAViewSaysNothing(t *testing.T) {
	r := modeltest.New(t, definition)
	r.Start()
	r.Step(0.02)
	require.Empty(t, r.Read("OSMPTrafficUpdateOut"))
	id := message.ID(1)
	view := &osi3.SensorView{HostVehicleId: id, GlobalGroundTruth: &osi3.GroundTruth{
		MovingObject: []*osi3.MovingObject{{Id: id, Base: &osi3.BaseMoving{
			Position:    message.Vector(frames.Vector{X: 3}),
			Velocity:    message.Vector(frames.Vector{Y: 20}),
			Orientation: message.Orientation(frames.Orientation{Yaw: math.Pi / 2})}}}}}
	r.Write("OSMPSensorViewIn", view)
	r.Step(0.02)
	var update osi3.TrafficUpdate
	require.True(t, r.Decode("OSMPTrafficUpdateOut", &update))
	require.InDelta(t, 0.4, update.Update[0].Base.Position.GetY(), 1e-9,
		"straight on without a map")
	require.InDelta(t, 20, update.Update[0].Base.Velocity.GetY(), 1e-9)
	require.Nil(t, update.Update[0].Base.Position.Z, "of the road")
}

// TestDriver_IsShort checks that the example can be read at a glance.
func TestDriver_IsShort(t *testing.T) {
	text, err := os.ReadFile("driver.go")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(text), "\n"), 120)
}
