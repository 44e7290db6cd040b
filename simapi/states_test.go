package simapi_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/simapi"
)

func drawCoords(t *rapid.T) *simapi.Coord6Dof {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	c := &simapi.Coord6Dof{}
	for _, f := range []**float64{&c.X, &c.Y, &c.Z, &c.Roll, &c.Pitch, &c.Yaw} {
		if rapid.Bool().Draw(t, "set") {
			*f = proto.Float64(rapid.Float64().Draw(t, "value"))
		}
	}
	return c
}

func drawStates(t *rapid.T) *simapi.GetActorsStatesReply {
	r := &simapi.GetActorsStatesReply{SimTimeMs: rapid.Float64().Draw(t, "time")}
	for range rapid.IntRange(0, 4).Draw(t, "states") {
		r.State = append(r.State, &simapi.ActorState{
			ActorId:  rapid.SampledFrom([]string{"", "ego", "other"}).Draw(t, "id"),
			Position: drawCoords(t), Speed: drawCoords(t), Acceleration: drawCoords(t),
			Estimated: rapid.SliceOfN(rapid.SampledFrom([]string{"speed", "position.z"}), 0,
				3).Draw(t, "estimated"),
		})
	}
	return r
}

// TestStatesReader_LikeProtobuf checks that a reader used for several replies in turn reads each as
// the protobuf library does: complete and damaged replies, repeated parts of a message, and fields
// of a later schema.
func TestStatesReader_LikeProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var reader simapi.StatesReader
		for range 5 {
			b, err := proto.Marshal(drawStates(t))
			require.NoError(t, err)
			switch rapid.IntRange(0, 3).Draw(t, "way") {
			case 1:
				again, err := proto.Marshal(drawStates(t))
				require.NoError(t, err)
				b = protowire.AppendVarint(protowire.AppendTag(append(b, again...), 77,
					protowire.VarintType), 5)
			case 2:
				b = b[:rapid.IntRange(0, len(b)).Draw(t, "cut")]
			case 3:
				if len(b) > 0 {
					b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1,
						255).Draw(t, "change"))
				}
			}
			want := &simapi.GetActorsStatesReply{}
			wantErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, want)
			got, err := reader.Read(b)
			require.Equal(t, wantErr == nil, err == nil, "%v, %v", wantErr, err)
			if err == nil {
				require.True(t, proto.Equal(want, got), "%v\n%v", want, got)
			}
		}
	})
}

// TestStatesReader_CopiesLikeProtobuf checks that a reader used for several replies in turn copies
// each into its own memory like the protobuf library.
func TestStatesReader_CopiesLikeProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var reader simapi.StatesReader
		for range 5 {
			want := drawStates(t)
			got := reader.Copy(want)
			require.True(t, proto.Equal(want, got), "%v\n%v", want, got)
			before, err := proto.Marshal(got)
			require.NoError(t, err)
			for _, state := range want.State {
				if state.Position != nil && state.Position.X != nil {
					*state.Position.X += 1
				}
			}
			after, err := proto.Marshal(got)
			require.NoError(t, err)
			require.Equal(t, before, after)
		}
	})
}

// TestReaders_RefuseNumbersBeyondTheSchema checks that field numbers beyond protobuf's limit are
// refused, although protowire accepts them.
func TestReaders_RefuseNumbersBeyondTheSchema(t *testing.T) {
	for number, fine := range map[protowire.Number]bool{protowire.MaxValidNumber: true,
		protowire.MaxValidNumber + 1: false, math.MaxInt32: false} {
		b := protowire.AppendVarint(protowire.AppendVarint(nil, uint64(number)<<3), 5)
		require.Equal(t, fine, proto.Unmarshal(b, &simapi.GetActorsStatesReply{}) == nil)
		_, err := (&simapi.StatesReader{}).Read(b)
		require.Equal(t, fine, err == nil, "%v", err)
		framed := append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...)
		err = simapi.NewFrameReader(bytes.NewReader(framed)).Next(&simapi.Frame{})
		require.Equal(t, fine, err == nil, "%v", err)
	}
}

// TestFrame_LikeProtobuf checks that frames are written and read as by the protobuf library.
func TestFrame_LikeProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &simapi.Frame{Id: rapid.Uint64().Draw(t, "id"), Method: simapi.Method(rapid.IntRange(0,
			99).Draw(t, "method")),
			Body: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "body")}
		if rapid.Bool().Draw(t, "status") {
			f.Status = &simapi.Status{Code: simapi.Code(rapid.IntRange(0, 11).Draw(t, "code")),
				Message: rapid.StringN(0, 9, 20).Draw(t, "text"),
				Info:    rapid.SliceOfN(rapid.Just("info"), 0, 2).Draw(t, "info"),
				Late:    []*simapi.Party{{Name: "stack"}}}
		}
		b, err := simapi.AppendFrame(nil, f)
		require.NoError(t, err)
		want := &simapi.Frame{}
		require.NoError(t, proto.Unmarshal(b[4:], want))
		require.True(t, proto.Equal(f, want), "%v\n%v", f, want)
	})
}
