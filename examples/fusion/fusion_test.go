package main

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/proto/osi3"
)

const (
	isMeasured  = osi3.DetectedItemHeader_MEASUREMENT_STATE_MEASURED
	isPredicted = osi3.DetectedItemHeader_MEASUREMENT_STATE_PREDICTED

	available    = osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE
	reduced      = osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE_REDUCED
	notAvailable = osi3.DetectedEntityHeader_DATA_QUALIFIER_NOT_AVAILABLE
)

// at asserts where an object is.
func at(t *testing.T, x, y float64, m *osi3.DetectedMovingObject) {
	t.Helper()
	require.InDelta(t, x, m.GetBase().GetPosition().GetX(), 1e-9, "x")
	require.InDelta(t, y, m.GetBase().GetPosition().GetY(), 1e-9, "y")
}

func ids(list []*osi3.Identifier) (v []uint64) {
	for _, id := range list {
		v = append(v, id.GetValue())
	}
	return v
}

// tracked are the tracking ids of the objects, by the id of what they truly are.
func tracked(d *osi3.SensorData) map[uint64]uint64 {
	m := map[uint64]uint64{}
	for _, o := range d.GetMovingObject() {
		for _, id := range o.GetHeader().GetGroundTruthId() {
			m[id.GetValue()] = o.GetHeader().GetTrackingId().GetValue()
		}
	}
	return m
}

func TestOneCarSeenByBothIsMergedByInverseVariance(t *testing.T) {
	// 20 m with 1 m and 21 m with 2 m: weights 4 to 1, variance 4/5; 0.5 and 0.6: 1 - 0.5 0.4.
	r := start(t, nil)
	d := step(t, r, sensor{id: 12}.data(ms(20), car{id: 3, x: 20, vx: 5, sigma: 1, existence: 0.5, truth: 8}),
		sensor{id: 11}.data(ms(20), car{id: 1, x: 21, vx: 10, sigma: 2, existence: 0.6, truth: 8}))
	require.Len(t, d.GetMovingObject(), 1)
	m := d.GetMovingObject()[0]
	at(t, 20.2, 0, m)
	require.InDelta(t, 6, m.GetBase().GetVelocity().GetX(), 1e-9)
	require.InDelta(t, math.Sqrt(0.8), m.GetBaseRmse().GetPosition().GetX(), 1e-9)
	require.InDelta(t, math.Sqrt(0.8), m.GetBaseRmse().GetVelocity().GetY(), 1e-9)
	require.InDelta(t, 0.8, m.GetHeader().GetExistenceProbability(), 1e-12)
	require.Equal(t, isMeasured, m.GetHeader().GetMeasurementState())
	require.Equal(t, []uint64{8}, ids(m.GetHeader().GetGroundTruthId()))
	require.Equal(t, []uint64{11, 12}, ids(m.GetHeader().GetSensorId()))
	require.Equal(t, uint64(1), m.GetHeader().GetTrackingId().GetValue())
	require.Zero(t, m.GetHeader().GetAge())
	require.Equal(t, []any{true, int32(1), int32(1)}, []any{r.Get("valid"), r.Get("count"), r.Get("matched")})
}

func TestHeadOfTheMessage(t *testing.T) {
	d := fuse(t, map[string]any{"sensorId": 5}, front.data(ms(20)), left.data(ms(10)))
	require.Equal(t, uint32(3), d.GetVersion().GetVersionMajor())
	require.Equal(t, uint32(20e6), d.GetTimestamp().GetNanos())
	require.Equal(t, uint32(20e6), d.GetLastMeasurementTime().GetNanos())
	require.Equal(t, uint64(5), d.GetSensorId().GetValue())
	require.NotNil(t, d.GetMountingPosition().GetPosition().X)
	require.Len(t, d.GetSensorView(), 2)
	require.Equal(t, uint64(11), d.GetSensorView()[0].GetSensorId().GetValue())
	require.Equal(t, uint64(12), d.GetSensorView()[1].GetSensorId().GetValue())
	require.Equal(t, uint32(20e6), d.GetMovingObjectHeader().GetMeasurementTime().GetNanos())
	require.Equal(t, uint64(1), d.GetMovingObjectHeader().GetCycleCounter())
	require.Equal(t, available, d.GetMovingObjectHeader().GetDataQualifier())
	require.Nil(t, d.GetStationaryObjectHeader(), "no sensor has such a list")
	require.Empty(t, fuse(t, map[string]any{"sensorViews": false}, front.data(ms(20)), nil).GetSensorView())
}

func TestBothFramesBecomeTheVehicles(t *testing.T) {
	truth := car{x: 20, y: 5, vx: -3, vy: 2, sigma: 0.1}
	for name, c := range map[string]struct {
		frame string
		a, b  *osi3.SensorData
	}{
		"sensor":  {"sensor", front.sees(ms(20), truth), left.sees(ms(20), truth)},
		"vehicle": {"vehicle", front.data(ms(20), truth), left.data(ms(20), truth)},
		"alone":   {"sensor", nil, left.sees(ms(20), truth)},
	} {
		d := fuse(t, map[string]any{"inputs.frame": c.frame}, c.a, c.b)
		require.Len(t, d.GetMovingObject(), 1, name)
		at(t, 20, 5, d.GetMovingObject()[0])
		require.InDelta(t, -3, d.GetMovingObject()[0].GetBase().GetVelocity().GetX(), 1e-9, name)
		require.InDelta(t, 2, d.GetMovingObject()[0].GetBase().GetVelocity().GetY(), 1e-9, name)
	}
}

func TestOrientationTurnsWithTheSensor(t *testing.T) {
	a, b := sensor{id: 1}.data(ms(20), car{x: 9, sigma: 1}), sensor{id: 2, yaw: math.Pi / 2}.data(ms(20), car{y: -9, sigma: 1})
	for d, yaw := range map[*osi3.SensorData]float64{a: math.Pi - 0.1, b: math.Pi/2 + 0.3} {
		d.MovingObject[0].Base.Orientation = &osi3.Orientation3D{Yaw: &yaw}
		d.MovingObject[0].Base.OrientationRate = &osi3.Orientation3D{Yaw: proto.Float64(0.5)}
	}
	b.MovingObject[0].Base.Acceleration = message.Vector(frames.Vector{X: 2})
	m := fuse(t, nil, a, b).GetMovingObject()
	require.Len(t, m, 1)
	at(t, 9, 0, m[0])
	require.InDelta(t, 0, m[0].GetBase().GetAcceleration().GetX(), 1e-9)
	require.InDelta(t, 2, m[0].GetBase().GetAcceleration().GetY(), 1e-9)
	require.InDelta(t, -math.Pi+0.1, m[0].GetBase().GetOrientation().GetYaw(), 1e-9, "between pi-0.1 and pi+0.3, wrapped")
	require.InDelta(t, 0.5, m[0].GetBase().GetOrientationRate().GetYaw(), 1e-9)
	require.Nil(t, m[0].GetBaseRmse().GetOrientation(), "no sensor has told")
}

func TestErrorsTurnWithTheSensor(t *testing.T) {
	// Both measure the distance well and the direction badly, from the right and from behind: together they are good in both.
	a, b := sensor{id: 1, x: -10}.sees(ms(20), car{}), sensor{id: 2, y: -10, yaw: math.Pi / 2}.sees(ms(20), car{})
	for _, d := range []*osi3.SensorData{a, b} {
		d.MovingObject[0].BaseRmse = &osi3.BaseMoving{Position: message.Vector(frames.Vector{X: 0.1, Y: 3, Z: 1})}
	}
	*b.MovingObject[0].Base.Position.X += 0.5
	m := fuse(t, nil, a, b).GetMovingObject()
	require.Len(t, m, 1)
	require.InDelta(t, 0, m[0].GetBase().GetPosition().GetX(), 1e-9)
	require.InDelta(t, 0.5*9/9.01, m[0].GetBase().GetPosition().GetY(), 1e-9)
	require.InDelta(t, 0.0999, m[0].GetBaseRmse().GetPosition().GetX(), 1e-4)
	require.InDelta(t, 0.0999, m[0].GetBaseRmse().GetPosition().GetY(), 1e-4)
	require.Nil(t, m[0].GetBaseRmse().GetVelocity())
}

func TestOldInputsArePredicted(t *testing.T) {
	now, late := front.sees(ms(20), car{x: 30, vx: 50, sigma: 1}), left.sees(ms(0), car{x: 29, vx: 50, sigma: 1})
	d := fuse(t, nil, now, late)
	require.Len(t, d.GetMovingObject(), 1)
	at(t, 30, 0, d.GetMovingObject()[0])
	require.Equal(t, isMeasured, d.GetMovingObject()[0].GetHeader().GetMeasurementState(), "one sensor has measured it now")
	require.Equal(t, uint32(20e6), d.GetMovingObjectHeader().GetMeasurementTime().GetNanos())

	d = fuse(t, map[string]any{"prediction.acceleration": 100}, nil, left.sees(ms(0), car{x: 29, vx: 50, sigma: 1}))
	at(t, 30, 0, d.GetMovingObject()[0])
	require.Equal(t, isPredicted, d.GetMovingObject()[0].GetHeader().GetMeasurementState())
	require.InDelta(t, math.Sqrt(1+0.02*0.02+0.02*0.02), d.GetMovingObject()[0].GetBaseRmse().GetPosition().GetX(), 1e-9)
	require.Zero(t, d.GetMovingObjectHeader().GetMeasurementTime().GetNanos())

	turning := left.sees(ms(0), car{x: 29})
	turning.MovingObject[0].Base.Orientation = newAngles(frames.Vector{Z: 3.14 - left.yaw})
	turning.MovingObject[0].Base.OrientationRate = newAngles(frames.Vector{Z: 0.5})
	yaw := fuse(t, nil, nil, turning).GetMovingObject()[0].GetBase().GetOrientation().GetYaw()
	require.InDelta(t, 3.15-2*math.Pi, yaw, 1e-9)

	// Its own output says so, and is not predicted twice by a second fusion in the same step, only by one a step later.
	again := fuse(t, nil, d, nil)
	at(t, 30, 0, again.GetMovingObject()[0])
	require.Equal(t, isPredicted, again.GetMovingObject()[0].GetHeader().GetMeasurementState())
	r := start(t, nil)
	step(t, r, nil, nil)
	at(t, 31, 0, step(t, r, d, nil).GetMovingObject()[0])
}

func TestTheBestPairingIsGlobal(t *testing.T) {
	// The nearest pair, 2 and 1.2, would leave 0 and 3.4 to each other.
	d := fuse(t, nil, sensor{id: 1}.data(ms(20), car{x: 0, sigma: 1, truth: 1}, car{x: 2, sigma: 1, truth: 2}),
		sensor{id: 2}.data(ms(20), car{x: 1.2, sigma: 1, truth: 3}, car{x: 3.4, sigma: 1, truth: 4}))
	require.Len(t, d.GetMovingObject(), 2)
	at(t, 0.6, 0, d.GetMovingObject()[0])
	at(t, 2.7, 0, d.GetMovingObject()[1])
	require.Equal(t, []uint64{1, 3}, ids(d.GetMovingObject()[0].GetHeader().GetGroundTruthId()))
}

func TestWhatIsTooFarApartIsKeptTwice(t *testing.T) {
	for apart, objects := range map[float64]int{7: 1, 7.1: 2} { // the gate is 5 times the root of two
		a := sensor{id: 1}.data(ms(20), car{x: 10, sigma: 1, existence: 0.7})
		b := sensor{id: 2}.data(ms(20), car{x: 10, y: apart, sigma: 1})
		d := fuse(t, nil, a, b)
		require.Len(t, d.GetMovingObject(), objects)
		if objects == 2 {
			require.Equal(t, []uint64{1}, ids(d.GetMovingObject()[0].GetHeader().GetSensorId()))
			require.InDelta(t, 0.7, d.GetMovingObject()[0].GetHeader().GetExistenceProbability(), 1e-12)
			require.Nil(t, d.GetMovingObject()[1].GetHeader().ExistenceProbability, "not told by the sensor")
		}
	}
	byPlace := fuse(t, nil, front.sees(ms(20), car{x: 30, truth: 30}), left.sees(ms(20), car{x: 10, truth: 10}))
	require.Equal(t, map[uint64]uint64{10: 1, 30: 2}, tracked(byPlace), "new numbers are given by place")
	require.Len(t, fuse(t, map[string]any{"gate": 1}, sensor{}.data(ms(20), car{sigma: 1}),
		sensor{}.data(ms(20), car{x: 1.5, sigma: 1})).GetMovingObject(), 2)
}

func TestUntoldErrorsAreTheParameters(t *testing.T) {
	set := map[string]any{"sigma.position": 2.0, "sigma.leastPosition": 1.0, "sigma.velocity": 4.0, "sigma.leastVelocity": 2.0}
	told, untold := car{x: 10, vx: 5, sigma: 1e-9}, car{x: 15, vx: 10}
	d := fuse(t, set, sensor{id: 1}.data(ms(20), told), sensor{id: 2}.data(ms(20), untold))
	require.Len(t, d.GetMovingObject(), 1)
	at(t, 11, 0, d.GetMovingObject()[0])
	require.InDelta(t, 6, d.GetMovingObject()[0].GetBase().GetVelocity().GetX(), 1e-9)
}

func TestWhatCannotBeMixedIsThatOfTheSurerObject(t *testing.T) {
	for name, c := range map[string]struct {
		a, b car
		want osi3.DetectedMovingObject_MovementState
	}{
		"existence": {car{existence: 0.4, sigma: 0.1}, car{existence: 0.5, sigma: 1}, osi3.DetectedMovingObject_MOVEMENT_STATE_STOPPED},
		"place":     {car{existence: 0.4, sigma: 0.1}, car{existence: 0.4, sigma: 1}, osi3.DetectedMovingObject_MOVEMENT_STATE_MOVING},
	} {
		a, b := sensor{id: 1}.data(ms(20), c.a), sensor{id: 2}.data(ms(20), c.b)
		a.MovingObject[0].MovementState = osi3.DetectedMovingObject_MOVEMENT_STATE_MOVING.Enum()
		b.MovingObject[0].MovementState = osi3.DetectedMovingObject_MOVEMENT_STATE_STOPPED.Enum()
		for _, d := range []*osi3.SensorData{fuse(t, nil, a, b), fuse(t, nil, b, a)} {
			require.Len(t, d.GetMovingObject(), 1, name)
			require.Equal(t, c.want, d.GetMovingObject()[0].GetMovementState(), name)
		}
	}
}

func TestCandidatesAreMixed(t *testing.T) {
	lorry := osi3.MovingObject_VehicleClassification_TYPE_HEAVY_TRUCK
	a := sensor{id: 1}.data(ms(20), car{kind: osi3.MovingObject_TYPE_VEHICLE})
	b := sensor{id: 2}.data(ms(20), car{kind: osi3.MovingObject_TYPE_VEHICLE},
		car{x: 50, kind: osi3.MovingObject_TYPE_PEDESTRIAN})
	b.MovingObject[0].Candidate[0].Probability = proto.Float64(0.75)
	b.MovingObject[0].Candidate = append(b.MovingObject[0].Candidate, &osi3.DetectedMovingObject_CandidateMovingObject{
		Probability: proto.Float64(0.25), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
		VehicleClassification: &osi3.MovingObject_VehicleClassification{Type: &lorry},
	})
	a.MovingObject[0].MovementState = osi3.DetectedMovingObject_MOVEMENT_STATE_MOVING.Enum()
	b.MovingObject[0].RadarSpecifics = &osi3.RadarSpecificObjectData{Rcs: proto.Float64(3)}
	m := fuse(t, nil, a, b).GetMovingObject()
	require.Len(t, m, 2)
	require.Len(t, m[0].GetCandidate(), 2)
	require.InDelta(t, 0.875, m[0].GetCandidate()[0].GetProbability(), 1e-12)
	require.InDelta(t, 0.125, m[0].GetCandidate()[1].GetProbability(), 1e-12)
	require.Equal(t, lorry, m[0].GetCandidate()[1].GetVehicleClassification().GetType())
	require.Equal(t, osi3.MovingObject_TYPE_PEDESTRIAN, m[1].GetCandidate()[0].GetType())
	require.Equal(t, osi3.DetectedMovingObject_MOVEMENT_STATE_MOVING, m[0].GetMovementState())
	require.InDelta(t, 3, m[0].GetRadarSpecifics().GetRcs(), 0, "what only one of them knows is kept")
}

func TestStationaryObjectsAreFusedToo(t *testing.T) {
	post := func(s sensor, x float64) *osi3.SensorData {
		d := s.data(ms(20))
		d.StationaryObject = []*osi3.DetectedStationaryObject{{
			Base: &osi3.BaseStationary{
				Position:    &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(1)},
				Dimension:   &osi3.Dimension3D{Height: proto.Float64(1 + x/10)},
				BasePolygon: []*osi3.Vector2D{{X: proto.Float64(0.5)}},
			},
			Candidate: []*osi3.DetectedStationaryObject_CandidateStationaryObject{{Probability: proto.Float64(0.5),
				Classification: &osi3.StationaryObject_Classification{Type: osi3.StationaryObject_Classification_TYPE_POLE.Enum()}}},
		}}
		return d
	}
	a, b := post(sensor{id: 1}, 10), post(sensor{id: 2}, 10.2)
	b.StationaryObject[0].RadarSpecifics = &osi3.RadarSpecificObjectData{Rcs: proto.Float64(3)}
	d := fuse(t, nil, a, b)
	require.Len(t, d.GetStationaryObject(), 1)
	s := d.GetStationaryObject()[0]
	require.InDelta(t, 10.1, s.GetBase().GetPosition().GetX(), 1e-9)
	require.InDelta(t, 2.01, s.GetBase().GetDimension().GetHeight(), 1e-9)
	require.Len(t, s.GetBase().GetBasePolygon(), 1)
	require.InDelta(t, 3, s.GetRadarSpecifics().GetRcs(), 0)
	require.Len(t, s.GetCandidate(), 1)
	require.InDelta(t, 0.5, s.GetCandidate()[0].GetProbability(), 1e-12)
	require.Equal(t, []uint64{1, 2}, ids(s.GetHeader().GetSensorId()), "an item without sensor_id is its SensorData's")
	require.Equal(t, available, d.GetStationaryObjectHeader().GetDataQualifier(), "the lists are there, their headers are not")
	require.Zero(t, s.GetBase().GetPosition().GetZ())
}

func TestMissingInputs(t *testing.T) {
	r := start(t, nil)
	require.Nil(t, step(t, r, nil, nil))
	require.Equal(t, false, r.Get("valid"))
	d := step(t, r, nil, left.sees(ms(40), car{x: 12, y: 3, sigma: 1, existence: 0.9}))
	require.Len(t, d.GetMovingObject(), 1)
	at(t, 12, 3, d.GetMovingObject()[0])
	require.Equal(t, reduced, d.GetMovingObjectHeader().GetDataQualifier())
	require.Equal(t, uint64(1), d.GetMovingObjectHeader().GetCycleCounter())
	require.Nil(t, step(t, r, nil, nil))
	require.Equal(t, int32(0), r.Get("count"))
	d = step(t, r, left.sees(ms(80)), left.sees(ms(80)))
	require.Equal(t, available, d.GetMovingObjectHeader().GetDataQualifier(), "nothing seen is a result, too")
	require.Empty(t, r.Log())
}

func TestQualifiersOfTheSensorsCount(t *testing.T) {
	for _, c := range []struct {
		a, b, want osi3.DetectedEntityHeader_DataQualifier
	}{
		{available, available, available},
		{available, reduced, reduced},
		{available, notAvailable, reduced},
		{notAvailable, osi3.DetectedEntityHeader_DATA_QUALIFIER_BLINDNESS, notAvailable},
	} {
		a, b := sensor{}.data(ms(20), car{x: 1}), sensor{}.data(ms(20), car{x: 50})
		a.MovingObjectHeader.DataQualifier, b.MovingObjectHeader.DataQualifier = &c.a, &c.b
		d := fuse(t, nil, a, b)
		require.Equal(t, c.want, d.GetMovingObjectHeader().GetDataQualifier())
		seen := 0
		for _, q := range []osi3.DetectedEntityHeader_DataQualifier{c.a, c.b} {
			if q == available || q == reduced {
				seen++
			}
		}
		require.Len(t, d.GetMovingObject(), seen, "a list that is not available is not used")
	}
}

// drive is where three cars are at a time: two that pass through each other as if they were ghosts, and one beside.
func drive(n int) []car {
	s := float64(n) * h
	return []car{
		{id: 21, truth: 1, x: 20 + 10*s, vx: 10, sigma: 0.3},
		{id: 22, truth: 2, x: 30, sigma: 0.3},
		{id: 23, truth: 3, x: 25 - 5*s, y: 10, vx: -5, sigma: 0.3},
	}
}

func TestTrackingIDsStayWithTheObjects(t *testing.T) {
	r := start(t, nil)
	var first map[uint64]uint64
	for n := 1; n <= 100; n++ {
		cars := drive(n)
		other := slices.Clone(cars)
		slices.Reverse(other)
		for k := range other {
			other[k].id = uint64(1000 - 100*k - n%7) // a sensor that does not keep its ids
		}
		d := step(t, r, front.sees(ms(20*n), cars...), left.sees(ms(20*n), other[1:]...))
		require.Len(t, d.GetMovingObject(), 3, n)
		if first == nil {
			first = tracked(d)
			require.ElementsMatch(t, []uint64{1, 2, 3}, []uint64{first[1], first[2], first[3]})
		}
		require.Equal(t, first, tracked(d), n)
		for _, m := range d.GetMovingObject() {
			require.InDelta(t, float64(n-1)*h, m.GetHeader().GetAge(), 1e-9)
		}
	}
}

func TestTracksOutliveLossesForAWhile(t *testing.T) {
	r := start(t, map[string]any{"tracks.keep": 0.1})
	d := step(t, r, front.sees(ms(20), drive(1)...), nil)
	first := tracked(d)
	for n := 2; n <= 5; n++ {
		step(t, r, front.sees(ms(20*n), drive(n)[1]), nil)
	}
	d = step(t, r, nil, left.sees(ms(120), drive(6)...))
	require.Equal(t, first, tracked(d), "0.1 s later, by the other sensor")
	for n := 7; n <= 11; n++ {
		step(t, r, nil, left.sees(ms(20*n), drive(n)[1]))
	}
	d = step(t, r, nil, left.sees(ms(240), drive(12)...))
	require.Equal(t, first[2], tracked(d)[2])
	require.ElementsMatch(t, []uint64{4, 5}, []uint64{tracked(d)[1], tracked(d)[3]}, "numbers are not used twice")
}

func TestALostObjectIsExpectedWhereItWasGoing(t *testing.T) {
	r := start(t, nil)
	fast := func(n int) *osi3.SensorData { return left.sees(ms(20*n), car{x: 10 + float64(n), vx: 50, sigma: 0.1}) }
	step(t, r, nil, fast(1))
	for n := 2; n < 12; n++ {
		step(t, r, nil, left.sees(ms(20*n)))
	}
	m := step(t, r, nil, fast(12)).GetMovingObject()
	require.Len(t, m, 1)
	require.Equal(t, uint64(1), m[0].GetHeader().GetTrackingId().GetValue())
	require.InDelta(t, 0.22, m[0].GetHeader().GetAge(), 1e-9)
}

func TestOneStepLateInputsGiveTheSameIDsAndPlaces(t *testing.T) {
	prompt, late := start(t, nil), start(t, nil)
	step(t, late, nil, nil)
	for n := 1; n <= 60; n++ {
		d := step(t, prompt, front.sees(ms(20*n), drive(n)...), left.sees(ms(20*n), drive(n)...))
		e := step(t, late, front.sees(ms(20*n), drive(n)...), left.sees(ms(20*n), drive(n)...))
		require.Equal(t, tracked(d), tracked(e))
		require.Equal(t, ms(20*n+20), ms(int(e.GetTimestamp().GetSeconds()*1000)+int(e.GetTimestamp().GetNanos()/1e6)))
		for k, m := range e.GetMovingObject() {
			was := d.GetMovingObject()[k].GetBase()
			at(t, was.GetPosition().GetX()+was.GetVelocity().GetX()*h, was.GetPosition().GetY(), m)
			require.Equal(t, isPredicted, m.GetHeader().GetMeasurementState())
		}
	}
}

func TestStatesAreSavedAndRestored(t *testing.T) {
	r, other := start(t, nil), start(t, nil)
	run := func(to int, n int) []byte {
		rig := []interface {
			Write(string, any)
			Step(float64)
			Read(string) []byte
		}{r, other}[to]
		rig.Write(in1, front.sees(ms(20*n), drive(n)...))
		rig.Write(in2, left.sees(ms(20*n), drive(n)[:n%3]...))
		rig.Step(h)
		return slices.Clone(rig.Read(out))
	}
	for n := 1; n <= 30; n++ {
		run(0, n)
	}
	state := r.Save()
	var want [][]byte
	for n := 31; n <= 60; n++ {
		want = append(want, run(0, n))
	}
	r.Restore(state, 30*h)
	other.Restore(state, 30*h)
	for n := 31; n <= 60; n++ {
		for to := range 2 {
			require.Equal(t, want[n-31], run(to, n), n)
		}
	}
	require.Error(t, (&fusion{}).Restore(make([]byte, 3)))
	damaged, err := (&fusion{moving: make(tracks, 2)}).Snapshot(nil)
	require.NoError(t, err)
	damaged[16]--
	require.Error(t, (&fusion{}).Restore(damaged))
}

func TestTheOlderTrackSurvivesASplit(t *testing.T) {
	r := start(t, nil)
	see := func(n int, one, two float64) []*osi3.DetectedMovingObject {
		return step(t, r, sensor{id: 1}.data(ms(20*n), car{id: 4, x: one, sigma: 0.2}),
			sensor{id: 2}.data(ms(20*n), car{id: 4, x: two, sigma: 0.2})).GetMovingObject()
	}
	see(1, 20, 20)
	require.Len(t, see(2, 20, 21.5), 2, "an outlier of one sensor")
	for n := 3; n < 10; n++ {
		m := see(n, 20.6, 21.7) // at first nearer to the place of the second track than to that of the first
		require.Len(t, m, 1)
		require.Equal(t, uint64(1), m[0].GetHeader().GetTrackingId().GetValue())
	}
}
