package message_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/frames"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/proto/field"
	"gosmp/proto/osi"
	"gosmp/proto/osi3"
	"gosmp/proto/wire"
	"gosmp/timebase"
)

// relay publishes and records the messages it reads.
type relay struct {
	model.Stateless

	in   *model.Input
	out  *model.Output
	data osi3.SensorData
	only []wire.Number // the fields to read; all if nil
	read bool
	then func(*relay) error
}

func (r *relay) Setup(model.Environment) error { return nil }

func (r *relay) Step(timebase.Span) error {
	if r.only == nil {
		r.read = message.Read(r.in, &r.data)
	} else {
		r.read = message.ReadFields(r.in, &r.data, r.only...)
	}
	if r.then != nil {
		return r.then(r)
	}
	if !r.read {
		return nil
	}
	return message.Publish(r.out, &r.data)
}

// newRelay starts a rig with a relay, and returns both.
func newRelay(t testing.TB) (*modeltest.Rig, *relay) {
	t.Helper()
	var made *relay
	rig := modeltest.New(t, model.Definition{Identifier: "Relay",
		New: func(d *model.Declaration) model.Model {
			made = &relay{in: d.Input(osmp.SensorDataIn), out: d.Output(osmp.SensorDataOut)}
			return made
		}})
	rig.Start()
	return rig, made
}

func sensorData(id uint64) *osi3.SensorData {
	return &osi3.SensorData{Version: message.Version(), Timestamp: message.Time(0),
		SensorId: &osi3.Identifier{Value: &id}}
}

func TestRead_AndPublish(t *testing.T) {
	rig, made := newRelay(t)
	rig.Write("OSMPSensorDataIn", sensorData(4))
	rig.Step(0.02)
	require.True(t, made.read)
	var got osi3.SensorData
	require.True(t, rig.Decode("OSMPSensorDataOut", &got))
	require.True(t, proto.Equal(sensorData(4), &got), "%v", &got)
	require.Empty(t, rig.Log())
}

func TestRead_Copies(t *testing.T) {
	rig, made := newRelay(t)
	rig.Write("OSMPSensorDataIn", sensorData(4))
	rig.Step(0.02) // the host's buffer is overwritten after the step returns
	require.True(t, proto.Equal(sensorData(4), &made.data))
}

func TestRead_NothingEmptiesTheMessage(t *testing.T) {
	rig, made := newRelay(t)
	rig.Write("OSMPSensorDataIn", sensorData(4))
	rig.Step(0.02)
	rig.Write("OSMPSensorDataIn", []byte(nil))
	rig.Step(0.02)
	require.False(t, made.read)
	require.True(t, proto.Equal(&osi3.SensorData{}, &made.data),
		"nothing of the step before is left")
	require.Nil(t, rig.Read("OSMPSensorDataOut"))
}

func TestRead_RejectsGarbageAndEmptiesTheMessage(t *testing.T) {
	rig, made := newRelay(t)
	rig.Write("OSMPSensorDataIn", sensorData(4))
	rig.Step(0.02)
	good, err := proto.Marshal(sensorData(5)) // content before the invalid bytes is also dropped
	require.NoError(t, err)
	rig.Write("OSMPSensorDataIn", append(good, 0x0a, 0x7f))
	require.Equal(t, fmi.Warning, rig.TryStep(0.02))
	require.False(t, made.read)
	require.True(t, proto.Equal(&osi3.SensorData{}, &made.data))
	require.Nil(t, made.in.Bytes())
	log := rig.Log()
	require.Len(t, log, 1)
	require.Contains(t, log[0],
		fmt.Sprintf("OSMPSensorDataIn: %d bytes that cannot be used: not a SensorData: ",
			len(good)+2))
}

func TestReadFields_DecodesNothingElse(t *testing.T) {
	rig, made := newRelay(t)
	made.only = []wire.Number{field.SensorDataSensorId, field.SensorDataMovingObject}
	whole := sensorData(4)
	whole.SensorView = []*osi3.SensorView{{GlobalGroundTruth: &osi3.GroundTruth{}}, {}}
	want := &osi3.SensorData{SensorId: whole.SensorId}
	for k := range uint64(3) {
		header := &osi3.DetectedItemHeader{TrackingId: message.ID(k)}
		want.MovingObject = append(want.MovingObject, &osi3.DetectedMovingObject{Header: header})
	}
	whole.MovingObject = want.MovingObject
	rig.Write("OSMPSensorDataIn", whole)
	rig.Step(0.02)
	require.True(t, made.read)
	require.True(t, proto.Equal(want, &made.data), "%v", &made.data)

	good, err := proto.Marshal(whole)
	require.NoError(t, err)
	rig.Write("OSMPSensorDataIn", append(good, 8<<3|2, 2, 0x0a, 0x7f)) // a broken SensorView
	rig.Step(0.02)
	require.True(t, proto.Equal(want, &made.data), "%v", &made.data)

	rig.Write("OSMPSensorDataIn", append(good, 8<<3|2, 0x7f)) // no SensorData
	require.Equal(t, fmi.Warning, rig.TryStep(0.02))
	require.False(t, made.read)
	require.True(t, proto.Equal(&osi3.SensorData{}, &made.data))
	require.Contains(t, rig.Log()[0], "not a SensorData: ")
}

func TestPublish_NilAndEmptyMessagesAreNoData(t *testing.T) {
	rig, made := newRelay(t)
	for _, m := range []*osi3.SensorData{nil, {}} {
		made.then = func(r *relay) error { return message.Publish(r.out, m) }
		rig.Step(0.02)
		require.Nil(t, rig.Read("OSMPSensorDataOut"))
	}
}

func TestPublish_EqualMessagesGiveEqualBytes(t *testing.T) {
	rig, made := newRelay(t)
	made.then = func(r *relay) error { return message.Publish(r.out, sensorData(7)) }
	rig.Step(0.02)
	first := bytes.Clone(rig.Read("OSMPSensorDataOut"))
	for range 20 {
		rig.Step(0.02)
		require.Equal(t, first, rig.Read("OSMPSensorDataOut"))
	}
}

func TestVersion_IsThatOfTheMIMEType(t *testing.T) {
	v := message.Version()
	require.Contains(t, osmp.SensorDataOut.MIMEType, "version="+osi.Version)
	require.Equal(t, []uint32{3, 8, 0}, []uint32{v.GetVersionMajor(), v.GetVersionMinor(),
		v.GetVersionPatch()})
}

func TestTime_SecondsAndNanoseconds(t *testing.T) {
	for at, want := range map[timebase.Time][2]int64{
		0:                         {0, 0},
		20 * timebase.Millisecond: {0, 20_000_000},
		-1:                        {-1, 999_999_999},
		1_500_000_000:             {1, 500_000_000},
	} {
		got := message.Time(at)
		require.Equal(t, want, [2]int64{got.GetSeconds(), int64(got.GetNanos())})
	}
	require.Zero(t, message.TimeOf(nil))
}

func TestTime_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := timebase.Time(rapid.Int64Range(math.MinInt64+int64(timebase.Second),
			math.MaxInt64).Draw(t, "at"))
		stamp := message.Time(at)
		require.Less(t, stamp.GetNanos(), uint32(1e9))
		require.Equal(t, at, message.TimeOf(stamp))
	})
}

func TestMounting_FieldsOfTheSameNames(t *testing.T) {
	pose := frames.Pose{Position: frames.Vector{X: 1, Y: 2, Z: 3},
		Orientation: frames.Orientation{Roll: 4, Pitch: 5, Yaw: 6}}
	m := message.Mounting(pose)
	p, o := m.GetPosition(), m.GetOrientation()
	require.Equal(t, [6]float64{1, 2, 3, 4, 5, 6}, [6]float64{p.GetX(), p.GetY(), p.GetZ(),
		o.GetRoll(), o.GetPitch(), o.GetYaw()})
	require.Equal(t, pose,
		frames.Pose{Position: message.VectorOf(p), Orientation: message.OrientationOf(o)})
}
