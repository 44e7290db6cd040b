package main

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

const (
	in  = "OSMPSensorViewIn"
	out = "OSMPSensorViewOut"
	ego = 1
)

func id(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: &n} }

func at(x, y, z float64) *osi3.Vector3D { return &osi3.Vector3D{X: &x, Y: &y, Z: &z} }

func car(n uint64, x, y, yaw, length float64) *osi3.MovingObject {
	return &osi3.MovingObject{
		Id: id(n), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
		Base: &osi3.BaseMoving{
			Position: at(x, y, 0), Orientation: &osi3.Orientation3D{Yaw: &yaw},
			Dimension: &osi3.Dimension3D{Length: &length, Width: proto.Float64(0),
				Height: proto.Float64(0)},
		},
		VehicleAttributes:     &osi3.MovingObject_VehicleAttributes{BbcenterToRear: at(-1.5, 0, 0)},
		VehicleClassification: &osi3.MovingObject_VehicleClassification{},
	}
}

func base(x, y float64) *osi3.BaseStationary { return &osi3.BaseStationary{Position: at(x, y, 0)} }

func pole(n uint64, x, y float64) *osi3.StationaryObject {
	return &osi3.StationaryObject{Id: id(n), Base: base(x, y)}
}

// scene returns a host at the origin, which looks along yaw from 2 m ahead of its centre, and
// others.
func scene(yaw float64, others ...*osi3.MovingObject) *osi3.SensorView {
	now := message.Time(3 * timebase.Second)
	return &osi3.SensorView{
		Version: message.Version(), Timestamp: now, SensorId: id(7), HostVehicleId: id(ego),
		MountingPosition: &osi3.MountingPosition{Position: at(3.5, 0, 0)},
		GlobalGroundTruth: &osi3.GroundTruth{
			Version: message.Version(), Timestamp: now, HostVehicleId: id(ego),
			MovingObject: append([]*osi3.MovingObject{car(ego, 0, 0, yaw, 4)},
				others...),
			EnvironmentalConditions: &osi3.EnvironmentalConditions{Temperature: proto.Float64(280)},
		},
	}
}

// through sends a view through the fog of a started rig.
func through(t *testing.T, r *modeltest.Rig, view *osi3.SensorView) *osi3.SensorView {
	t.Helper()
	r.Write(in, view)
	r.Step(0.02)
	require.Empty(t, r.Log())
	require.Equal(t, true, r.Get("valid"))
	seen := &osi3.SensorView{}
	require.True(t, r.Decode(out, seen))
	return seen
}

// start creates a fog with a visibility in m.
func start(t *testing.T, visibility float64) *modeltest.Rig {
	t.Helper()
	r := modeltest.New(t, definition)
	r.Set("visibility", visibility)
	r.Start()
	return r
}

func ids(objects []*osi3.MovingObject) (list []uint64) {
	for _, o := range objects {
		list = append(list, o.GetId().GetValue())
	}
	return list
}

func TestObjectsVanishBeyondTheSightRange(t *testing.T) {
	r := start(t, 100)
	const slant = 101.9 / math.Sqrt2
	view := scene(0,
		// points 99.9 m and 100.1 m ahead of the sensor at x = 2 m
		car(2, 101.9, 0, 0, 0), car(3, 102.1, 0, 0, 0),
		car(4, 103.9, 0, 0, 4), car(5, 104.1, 0, 0, 4), // the rears of these cars are there
		// across, and behind
		car(6, 103.9, 0, math.Pi/2, 4), car(7, -97.9, 0, 0, 0), car(8, -98.1, 0, 0, 0),
		car(9, 62, 79.9, 0, 0), car(10, 62, 80.1, 0, 0), // 60 m ahead and 80 m aside are 100 m
		// the first points towards the sensor, the second across
		car(11, 2+slant, slant, math.Pi/4, 4), car(12, 2+slant, slant, -math.Pi/4, 4),
	)
	truth := view.GetGlobalGroundTruth()
	truth.StationaryObject = []*osi3.StationaryObject{pole(21, 102.1, 0), pole(22, 0, 90)}
	truth.TrafficSign = []*osi3.TrafficSign{
		{Id: id(31), MainSign: &osi3.TrafficSign_MainSign{Base: base(50, 0)}},
		{Id: id(32), MainSign: &osi3.TrafficSign_MainSign{Base: base(150, 0)}},
		{Id: id(33), MainSign: &osi3.TrafficSign_MainSign{Base: base(250, 0)}},
	}
	truth.TrafficLight = []*osi3.TrafficLight{{Id: id(41), Base: base(500, 0)}}
	seen := through(t, r, view).GetGlobalGroundTruth()
	require.Equal(t, []uint64{ego, 2, 4, 7, 9, 11}, ids(seen.GetMovingObject()))
	require.Len(t, seen.GetStationaryObject(), 1)
	require.Equal(t, uint64(22), seen.GetStationaryObject()[0].GetId().GetValue())
	require.Len(t, seen.GetTrafficSign(), 1)
	require.Len(t, seen.GetTrafficLight(), 1, "lights glow")
	require.Equal(t, []any{int32(6), int32(1), int32(2)},
		[]any{r.Get("dropped.moving"), r.Get("dropped.stationary"), r.Get("dropped.signs")})
	require.Equal(t, 280.0, seen.GetEnvironmentalConditions().GetTemperature())
	require.Equal(t, osi3.EnvironmentalConditions_FOG_THICK,
		seen.GetEnvironmentalConditions().GetFog())
}

func TestSensorTurnsWithItsHost(t *testing.T) {
	view := scene(math.Pi/2, car(2, 0, 101.9, 0, 0), car(3, 0, 102.1, 0, 0), car(4, 100.1, 2, 0, 0))
	require.Equal(t, []uint64{ego, 2},
		ids(through(t, start(t, 100), view).GetGlobalGroundTruth().GetMovingObject()))
}

func TestHostAlwaysStays(t *testing.T) {
	view := scene(0, car(2, 0, 0, 0, 0))
	view.MountingPosition.Position = at(50, 0, 0) // on a long boom
	seen := through(t, start(t, 1), view).GetGlobalGroundTruth()
	require.Equal(t, []uint64{ego}, ids(seen.GetMovingObject()))
}

// TestSightRange uses numbers with simple logarithms: 0.0025 is 0.05 squared.
func TestSightRange(t *testing.T) {
	for _, c := range []struct{ visibility, object, threshold, wanted float64 }{
		{100, 1, 0.05, 100}, {100, 1, 0.0025, 200}, {80, 0.05, 0.0025, 80}, {100, 0.5, 0.5, 0},
		{100, 0.1, 0.2, 0}, {1e6, 1, 0.05, 1e6},
	} {
		r := modeltest.New(t, definition)
		r.Set("visibility", c.visibility)
		r.Set("contrast.object", c.object)
		r.Set("contrast.threshold", c.threshold)
		r.Start()
		require.InDelta(t, c.wanted, r.Get("sight.range"), 1e-9*c.wanted, "%v", c)
		seen := ids(through(t, r,
			scene(0, car(2, c.wanted+2.01, 0, 0, 0), car(3, c.wanted+1.99, 0, 0, 0))).
			GetGlobalGroundTruth().GetMovingObject())
		require.NotContains(t, seen, uint64(2), "%v", c)
		require.Equal(t, c.wanted > 0, len(seen) == 2, "%v", c)
	}
}

func TestVisibilityIsTunable(t *testing.T) {
	r := start(t, 100)
	view := scene(0, car(2, 60, 0, 0, 0))
	require.Len(t, through(t, r, view).GetGlobalGroundTruth().GetMovingObject(), 2)
	r.Set("visibility", 40)
	seen := through(t, r, view).GetGlobalGroundTruth()
	require.Len(t, seen.GetMovingObject(), 1)
	require.Equal(t, 40.0, r.Get("sight.range"))
	require.Equal(t, osi3.EnvironmentalConditions_FOG_DENSE,
		seen.GetEnvironmentalConditions().GetFog())
}

func TestFogHasTheClassOfItsVisibility(t *testing.T) {
	r := start(t, 100)
	for visibility, wanted := range map[float64]string{
		1: "DENSE", 49.9: "DENSE", 50: "THICK", 199.9: "THICK", 200: "LIGHT", 999: "LIGHT",
		1000: "MIST", 1999: "MIST", 2000: "POOR_VISIBILITY", 3999: "POOR_VISIBILITY",
		4000: "MODERATE_VISIBILITY", 9999: "MODERATE_VISIBILITY", 10000: "GOOD_VISIBILITY",
		39999: "GOOD_VISIBILITY", 40000: "EXCELLENT_VISIBILITY", 1e6: "EXCELLENT_VISIBILITY",
	} {
		r.Set("visibility", visibility)
		view := scene(0)
		view.GlobalGroundTruth.EnvironmentalConditions = nil
		seen := through(t, r, view).GetGlobalGroundTruth().GetEnvironmentalConditions()
		require.Equal(t, "FOG_"+wanted, seen.GetFog().String(), "%g m", visibility)
	}
}

// TestLidarLosesLightBothWays: 50 m there and back are 100 m, the visibility, which leaves 5 % or
// -13.0103 dB.
func TestLidarLosesLightBothWays(t *testing.T) {
	flight := 100 / 299792458.0
	view := scene(0)
	view.LidarSensorView = []*osi3.LidarSensorView{{Reflection: []*osi3.LidarSensorView_Reflection{
		{SignalStrength: proto.Float64(-40), TimeOfFlight: proto.Float64(flight)},
		{SignalStrength: proto.Float64(-50), TimeOfFlight: proto.Float64(10 * flight)},
		{SignalStrength: proto.Float64(-60)}, {TimeOfFlight: proto.Float64(flight)},
	}}}
	view.RadarSensorView = []*osi3.RadarSensorView{{Reflection: []*osi3.RadarSensorView_Reflection{
		{SignalStrength: proto.Float64(-70), TimeOfFlight: proto.Float64(flight)},
	}}}
	seen := through(t, start(t, 100), view)
	reflections := seen.GetLidarSensorView()[0].GetReflection()
	require.Len(t, reflections, 4, "one for each ray")
	require.InDelta(t, -40-13.0103, reflections[0].GetSignalStrength(), 1e-4)
	require.InDelta(t, -50-130.103, reflections[1].GetSignalStrength(), 1e-3)
	require.Equal(t, -60.0, reflections[2].GetSignalStrength())
	require.Nil(t, reflections[3].SignalStrength)
	require.Equal(t, -70.0, seen.GetRadarSensorView()[0].GetReflection()[0].GetSignalStrength())
}

func TestReferencesToWhatIsGoneAreRemoved(t *testing.T) {
	tractor, other := car(2, 50, 0, 0, 0), car(3, 60, 0, 0, 0)
	for vehicle, trailer := range map[*osi3.MovingObject]uint64{tractor: 4, other: 5} {
		vehicle.VehicleClassification.HasTrailer, vehicle.VehicleClassification.TrailerId =
			proto.Bool(true), id(trailer)
	}
	view := scene(0, tractor, other, car(4, 200, 0, 0, 0), car(5, 70, 0, 0, 0))
	truth := view.GetGlobalGroundTruth()
	truth.StationaryObject = []*osi3.StationaryObject{pole(21, 20, 0), pole(22, 200, 0)}
	truth.LaneBoundary = []*osi3.LaneBoundary{{Classification: &osi3.LaneBoundary_Classification{
		LimitingStructureId: []*osi3.Identifier{id(22), id(21)},
	}}, {}}
	seen := through(t, start(t, 100), view).GetGlobalGroundTruth()
	require.Equal(t, []uint64{ego, 2, 3, 5}, ids(seen.GetMovingObject()))
	alone := seen.GetMovingObject()[1].GetVehicleClassification()
	drawing := seen.GetMovingObject()[2].GetVehicleClassification()
	require.False(t, alone.GetHasTrailer())
	require.Nil(t, alone.GetTrailerId())
	require.True(t, drawing.GetHasTrailer())
	require.Equal(t, uint64(5), drawing.GetTrailerId().GetValue())
	limits := seen.GetLaneBoundary()[0].GetClassification().GetLimitingStructureId()
	require.Len(t, limits, 1)
	require.Equal(t, uint64(21), limits[0].GetValue())
}

func TestUnknownFieldsSurvive(t *testing.T) {
	extra := []byte("\xc2\xb8\x02\x05extra") // field 5000
	view := scene(0, car(2, 10, 0, 0, 0))
	truth := view.GetGlobalGroundTruth()
	for _, m := range []proto.Message{view, truth, truth.GetMovingObject()[1],
		truth.GetEnvironmentalConditions()} {
		m.ProtoReflect().SetUnknown(extra)
	}
	seen := through(t, start(t, 100), view)
	truth = seen.GetGlobalGroundTruth()
	for _, m := range []proto.Message{seen, truth, truth.GetMovingObject()[1],
		truth.GetEnvironmentalConditions()} {
		require.Equal(t, extra, []byte(m.ProtoReflect().GetUnknown()))
	}
}

// TestNothingElseChanges uses random crowds: visible objects are unchanged and in their order,
// dropped objects were out of sight, and applying the same fog again hides nothing more.
func TestNothingElseChanges(t *testing.T) {
	r := start(t, 100)
	rapid.Check(t, func(draw *rapid.T) {
		visibility := rapid.Float64Range(1, 300).Draw(draw, "visibility")
		r.Set("visibility", visibility)
		coordinate := rapid.Float64Range(-300, 300)
		var others []*osi3.MovingObject
		for n := range rapid.IntRange(0, 20).Draw(draw, "others") {
			others = append(others,
				car(uint64(n+2), coordinate.Draw(draw, "x"), coordinate.Draw(draw, "y"),
					rapid.Float64Range(-4, 4).Draw(draw, "yaw"),
					rapid.Float64Range(0, 20).Draw(draw, "length")))
		}
		view := scene(0, others...)
		seen := through(t, r, view)
		again := through(t, r, seen)
		require.True(t, proto.Equal(seen, again))

		kept := map[uint64]*osi3.MovingObject{}
		for _, o := range seen.GetGlobalGroundTruth().GetMovingObject() {
			kept[o.GetId().GetValue()] = o
		}
		var wanted []*osi3.MovingObject
		for _, o := range view.GetGlobalGroundTruth().GetMovingObject() {
			p, half := o.GetBase().GetPosition(), o.GetBase().GetDimension().GetLength()/2
			distance := frames.Vector{X: p.GetX() - 2, Y: p.GetY()}.Length()
			switch _, is := kept[o.GetId().GetValue()]; {
			case is:
				wanted = append(wanted, o)
				require.LessOrEqual(t, distance-half, visibility+1e-9)
			default:
				require.Greater(t, distance, visibility-1e-9, "the centre of object %d is in sight",
					o.GetId().GetValue())
			}
		}
		view.GlobalGroundTruth.MovingObject = wanted
		view.GlobalGroundTruth.EnvironmentalConditions.Fog = seen.GetGlobalGroundTruth().
			GetEnvironmentalConditions().Fog
		require.True(t, proto.Equal(view, seen))
	})
}

func TestNoInputNoOutput(t *testing.T) {
	r := start(t, 100)
	through(t, r, scene(0, car(2, 500, 0, 0, 0)))
	require.Equal(t, int32(1), r.Get("dropped.moving"))
	r.Write(in, []byte{})
	r.Step(0.02)
	require.Nil(t, r.Read(out))
	require.Equal(t, false, r.Get("valid"))
	require.Equal(t, int32(0), r.Get("dropped.moving"))
	require.Empty(t, r.Log())
	require.Equal(t, 100.0, r.Get("sight.range"))
}

func TestInputThatCannotBeUsed(t *testing.T) {
	broken := func(change func(*osi3.SensorView)) []byte {
		v := scene(0, car(2, 10, 0, 0, 0))
		change(v)
		bytes, err := proto.Marshal(v)
		require.NoError(t, err)
		return bytes
	}
	for wanted, data := range map[string][]byte{
		"not a SensorView": []byte("nonsense"),
		"host_vehicle_id in neither GroundTruth nor SensorView": broken(func(v *osi3.SensorView) {
			v.HostVehicleId, v.GlobalGroundTruth.HostVehicleId = nil, nil
		}),
		"host_vehicle_id 99, which none of the 2 moving objects has": broken(
			func(v *osi3.SensorView) {
				v.GlobalGroundTruth.HostVehicleId = id(99)
			}),
		"host vehicle 1 has no base.position": broken(func(v *osi3.SensorView) {
			v.GlobalGroundTruth.MovingObject[0].Base = nil
		}),
		"or one that is not finite": broken(func(v *osi3.SensorView) {
			v.MountingPosition.Position = at(math.NaN(), 0, 0)
		}),
	} {
		r := start(t, 100)
		r.Write(in, data)
		require.Equal(t, fmi.Warning, r.TryStep(0.02))
		log := r.Log()
		require.Len(t, log, 1)
		require.Contains(t, log[0], wanted)
		require.Nil(t, r.Read(out))
		require.Equal(t, false, r.Get("valid"))
		through(t, r, scene(0)) // the run continues
	}
}

func TestViewsWithoutGroundTruthGoThrough(t *testing.T) {
	view := scene(0)
	view.GlobalGroundTruth = nil
	require.True(t, proto.Equal(view, through(t, start(t, 100), view)))
}

func TestObjectsThatCannotBeJudgedStay(t *testing.T) {
	nowhere, noNumber := car(2, 0, 0, 0, 0), car(3, math.NaN(), 0, 0, 0)
	nowhere.Base.Position = nil
	view := scene(0, nowhere, noNumber, &osi3.MovingObject{})
	require.Len(t, through(t, start(t, 1), view).GetGlobalGroundTruth().GetMovingObject(), 4)
}

func TestStatesAreSavedAndRestored(t *testing.T) {
	r := start(t, 100)
	through(t, r, scene(0, car(2, 50, 0, 0, 0)))
	state, wanted := r.Save(), bytes.Clone(r.Read(out))
	r.Set("visibility", 10)
	through(t, r, scene(0, car(2, 50, 0, 0, 0)))
	require.NotEqual(t, wanted, r.Read(out))
	r.Restore(state, 0.02)
	require.Equal(t, wanted, r.Read(out))
	require.Equal(t, 100.0, r.Get("sight.range"))
	require.Len(t,
		through(t, r, scene(0, car(2, 50, 0, 0, 0))).GetGlobalGroundTruth().GetMovingObject(), 2)
}

func TestWrongParameters(t *testing.T) {
	for name, values := range map[string][]float64{
		"visibility": {0, -5, 2e6, math.NaN()}, "contrast.object": {0, 1.1},
		"contrast.threshold": {0, 1.1},
	} {
		for _, value := range values {
			r := modeltest.New(t, definition)
			require.Equal(t, fmi.Error, r.TrySet(name, value), "%s %v", name, value)
			require.Contains(t, r.Log()[0], name)
		}
	}
}
