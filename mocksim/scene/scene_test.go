package scene

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// checkRules checks the OSI rules for a SensorView.
func checkRules(t *testing.T, v *osi3.SensorView) {
	for _, m := range []proto.Message{
		v.Version, v.Timestamp, v.SensorId, v.MountingPosition, v.HostVehicleId,
		v.GlobalGroundTruth.Version, v.GlobalGroundTruth.Timestamp,
		v.GlobalGroundTruth.HostVehicleId,
	} {
		require.True(t, m.ProtoReflect().IsValid(), "%T is set", m)
	}
	ids := map[uint64]bool{}
	unique := func(i *osi3.Identifier) {
		require.NotNil(t, i)
		require.False(t, ids[i.GetValue()], "id %d", i.GetValue())
		ids[i.GetValue()] = true
	}
	for _, o := range v.GlobalGroundTruth.MovingObject {
		unique(o.Id)
		vehicle := o.GetType() == osi3.MovingObject_TYPE_VEHICLE
		require.Equal(t, vehicle, o.VehicleAttributes != nil)
		require.Equal(t, vehicle, o.VehicleClassification != nil)
	}
	require.True(t, ids[HostID])
	for _, o := range v.GlobalGroundTruth.StationaryObject {
		unique(o.Id)
	}
	for _, o := range v.GlobalGroundTruth.LaneBoundary {
		unique(o.Id)
	}
}

func TestCrowd(t *testing.T) {
	for _, n := range []int{0, 1, 10, 333} {
		v := Crowd(n, 3, 50)
		checkRules(t, v)
		require.Len(t, v.GlobalGroundTruth.MovingObject, n+1)
		require.Len(t, v.GlobalGroundTruth.LaneBoundary, 3)
		require.Len(t, v.GlobalGroundTruth.LaneBoundary[0].BoundaryLine, 50)
		require.True(t, proto.Equal(v, Crowd(n, 3, 50)), "reproducible")
	}
}

func TestMotorway(t *testing.T) {
	for _, now := range []timebase.Time{-timebase.Second, 0, 20 * timebase.Second} {
		v := Motorway(now)
		checkRules(t, v)
		require.Len(t, v.GlobalGroundTruth.MovingObject, 66)
		require.True(t, proto.Equal(v, Motorway(now)), "reproducible")
	}
}

func TestTiltAndMix_KeepTheHostVehicleAndUniqueIDs(t *testing.T) {
	view := func() *osi3.SensorView { return Mix(Tilt(Crowd(3000, 0, 0))) }
	v := view()
	ids := map[uint64]bool{}
	for _, o := range v.GlobalGroundTruth.MovingObject {
		require.False(t, ids[o.Id.GetValue()])
		ids[o.Id.GetValue()] = true
		require.NotZero(t, o.Base.Orientation.GetRoll())
		require.NotZero(t, o.Base.OrientationRate.GetPitch())
	}
	require.True(t, ids[HostID])
	require.True(t, proto.Equal(v, view()), "reproducible")
}
