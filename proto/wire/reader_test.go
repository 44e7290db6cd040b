package wire_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/proto/osi3"
	"gosmp/proto/wire"
)

func TestField_FindsEveryField(t *testing.T) {
	group := protowire.AppendTag(nil, 9, protowire.StartGroupType)
	group = wire.AppendString(group, 1, "inside")
	group = protowire.AppendTag(group, 9, protowire.EndGroupType)

	b := wire.AppendDouble(nil, 1, -1.5)
	b = wire.AppendInt64(b, 2, -7)
	b = wire.AppendString(b, 4, "text")
	b = append(b, group...)
	b = protowire.AppendFixed32(protowire.AppendTag(b, 5, protowire.Fixed32Type), 77)
	b = wire.AppendString(b, 16, strings.Repeat("x", 200))
	b = wire.AppendUint64(b, 536_870_911, math.MaxUint64)

	i := 0
	next := func(want wire.Key) []byte {
		key, lo, hi := wire.Field(b, i)
		require.Equal(t, want, key)
		require.Greater(t, hi, i)
		i = hi
		return b[lo:hi]
	}
	require.InDelta(t, -1.5, wire.Double(next(1<<3|wire.Fixed64)), 0)
	minus := next(2<<3 | wire.Varint)
	require.EqualValues(t, -7, int64(wire.Uint64(minus)))
	require.EqualValues(t, -7, int32(wire.Uint64(minus)))
	require.Equal(t, "text", string(next(4<<3|wire.Len)))
	require.Equal(t, group[1:], next(9<<3|wire.Group), "with its end")
	require.Len(t, next(5<<3|wire.Fixed32), 4)
	require.Len(t, next(16<<3|wire.Len), 200)
	const last wire.Key = 536_870_911<<3 | wire.Varint
	require.Equal(t, uint64(math.MaxUint64), wire.Uint64(next(last)))
	require.Equal(t, wire.Number(536_870_911), last.Number())
	require.Equal(t, wire.Varint, last.Type())
	require.Equal(t, len(b), i)
	_, _, hi := wire.Field(b, i)
	require.Equal(t, -1, hi, "no field at the end")
}

// Skip agrees with Field whenever it returns a result, which it does for small fields.
func TestSkip_IsTheEndOfASmallField(t *testing.T) {
	for _, small := range [][]byte{
		wire.AppendUint64(nil, 1, 127), wire.AppendString(nil, 15, ""), wire.AppendBytes(nil, 2,
			make([]byte, 127)),
	} {
		require.Equal(t, len(small), wire.Skip(append(slices.Clone(small), 0xff), 0))
	}
	for _, other := range [][]byte{
		nil, {8}, {0, 0}, wire.AppendUint64(nil, 1, 128), wire.AppendString(nil, 16, ""),
		wire.AppendBytes(nil, 2, make([]byte, 128)),
		wire.AppendDouble(nil, 1, 1), {1<<3 | 2, 5, 0}, {1<<3 | 3, 1<<3 | 4},
	} {
		require.Equal(t, -1, wire.Skip(other, 0), "% x", other)
	}
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		i := rapid.IntRange(0, len(b)).Draw(t, "place")
		if hi := wire.Skip(b, i); hi >= 0 {
			_, _, want := wire.Field(b, i)
			require.Equal(t, want, hi)
		}
	})
}

func TestField_NoneInEmptyBytes(t *testing.T) {
	for _, b := range [][]byte{nil, {}} {
		require.NoError(t, wire.CheckSensorView(b))
		_, _, hi := wire.Field(b, 0)
		require.Equal(t, -1, hi)
	}
}

// nested opens n groups and closes them again.
func nested(n int) []byte {
	b := bytes.Repeat(protowire.AppendTag(nil, 1, protowire.StartGroupType), n)
	return append(b, bytes.Repeat(protowire.AppendTag(nil, 1, protowire.EndGroupType), n)...)
}

func TestField_NamesMalformedBytes(t *testing.T) {
	ok := wire.AppendUint64(nil, 1, 1)
	overlong := bytes.Repeat([]byte{0x80}, 10)
	tests := []struct {
		name string
		bad  []byte
		want error
	}{
		{"tag without end", []byte{0x80}, wire.ErrTruncated},
		{"tag of more than 64 bits", overlong, wire.ErrVarint},
		{"number 0", []byte{0x00, 0x00}, wire.ErrFieldNumber},
		{"number above the largest", protowire.AppendVarint(nil, 1<<32), wire.ErrFieldNumber},
		{"wire type 6", []byte{1<<3 | 6}, wire.ErrWireType},
		{"wire type 7", []byte{1<<3 | 7}, wire.ErrWireType},
		{"varint missing", []byte{1 << 3}, wire.ErrTruncated},
		{"varint of more than 64 bits", append([]byte{1 << 3}, append(overlong, 2)...),
			wire.ErrVarint},
		{"varint of more than ten bytes", append([]byte{1 << 3}, append(overlong, 0x80, 0)...),
			wire.ErrVarint},
		{"double cut", []byte{1<<3 | 1, 1, 2, 3, 4, 5, 6, 7}, wire.ErrTruncated},
		{"float cut", []byte{1<<3 | 5, 1, 2, 3}, wire.ErrTruncated},
		{"length missing", []byte{1<<3 | 2}, wire.ErrTruncated},
		{"content cut", []byte{1<<3 | 2, 3, 1, 2}, wire.ErrTruncated},
		{"length beyond int", append([]byte{1<<3 | 2}, protowire.AppendVarint(nil,
			math.MaxUint64)...), wire.ErrTruncated},
		{"length of more than 64 bits", append([]byte{1<<3 | 2}, overlong...), wire.ErrVarint},
		{"group without end", []byte{1<<3 | 3, 1 << 3, 1}, wire.ErrTruncated},
		{"group with another end", []byte{1<<3 | 3, 2<<3 | 4}, wire.ErrGroup},
		{"end without group", []byte{1<<3 | 4}, wire.ErrGroup},
		{"number 0 in a group", []byte{1<<3 | 3, 0, 0, 1<<3 | 4}, wire.ErrFieldNumber},
		{"wire type 7 in a group", []byte{1<<3 | 3, 2<<3 | 7, 1<<3 | 4}, wire.ErrWireType},
		{"double cut in a group", []byte{1<<3 | 3, 2<<3 | 1, 1, 2}, wire.ErrTruncated},
		{"content cut in a group", []byte{1<<3 | 3, 2<<3 | 2, 9, 1<<3 | 4}, wire.ErrTruncated},
		{"groups too deep", nested(10_002), wire.ErrDepth},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := append(bytes.Clone(ok), tt.bad...)
			_, _, hi := wire.Field(b, len(ok))
			require.Equal(t, -1, hi)
			err := wire.CheckSensorView(b)
			require.ErrorIs(t, err, tt.want)
			require.ErrorContains(t, err, fmt.Sprintf("SensorView, byte %d of %d: ", len(ok),
				len(b)), "the place of the bad field")
			require.Error(t, proto.Unmarshal(b, &osi3.SensorView{}), "protobuf agrees")
		})
	}
}

func TestField_SkipsGroups(t *testing.T) {
	deepest := nested(10_001)
	require.NoError(t, wire.CheckSensorView(deepest))
	require.NoError(t, proto.Unmarshal(deepest, &osi3.SensorView{}), "protobuf agrees")

	// Inside a group, even the numbers of old message sets are valid, although they are invalid in
	// a message.
	b := protowire.AppendTag(nil, 3, protowire.StartGroupType)
	b = protowire.AppendVarint(b, (1<<31-1)<<3)
	b = append(b, 0)
	b = protowire.AppendFixed32(protowire.AppendTag(wire.AppendDouble(b, 1, 2), 2,
		protowire.Fixed32Type), 3)
	b = wire.AppendString(b, 3, "text")
	b = append(b, nested(2)...)
	b = protowire.AppendTag(b, 3, protowire.EndGroupType)
	b = wire.AppendIdentifier(b, 8, 42)
	require.NoError(t, proto.Unmarshal(b, &osi3.SensorView{}), "protobuf agrees")
	id, found := wire.FindIdentifier(b, 8)
	require.True(t, found)
	require.EqualValues(t, 42, id)
}

// A singular message may come in several parts; together they are the message. The last scalar
// wins.
func TestFind_MergesOccurrences(t *testing.T) {
	b, one := wire.Begin(nil, 4)
	b, position := wire.Begin(b, 1)
	b = wire.AppendDouble(b, 1, 1)
	b = wire.AppendDouble(b, 2, 2)
	b = wire.End(wire.End(b, position), one)
	b = wire.AppendDouble(b, 4, 99) // another wire type: an unknown field
	b, two := wire.Begin(b, 4)
	b, position = wire.Begin(b, 1)
	b = wire.AppendDouble(b, 2, 5)
	b = wire.AppendDouble(b, 2, 6)
	b = wire.End(b, position)
	b, turned := wire.Begin(b, 2)
	b = wire.AppendDouble(b, 3, 7)
	b = wire.End(wire.End(b, turned), two)

	var want osi3.SensorView
	require.NoError(t, proto.Unmarshal(b, &want))
	require.True(t, proto.Equal(&osi3.Vector3D{X: proto.Float64(1), Y: proto.Float64(6)},
		want.GetMountingPosition().GetPosition()))

	p, o, found := wire.FindMountingPosition(b, 4)
	require.True(t, found)
	require.Equal(t, wire.Vector3d{X: 1, Y: 6}, p)
	require.Equal(t, wire.Orientation3d{Yaw: 7}, o)

	_, _, found = wire.FindMountingPosition(b, 5)
	require.False(t, found)

	absent := wire.Vector3d{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}
	require.True(t, absent.Merge(wire.AppendDouble(nil, 2, 3)))
	require.True(t, math.IsNaN(absent.X) && absent.Y == 3 && math.IsNaN(absent.Z),
		"absent components stay")
}

// Leaf messages that are concatenated from parts are read as protobuf reads them.
func TestMerge_LeafMessagesAsUnmarshal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b []byte
		for range rapid.IntRange(0, 6).Draw(t, "fields") {
			number := wire.Number(rapid.IntRange(1, 4).Draw(t, "number"))
			switch rapid.IntRange(0, 2).Draw(t, "type") {
			case 0:
				b = wire.AppendUint64(b, number, rapid.Uint64().Draw(t, "value"))
			case 1:
				b = wire.AppendDouble(b, number, rapid.Float64().Draw(t, "value"))
			default:
				b = wire.AppendString(b, number, rapid.String().Draw(t, "value"))
			}
		}
		var (
			id     uint64
			v      wire.Vector3d
			o      wire.Orientation3d
			wantID osi3.Identifier
			wantV  osi3.Vector3D
			wantO  osi3.Orientation3D
		)
		require.True(t, wire.MergeIdentifier(b, &id) && v.Merge(b) && o.Merge(b))
		for _, m := range []proto.Message{&wantID, &wantV, &wantO} {
			require.NoError(t, proto.Unmarshal(b, m))
		}
		require.Equal(t, wantID.GetValue(), id)
		require.Equal(t, wire.Vector3d{X: wantV.GetX(), Y: wantV.GetY(), Z: wantV.GetZ()}, v)
		require.Equal(t, wire.Orientation3d{Roll: wantO.GetRoll(), Pitch: wantO.GetPitch(),
			Yaw: wantO.GetYaw()}, o)
	})
}

func TestMerge_RefusesMalformedBytes(t *testing.T) {
	bad := []byte{1<<3 | 1, 0}
	var id uint64
	require.False(t, wire.MergeIdentifier(bad, &id))
	require.False(t, new(wire.Vector3d).Merge(bad))
	require.False(t, new(wire.Orientation3d).Merge(bad))
	for _, b := range [][]byte{
		bad, wire.AppendBytes(nil, 4, bad), wire.AppendBytes(nil, 4, wire.AppendBytes(nil, 1, bad)),
		wire.AppendBytes(nil, 4, wire.AppendBytes(nil, 2, bad)), append(wire.AppendBytes(nil, 4,
			nil), bad...),
	} {
		_, _, found := wire.FindMountingPosition(b, 4)
		require.False(t, found, "% x", b)
	}
	_, found := wire.FindIdentifier(wire.AppendBytes(nil, 4, bad), 4)
	require.False(t, found)
}

func TestFind_DoesNotAllocate(t *testing.T) {
	b := marshal(t, crowd(20))
	var seen int
	allocations := testing.AllocsPerRun(20, func() {
		if id, found := wire.FindIdentifier(b, 8); !found || id != 1 {
			panic("no host vehicle id")
		}
		if p, _, found := wire.FindMountingPosition(b, 4); !found || p.X != 1.5 {
			panic("no mounting position")
		}
		if err := wire.CheckSensorView(b); err != nil {
			panic(err)
		}
		seen = positions(b, func(wire.Vector3d) {})
	})
	require.Zero(t, allocations)
	require.Equal(t, 20, seen)
}
