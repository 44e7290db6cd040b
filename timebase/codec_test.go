package timebase

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func roundTrip[T any](t *testing.T, values ...T) {
	t.Helper()
	codec := defaultCodec[T]()
	require.NotNil(t, codec)
	for _, v := range values {
		b, err := codec.Append([]byte("x"), v)
		require.NoError(t, err)
		require.Equal(t, byte('x'), b[0])
		got, err := codec.Decode(b[1:])
		require.NoError(t, err)
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
	roundTrip(t, Span{1, 2})
	roundTrip(t, struct{}{})
}

func TestPayloadsThatNeedACodec(t *testing.T) {
	require.Nil(t, defaultCodec[*float64]())
	require.Nil(t, defaultCodec[any]())
	require.Nil(t, defaultCodec[[]float64]())
	require.Nil(t, defaultCodec[map[string]int]())
	require.Nil(t, defaultCodec[struct{ hidden int32 }](), "encoding/binary cannot set it")
	require.Nil(t, defaultCodec[struct{ N int }](), "its size depends on the machine")
}

func TestDecodingWrongLengths(t *testing.T) {
	_, err := defaultCodec[int]().Decode(make([]byte, 9))
	require.Error(t, err)
	_, err = defaultCodec[float64]().Decode(make([]byte, 7))
	require.Error(t, err)
	_, err = defaultCodec[time.Time]().Decode([]byte{99})
	require.Error(t, err)
}
