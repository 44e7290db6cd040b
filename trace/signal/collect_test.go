package signal_test

import (
	"bytes"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"pgregory.net/rapid"

	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace/signal"
)

func add(t *testing.T, c *signal.Collector, channel string, at timebase.Time, m proto.Message) {
	t.Helper()
	data, err := proto.Marshal(m)
	require.NoError(t, err)
	c.Add(channel, at, m.ProtoReflect().Descriptor(), data)
}

// TestCollector keeps the peak of many numbers, distinguishes objects by their ids, and leaves out
// what never changes.
func TestCollector(t *testing.T) {
	c := signal.NewCollector(0, 999*timebase.Millisecond, 10)
	for k := range 1000 {
		x := float64(k)
		if k == 517 {
			x = 1e6
		}
		object := func(id uint64, x float64) *osi3.MovingObject {
			return &osi3.MovingObject{Id: &osi3.Identifier{Value: &id}, Base: &osi3.BaseMoving{
				Position: &osi3.Vector3D{X: &x, Y: proto.Float64(3)}}}
		}
		list := []*osi3.MovingObject{object(8, 2*x), object(7, x)}
		if k%2 == 0 {
			list[0], list[1] = list[1], list[0]
		}
		add(t, c, "world", timebase.Time(k)*timebase.Millisecond,
			&osi3.GroundTruth{MovingObject: list})
	}
	changing, constant := c.Changing()
	require.Len(t, changing, 2)
	require.Equal(t, 2, constant)
	require.Equal(t, "moving_object[id=7].base.position.x", changing[0].Path)
	require.InDelta(t, 1e6, changing[0].Greatest[5], 0)
	require.InDelta(t, 0, changing[0].Least[0], 0)
	require.InDelta(t, 999, changing[0].Last, 0)
	require.InDelta(t, 2*999, changing[1].Greatest[9], 0)
	require.Equal(t, 900*timebase.Millisecond, c.At("world", 9), "of the first message in it")
	require.Equal(t, timebase.Time(949_050_000), c.At("another", 9), "no message")
	require.Equal(t, "m", changing[0].Unit)
}

// TestCollector_ZeroID: an identifier without a value is 0, because proto3 writers leave out zeros.
func TestCollector_ZeroID(t *testing.T) {
	c := signal.NewCollector(0, timebase.Second, 2)
	for k, value := range []*uint64{nil, proto.Uint64(0)} {
		add(t, c, "a", timebase.Time(k)*timebase.Second, &osi3.GroundTruth{
			MovingObject: []*osi3.MovingObject{{Id: &osi3.Identifier{Value: value},
				Base: &osi3.BaseMoving{Velocity: &osi3.Vector3D{X: proto.Float64(float64(k))}}}}})
	}
	changing, constant := c.Changing()
	require.Len(t, changing, 1)
	require.Zero(t, constant)
	require.Equal(t, "moving_object[id=0].base.velocity.x", changing[0].Path)
	require.Equal(t, "m/s", changing[0].Unit)
}

// Writers of proto3 omit zeros: a coordinate of a vector that is not set is 0, but other numbers that
// are not set are unknown.
func TestCollector_OmittedZeros(t *testing.T) {
	c := signal.NewCollector(0, 3*timebase.Second, 3)
	for k, y := range []*float64{nil, proto.Float64(2), nil} {
		d := &osi3.RadarDetection{Position: &osi3.Spherical3D{Distance: proto.Float64(1)}, Rcs: y}
		v := &osi3.Vector3D{X: proto.Float64(float64(k)), Y: y}
		at := timebase.Time(k) * timebase.Second
		add(t, c, "a", at, v)
		add(t, c, "b", at, d)
		var got []float64
		path, err := signal.Parse("y")
		require.NoError(t, err)
		require.NoError(t, path.Bind(v.ProtoReflect().Descriptor()))
		path.Numbers(v.ProtoReflect(), func(_ string, x float64) { got = append(got, x) })
		require.Equal(t, []float64{v.GetY()}, got)
		path, err = signal.Parse("rcs")
		require.NoError(t, err)
		require.NoError(t, path.Bind(d.ProtoReflect().Descriptor()))
		n := 0
		path.Numbers(d.ProtoReflect(), func(string, float64) { n++ })
		require.Equal(t, y != nil, n == 1)
	}
	changing, constant := c.Changing()
	require.Len(t, changing, 2, "x and y")
	require.Equal(t, 2, constant, "distance and rcs, but not z, which is never set")
	require.Equal(t, "y", changing[1].Path)
	require.Equal(t, []float64{0, 2, 0}, changing[1].Least)
}

// TestCollector_Gaps: an interval without numbers has no value.
func TestCollector_Gaps(t *testing.T) {
	c := signal.NewCollector(0, 10*timebase.Second, 10)
	for _, k := range []timebase.Time{0, 10} {
		add(t, c, "a", k*timebase.Second, &osi3.Vector3D{X: proto.Float64(float64(k)),
			Y: proto.Float64(math.NaN())})
	}
	changing, constant := c.Changing()
	require.Len(t, changing, 1)
	require.Equal(t, 1, constant)
	require.True(t, math.IsNaN(changing[0].Least[5]))
	require.InDelta(t, 10, changing[0].Least[9], 0)
}

// TestCollector_EveryKind: numbers in all wire formats equal the numbers in a decoded message.
func TestCollector_EveryKind(t *testing.T) {
	messages := func(k int) []proto.Message {
		n := int64(k) - 3
		return []proto.Message{
			wrapperspb.Double(float64(n) / 3), wrapperspb.Float(float32(n) / 3),
			wrapperspb.Int64(n << 40), wrapperspb.UInt64(uint64(k) << 40),
			wrapperspb.Int32(int32(n)), wrapperspb.UInt32(uint32(k)), wrapperspb.Bool(k > 2),
			&descriptorpb.SourceCodeInfo_Location{Path: []int32{int32(n), int32(k)}},
			&osi3.MovingObject{Type: osi3.MovingObject_Type(k).Enum()},
			&osi3.DetectedMovingObject{Header: &osi3.DetectedItemHeader{
				TrackingId: &osi3.Identifier{Value: proto.Uint64(5)},
				Age:        proto.Float64(float64(k))}},
		}
	}
	c := signal.NewCollector(0, 6*timebase.Second, 6)
	last := map[string]float64{}
	for k := 1; k < 6; k++ {
		for n, m := range messages(k) {
			channel := strconv.Itoa(n)
			add(t, c, channel, timebase.Time(k)*timebase.Second, m)
			signal.Each(m.ProtoReflect(), func(path string) {
				p, err := signal.Parse(path)
				require.NoError(t, err)
				p.Numbers(m.ProtoReflect(), func(_ string, x float64) { last[channel+path] = x })
			})
		}
	}
	changing, _ := c.Changing()
	require.GreaterOrEqual(t, len(changing), len(messages(0)))
	for _, u := range changing {
		require.Contains(t, last, u.Channel+u.Path)
		require.InDelta(t, last[u.Channel+u.Path], u.Last, 0, u.Path)
	}
}

// TestCollector_Damaged: a damaged message causes no error and does not end the collection.
func TestCollector_Damaged(t *testing.T) {
	whole, err := proto.Marshal(&osi3.GroundTruth{MovingObject: []*osi3.MovingObject{{
		Id:   &osi3.Identifier{Value: proto.Uint64(3)},
		Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(1)}}}}})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Clone(whole[:rapid.IntRange(0, len(whole)).Draw(t, "length")])
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			if len(data) > 0 {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			}
		}
		c := signal.NewCollector(0, timebase.Second, 2)
		c.Add("a", 0, (&osi3.GroundTruth{}).ProtoReflect().Descriptor(), data)
		c.Changing()
	})
}
