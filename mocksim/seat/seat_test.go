package seat_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

const step = 20 * timebase.Millisecond

// table is a world with a car, its seat, and another car.
type table struct {
	t    testing.TB
	w    *mocksim.World
	seat *seat.Seat

	start frames.Vector // of its own motion
}

func newTable(t testing.TB, file string, start mocksim.Start, o seat.Options) *table {
	m, err := opendrive.ReadFile(file)
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{Step: step})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: start}))
	far := start
	far.S += 150
	require.NoError(t, w.Create(mocksim.Actor{Name: "npc", Start: far}))
	maker, err := truth.New(w, truth.Options{Host: "npc"})
	require.NoError(t, err)
	o.Actor = "ego"
	s, err := seat.New(w, maker, o)
	require.NoError(t, err)
	return &table{t: t, w: w, seat: s}
}

func straight(t testing.TB, speed float64) *table {
	return newTable(t, "../testdata/straight.xodr", mocksim.OnRoad("1", -1, 50).WithSpeed(speed),
		seat.Options{})
}

func (x *table) view() *osi3.SensorView {
	x.t.Helper()
	b, err := x.seat.SensorView()
	require.NoError(x.t, err)
	v := &osi3.SensorView{}
	require.NoError(x.t, proto.Unmarshal(b, v))
	return v
}

// host returns the host vehicle in a view.
func host(v *osi3.SensorView) *osi3.MovingObject {
	for _, o := range v.GlobalGroundTruth.MovingObject {
		if o.Id.GetValue() == v.HostVehicleId.GetValue() {
			return o
		}
	}
	return nil
}

// answer makes a step with a message of the driver.
func (x *table) answer(u *osi3.TrafficUpdate) (events []string) {
	x.t.Helper()
	var b []byte
	if u != nil {
		var err error
		b, err = proto.Marshal(u)
		require.NoError(x.t, err)
	}
	require.NoError(x.t, x.seat.Update(x.w.Time()+step, b))
	return x.step()
}

func (x *table) step() (events []string) {
	x.t.Helper()
	list, err := x.w.Step(step)
	require.NoError(x.t, err)
	for k := range list {
		events = append(events, list[k].Kind.String())
	}
	return events
}

func (x *table) state() mocksim.State {
	v, err := x.w.Actor("ego")
	require.NoError(x.t, err)
	return v.State()
}

func at(id uint64, x, y, vx float64) *osi3.TrafficUpdate {
	return &osi3.TrafficUpdate{Update: []*osi3.MovingObject{{Id: &osi3.Identifier{Value: &id},
		Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: &x, Y: &y},
			Velocity: &osi3.Vector3D{X: &vx}}}}}
}

// TestSeat_WhoMovesWhatItSeesIsExact checks that a driver that only moves the observed state is in
// the right place, even on slopes, where the middle of the box is not directly above the point on
// the ground.
func TestSeat_WhoMovesWhatItSeesIsExact(t *testing.T) {
	for _, full := range []bool{true, false} {
		x := newTable(t, "../../examples/maps/hills.xodr", mocksim.OnRoad("1", -1, 20).
			WithSpeed(20), seat.Options{})
		road := host(x.view()).Base
		want := *road.Position.X
		for range 250 {
			base := host(x.view()).Base
			*base.Position.X += 20 * 0.02
			want += 20 * 0.02
			base.Dimension, base.Velocity.X = nil, proto.Float64(20)
			if !full {
				base.Position.Z, base.Orientation = nil, nil
				base.Velocity.Z, base.Acceleration, base.OrientationRate = nil, nil, nil
			}
			id := x.view().HostVehicleId
			x.answer(&osi3.TrafficUpdate{Update: []*osi3.MovingObject{{Id: id, Base: base}}})
		}
		require.InDelta(t, want, *host(x.view()).Base.Position.X, 1e-5, "5 s, full: %t", full)
	}
}

func TestSeat_ViewHasItsOwnHost(t *testing.T) {
	x := straight(t, 10)
	v := x.view()
	require.EqualValues(t, 1, v.HostVehicleId.GetValue())
	require.EqualValues(t, 1, v.GlobalGroundTruth.HostVehicleId.GetValue())
	require.InDelta(t, 50, v.HostVehicleData.Location.Position.GetX(), 1e-9)
	require.NotEmpty(t, v.GlobalGroundTruth.Lane)
	require.Len(t, v.GlobalGroundTruth.MovingObject, 2)
}

func TestSeat_TellsOfOthersOnce(t *testing.T) {
	x := straight(t, 10)
	u := at(1, 50.2, -1.75, 10)
	u.Update = append(u.Update, at(2, 0, 0, 0).Update[0], at(77, 0, 0, 0).Update[0])
	require.Equal(t, []string{"not_owner", "unknown_actor"}, x.answer(u))
	require.InDelta(t, 50.2, x.state().Position.X, 1e-9)
	require.Empty(t, x.answer(u))
	require.NoError(t, x.w.SetController("ego", mocksim.Controller{}))
	require.Equal(t, []string{"not_owner"}, x.answer(u), "a director has taken it")
	require.Empty(t, x.answer(u))
	require.NoError(t, x.seat.Take())
	require.Empty(t, x.answer(at(1, x.state().Position.X+0.2, -1.75, 10)))
	require.InDelta(t, 10, x.state().Speed, 1e-9)
}

func TestSeat_SilenceGoesBackToTheDriverBefore(t *testing.T) {
	m := straight(t, 10)
	require.NoError(t, m.w.SetController("ego", mocksim.Controller{
		Driver: mocksim.Driver{Speed: 10}}))
	require.NoError(t, m.seat.Take())
	require.Empty(t, m.answer(at(1, 50.2, -1.75, 10)))
	require.Empty(t, m.answer(nil), "believed for a step")
	require.InDelta(t, 50.4, m.state().Position.X, 1e-9)
	require.Equal(t, []string{"silent"}, m.answer(nil))
	require.InDelta(t, 50.6, m.state().Position.X, 1e-3, "the controller goes on")
	require.Empty(t, m.answer(nil))
	require.Empty(t, m.answer(at(1, 51, -1.75, 10)))
	require.InDelta(t, 51, m.state().Position.X, 1e-9, "the driver is back")
}

// TestSeat_OthersOnlyIsSilence checks that a message without the actor counts as no message.
func TestSeat_OthersOnlyIsSilence(t *testing.T) {
	for name, u := range map[string]*osi3.TrafficUpdate{"nobody": {}, "other": at(2, 0, 0, 0),
		"unknown": at(77, 0, 0, 0), "no id": {Update: []*osi3.MovingObject{{}}}} {
		m := straight(t, 10)
		require.Empty(t, m.answer(at(1, 50.2, -1.75, 10)), name)
		require.NotContains(t, m.answer(u), "silent", "believed for a step")
		require.Contains(t, m.answer(u), "silent", name)
		for range 50 {
			require.Empty(t, m.answer(u), name)
		}
		require.Less(t, m.state().Speed, 10.0, "it rolls until it stands")
		require.Empty(t, m.answer(at(1, m.state().Position.X, -1.75, 10)))
		require.InDelta(t, 10, m.state().Speed, 1e-9, "the driver is back")
	}
}

// TestSeat_TellsOfManyOnce checks that a driver that invents ids does not flood the events.
func TestSeat_TellsOfManyOnce(t *testing.T) {
	m := straight(t, 10)
	told := 0
	for id := uint64(1000); id < 1500; id++ {
		u := at(1, m.state().Position.X+0.2, -1.75, 10)
		u.Update = append(u.Update, at(id, 0, 0, 0).Update...)
		told += len(m.answer(u))
	}
	require.Equal(t, 100, told)
}

func TestSeat_RefusesValuesThatNoActorHas(t *testing.T) {
	nan := math.NaN()
	for want, change := range map[string]func(o *osi3.MovingObject){
		"found x NaN, expected a finite number": func(o *osi3.MovingObject) {
			o.Base.Position.X = &nan
		},
		"found yaw NaN": func(o *osi3.MovingObject) {
			o.Base.Orientation = &osi3.Orientation3D{Yaw: &nan}
		},
		"found velocity (1e+06, 0, 0) m/s, expected at most": func(o *osi3.MovingObject) {
			o.Base.Velocity.X = proto.Float64(1e6)
		},
		"found acceleration.z -Inf": func(o *osi3.MovingObject) {
			o.Base.Acceleration = &osi3.Vector3D{Z: proto.Float64(math.Inf(-1))}
		},
		"found pitch 3": func(o *osi3.MovingObject) {
			o.Base.Orientation = &osi3.Orientation3D{Pitch: proto.Float64(3)}
		},
	} {
		u := at(1, 50.2, -1.75, 10)
		change(u.Update[0])
		b, err := proto.Marshal(u)
		require.NoError(t, err)
		err = straight(t, 10).seat.Update(step, b)
		require.ErrorIs(t, err, seat.ErrUpdate)
		require.ErrorContains(t, err, "the driver of ego: ")
		require.ErrorContains(t, err, want)
	}
}

func TestSeat_StartPose(t *testing.T) {
	for name, c := range map[string]struct {
		x    float64
		free bool
		ok   bool
	}{"near": {50.2, false, true}, "rear axle": {48.85, false, false},
		"elsewhere": {193, false, false}, "of the driver": {193, true, true}} {
		x := newTable(t, "../testdata/straight.xodr", mocksim.OnRoad("1", -1, 50).WithSpeed(10),
			seat.Options{FromDriver: c.free})
		b, err := proto.Marshal(at(1, c.x, -1.75, 10))
		require.NoError(t, err)
		err = x.seat.Update(step, b)
		if !c.ok {
			require.ErrorIs(t, err, seat.ErrStart, name)
			require.ErrorContains(t, err, "--start-from fmu")
			continue
		}
		require.NoError(t, err, name)
		x.step()
		require.InDelta(t, c.x, x.state().Position.X, 1e-9, name)
		require.InDelta(t, 10, x.state().Speed, 1e-9, name)
	}
}

// TestSeat_StampsDoNotMatter checks that the end of the driver's step counts, and not the time
// stamp of an update.
func TestSeat_StampsDoNotMatter(t *testing.T) {
	for _, stamp := range []int64{-1, 0, 5} {
		x := straight(t, 10)
		for k := 1; k <= 10; k++ {
			u := at(1, 50+0.2*float64(k), -1.75, 10)
			u.Timestamp = &osi3.Timestamp{Seconds: &stamp}
			x.answer(u)
		}
		require.InDelta(t, 52, x.state().Position.X, 1e-9)
	}
}

func TestSeat_LampsWheelsAndInsideGoOn(t *testing.T) {
	x := straight(t, 10)
	u := at(1, 50.2, -1.75, 10)
	o := u.Update[0]
	lamp := osi3.MovingObject_VehicleClassification_LightState_BRAKE_LIGHT_STATE_STRONG
	o.VehicleClassification = &osi3.MovingObject_VehicleClassification{
		LightState: &osi3.MovingObject_VehicleClassification_LightState{BrakeLightState: &lamp}}
	o.VehicleAttributes = &osi3.MovingObject_VehicleAttributes{
		SteeringWheelAngle: proto.Float64(0.8),
		WheelData: []*osi3.MovingObject_VehicleAttributes_WheelData{{
			RotationRate: proto.Float64(31)}}}
	u.InternalState = []*osi3.HostVehicleData{{
		VehiclePowertrain: &osi3.HostVehicleData_VehiclePowertrain{
			PedalPositionAcceleration: proto.Float64(0.25)},
		Location: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(-5)}}}}
	x.answer(u)
	v := x.view()
	is := host(v)
	require.Equal(t, "BRAKE_LIGHT_STATE_STRONG",
		is.VehicleClassification.LightState.BrakeLightState.String())
	require.InDelta(t, 0.8, is.VehicleAttributes.GetSteeringWheelAngle(), 1e-12)
	require.InDelta(t, 31, is.VehicleAttributes.WheelData[0].GetRotationRate(), 0)
	h := v.HostVehicleData
	require.InDelta(t, 0.25, h.VehiclePowertrain.GetPedalPositionAcceleration(), 0)
	require.Nil(t, h.VehiclePowertrain.GearTransmission, "the part is the driver's")
	require.InDelta(t, 0.8, h.VehicleSteering.VehicleSteeringWheel.GetAngle(), 1e-12)
	require.InDelta(t, 50.2, h.Location.Position.GetX(), 1e-9, "where it is, the world says")
}

func TestSeat_RefusesWhatIsNoMessage(t *testing.T) {
	for _, b := range [][]byte{{0x1a, 0x05, 1},
		{0x1a, 0x08, 0x0a, 0x02, 8, 1, 0x12, 0x02, 0x0a, 9}} {
		require.ErrorIs(t, straight(t, 10).seat.Update(step, b), seat.ErrMessage)
	}
	x := straight(t, 10)
	b, err := proto.Marshal(at(1, 1e12, 0, 1e12))
	require.NoError(t, err)
	require.Error(t, x.seat.Update(step, b))
	require.NoError(t, x.w.Destroy("ego"))
	b, err = proto.Marshal(at(1, 50, 0, 10))
	require.NoError(t, err)
	require.NoError(t, x.seat.Update(2*step, b), "an actor that is gone needs no driver")
}

func TestSeat_IsSavedAndRestored(t *testing.T) {
	x := straight(t, 10)
	u := at(1, 50.2, -1.75, 10)
	u.Update = append(u.Update, at(77, 0, 0, 0).Update[0])
	x.answer(u)
	x.answer(nil)
	world, kept := x.w.AppendState(nil), state.Seal(x.seat.AppendState([]byte("x")), 0)
	want := []any{x.answer(nil), x.answer(u), x.state()}
	require.NoError(t, x.w.Restore(world))
	d, err := state.Open("x", kept)
	require.NoError(t, err)
	require.NoError(t, x.seat.RestoreState(d))
	require.NoError(t, d.Done())
	require.Equal(t, want, []any{x.answer(nil), x.answer(u), x.state()})
}

// TestSeat_StartIsSavedAndRestored saves a driver that has sent nothing since its actor was moved
// elsewhere. It still has to start from there.
func TestSeat_StartIsSavedAndRestored(t *testing.T) {
	x := straight(t, 10)
	require.NoError(t, x.w.Move("ego", mocksim.OnRoad("1", -1, 150).WithSpeed(10)))
	require.NoError(t, x.seat.Take())
	world, kept := x.w.AppendState(nil), x.seat.AppendState(nil)
	y := straight(t, 10)
	require.NoError(t, y.w.Restore(world))
	require.NoError(t, y.seat.RestoreState(&state.Decoder{Data: kept}))
	y.answer(at(1, 150.2, -1.75, 10))
	require.Equal(t, 150.2, y.state().Position.X)
}

func TestSeat_AllocatesNothing(t *testing.T) {
	x := straight(t, 10)
	u := at(1, 50, -1.75, 0)
	u.Update[0].VehicleClassification = &osi3.MovingObject_VehicleClassification{
		LightState: &osi3.MovingObject_VehicleClassification_LightState{
			HighBeam: osi3.MovingObject_VehicleClassification_LightState_GENERIC_LIGHT_STATE_ON.
				Enum()}}
	b, err := proto.Marshal(u)
	require.NoError(t, err)
	one := func() {
		_, err := x.seat.SensorView()
		if err == nil {
			err = x.seat.Update(x.w.Time()+step, b)
		}
		if err == nil {
			_, err = x.w.Step(step)
		}
		if err != nil {
			panic(err)
		}
	}
	for range 10 {
		one()
	}
	require.Zero(t, testing.AllocsPerRun(100, one))
}
