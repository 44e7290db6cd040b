package truth_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
)

// TestC5_FieldsThatAgentsRead checks C5: public agent models also read older fields of a
// SensorView. These fields are in the views of every vehicle on every map.
func TestC5_FieldsThatAgentsRead(t *testing.T) {
	for _, path := range maps(t) {
		if testing.Short() && large(path) {
			continue
		}
		w := populated(t, path, 20)
		if w == nil {
			continue
		}
		for _, reach := range []float64{0, 60} {
			m, err := truth.New(w, truth.Options{Host: "ego", Static: truth.Every, Range: reach})
			require.NoError(t, err)
			for k := range w.Len() {
				if v := w.At(k); v.Kind().Vehicle() {
					b, err := m.For(v.Name(), 0, reach).SensorView()
					require.NoError(t, err)
					requireAgentFields(t, v, decode(t, b))
				}
			}
		}
	}
}

func requireAgentFields(t *testing.T, v mocksim.View, view *osi3.SensorView) {
	t.Helper()
	require.Equal(t, v.ID(), view.HostVehicleId.GetValue())
	g := view.GlobalGroundTruth
	at := view.HostVehicleData.Location.Position
	require.InDelta(t, v.State().Position.X, at.GetX(), 2)
	require.InDelta(t, v.State().Position.Y, at.GetY(), 2)
	on := map[uint64]bool{}
	for _, o := range g.MovingObject {
		b := o.Base
		for _, part := range []proto.Message{b.Dimension, b.Position, b.Orientation, b.Velocity,
			b.Acceleration, b.OrientationRate, o.Id} {
			require.True(t, part.ProtoReflect().IsValid())
		}
		require.NotNil(t, o.Type)
		for _, id := range o.AssignedLaneId {
			on[id.GetValue()] = on[id.GetValue()] || o.Id.GetValue() == v.ID()
		}
		require.Len(t, o.AssignedLaneId, len(o.MovingObjectClassification.GetAssignedLaneId()))
	}
	for _, l := range g.Lane {
		c := l.Classification
		require.Equal(t, on[l.Id.GetValue()], c.GetIsHostVehicleLane(), l.Id)
		require.NotNil(t, c.Type)
		require.NotNil(t, c.Subtype)
		if len(c.Centerline) > 0 {
			require.NotNil(t, c.CenterlineIsDrivingDirection)
		}
		delete(on, l.Id.GetValue())
	}
	for id, host := range on {
		require.False(t, host, "lane %d of the host vehicle", id)
	}
	for _, s := range g.TrafficSign {
		require.NotNil(t, s.MainSign.Base.Position)
		require.NotNil(t, s.MainSign.Classification.Type)
	}
	for _, l := range g.TrafficLight {
		require.NotNil(t, l.Base.Position)
		require.NotNil(t, l.Classification.Color)
		require.NotNil(t, l.Classification.Icon)
	}
}
