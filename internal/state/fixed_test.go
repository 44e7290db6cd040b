package state_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/state"
)

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

// An appended value is decoded to the same value, and too few bytes are refused.
func TestFixed_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := binary.Size(every{})
		src := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "bytes")
		src[0] &= 1
		var want, got every
		_, err := binary.Decode(src, binary.LittleEndian, &want)
		require.NoError(t, err)
		rest, err := state.DecodeFixed(append(src, "rest"...), &got)
		require.NoError(t, err)
		require.Equal(t, "rest", string(rest))
		// The bytes are compared, because a NaN is not equal to itself.
		bytes, err := binary.Append([]byte("head"), binary.LittleEndian, &want)
		require.NoError(t, err)
		require.Equal(t, bytes, state.AppendFixed([]byte("head"), &want))
		require.Equal(t, bytes, state.AppendFixed([]byte("head"), &got))
		_, err = state.DecodeFixed(src[:rapid.IntRange(0, size-1).Draw(t, "short")], &got)
		require.ErrorIs(t, err, state.ErrShort)
	})
}

func TestAppendFixed_OtherTypesAreAMistakeOfTheProgram(t *testing.T) {
	require.Panics(t, func() { state.AppendFixed(nil, &struct{ Text string }{"no number"}) })
	require.Panics(t, func() {
		_, _ = state.DecodeFixed(make([]byte, 99), &struct{ List []int8 }{})
	})
}
