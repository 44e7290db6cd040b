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
)

const out = "OSMPSensorViewOut"

// start creates a source with some parameters.
func start(t *testing.T, parameters map[string]any) *modeltest.Rig {
	t.Helper()
	r := modeltest.New(t, definition)
	for name, value := range parameters {
		r.Set(name, value)
	}
	r.Start()
	require.Nil(t, r.Read(out), "there is nothing before the first step")
	require.Equal(t, false, r.Get("valid"))
	return r
}

// view returns the message of a step of h seconds.
func view(t *testing.T, r *modeltest.Rig, h float64) *osi3.SensorView {
	t.Helper()
	r.Step(h)
	return sent(t, r)
}

// sent returns the message of the newest step.
func sent(t *testing.T, r *modeltest.Rig) *osi3.SensorView {
	t.Helper()
	v := &osi3.SensorView{}
	require.True(t, r.Decode(out, v))
	return v
}

func TestWorldAfterASecond(t *testing.T) {
	r := start(t, map[string]any{"vehicles": 5})
	v := view(t, r, 1)
	require.Equal(t, int32(6), r.Get("count"))
	require.Equal(t, true, r.Get("valid"))
	require.Equal(t, int64(1), v.GetTimestamp().GetSeconds())
	require.Equal(t, uint64(1), v.GetHostVehicleId().GetValue())
	require.Equal(t, 3.9, v.GetMountingPosition().GetPosition().GetX())

	truth := v.GetGlobalGroundTruth()
	require.Len(t, truth.GetMovingObject(), 6)
	require.Len(t, truth.GetStationaryObject(), 62, "3142 m of road, a post each 50 m")
	require.Equal(t, osi3.EnvironmentalConditions_FOG_EXCELLENT_VISIBILITY,
		truth.GetEnvironmentalConditions().GetFog())

	// 25 m on a circle of 500 m are 0.05 rad: x = 500 m sin 0.05 = 24.98958 m, y = 500 m (1 - cos
	// 0.05) = 0.62487 m.
	host := truth.GetMovingObject()[0].GetBase()
	require.InDelta(t, 24.98958, host.GetPosition().GetX(), 1e-5)
	require.InDelta(t, 0.62487, host.GetPosition().GetY(), 1e-5)
	require.InDelta(t, 0.75, host.GetPosition().GetZ(), 1e-12)
	require.InDelta(t, 0.05, host.GetOrientation().GetYaw(), 1e-12)
	require.InDelta(t, 0.05, host.GetOrientationRate().GetYaw(), 1e-12)
	require.InDelta(t, 1.25,
		math.Hypot(host.GetAcceleration().GetX(), host.GetAcceleration().GetY()), 1e-12, "v^2/R")

	// The truck in the right lane began 10 m ahead, at 0.02 rad, and has driven 20 m on a circle of
	// 503.5 m.
	angle := 0.02 + 20/503.5
	truck := truth.GetMovingObject()[1].GetBase()
	require.InDelta(t, 503.5*math.Sin(angle), truck.GetPosition().GetX(), 1e-9)
	require.InDelta(t, 500-503.5*math.Cos(angle), truck.GetPosition().GetY(), 1e-9)
	require.Equal(t, 12.0, truck.GetDimension().GetLength())

	// The oncoming car of lane 3 began 30 m ahead, at 0.06 rad, and has come back 25 m on a circle
	// of 493 m.
	oncoming := truth.GetMovingObject()[3].GetBase()
	require.InDelta(t, 0.06-25.0/493-math.Pi, oncoming.GetOrientation().GetYaw(), 1e-9)
	require.InDelta(t, -25.0/493, oncoming.GetOrientationRate().GetYaw(), 1e-12)

	// Vehicle 4 is the first in the host's lane, 40 m ahead: 0.08 rad on the circle, and stays
	// there.
	ahead := truth.GetMovingObject()[4].GetBase()
	require.InDelta(t, 0.08+0.05, ahead.GetOrientation().GetYaw(), 1e-12)

	// Post 1 stands 0.1 rad along the circle of 506 m.
	post := truth.GetStationaryObject()[1].GetBase()
	require.InDelta(t, 506*math.Sin(0.1), post.GetPosition().GetX(), 1e-9)
	require.InDelta(t, 0.5, post.GetPosition().GetZ(), 0)
}

func TestHostVehicleDataMatchTheHostObject(t *testing.T) {
	v := view(t, start(t, nil), 1)
	host, data := v.GetGlobalGroundTruth().GetMovingObject()[0].GetBase(), v.GetHostVehicleData()
	require.Equal(t, host.GetPosition().String(),
		data.GetVehicleLocalization().GetPosition().String())

	// The rear axle is 1.4 m behind the centre and 0.42 m below it; the car turns at 0.05 rad/s
	// about the centre.
	motion := data.GetVehicleMotion()
	require.InDelta(t, host.GetPosition().GetX()-1.4*math.Cos(0.05), motion.GetPosition().GetX(),
		1e-12)
	require.InDelta(t, host.GetPosition().GetY()-1.4*math.Sin(0.05), motion.GetPosition().GetY(),
		1e-12)
	require.InDelta(t, 0.33, motion.GetPosition().GetZ(), 1e-12)
	require.InDelta(t, 25, motion.GetVelocity().GetX(), 1e-12)
	require.InDelta(t, -0.05*1.4, motion.GetVelocity().GetY(), 1e-12)
	require.InDelta(t, 0.05*0.05*1.4, motion.GetAcceleration().GetX(), 1e-12)
	require.InDelta(t, 1.25, motion.GetAcceleration().GetY(), 1e-12)
	require.InDelta(t, 0.002, motion.GetCurrentCurvature(), 1e-15)
}

// TestMotionIsExact compares velocity, acceleration and rate of turning with differences of
// position, velocity and yaw.
func TestMotionIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom(lanes[:]).Draw(t, "lane")
		radius, speed := rapid.Float64Range(50, 5000).Draw(t, "radius"),
			rapid.Float64Range(0, 100).Draw(t, "speed")
		start, at := rapid.Float64Range(-1000, 1000).Draw(t, "start"),
			rapid.Float64Range(0, 100).Draw(t, "time")
		const h = 1e-3
		on := func(at float64) motion { return l.on(radius, speed, start, at) }
		before, now, after := on(at-h), on(at), on(at+h)
		velocity := after.position.Sub(before.position).Scale(1 / (2 * h))
		acceleration := after.velocity.Sub(before.velocity).Scale(1 / (2 * h))
		turned := math.Remainder(after.yaw-before.yaw, 2*math.Pi)
		require.InDelta(t, 0, velocity.Sub(now.velocity).Length(), 1e-3)
		require.InDelta(t, 0, acceleration.Sub(now.acceleration).Length(), 1e-2)
		require.InDelta(t, now.turning, turned/(2*h), 1e-6)
		require.InDelta(t, 0,
			math.Remainder(math.Atan2(now.velocity.Y, now.velocity.X)-now.yaw, 2*math.Pi)*speed,
			1e-9, "vehicles head where they drive")
	})
}

// TestVehiclesDoNotOverlap checks that the centres of all vehicles of a lane are further apart than
// the vehicles are long, however full the road is.
func TestVehiclesDoNotOverlap(t *testing.T) {
	v := view(t, start(t, map[string]any{"vehicles": 59, "gap": 20, "road.radius": 50}), 3)
	objects, ids := v.GetGlobalGroundTruth().GetMovingObject(), map[uint64]bool{}
	for k, a := range objects {
		ids[a.GetId().GetValue()] = true
		for n := k % len(lanes); n < k; n += len(lanes) {
			p, q := a.GetBase().GetPosition(), objects[n].GetBase().GetPosition()
			apart := math.Hypot(p.GetX()-q.GetX(), p.GetY()-q.GetY())
			require.Greater(t, apart, a.GetBase().GetDimension().GetLength(), "%d and %d", k, n)
		}
	}
	require.Len(t, ids, 60)
}

func TestTimestampsAreExact(t *testing.T) {
	r := start(t, map[string]any{"vehicles": 0})
	for k := 1; k <= 500; k++ {
		at := view(t, r, 0.02).GetTimestamp()
		require.Equal(t, int64(k)*20e6, at.GetSeconds()*1e9+int64(at.GetNanos()))
	}
	require.Equal(t, int32(1), r.Get("count"), "the host is always there")
}

func TestSourceDependsOnTimeAlone(t *testing.T) {
	r, other := start(t, nil), start(t, nil)
	view(t, r, 1)
	state := r.Save()
	view(t, r, 1)
	view(t, other, 2)
	wanted := bytes.Clone(other.Read(out))
	require.Equal(t, wanted, r.Read(out), "one step of 2 s or two of 1 s")
	r.Restore(state, 1)
	require.Equal(t, int64(1), sent(t, r).GetTimestamp().GetSeconds())
	r.Step(1)
	require.Equal(t, wanted, r.Read(out))
}

func TestWrongParameters(t *testing.T) {
	for name, value := range map[string]any{
		"vehicles": -1, "speed": 101.0, "gap": 19.0, "road.radius": math.NaN(), "mounting.x": 11.0,
		"mounting.z": -2.0,
	} {
		r := modeltest.New(t, definition)
		require.Equal(t, fmi.Error, r.TrySet(name, value), name)
		require.Contains(t, r.Log()[0], name)
	}
	r := modeltest.New(t, definition)
	r.Set("vehicles", 60)
	r.Set("gap", 20)
	r.Set("road.radius", 50)
	require.Equal(t, fmi.Error, r.TryStart(0))
	require.Contains(t, r.Log()[0],
		"60 beside the host vehicle, but 4 lanes of 314 m hold 59 at gaps of 20 m; lower")
}

func TestASensorIsWhereItsConfigurationSays(t *testing.T) {
	wanted := &osi3.SensorViewConfiguration{
		SensorId: message.ID(42),
		MountingPosition: message.Mounting(
			frames.Pose{Position: frames.Vector{X: 1, Y: -0.5, Z: 1.5}}),
	}
	r := modeltest.New(t, definition)
	r.Write("SensorViewOutConfig", wanted)
	r.Start()
	v := view(t, r, 0.02)
	require.Equal(t, uint64(42), v.GetSensorId().GetValue())
	require.True(t, proto.Equal(wanted.MountingPosition, v.GetMountingPosition()))

	r = modeltest.New(t, definition)
	r.Write("SensorViewOutConfig", &osi3.SensorViewConfiguration{Range: proto.Float64(100)})
	r.Start()
	v = view(t, r, 0.02)
	require.Equal(t, uint64(sensorID), v.GetSensorId().GetValue())
	require.Equal(t, 3.9, v.GetMountingPosition().GetPosition().GetX())
}

func TestInvalidConfigurationIsRefused(t *testing.T) {
	r := modeltest.New(t, definition)
	r.Write("SensorViewOutConfig", []byte("nonsense"))
	require.Equal(t, fmi.Error, r.TryStart(0))
	require.Contains(t, r.Log()[0],
		"SensorViewOutConfig: not a SensorViewConfiguration: found 8 bytes")
}
