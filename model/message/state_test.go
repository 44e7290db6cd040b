package message_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/scene"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/proto/osi3"
)

func TestSave_WhatLoadReads(t *testing.T) {
	first, second := scene.Motorway(0), &osi3.SensorView{}
	b, err := message.Save(model.AppendUint64(nil, 7), first)
	require.NoError(t, err)
	b, err = message.Save(b, second)
	require.NoError(t, err)

	d := model.StateReader{Data: model.AppendBool(b, true)}
	require.EqualValues(t, 7, d.Uint64())
	one, two := &osi3.SensorView{}, scene.Crowd(3, 0, 0)
	require.NoError(t, message.Load(&d, one))
	require.NoError(t, message.Load(&d, two))
	require.True(t, d.Bool())
	require.NoError(t, d.Done())
	require.True(t, proto.Equal(first, one))
	require.True(t, proto.Equal(second, two), "the target is reset before")
}

func TestLoad_RefusesWhatIsNotAState(t *testing.T) {
	b, err := message.Save(nil, scene.Crowd(1, 0, 0))
	require.NoError(t, err)
	require.Error(t, message.Load(&model.StateReader{Data: b[:len(b)-1]}, &osi3.SensorView{}))
	d := model.StateReader{Data: model.AppendBytes(nil, []byte{0xff})}
	require.ErrorContains(t, message.Load(&d, &osi3.SensorView{}), "state of a SensorView")
}

func TestHostVehicle_ByTheGroundTruthThenTheView(t *testing.T) {
	view := scene.Motorway(0)
	host := view.GlobalGroundTruth.MovingObject[0]
	found, err := message.HostVehicle(view)
	require.NoError(t, err)
	require.Same(t, host, found)

	view.GlobalGroundTruth.HostVehicleId = view.GlobalGroundTruth.MovingObject[5].Id
	found, err = message.HostVehicle(view)
	require.NoError(t, err)
	require.Same(t, view.GlobalGroundTruth.MovingObject[5], found)

	view.GlobalGroundTruth.HostVehicleId = nil
	found, err = message.HostVehicle(view)
	require.NoError(t, err)
	require.Same(t, host, found)

	view.HostVehicleId = message.ID(1 << 50)
	_, err = message.HostVehicle(view)
	require.ErrorIs(t, err, message.ErrHostVehicle)
	require.ErrorContains(t, err,
		"found host_vehicle_id 1125899906842624, which none of the 66 moving objects has")

	_, err = message.HostVehicle(&osi3.SensorView{})
	require.ErrorIs(t, err, message.ErrHostVehicle)
	require.ErrorContains(t, err, "in neither GroundTruth nor SensorView")
}

// A car at (10, 20, 1) that faces along the world's y axis has its rear axle 1.5 m behind and 0.5 m
// below its center.
func TestRearAxle_IsTheOriginOfTheVehicleFrame(t *testing.T) {
	car := &osi3.MovingObject{
		Base: &osi3.BaseMoving{
			Position:    message.Vector(frames.Vector{X: 10, Y: 20, Z: 1}),
			Orientation: message.Orientation(frames.Orientation{Yaw: math.Pi / 2}),
		},
		VehicleAttributes: &osi3.MovingObject_VehicleAttributes{
			BbcenterToRear: message.Vector(frames.Vector{X: -1.5, Z: -0.5})},
	}
	axle := message.RearAxle(car)
	require.InDelta(t, 10, axle.Position.X, 1e-12)
	require.InDelta(t, 18.5, axle.Position.Y, 1e-12)
	require.InDelta(t, 0.5, axle.Position.Z, 1e-12)
	require.Equal(t, frames.Orientation{Yaw: math.Pi / 2}, axle.Orientation)

	car.VehicleAttributes = nil
	require.Equal(t, frames.Vector{X: 10, Y: 20, Z: 1}, message.RearAxle(car).Position,
		"the centre of the box")
}
