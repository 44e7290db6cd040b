package main

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
)

const (
	isMeasured  = osi3.DetectedItemHeader_MEASUREMENT_STATE_MEASURED
	isPredicted = osi3.DetectedItemHeader_MEASUREMENT_STATE_PREDICTED

	available = osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE
	reduced   = osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE_REDUCED
)

// at asserts the position of an object.
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

// tracked returns the tracking ids of the objects, by the id of the true object.
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
	d := step(t, r,
		sensor{id: 12}.data(ms(20), car{id: 3, x: 20, vx: 5, sigma: 1, existence: 0.5, truth: 8}),
		sensor{id: 11}.data(ms(20), car{id: 1, x: 21, vx: 10, sigma: 2, existence: 0.6, truth: 8}))
	require.Len(t, d.GetMovingObject(), 1)
	m := d.GetMovingObject()[0]
	at(t, 20.2, 0, m)
	require.InDelta(t, 6, m.GetBase().GetVelocity().GetX(), 1e-9)
	require.InDelta(t, math.Sqrt(0.8), m.GetBaseRmse().GetPosition().GetX(), 1e-9)
	require.InDelta(t, 0.8, m.GetHeader().GetExistenceProbability(), 1e-12)
	require.Equal(t, isMeasured, m.GetHeader().GetMeasurementState())
	require.Equal(t, []uint64{8}, ids(m.GetHeader().GetGroundTruthId()))
	require.Equal(t, []uint64{12, 11}, ids(m.GetHeader().GetSensorId()))
	require.Equal(t, uint64(1), m.GetHeader().GetTrackingId().GetValue())
	require.Zero(t, m.GetHeader().GetAge())
	require.Equal(t, []any{true, int32(1), int32(1)},
		[]any{r.Get("valid"), r.Get("count"), r.Get("matched")})
}

func TestHeadOfTheMessage(t *testing.T) {
	d := fuse(t, map[string]any{"sensorId": 5}, front.data(ms(20), car{x: 9}), left.data(ms(10)))
	require.Equal(t, uint32(20e6), d.GetTimestamp().GetNanos())
	require.Equal(t, uint32(20e6), d.GetLastMeasurementTime().GetNanos())
	require.Equal(t, uint64(5), d.GetSensorId().GetValue())
	require.NotNil(t, d.GetMountingPosition().GetPosition().X)
	require.Len(t, d.GetSensorView(), 2)
	require.Equal(t, uint64(11), d.GetSensorView()[0].GetSensorId().GetValue())
	require.Equal(t, uint32(20e6), d.GetMovingObjectHeader().GetMeasurementTime().GetNanos())
	require.Equal(t, uint64(1), d.GetMovingObjectHeader().GetCycleCounter())
	require.Equal(t, available, d.GetMovingObjectHeader().GetDataQualifier())
	d.SensorView = nil
	require.Empty(t, rules.Check(d))
}

func TestTheFrameBecomesTheVehicles(t *testing.T) {
	truth := car{x: 20, y: 5, vx: -3, vy: 2, sigma: 0.1}
	for name, inputs := range map[string][2]*osi3.SensorData{
		"both":  {front.sees(ms(20), truth), left.sees(ms(20), truth)},
		"alone": {nil, left.sees(ms(20), truth)},
	} {
		d := fuse(t, nil, inputs[0], inputs[1])
		require.Len(t, d.GetMovingObject(), 1, name)
		at(t, 20, 5, d.GetMovingObject()[0])
		require.InDelta(t, -3, d.GetMovingObject()[0].GetBase().GetVelocity().GetX(), 1e-9, name)
		require.InDelta(t, 2, d.GetMovingObject()[0].GetBase().GetVelocity().GetY(), 1e-9, name)
	}
	turned := sensor{id: 2, yaw: math.Pi / 2}.data(ms(20), car{y: -9})
	turned.MovingObject[0].Base.Orientation = message.Orientation(frames.Orientation{Yaw: 0.3})
	turned.MovingObject[0].Base.Velocity = nil
	m := fuse(t, nil, turned, nil).GetMovingObject()[0]
	require.InDelta(t, math.Pi/2+0.3, m.GetBase().GetOrientation().GetYaw(), 1e-9)
	require.Nil(t, m.GetBase().GetVelocity(), "what no sensor states stays unset")
}

func TestOldInputsArePredicted(t *testing.T) {
	now, late := front.sees(ms(20), car{x: 30, vx: 50, sigma: 1}),
		left.sees(ms(0), car{x: 29, vx: 50, sigma: 1})
	d := fuse(t, nil, now, late)
	require.Len(t, d.GetMovingObject(), 1)
	at(t, 30, 0, d.GetMovingObject()[0])
	require.Equal(t, isMeasured, d.GetMovingObject()[0].GetHeader().GetMeasurementState(),
		"one sensor has measured it now")

	d = fuse(t, map[string]any{"prediction.speed": 50}, nil,
		left.sees(ms(0), car{x: 29, vx: 50, sigma: 1}))
	at(t, 30, 0, d.GetMovingObject()[0])
	require.Equal(t, isPredicted, d.GetMovingObject()[0].GetHeader().GetMeasurementState())
	require.InDelta(t, math.Sqrt2, d.GetMovingObject()[0].GetBaseRmse().GetPosition().GetX(), 1e-9,
		"50 m/s for 20 ms is another metre")
	require.Zero(t, d.GetMovingObjectHeader().GetMeasurementTime().GetNanos())
}

func TestTheNearestPartnerWithinTheGateCounts(t *testing.T) {
	for apart, objects := range map[float64]int{1.9: 1, 2.1: 2} {
		d := fuse(t, nil, sensor{id: 1}.data(ms(20), car{x: 10, sigma: 1}),
			sensor{id: 2}.data(ms(20), car{x: 10, y: apart, sigma: 1}))
		require.Len(t, d.GetMovingObject(), objects)
	}
	d := fuse(t, nil,
		sensor{id: 1}.data(ms(20), car{x: 0, sigma: 1, truth: 1}, car{x: 1.5, sigma: 1, truth: 2}),
		sensor{id: 2}.data(ms(20), car{x: 1, sigma: 1, truth: 3}, car{x: 1.2, sigma: 1, truth: 4},
			car{x: 40, truth: 5}))
	require.Len(t, d.GetMovingObject(), 3)
	at(t, 0.6, 0, d.GetMovingObject()[0])
	at(t, 1.25, 0, d.GetMovingObject()[1])
	require.Equal(t, []uint64{1, 4}, ids(d.GetMovingObject()[0].GetHeader().GetGroundTruthId()))
	require.Equal(t, []uint64{2, 3}, ids(d.GetMovingObject()[1].GetHeader().GetGroundTruthId()))
	require.Equal(t, []uint64{5}, ids(d.GetMovingObject()[2].GetHeader().GetGroundTruthId()),
		"one of a sensor alone")
}

func TestAMissingErrorFallsBackToTheParameter(t *testing.T) {
	d := fuse(t, map[string]any{"sigma": 2.0}, sensor{id: 1}.data(ms(20), car{x: 10, sigma: 1}),
		sensor{id: 2}.data(ms(20), car{x: 11}))
	at(t, 10.2, 0, d.GetMovingObject()[0])
}

func TestUselessInputIsLeftOut(t *testing.T) {
	r := start(t, nil)
	odd := front.data(ms(20), car{x: 5}, car{x: math.NaN()}, car{x: 9})
	odd.MovingObject[0].Base.Position = nil
	require.Len(t, step(t, r, odd, nil).GetMovingObject(), 1)

	r.Write(in1, front.data(ms(600), car{x: 5}))
	r.Write(in2, []byte("something else"))
	require.Equal(t, fmi.Warning, r.TryStep(h))
	require.Empty(t, r.Read(out))
	require.Contains(t, r.Log()[0], "found data measured -0.56 s before the end of the step, "+
		"expected at most 0.5 s (inputs.maxAge)")
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
	require.Equal(t, available, d.GetMovingObjectHeader().GetDataQualifier(),
		"nothing seen is a result, too")
	require.Empty(t, r.Log())
}

// drive returns the positions of three cars at a time: one that overtakes another in the next lane,
// and one next to them.
func drive(n int) []car {
	s := float64(n) * h
	return []car{
		{id: 21, truth: 1, x: 20 + 10*s, vx: 10, sigma: 0.3},
		{id: 22, truth: 2, x: 30, y: -4, sigma: 0.3},
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
			other[k].id = uint64(1000 - 100*k - n%7) // a sensor whose ids are not stable
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
	require.ElementsMatch(t, []uint64{4, 5}, []uint64{tracked(d)[1], tracked(d)[3]},
		"numbers are not used twice")
}

func TestALostObjectIsExpectedWhereItWasGoing(t *testing.T) {
	r := start(t, nil)
	fast := func(n int) *osi3.SensorData {
		return left.sees(ms(20*n), car{x: 10 + float64(n), vx: 50, sigma: 0.1})
	}
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
		require.Equal(t, ms(20*n+20),
			ms(int(e.GetTimestamp().GetSeconds()*1000)+int(e.GetTimestamp().GetNanos()/1e6)))
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
	whole, err := (&fusion{tracks: make([]track, 2)}).Snapshot(nil)
	require.NoError(t, err)
	require.NoError(t, (&fusion{}).Restore(whole))
	require.Error(t, (&fusion{}).Restore(whole[:len(whole)-1]))
	require.Error(t, (&fusion{}).Restore(append(whole, 0)))
}
