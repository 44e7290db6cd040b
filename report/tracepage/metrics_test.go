package tracepage_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/report/tracepage"
	"gosmp/timebase"
	"gosmp/trace"
)

// A post-encroachment time may be negative. The page explains its sign, but only if it has one.
func TestWrite_ExplainsNegativeTimes(t *testing.T) {
	const note = "negative if the object was"
	page := write(t, "follow.mcap", follow(t), tracepage.Options{})
	require.Regexp(t, `<td>post encroachment time<td>s<td>1<td>-`, page)
	require.Contains(t, page, note)
	require.NotContains(t, write(t, "drive.mcap", record(t, 20, "front"), tracepage.Options{}), note)
}

// follow returns a trace in which the host vehicle drives 30 m after another vehicle.
func follow(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("truth", "gt"))
	require.NoError(t, err)
	car := func(id uint64, x float64) *osi3.MovingObject {
		return &osi3.MovingObject{Id: message.ID(id),
			Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			Base: &osi3.BaseMoving{Position: message.Vector(frames.Vector{X: x}),
				Dimension: &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2),
					Height: proto.Float64(1.5)},
				Orientation: &osi3.Orientation3D{}, Velocity: message.Vector(frames.Vector{X: 20})}}
	}
	for k := range 60 {
		at := timebase.Time(k) * 50 * timebase.Millisecond
		x := 20 * at.Seconds()
		g := &osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(at),
			HostVehicleId: message.ID(1),
			MovingObject:  []*osi3.MovingObject{car(1, x), car(2, x+30)}}
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(g)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at, Data: data}))
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}
