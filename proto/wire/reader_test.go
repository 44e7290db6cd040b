package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/proto/osi3"
	"gosmp/proto/wire"
)

func TestReaderGivesEveryField(t *testing.T) {
	group := protowire.AppendTag(nil, 9, protowire.StartGroupType)
	group = wire.AppendString(group, 1, "inside")
	group = protowire.AppendTag(group, 9, protowire.EndGroupType)

	b := wire.AppendDouble(nil, 1, -1.5)
	b = wire.AppendInt64(b, 2, -7)
	b = wire.AppendBool(b, 3, true)
	b = wire.AppendString(b, 4, "text")
	b = append(b, group...)
	b = wire.AppendFloat(b, 5, 0.25)
	b = wire.AppendUint64(b, 536_870_911, math.MaxUint64)

	r := wire.NewReader(b)
	next := func(key wire.Key) {
		require.True(t, r.Next())
		require.Equal(t, key, r.Key())
	}
	next(1<<3 | wire.Fixed64)
	require.InDelta(t, -1.5, r.Double(), 0)
	next(2<<3 | wire.Varint)
	require.EqualValues(t, -7, r.Int64())
	require.EqualValues(t, -7, r.Int32())
	require.Nil(t, r.Bytes(), "a number has no content")
	next(3<<3 | wire.Varint)
	require.True(t, r.Bool())
	next(4<<3 | wire.Len)
	require.Equal(t, "text", string(r.Bytes()))
	require.Equal(t, wire.AppendString(nil, 4, "text"), r.Raw())
	require.Equal(t, len(r.Bytes()), cap(r.Bytes()), "an append cannot reach the rest of the message")
	next(9<<3 | wire.Group)
	require.Equal(t, group, r.Raw())
	next(5<<3 | wire.Fixed32)
	require.InDelta(t, 0.25, r.Float(), 0)
	next(536_870_911<<3 | wire.Varint)
	require.Equal(t, wire.Number(536_870_911), r.Key().Number())
	require.Equal(t, wire.Varint, r.Key().Type())
	require.Equal(t, uint64(math.MaxUint64), r.Uint64())
	require.Equal(t, uint32(math.MaxUint32), r.Uint32())
	require.False(t, r.Next())
	require.NoError(t, r.Err())
}

func TestEmptyBytesAreAnEmptyMessage(t *testing.T) {
	for _, b := range [][]byte{nil, {}} {
		require.NoError(t, wire.Valid(b))
		require.NoError(t, wire.CheckSensorView(b))
		r := wire.NewReader(b)
		require.False(t, r.Next())
	}
}

// nested opens n groups and closes them again.
func nested(n int) []byte {
	b := bytes.Repeat(protowire.AppendTag(nil, 1, protowire.StartGroupType), n)
	return append(b, bytes.Repeat(protowire.AppendTag(nil, 1, protowire.EndGroupType), n)...)
}

func TestMalformedBytesAreNamed(t *testing.T) {
	ok := wire.AppendBool(nil, 1, true)
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
		{"varint of more than 64 bits", append([]byte{1 << 3}, append(overlong, 2)...), wire.ErrVarint},
		{"varint of more than ten bytes", append([]byte{1 << 3}, append(overlong, 0x80, 0)...), wire.ErrVarint},
		{"double cut", []byte{1<<3 | 1, 1, 2, 3, 4, 5, 6, 7}, wire.ErrTruncated},
		{"float cut", []byte{1<<3 | 5, 1, 2, 3}, wire.ErrTruncated},
		{"length missing", []byte{1<<3 | 2}, wire.ErrTruncated},
		{"content cut", []byte{1<<3 | 2, 3, 1, 2}, wire.ErrTruncated},
		{"length beyond int", append([]byte{1<<3 | 2}, protowire.AppendVarint(nil, math.MaxUint64)...), wire.ErrTruncated},
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
			err := wire.Valid(b)
			require.ErrorIs(t, err, tt.want)
			var e *wire.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, len(ok), e.Offset, "the place of the bad field")
			require.ErrorIs(t, wire.CheckSensorView(b), tt.want)
			require.Error(t, proto.Unmarshal(b, &osi3.SensorView{}), "protobuf agrees")
		})
	}
}

func TestGroupsAreSkipped(t *testing.T) {
	deepest := nested(10_001)
	require.NoError(t, wire.Valid(deepest))
	require.NoError(t, proto.Unmarshal(deepest, &osi3.SensorView{}), "protobuf agrees")

	// In a group even the numbers of old message sets, beyond what a message may hold.
	b := protowire.AppendTag(nil, 3, protowire.StartGroupType)
	b = protowire.AppendVarint(b, (1<<31-1)<<3)
	b = append(b, 0)
	b = wire.AppendString(wire.AppendFloat(wire.AppendDouble(b, 1, 2), 2, 3), 3, "text")
	b = append(b, nested(2)...)
	b = protowire.AppendTag(b, 3, protowire.EndGroupType)
	b = wire.AppendIdentifier(b, 8, 42)
	require.NoError(t, proto.Unmarshal(b, &osi3.SensorView{}), "protobuf agrees")
	id, found, err := wire.FindIdentifier(b, 8)
	require.NoError(t, err)
	require.True(t, found)
	require.EqualValues(t, 42, id)
}

// A singular message may come in several parts; together they are the message. The last scalar wins.
func TestOccurrencesAreMerged(t *testing.T) {
	b, one := wire.Begin(nil, 4)
	b, position := wire.Begin(b, 1)
	b = wire.AppendDouble(b, 1, 1)
	b = wire.AppendDouble(b, 2, 2)
	b = wire.End(wire.End(b, position), one)
	b = wire.AppendDouble(b, 4, 99) // foreign wire type: an unknown field
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
	require.True(t, proto.Equal(&osi3.Vector3D{X: proto.Float64(1), Y: proto.Float64(6)}, want.GetMountingPosition().GetPosition()))

	p, o, found, err := wire.FindMountingPosition(b, 4)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, wire.Vector3d{X: 1, Y: 6}, p)
	require.Equal(t, wire.Orientation3d{Yaw: 7}, o)

	_, _, found, err = wire.FindMountingPosition(b, 5)
	require.NoError(t, err)
	require.False(t, found)

	absent := wire.Vector3d{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}
	require.NoError(t, absent.Merge(wire.AppendDouble(nil, 2, 3)))
	require.True(t, math.IsNaN(absent.X) && absent.Y == 3 && math.IsNaN(absent.Z), "absent components stay")
}

// Bytes of leaf messages, cut together from parts, read as protobuf reads them.
func TestLeavesReadAsUnmarshalReads(t *testing.T) {
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
			time        wire.Timestamp
			version     wire.InterfaceVersion
			id          uint64
			v           wire.Vector3d
			o           wire.Orientation3d
			d           wire.Dimension3d
			g           wire.GeodeticPosition
			wantTime    osi3.Timestamp
			wantVersion osi3.InterfaceVersion
			wantID      osi3.Identifier
			wantV       osi3.Vector3D
			wantO       osi3.Orientation3D
			wantD       osi3.Dimension3D
			wantG       osi3.GeodeticPosition
		)
		require.NoError(t, errors.Join(time.Merge(b), version.Merge(b), wire.MergeIdentifier(&id, b),
			v.Merge(b), o.Merge(b), d.Merge(b), g.Merge(b)))
		for _, m := range []proto.Message{&wantTime, &wantVersion, &wantID, &wantV, &wantO, &wantD, &wantG} {
			require.NoError(t, proto.Unmarshal(b, m))
		}
		require.Equal(t, wire.Timestamp{Seconds: wantTime.GetSeconds(), Nanos: wantTime.GetNanos()}, time)
		require.Equal(t, wire.InterfaceVersion{
			Major: wantVersion.GetVersionMajor(), Minor: wantVersion.GetVersionMinor(), Patch: wantVersion.GetVersionPatch(),
		}, version)
		require.Equal(t, wantID.GetValue(), id)
		require.Equal(t, wire.Vector3d{X: wantV.GetX(), Y: wantV.GetY(), Z: wantV.GetZ()}, v)
		require.Equal(t, wire.Orientation3d{Roll: wantO.GetRoll(), Pitch: wantO.GetPitch(), Yaw: wantO.GetYaw()}, o)
		require.Equal(t, wire.Dimension3d{Length: wantD.GetLength(), Width: wantD.GetWidth(), Height: wantD.GetHeight()}, d)
		require.Equal(t, wire.GeodeticPosition{
			Longitude: wantG.GetLongitude(), Latitude: wantG.GetLatitude(), Altitude: wantG.GetAltitude(),
		}, g)
	})
}

func TestNestedErrorsNameThePlaceInTheWhole(t *testing.T) {
	b := wire.AppendTimestamp(nil, 2, 1, 2)
	start := len(b)
	b, mounting := wire.Begin(b, 4)
	b, position := wire.Begin(b, 1)
	b = append(b, 1<<3|1, 0)
	b = wire.End(wire.End(b, position), mounting)

	_, _, found, err := wire.FindMountingPosition(b, 4)
	require.True(t, found)
	require.ErrorIs(t, err, wire.ErrTruncated)
	var e *wire.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, start+4, e.Offset, "behind two keys and two lengths")
	require.Equal(t, fmt.Sprintf("at byte %d: field ends after the end of the message; check that the size given covers "+
		"the whole message and that its memory still holds it", start+4), err.Error())

	own := errors.New("not wanted")
	n, err := wire.Each(wire.AppendTimestamp(b[:start:start], 2, 3, 4), 2, func([]byte) error { return own })
	require.Equal(t, 1, n, "an error ends the walk")
	require.Equal(t, own, err)
}

func TestReadingDoesNotAllocate(t *testing.T) {
	b := marshal(t, crowd(20))
	var seen int
	allocations := testing.AllocsPerRun(20, func() {
		at, found, err := wire.FindTimestamp(b, 2)
		if err != nil || !found || at.Seconds != 12 {
			panic("no timestamp")
		}
		if id, _, err := wire.FindIdentifier(b, 8); err != nil || id != 1 {
			panic("no host vehicle id")
		}
		if p, _, _, err := wire.FindMountingPosition(b, 4); err != nil || p.X != 1.5 {
			panic("no mounting position")
		}
		if err := wire.CheckSensorView(b); err != nil {
			panic(err)
		}
		seen = 0
		_, err = wire.Each(b, 7, func(truth []byte) error {
			n, err := wire.Each(truth, 5, func([]byte) error { return nil })
			seen += n
			return err
		})
		if err != nil {
			panic(err)
		}
	})
	require.Zero(t, allocations)
	require.Equal(t, 20, seen)
}
