package simapi_test

import (
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
			ActorId: rapid.SampledFrom([]string{"", "ego", "other"}).Draw(t, "id"), Position: drawCoords(t), Speed: drawCoords(t),
			Acceleration: drawCoords(t), Estimated: rapid.SliceOfN(rapid.SampledFrom([]string{"speed", "position.z"}), 0, 3).Draw(t, "estimated"),
		})
	}
	return r
}

// One reader reads one reply after the other as the protobuf library does: whole ones, damaged ones,
// parts of a message that occur twice, and fields of a later schema.
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
				b = protowire.AppendVarint(protowire.AppendTag(append(b, again...), 77, protowire.VarintType), 5)
			case 2:
				b = b[:rapid.IntRange(0, len(b)).Draw(t, "cut")]
			case 3:
				if len(b) > 0 {
					b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "change"))
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

// Frames are written and read as the protobuf library does.
func TestFrame_LikeProtobuf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &simapi.Frame{Id: rapid.Uint64().Draw(t, "id"), Method: simapi.Method(rapid.IntRange(0, 99).Draw(t, "method")),
			Body: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "body")}
		if rapid.Bool().Draw(t, "status") {
			f.Status = &simapi.Status{Code: simapi.Code(rapid.IntRange(0, 11).Draw(t, "code")), Message: rapid.StringN(0, 9, 20).Draw(t, "text"),
				Info: rapid.SliceOfN(rapid.Just("info"), 0, 2).Draw(t, "info"), Late: []*simapi.Party{{Name: "stack"}}}
		}
		b, err := simapi.AppendFrame(nil, f)
		require.NoError(t, err)
		want := &simapi.Frame{}
		require.NoError(t, proto.Unmarshal(b[4:], want))
		require.True(t, proto.Equal(f, want), "%v\n%v", f, want)
	})
}
