package timebase

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
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
	roundTrip(t, Span{1, 2})
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
	require.ErrorIs(t, defaultCodec(new(uint)).decode(make([]byte, 7), new(uint)), errShort)
	require.ErrorIs(t, defaultCodec(new(float64)).decode(make([]byte, 7), new(float64)), errShort)
	require.ErrorIs(t, defaultCodec(new(float64)).decode(make([]byte, 9), new(float64)), errLength)
	require.Error(t, defaultCodec(new(time.Time)).decode([]byte{99}, new(time.Time)))
}

// every has a field of each kind that a type of fixed size can have.
type every struct {
	A bool
	B int8
	C int16
	D int32
	E int64
	F uint8
	G uint16
	H uint32
	I uint64
	J float32
	K float64
	L complex64
	M complex128
	N [3]struct{ X, Y int16 }
}

// What is appended is decoded to the same value, and too few bytes are refused.
func TestFixed_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := binary.Size(every{})
		src := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "bytes")
		src[0] &= 1
		var want, got every
		_, err := binary.Decode(src, binary.LittleEndian, &want)
		require.NoError(t, err)
		rest, err := DecodeFixed(append(src, "rest"...), &got)
		require.NoError(t, err)
		require.Equal(t, "rest", string(rest))
		// A comparison of the bytes, because a NaN is not equal to itself.
		bytes, err := binary.Append([]byte("head"), binary.LittleEndian, &want)
		require.NoError(t, err)
		require.Equal(t, bytes, AppendFixed([]byte("head"), &want))
		require.Equal(t, bytes, AppendFixed([]byte("head"), &got))
		_, err = DecodeFixed(src[:rapid.IntRange(0, size-1).Draw(t, "short")], &got)
		require.ErrorIs(t, err, errShort)
	})
}

func TestAppendFixed_OtherTypesAreAMistakeOfTheProgram(t *testing.T) {
	require.Panics(t, func() { AppendFixed(nil, &struct{ Text string }{"no number"}) })
	require.Panics(t, func() { _, _ = DecodeFixed(make([]byte, 99), &struct{ List []int8 }{}) })
}
