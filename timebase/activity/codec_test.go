package activity

import (
	"testing"
	"time"

	"gosmp/internal/state"
	"gosmp/timebase"

	"github.com/stretchr/testify/require"
)

func roundTrip[T any](t *testing.T, values ...T) {
	t.Helper()
	codec := defaultCodec(new(T))
	require.True(t, codec.known())
	for _, v := range values {
		b, err := codec.encode([]byte("x"), &v)
		require.NoError(t, err)
		require.Equal(t, byte('x'), b[0])
		var got T
		require.NoError(t, codec.decode(b[1:], &got))
		require.Equal(t, v, got)
	}
}

func TestPayloadsThatNeedNoCodec(t *testing.T) {
	roundTrip(t, "", "text")
	roundTrip(t, []byte("bytes"))
	roundTrip(t, -1, 1<<40)
	roundTrip[uint](t, 1<<63)
	roundTrip(t, true, false)
	roundTrip(t, 1.5)
	roundTrip(t, [3]int16{1, -2, 3})
	roundTrip(t, struct {
		A float32
		B [2]struct{ C bool }
	}{1, [2]struct{ C bool }{{true}, {false}}})
	roundTrip(t, time.Unix(1, 2).UTC())
	roundTrip(t, timebase.Span{Start: 1, End: 2})
	roundTrip(t, struct{}{})
}

func TestPayloadsThatNeedACodec(t *testing.T) {
	require.False(t, defaultCodec(new(*float64)).known())
	require.False(t, defaultCodec(new(any)).known())
	require.False(t, defaultCodec(new([]float64)).known())
	require.False(t, defaultCodec(new(map[string]int)).known())
	require.False(t, defaultCodec(new(struct{ hidden int32 })).known(), "reflection cannot set it")
	require.False(t, defaultCodec(new(struct{ N int })).known(), "its size depends on the machine")
}

func TestDecodingWrongLengths(t *testing.T) {
	require.ErrorIs(t, defaultCodec(new(int)).decode(make([]byte, 9), new(int)), errLength)
	require.ErrorIs(t, defaultCodec(new(uint)).decode(make([]byte, 7), new(uint)), state.ErrShort)
	require.ErrorIs(
		t,
		defaultCodec(new(float64)).decode(make([]byte, 7), new(float64)),
		state.ErrShort,
	)
	require.ErrorIs(t, defaultCodec(new(float64)).decode(make([]byte, 9), new(float64)), errLength)
	require.Error(t, defaultCodec(new(time.Time)).decode([]byte{99}, new(time.Time)))
}
